"""Perspective detection as a run: recorded, resumable, its grades in a table, and what labels say of them.

Next to ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the grades as they came),
``detections.csv`` (a row for each pair, with grade and yes or no) and ``summary.json``. Labels and threshold are no
part of what the run is: the same command with others requests nothing again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Unpack

from pydantic import Field

from conqret.data.digest import digest_of
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, check_known, number, strict_options
from conqret.io.pairs import Pair, read_pairs
from conqret.io.safe_files import Content, InFolder, csv_text, write_whole
from conqret.llm.client_options import ClientOptions, client_options
from conqret.perspectives.detection import (
    DETECTORS,
    GRADED,
    QUESTION,
    YES_OR_NO,
    Detection,
    DetectorPrompt,
    request,
)
from conqret.perspectives.detector_models import AT_ONCE, Detector, load_detector
from conqret.perspectives.threshold import (
    THRESHOLDS,
    AgainstLabels,
    DetectorQuality,
    against_labels,
    quality_of,
)
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import RunFolder, RunRecord, as_path, default_folder, stem
from conqret.runs.sessions import Sessions
from conqret.runs.study_run import ROWS, RequestFolder, RequestRecord, StudyOutcome, lost
from conqret.runs.trials import RowStore

_COLUMNS = "id question document perspective grade meaning contains explanation label reason detail".split()


@dataclass(frozen=True)
class DetectionFolder(RequestFolder[RequestRecord, Detection], kind="detect", same={"asked": "pairs"}):
    """The files of a run of perspective detection in one folder.

    A folder belongs to the ids, documents and perspectives of its pairs.
    """

    COMMAND: ClassVar[str] = "conqret perspectives detect"

    table_file = InFolder("detections.csv")
    """The pairs with their grades."""


class DetectionSummary(Frozen):
    """The results of a run of perspective detection in numbers.

    ``detector`` names one of :data:`conqret.perspectives.detection.DETECTORS`. ``grades`` counts the pairs by
    grade, ``unanswered`` those without a grade by reason. ``yes`` counts the pairs with a grade of at least
    ``yes_from``. ``against_labels`` is the agreement with human labels, if there are any.
    """

    detector: str = Field(default="graded", exclude_if=lambda name: name == "graded")
    model: str
    pairs: int
    grades: dict[int, int]
    unanswered: dict[str, int]
    yes_from: int
    yes: int
    against_labels: AgainstLabels | None = None


def detection_run(
    pairs: Sequence[Pair],
    folder: Path,
    model: ClientOptions,
    settings: Mapping[str, Any],
    *,
    prompt: DetectorPrompt = GRADED,
    sessions: Sessions | None = None,
) -> Run[Detection]:
    """Create the run that requests a grade for each pair; use it in a ``with`` statement."""
    shown = ((pair.id, pair.document, pair.perspective) for pair in pairs)
    typed = {"prompts": {prompt.id: digest_of(QUESTION.plain())}, "schemas": {}}
    return Run(
        DetectionFolder(folder),
        [model],
        {prompt.id: RunPrompt(prompt.response, "detect", prompt.tokens)},
        settings,
        contents=shown,
        total=len(pairs),
        purpose="whether documents contain perspectives",
        about=f"{number(len(pairs), 'pair')} of a document and a perspective, by",
        record=typed if model.backend.decides else None,
        sessions=sessions,
        decided=prompt is GRADED,
    )


def detected(
    run: Run[Detection],
    pairs: Sequence[Pair],
    yes_from: int | None = None,
    *,
    prompt: DetectorPrompt = GRADED,
) -> StudyOutcome[Detection, DetectionSummary]:
    """Request a grade for each pair, and return the rows and the summary of the run.

    ``yes_from`` is the lowest grade that counts as a yes. By default it is the best one by the pairs' labels;
    that of the prompt where no pair has a label, or where the prompt requests Yes or No.
    """

    folder: Any = run.folder

    def concluded(rows: tuple[Detection, ...]) -> tuple[DetectionSummary, Mapping[Path, Content]]:
        summary = _summary(run.client().model_id, pairs, rows, yes_from, prompt)
        return summary, {folder.table_file: _table(pairs, rows, summary.yes_from, prompt.levels)}

    decides = run.client().decides
    run.request_all(request(pair, run.library, prompt=prompt, decides=decides) for pair in pairs)
    return run.finish(concluded)


@strict_options
def detect(
    pairs: str | Path,
    *,
    detector: str = "graded",
    labels: str | None = None,
    yes_from: int | None = None,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[Detection, DetectionSummary]:
    """Detect which documents contain a perspective, by a model's grade of each pair, or its Yes or No (BeRDS).

    Args:
        pairs: a table with the columns question, document and perspective, optionally id.
        detector: the prompt: ``graded``, or BeRDS's ``zero-shot`` or ``one-shot`` (Table 14).
        labels: human labels: a column of the pairs, or a file with the columns id and label.
        yes_from: the grade (1 to 4) from which a document counts as containing the perspective; by
            default the best by the labels, else 3.
        output: the run's folder, by default ``runs/PAIRS-detect-MODEL``; the same call continues a
            stopped run.
        settings: which model is called, and how:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The grades of the pairs, and a summary with the agreement with the labels.

    Raises:
        DeclarationError: the call, the pairs or the folder are wrong. No model is called then.
    """
    source, model = Path(pairs), client_options(settings.get("model"), settings)
    check_known("detector", DETECTORS, detector)
    check_threshold(detector, yes_from)
    read, prompt = read_pairs(source, labels), DETECTORS[detector]
    kind = "detect" if prompt is GRADED else f"detect-{detector}"
    folder = as_path(output) or default_folder(stem(source), kind, model.model)
    with detection_run(read, folder, model, settings, prompt=prompt) as run:
        return detected(run, read, yes_from, prompt=prompt)


def check_threshold(detector: object, yes_from: object) -> None:
    """Check that a detector with a threshold of its own (any but ``graded``) is given none.

    Raises:
        DeclarationError: it is given one.
    """
    if yes_from is not None and detector not in (None, "graded"):
        raise DeclarationError(
            f"--detector {detector} has its own threshold: leave out --yes-from, which is a grade"
        )


def threshold_of_option(text: str | None) -> tuple[int | None, RequestRecord | None]:
    """Parse the option ``--yes-from``: return the grade, and the record of the run that chose it (None for a
    number).

    Both are None where the option is not set.

    Raises:
        DeclarationError: the text is neither a grade nor the folder of a run of perspective detection.
    """
    if text is None or text in map(str, THRESHOLDS):
        return None if text is None else int(text), None
    if not Path(text).is_dir():
        raise DeclarationError(
            f"--yes-from takes a grade from {min(THRESHOLDS)} to {max(THRESHOLDS)}, or the folder of a run of "
            f"conqret perspectives detect, not {text!r}"
        )
    folder = DetectionFolder(Path(text))
    record = folder.record()
    summary = folder.result(folder.summary_file, DetectionSummary)
    if DETECTORS[summary.detector] is not GRADED:
        raise DeclarationError(f"--yes-from names {text}, but {summary.detector} answers Yes or No: no grade")
    return summary.yes_from, record


def _summary(
    model: str,
    pairs: Sequence[Pair],
    detections: Sequence[Detection],
    yes_from: int | None,
    prompt: DetectorPrompt,
) -> DetectionSummary:
    if prompt is not GRADED:
        yes_from = prompt.yes_from
    labelled = any(
        detection.grade is not None and pair.label is not None
        for pair, detection in zip(pairs, detections, strict=True)
    )
    levels = len(prompt.levels)
    against = against_labels(pairs, detections, yes_from=yes_from, levels=levels) if labelled else None
    threshold = against.yes_from if against else yes_from or prompt.yes_from
    return DetectionSummary(
        detector=next(name for name, known in DETECTORS.items() if known is prompt),
        model=model,
        pairs=len(detections),
        grades={grade: sum(detection.grade == grade for detection in detections) for grade in range(levels)},
        unanswered=lost(detections),
        yes_from=threshold,
        yes=sum(detection.contains(threshold) is True for detection in detections),
        against_labels=against,
    )


def _table(
    pairs: Iterable[Pair], detections: Iterable[Detection], yes_from: int, levels: Sequence[str]
) -> str:
    """Return the pairs with their grades as CSV, one row each; no cell is read as a formula by a spreadsheet.
    ``levels`` are the meanings of the grades."""

    def cells(pair: Pair, detection: Detection) -> tuple[object, ...]:
        meaning = "" if detection.grade is None else levels[detection.grade]
        return (
            pair.id,
            pair.question,
            pair.document,
            pair.perspective,
            detection.grade,
            meaning,
            YES_OR_NO[detection.contains(yes_from)],
            detection.explanation,
            YES_OR_NO[pair.label],
            detection.reason,
            detection.detail,
        )

    return csv_text(_COLUMNS, map(cells, pairs, detections))


class DetectedPair(Frozen):
    """The score (log-odds) by which the document of one pair contains its perspective."""

    id: str
    score: float


@dataclass(frozen=True)
class DetectedFolder(RunFolder[RunRecord], kind="detector", same={"detector": "detector", "asked": "pairs"}):
    """The files of a run of perspective detection by a local detector."""

    COMMAND: ClassVar[str] = "conqret perspectives detect --detector"

    rows_file = InFolder(ROWS)
    """The scores as they came."""
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
    """Return, in the order of the pairs, the detector's score (log-odds) of each document for its perspective.

    Scores are stored in ``folder`` as they are computed, and reused when a stopped run is continued. At the
    end the table of probabilities is written there. ``on_block`` is called with the number of pairs that are
    done.

    Raises:
        DeclarationError: the folder contains something else or another run, or a perspective is too long.
    """
    asked = digest_of([(pair.id, pair.document, pair.perspective) for pair in pairs])
    kind: Any = DetectedFolder.RECORD
    record = kind(detector=detector.identity, asked=asked)
    with folder.claimed(record, overwrite=overwrite):
        with RowStore(folder.rows_file, DetectedPair, lambda row: row.id) as rows:
            lacking = [pair for pair in pairs if pair.id not in rows]
            on_block(len(pairs) - len(lacking))
            for start in range(0, len(lacking), AT_ONCE):
                block = lacking[start : start + AT_ONCE]
                for pair, score in zip(block, detector.scores(block), strict=True):
                    rows.add(DetectedPair(id=pair.id, score=score))
                on_block(len(pairs) - len(lacking) + start + len(block))
            scores_by_id = {row.id: row.score for row in rows.rows()}
        scores = [scores_by_id[pair.id] for pair in pairs]
        write_whole(folder.table_file, _chances_table(pairs, scores, detector).encode())
    return scores


@dataclass(frozen=True)
class LocalDetections:
    """The results of a local detector: for each pair the probability that its document contains its
    perspective.

    ``yes`` counts the pairs with a probability of at least ``threshold``. ``against_labels`` is the agreement
    with the labels, None where no pair has one.
    """

    pairs: tuple[Pair, ...]
    probabilities: tuple[float, ...]
    threshold: float
    yes: int
    against_labels: DetectorQuality | None
    folder: DetectedFolder

    def record(self) -> dict[str, Any]:
        """Return the numbers of pairs and of yeses, the threshold, and the agreement with labels (if any) as
        a dictionary."""
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
    prompts: str | Path | None = None,
    on_start: Callable[[int, str], None] = lambda pairs, identity: None,
    on_block: Callable[[int], None] = lambda done: None,
) -> LocalDetections:
    """Detect with a local detector which documents contain a perspective; no LLM is called.

    Args:
        pairs: a table with the columns question, document and perspective, optionally id.
        detector: the folder of :func:`conqret.tune_detector`, of an NLI model, or of a causal model or adapter
            that answers Yes or No to BeRDS's prompt.
        labels: human labels: a column of the pairs, or a file with the columns id and label.
        output: the run's folder, by default ``runs/PAIRS-detect-DETECTOR``; the same call continues a
            stopped run.
        overwrite: start anew where the folder contains another run.
        prompts: a folder of prompts that replace conqret's; a causal model reads ``perspectives/zero-shot``.
        on_start: called with the number of pairs and the identity of the detector.
        on_block: called with the number of pairs that are done.

    Returns:
        The probability of each pair, and the agreement with the labels.

    Raises:
        DeclarationError: the pairs, the detector or the folder are wrong, or a perspective is too long.
        MissingDependencyError: torch or transformers is not installed.
    """
    source, place = Path(pairs), Path(detector)
    rows = tuple(read_pairs(source, labels))
    folder = DetectedFolder(
        default_folder(stem(source), "detect", place.resolve().name) if output is None else Path(output)
    )
    loaded = load_detector(place, None if prompts is None else Path(prompts))
    on_start(len(rows), loaded.identity)
    scores = detect_locally(rows, loaded, folder, overwrite=overwrite, on_block=on_block)
    chances = tuple(map(loaded.probability, scores))
    known = [(pair, score) for pair, score in zip(rows, scores, strict=True) if pair.label is not None]
    agreement = None
    if known:
        labeled, log_odds = [pair for pair, _ in known], [score for _, score in known]
        agreement = quality_of(labeled, log_odds, loaded.probability, loaded.threshold)
    yes = sum(chance >= loaded.threshold for chance in chances)
    return LocalDetections(rows, chances, loaded.threshold, yes, agreement, folder)


def _chances_table(pairs: Sequence[Pair], scores: Sequence[float], detector: Detector) -> str:
    return csv_text(
        ("id", "question", "document", "perspective", "probability", "contains", "label"),
        (
            (
                pair.id,
                pair.question,
                pair.document,
                pair.perspective,
                f"{chance:.4f}",
                YES_OR_NO[chance >= detector.threshold],
                YES_OR_NO[pair.label],
            )
            for pair, chance in zip(pairs, map(detector.probability, scores), strict=True)
        ),
    )
