"""Pairs through a local detector, as a run: each probability is kept as it comes, so that a stopped run goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from conqret.data.digest import digest_of
from conqret.data.item import Frozen
from conqret.io.label_sheets import csv_text
from conqret.io.pairs import Pair
from conqret.io.safe_files import InFolder, write_whole
from conqret.perspectives.detector import AT_ONCE, Detector
from conqret.runs.row_store import RowStore
from conqret.runs.run_folder import RunFolder, RunRecord
from conqret.runs.study_run import ROWS


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
