"""Pairs through a local detector, as a run: each probability is kept as it comes, so that a stopped run goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from conqret.data.digest import digest_of
from conqret.data.item import Frozen
from conqret.errors import strict_options
from conqret.io.label_sheets import csv_text
from conqret.io.pairs import Pair, read_pairs
from conqret.io.safe_files import InFolder, write_whole
from conqret.perspectives.detector import AT_ONCE, Detector, DetectorQuality, load_detector, quality_of
from conqret.runs.run_folder import RunFolder, RunRecord, default_folder, stem
from conqret.runs.study_run import ROWS
from conqret.runs.trials import RowStore


class DetectedPair(Frozen):
    """The probability that a pair's document contains its perspective."""

    id: str
    probability: float


class DetectedRecord(RunRecord):
    """What ``run.json`` says of pairs that went through a detector."""

    SAME: ClassVar[Mapping[str, str]] = {"detector": "detector", "asked": "pairs"}

    kind: str = "detector"
    detector: str
    asked: str


@dataclass(frozen=True)
class DetectedFolder(RunFolder[DetectedRecord]):
    """The files of such a run."""

    COMMAND: ClassVar[str] = "conqret perspectives detect --detector"

    rows_file = InFolder(ROWS)
    """The probabilities as they came."""
    table_file = InFolder("detections.csv")
    """The pairs with probability, and yes or no."""


def detect_locally(
    pairs: Sequence[Pair],
    detector: Detector,
    folder: DetectedFolder,
    *,
    overwrite: bool = False,
    on_block: Callable[[int], None] = lambda done: None,
) -> list[float]:
    """The probability of each pair, in their order; ``on_block`` gets how many there are so far.

    Raises:
        DeclarationError: the folder holds something else or another run, or a perspective is too long.
    """
    asked = digest_of([(pair.id, pair.document, pair.perspective) for pair in pairs])
    record = DetectedRecord(detector=detector.identity, asked=asked)
    with folder.claimed(record, overwrite=overwrite):
        with RowStore(folder.rows_file, DetectedPair, lambda row: row.id) as rows:
            lacking = [pair for pair in pairs if pair.id not in rows]
            on_block(len(pairs) - len(lacking))
            for start in range(0, len(lacking), AT_ONCE):
                block = lacking[start : start + AT_ONCE]
                for pair, score in zip(block, detector.scores(block), strict=True):
                    rows.add(DetectedPair(id=pair.id, probability=detector.probability(score)))
                on_block(len(pairs) - len(lacking) + start + len(block))
            probabilities = {row.id: row.probability for row in rows.rows()}
        write_whole(folder.table_file, _table(pairs, probabilities, detector).encode())
    return [probabilities[pair.id] for pair in pairs]


@dataclass(frozen=True)
class LocalDetections:
    """The probability of each pair that its document contains its perspective, how many are a yes from the detector's
    ``threshold`` on, and how that agrees with the labels of those pairs that have one."""

    pairs: tuple[Pair, ...]
    probabilities: tuple[float, ...]
    threshold: float
    yes: int
    against_labels: DetectorQuality | None
    folder: DetectedFolder

    def record(self) -> dict[str, Any]:
        """The same in numbers, as plain data."""
        agreement = self.against_labels
        return {"pairs": len(self.pairs), "yes": self.yes, "threshold": self.threshold} | (
            {} if agreement is None else {"against_labels": agreement.model_dump()}
        )


@strict_options
def apply_detector(
    pairs: str | Path,
    detector: str | Path,
    *,
    labels: str | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
    on_start: Callable[[int, str], None] = lambda pairs, identity: None,
    on_block: Callable[[int], None] = lambda done: None,
) -> LocalDetections:
    """Detect with a local detector which documents contain a perspective; nobody is called.

    Args:
        pairs: a table with the columns question, document and perspective, optionally id.
        detector: the folder of :func:`conqret.tune_detector`, or of an NLI model.
        labels: annotators' labels: a column of the pairs, or a file with the columns id and label.
        output: the run's folder, by default ``runs/PAIRS-detect-DETECTOR``; the same call goes on there.
        overwrite: begin afresh where it holds another run.
        on_start: gets how many pairs there are, and the identity of the detector.
        on_block: gets how many pairs have a probability so far.

    Raises:
        DeclarationError: the pairs, the detector or the folder are wrong, or a perspective is too long.
        MissingDependencyError: torch or transformers is not installed.
    """
    source, place = Path(pairs), Path(detector)
    rows = tuple(read_pairs(source, labels))
    folder = DetectedFolder(
        default_folder(stem(source), "detect", place.resolve().name) if output is None else Path(output)
    )
    loaded = load_detector(place)
    on_start(len(rows), loaded.identity)
    chances = detect_locally(rows, loaded, folder, overwrite=overwrite, on_block=on_block)
    labelled = [
        (pair, loaded.score_of(chance))
        for pair, chance in zip(rows, chances, strict=True)
        if pair.label is not None
    ]
    agreement = None
    if labelled:
        known, scores = zip(*labelled, strict=True)
        agreement = quality_of(known, scores, loaded.probability, loaded.threshold)
    yes = sum(loaded.contains(chance) is True for chance in chances)
    return LocalDetections(rows, tuple(chances), loaded.threshold, yes, agreement, folder)


def _table(pairs: Sequence[Pair], probabilities: Mapping[str, float], detector: Detector) -> str:
    words_of = {True: "yes", False: "no", None: ""}
    return csv_text(
        ("id", "question", "document", "perspective", "probability", "contains", "label"),
        (
            (pair.id, pair.question, pair.document, pair.perspective, f"{probabilities[pair.id]:.4f}",
             words_of[detector.contains(probabilities[pair.id])], words_of[pair.label])
            for pair in pairs
        ),
    )  # fmt: skip
