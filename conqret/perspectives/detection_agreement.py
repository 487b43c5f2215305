"""How yes and no agree with labels: the figures that every way to detect perspectives is measured by (BeRDS, 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conqret.data.item import Frozen
from conqret.io.pairs import Pair
from conqret.stats.classification import accuracy, average_precision, f1, precision, recall
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out

BOTH = (0.0, 1.0)
"""No and yes."""


class Agreement(Frozen):
    """Answers beside labels: ``said_yes`` and ``labelled_yes`` are shares, and ``always_yes`` is the F1 of always
    saying yes. Intervals are over whole questions."""

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
    """The fields of an :class:`Agreement` of labelled pairs with what was said of them, and the scores that put them in
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
