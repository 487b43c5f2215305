"""What the commands of perspectives ask: which of two supports, and which documents contain which, from which grade."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.printing import progress
from conqret.errors import number

if TYPE_CHECKING:
    from conqret.io.pairs import Pair
    from conqret.judging.study_command import StudyOptions
    from conqret.perspectives.detection_study import DetectionRecord
    from conqret.perspectives.detector import Detector
    from conqret.perspectives.detector_run import DetectedFolder
    from conqret.perspectives.diversity_run import JudgedDocuments
    from conqret.perspectives.perspective_files import PerspectiveQuestion
    from conqret.runs.session import Session


def sided(
    questions: Sequence[PerspectiveQuestion],
    folder: Path,
    session: Session,
    asking: StudyOptions,
) -> tuple[tuple[PerspectiveQuestion, ...], list[Any], int]:
    """The questions with a side for each of two perspectives, what a dry run expects of asking for them, and for how
    many there was no answer."""
    from conqret.debateqa.curation.check_verdicts import VerdictFolder, VerdictPlan, estimate
    from conqret.perspectives.perspective_sides import VERDICT, subjects, unsided, with_sides

    open_ones = unsided(questions)
    if not open_ones:
        return tuple(questions), [], 0
    wanted = subjects(open_ones)
    if asking.dry_run:
        return tuple(questions), [estimate(VERDICT, wanted, session)], 0
    beside = VerdictFolder(folder / "sides")
    done = asking.execute(
        VerdictPlan(session, beside, VERDICT, wanted), len(wanted), "sides",
        about=f"which perspective supports {len(wanted)} questions, asked of", doing="sides",
    )  # fmt: skip
    return with_sides(questions, done.rows), [], sum(not row.answered for row in done.rows)


def detected(
    questions: Sequence[PerspectiveQuestion],
    pairs: Sequence[Pair],
    folder: Path,
    detector: Path | None,
    *,
    yes_from: str | None,
    session: Session,
    asking: StudyOptions,
) -> tuple[JudgedDocuments, dict[str, int]]:
    """What the documents contain, and how many pairs have no answer, by reason."""
    from conqret.perspectives.detection_study import DetectionFolder, DetectionPlan
    from conqret.perspectives.detector import load_detector
    from conqret.perspectives.detector_run import DetectedFolder
    from conqret.perspectives.diversity_run import judged_of

    threshold, _ = threshold_of_option(yes_from)
    answers: dict[str, bool | None]
    if detector is not None:
        loaded = load_detector(detector)
        place = DetectedFolder(folder / "detections")
        chances = probabilities_of(pairs, loaded, place, overwrite=asking.kept.overwrite, shown=asking.shown)
        answers = {pair.id: loaded.contains(chance) for pair, chance in zip(pairs, chances, strict=True)}
        lost = {}
    else:
        asked = DetectionFolder(folder / "detections")
        outcome = asking.execute(
            DetectionPlan(session, asked, pairs, threshold),
            len(pairs), "grades", about=f"{len(pairs)} pairs of a document and a perspective, asked of",
            doing="detecting",
        )  # fmt: skip
        with asked.rows() as rows:
            answers = {row.id: row.contains(outcome.summary.yes_from) for row in rows.rows()}
        lost = outcome.summary.unanswered
    contains = {}
    for name, yes in answers.items():
        question, which, document = name.split(" ", 2)
        contains[question, int(which), document] = yes
    return judged_of(questions, contains), lost


def probabilities_of(
    pairs: Sequence[Pair],
    loaded: Detector,
    folder: DetectedFolder,
    *,
    overwrite: bool,
    shown: options.OutputOptions,
) -> list[float]:
    """The probability of each pair by a local detector, with a bar."""
    from conqret.perspectives.detector_run import detect_locally

    shown.tell(f"{number(len(pairs), 'pair')}, read by the detector {loaded.identity[:12]}")
    with progress("detecting", len(pairs), quiet=shown.quiet) as bar:
        return detect_locally(pairs, loaded, folder, overwrite=overwrite, on_block=bar.reach)


def threshold_of_option(text: str | None) -> tuple[int | None, DetectionRecord | None]:
    """``--yes-from`` as a grade, and the run that chose it."""
    from conqret.errors import DeclarationError
    from conqret.perspectives.detection_study import DetectionFolder, threshold_of
    from conqret.perspectives.threshold import THRESHOLDS

    if text is None or text in map(str, THRESHOLDS):
        return None if text is None else int(text), None
    if not Path(text).is_dir():
        raise DeclarationError(
            f"--yes-from is a grade from {min(THRESHOLDS)} to {max(THRESHOLDS)}, or the folder of a run of "
            f"conqret perspectives detect, not {text!r}"
        )
    folder = DetectionFolder(Path(text))
    return threshold_of(folder), folder.record()
