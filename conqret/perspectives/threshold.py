"""How yes and no agree with labels (BeRDS, 5.2), and from which grade or probability it is a yes: chosen on human
labels, and tried on questions that had no part in the choice.

The scores of a local detector are fitted to labels by a logistic curve (Platt 1999).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.perspectives.detection import GRADES, YES_FROM, Detection, baseline_grade
from conqret.stats.classification import accuracy, average_precision, f1, precision, recall
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out

BOTH = (0.0, 1.0)
"""No and yes."""


class Agreement(Frozen):
    """The agreement of yes/no predictions with human labels; intervals are over whole questions.

    ``said_yes`` and ``labelled_yes`` are the shares of yes in predictions and labels. ``always_yes`` is the
    F1 of always predicting yes.
    """

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
    """Return the fields of an :class:`Agreement` as a dictionary.

    Args:
        pairs: labeled pairs.
        predictions: the yes/no prediction for each pair.
        scores: the score of each pair, by which average precision ranks them.
        others: further predictions by name, of which F1 is computed.
    """
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
    """Return the question of a pair; a pair without one gets a unique name, so that it forms its own
    cluster."""
    return pair.question or f"pair {pair.id}"


THRESHOLDS = range(1, len(GRADES))
"""The grades from which it can be a yes; from 0 on everything would be one."""

Way = Literal["cross-fitted", "given", "default"]


class GradeLine(Frozen):
    """One grade: its number of pairs, how many of them are labeled yes, and the agreement if yes begins at
    this grade.

    Precision, recall and F1 are computed on these same pairs, so the best grade's values are too optimistic.
    """

    grade: int
    pairs: int
    yes: int
    precision: float | None
    recall: float | None
    f1: float | None


class AgainstLabels(Agreement):
    """The agreement of detections with human labels, over the ``pairs`` that have both.

    ``unanswered`` counts the pairs with a label and no grade. ``way`` says how the threshold was chosen:
    ``given``, ``cross-fitted`` or ``default`` (only one question). With ``cross-fitted``, each question uses
    the threshold that is best on all others (``folds``). ``yes_from`` is the threshold for other pairs: the
    best on all questions together, or the one that was set.
    """

    unanswered: int
    way: Way
    yes_from: int
    folds: dict[str, int]
    grades: tuple[GradeLine, ...]

    @property
    def warning(self) -> str:
        """Return a warning that the answers are not shown to be better than always saying yes; empty where
        they are.

        They are better if the lower end of the interval of F1 is above the F1 of always saying yes.
        """
        bar, value = self.always_yes.value, self.f1.value
        low = value if self.f1.low is None else self.f1.low
        if bar is None or low is None or low > bar:
            return ""
        return (
            f"the answers are not shown to tell a yes from a no: F1 {self.f1}, and {bar:.3f} for always saying yes; "
            "they are no labels to train on or to count by"
        )


def best_threshold(labels: Sequence[bool], grades: Sequence[int]) -> int:
    """Return the lowest grade that should count as yes to get the highest F1.

    Of equal ones, the grade nearest to :data:`YES_FROM` is chosen, then the higher. Without a positive label,
    the result is :data:`YES_FROM`.
    """
    return int(_highest_f1(THRESHOLDS, labels, grades, YES_FROM))


def _highest_f1(
    thresholds: Iterable[float], labels: Sequence[bool], values: Sequence[float], default: float
) -> float:
    """Return the threshold with the highest F1 of a yes for values of at least this; of equal ones the one
    nearest to the default, then the higher."""

    def worth(threshold: float) -> tuple[float, float, float]:
        predictions = [value >= threshold for value in values]
        hits = sum(label and yes for label, yes in zip(labels, predictions, strict=True))
        return 2 * hits / (sum(labels) + sum(predictions) or 1), -abs(threshold - default), threshold

    return max(thresholds, key=worth)


def cross_fitted(labels: Sequence[bool], grades: Sequence[int], questions: Sequence[str]) -> dict[str, int]:
    """Return for each question the threshold that is best on the pairs of all other questions
    (:func:`best_threshold`)."""
    thresholds = {}
    for left_out in dict.fromkeys(questions):
        kept = [place for place, question in enumerate(questions) if question != left_out]
        thresholds[left_out] = best_threshold(
            [labels[place] for place in kept], [grades[place] for place in kept]
        )
    return thresholds


def against_labels(
    pairs: Sequence[Pair],
    detections: Sequence[Detection],
    *,
    yes_from: int | None = None,
    levels: int = len(GRADES),
) -> AgainstLabels:
    """Compute the agreement of detections (one for each pair, in order) with the labels of the pairs.

    Intervals are over whole questions; thresholds are not refitted in the resamples. ``yes_from`` sets the
    threshold, which is otherwise cross-fitted. ``levels`` is the number of grades.

    Raises:
        DeclarationError: no pair has both a label and a grade.
    """

    labelled = [
        (pair, detection) for pair, detection in zip(pairs, detections, strict=True) if pair.label is not None
    ]
    known = [(pair, detection.grade) for pair, detection in labelled if detection.grade is not None]
    scores = [detection.score for _, detection in labelled if detection.score is not None]
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
        **figures_of([pair for pair, _ in known], predictions, scores),
        unanswered=len(labelled) - len(known),
        way=way,
        yes_from=chosen,
        folds=folds,
        grades=tuple(_line(grade, labels, grades) for grade in range(levels)),
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


class DetectorQuality(Agreement):
    """A detector's agreement with labels of held-out questions.

    ``brier`` is the mean squared error of its probabilities, and ``brier_raw`` that of its probabilities
    before calibration. ``by_words`` is the F1 of the lexical baseline.
    """

    brier: float
    brier_raw: float
    by_words: Estimate


def logistic(odds: float) -> float:
    """Return the logistic function of ``odds``, ``1 / (1 + exp(-odds))``, without overflow."""
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))


def platt(scores: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    """Fit Platt scaling: return the slope and intercept for which ``logistic(slope * score + intercept)``
    fits the labels best.

    Targets are ``(n_yes + 1) / (n_yes + 2)`` and ``1 / (n_no + 2)`` (Platt 1999). They keep the slope finite
    for perfectly separated scores. A negative slope is replaced by 0, and every probability is then the share
    of yes.
    """

    x, yes = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    target = np.where(yes, (yes.sum() + 1) / (yes.sum() + 2), 1 / ((~yes).sum() + 2))
    design = np.column_stack([x, np.ones_like(x)])
    start = [0.0, math.log((yes.sum() + 1) / ((~yes).sum() + 1))]

    def loss(at: Any) -> float:
        return float((np.logaddexp(0, design @ at) - target * (design @ at)).sum())

    def gradient(at: Any) -> Any:
        return design.T @ (expit(design @ at) - target)

    coefficients = minimize(loss, start, jac=gradient, options={"gtol": 1e-9}).x
    if coefficients[0] < 0:
        share = (yes.sum() + 1) / (len(yes) + 2)
        return 0.0, math.log(share / (1 - share))
    return float(coefficients[0]), float(coefficients[1])


def best_cut(probabilities: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the probability threshold with the highest F1; of equal ones, the one nearest to .5.

    Candidates are .5, the lowest probability, and the midpoints between neighboring probabilities. The result
    is .5 where no label is yes.
    """
    values = sorted(set(probabilities))
    cuts = [(low + high) / 2 for low, high in pairwise(values)]
    return _highest_f1([0.5, values[0], *cuts], labels, probabilities, 0.5)


def quality_of(
    pairs: Sequence[Pair], scores: Sequence[float], chance: Callable[[float], float], threshold: float
) -> DetectorQuality:
    """Compute how a detector's scores agree with the labels of their pairs; intervals are over questions.

    Args:
        pairs: labeled pairs.
        scores: the log-odds of each pair.
        chance: converts a score to a probability.
        threshold: the probability from which it is a yes.
    """
    labels = [pair.label is True for pair in pairs]
    chances = [chance(score) for score in scores]
    words = [baseline_grade(pair.document, pair.perspective)[0] >= YES_FROM for pair in pairs]

    def brier(probabilities: Sequence[float]) -> float:
        return sum((p - label) ** 2 for p, label in zip(probabilities, labels, strict=True)) / len(labels)

    return DetectorQuality(
        **figures_of(pairs, [chance >= threshold for chance in chances], scores, by_words=words),
        brier=brier(chances),
        brier_raw=brier(list(map(logistic, scores))),
    )
