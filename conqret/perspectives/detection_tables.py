"""Tables of perspective detection: the grades, and how a yes from one of them on agrees with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from conqret.perspectives.detection import GRADES
from conqret.perspectives.detection_study import DetectionSummary
from conqret.perspectives.detector import DetectorQuality
from conqret.perspectives.detector_tuning import DomainTrial
from conqret.perspectives.threshold import AgainstLabels
from conqret.show.table import Cell, Column, Table
from conqret.show.words import REASONS


def detection_tables(summary: DetectionSummary) -> Iterator[Table]:
    """How many pairs have which grade, and beside labels how far the yes and no agree with them."""
    agreement = summary.against_labels
    heads = ("pairs",) if agreement is None else ("pairs", "human yes", "precision", "recall", "F1")
    lines: dict[int, tuple[Cell, ...]] = {grade: (count,) for grade, count in summary.grades.items()}
    if agreement is not None:
        lines = {
            grade.grade: (grade.pairs, grade.yes, grade.precision, grade.recall, grade.f1)
            for grade in agreement.grades
        }
    lost: list[tuple[Cell, ...]] = [
        (f"no grade: {REASONS[reason]}", count, *[""] * (len(heads) - 1))
        for reason, count in summary.unanswered.items()
    ]
    yield Table(
        "Grades" if agreement is None else "Grades and human labels",
        (Column("the document …", "text"), *heads),
        [*((f"{grade} {GRADES[grade]}", *lines[grade]) for grade in reversed(range(len(GRADES)))), *lost],
        note=""
        if agreement is None
        else "precision, recall, F1: of a yes from this grade on, on these very pairs.",
    )
    if agreement is not None:
        yield _agreement(agreement)


def _agreement(agreement: AgainstLabels) -> Table:
    how = {
        "given": f"a yes from grade {agreement.yes_from} on, as given",
        "cross-fitted": "a yes from the grade that is best on the other questions",
        "default": f"a yes from grade {agreement.yes_from} on; with one question only none is chosen",
    }[agreement.way]
    rows: list[tuple[Cell, ...]] = [
        ("accuracy", agreement.accuracy), ("precision", agreement.precision), ("recall", agreement.recall),
        ("F1", agreement.f1),
        ("average precision", agreement.average_precision),
    ]  # fmt: skip
    chosen = Counter(agreement.folds.values())
    folds = ", ".join(f"{grade} for {chosen[grade]}" for grade in sorted(chosen, reverse=True))
    chose = f" The grade that is best on the others is {folds} of the questions." if folds else ""
    unanswered = (
        f" {agreement.unanswered} labeled pairs have no grade and are left out."
        if agreement.unanswered
        else ""
    )
    return Table(
        f"Agreement with annotators: {how}",
        ("", "value"),
        rows,
        foot=[("F1 of always saying yes", agreement.always_yes)],
        note=f"n = {agreement.pairs} pairs of {agreement.questions} questions; intervals (95%) are over "
        "questions. It is a "
        f"yes in {agreement.said_yes:.1%}, and by human labels in {agreement.labelled_yes:.1%}.{chose}{unanswered}",
    )


def quality_table(quality: DetectorQuality, title: str, remark: str = "") -> Table:
    """How a detector fares beside labels."""
    rows: list[tuple[Cell, ...]] = [
        ("F1", quality.f1), ("precision", quality.precision), ("recall", quality.recall), ("accuracy",
        quality.accuracy),
        ("average precision", quality.average_precision),
        ("Brier score, before calibration", quality.brier_raw), ("Brier score", quality.brier),
    ]  # fmt: skip
    sample_text = (
        f"n = {quality.pairs} pairs of {quality.questions} questions; intervals (95%) are over questions. It "
        "is a yes in "
        f"{quality.said_yes:.1%}, by label in {quality.labelled_yes:.1%}. Brier: the mean squared error of the "
        "probabilities, 0 at best."
    )
    return Table(
        title,
        ("", "value"),
        rows,
        foot=[
            ("F1 of the lexical baseline", quality.by_words),
            ("F1 of always saying yes", quality.always_yes),
        ],
        note=f"{sample_text} {remark}".rstrip(),
    )


def across_table(trials: Sequence[DomainTrial]) -> Table:
    """The F1 of a detector of each domain on each domain."""
    domains = list(dict.fromkeys(trial.trained_on for trial in trials))
    by_place = {(trial.trained_on, trial.tested_on): trial.quality for trial in trials}
    others = {name: by_place[next(domain for domain in domains if domain != name), name] for name in domains}
    return Table(
        "F1 across domains",
        (Column("tuned on", "text"), *(f"on {name}" for name in domains)),
        [(name, *(by_place[name, other].f1 for other in domains)) for name in domains],
        foot=[
            ("always yes", *(others[name].always_yes for name in domains)),
            ("the lexical baseline", *(others[name].by_words for name in domains)),
        ],
        note="Intervals (95%) are over questions. On its own domain a detector is measured on the questions that were "
        "held out, on another on all of its pairs, as always yes and the lexical baseline are.",
    )
