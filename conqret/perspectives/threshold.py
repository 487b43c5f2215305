"""How yes and no agree with labels (BeRDS, 5.2), and from which grade it is a yes: chosen on human labels, and tried
on questions that had no part in the choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.perspectives.detection import GRADES, YES_FROM, Detection
from conqret.stats.classification import accuracy, average_precision, f1, precision, recall
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out

BOTH = (0.0, 1.0)
"""No and yes."""


class Agreement(Frozen):
    """Answers compared with labels: ``said_yes`` and ``labelled_yes`` are shares, and ``always_yes`` is the F1 of
    always saying yes. Intervals are over whole questions."""

    pairs: int
    questions: int
    said_yes: float
    labelled_yes: float
    accuracy: Estimate
    precision: Estimate
    recall: Estimate
    f1: Estimate
    average_precision: Estimate
    always_yes: Estimate


def figures_of(
    pairs: Sequence[Pair], predictions: Sequence[bool], scores: Sequence[float], **others: Sequence[bool]
) -> dict[str, Any]:
    """The fields of an :class:`Agreement` of labeled pairs with the answers to them, and the scores that put them in
    order; and of ``others``, by name, the F1 of other answers to the same pairs."""
    labels = [pair.label is True for pair in pairs]
    questions = list(map(question_of, pairs))
    resamples = leave_one_out(questions)
    wanted = {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": f1}
    answers = {"always_yes": [True] * len(labels), **others}
    return {
        "pairs": len(pairs),
        "questions": len(set(questions)),
        "said_yes": sum(predictions) / len(predictions),
        "labelled_yes": sum(labels) / len(labels),
        **{name: figure(labels, predictions, resamples, categories=BOTH) for name, figure in wanted.items()},
        "average_precision": average_precision(labels, scores, resamples),
        **{name: f1(labels, answer, resamples, categories=BOTH) for name, answer in answers.items()},
    }


def question_of(pair: Pair) -> str:
    """What a pair is an answer to; a pair without a question stands for itself."""
    return pair.question or f"pair {pair.id}"


THRESHOLDS = range(1, len(GRADES))
"""The grades from which it can be a yes; from 0 on everything would be one."""

Way = Literal["cross-fitted", "given", "default"]


class GradeLine(Frozen):
    """A grade: how many pairs have it, how many of them annotators say yes to, and what a yes from it on would reach
    (on these very pairs, so that the best of the lines is too good)."""

    grade: int
    pairs: int
    yes: int
    precision: float | None
    recall: float | None
    f1: float | None


class AgainstLabels(Agreement):
    """Detections compared with human labels, over the ``pairs`` that have both; ``unanswered`` have a label and no
    grade.

    ``way`` says from which grade it was a yes: the one that was ``given``, or ``cross-fitted``: for each question the
    one that is best on all others (``folds``, by question); ``default`` where there is one question only.
    ``yes_from`` is what to use for other pairs: the threshold that is best on all questions together, or what was
    given.
    """

    unanswered: int
    way: Way
    yes_from: int
    folds: dict[str, int]
    grades: tuple[GradeLine, ...]

    @property
    def warning(self) -> str:
        """That these answers are not shown to be better than always saying yes, in a sentence; empty where they are:
        where F1 is the higher, and so is the low end of its interval (where it has one)."""
        bar, value = self.always_yes.value, self.f1.value
        low = value if self.f1.low is None else self.f1.low
        if bar is None or low is None or low > bar:
            return ""
        return (
            f"the grades are not shown to tell a yes from a no: F1 {self.f1}, and {bar:.3f} for always saying yes; a "
            f'yes from grade {self.yes_from} ("{GRADES[self.yes_from]}") on is no label to train on or to count by'
        )


def best_threshold(labels: Sequence[bool], grades: Sequence[int]) -> int:
    """The grade from which a yes has the highest F1; of equals the one nearest to :data:`YES_FROM`, then the higher.

    Without a positive label every F1 is 0, and it is :data:`YES_FROM`.
    """

    def worth(threshold: int) -> tuple[float, int, int]:
        predictions = [grade >= threshold for grade in grades]
        hits = sum(label and yes for label, yes in zip(labels, predictions, strict=True))
        whole = sum(labels) + sum(predictions)
        return (2 * hits / whole if whole else 0.0, -abs(threshold - YES_FROM), threshold)

    return max(THRESHOLDS, key=worth)


def cross_fitted(labels: Sequence[bool], grades: Sequence[int], questions: Sequence[str]) -> dict[str, int]:
    """For each question the threshold that is best on the pairs of all the others."""
    thresholds = {}
    for left_out in dict.fromkeys(questions):
        kept = [place for place, question in enumerate(questions) if question != left_out]
        thresholds[left_out] = best_threshold(
            [labels[place] for place in kept], [grades[place] for place in kept]
        )
    return thresholds


def against_labels(
    pairs: Sequence[Pair], detections: Sequence[Detection], *, yes_from: int | None = None
) -> AgainstLabels:
    """Hold detections (one for each pair, in their order) against the labels of the pairs.

    Intervals are over whole questions (pairs without one are each their own): predictions are drawn as they are, and
    thresholds are not fitted anew.

    Raises:
        DeclarationError: no pair has both a label and a grade.
    """

    labelled = [
        (pair, detection) for pair, detection in zip(pairs, detections, strict=True) if pair.label is not None
    ]
    known = [(pair, detection.grade) for pair, detection in labelled if detection.grade is not None]
    if not known:
        raise DeclarationError("no pair has both a label and a grade, so there is nothing to compare")
    labels = [pair.label is True for pair, _ in known]
    grades = [grade for _, grade in known]
    questions = [question_of(pair) for pair, _ in known]
    way: Way = "given" if yes_from else "cross-fitted" if len(set(questions)) > 1 else "default"
    folds = cross_fitted(labels, grades, questions) if way == "cross-fitted" else {}
    chosen = yes_from or (best_threshold(labels, grades) if folds else YES_FROM)
    predictions = [
        grade >= folds.get(question, chosen) for grade, question in zip(grades, questions, strict=True)
    ]
    return AgainstLabels(
        **figures_of([pair for pair, _ in known], predictions, grades),
        unanswered=len(labelled) - len(known),
        way=way,
        yes_from=chosen,
        folds=folds,
        grades=tuple(_line(grade, labels, grades) for grade in range(len(GRADES))),
    )


def _line(grade: int, labels: Sequence[bool], grades: Sequence[int]) -> GradeLine:
    grade_labels = [label for label, own_grade in zip(labels, grades, strict=True) if own_grade == grade]
    predictions = [other_grade >= grade for other_grade in grades]
    return GradeLine(
        grade=grade,
        pairs=len(grade_labels),
        yes=sum(grade_labels),
        precision=precision(labels, predictions, categories=BOTH).value,
        recall=recall(labels, predictions, categories=BOTH).value,
        f1=f1(labels, predictions, categories=BOTH).value,
    )
