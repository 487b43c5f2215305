"""From a detector's scores to chances and answers, and how good these are (BeRDS, section 5.1).

Scores are fitted to labels by a logistic curve (Platt 1999), and the threshold is chosen on the same questions; what
either is worth is measured on others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from conqret.io.pairs import Pair
from conqret.perspectives.detection import YES_FROM, baseline_grade
from conqret.perspectives.detection_agreement import figures_of
from conqret.perspectives.detector import DetectorQuality, logistic


def platt(scores: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    """Slope and intercept for which ``logistic(slope * score + intercept)`` fits the labels best (Platt 1999).

    Targets are ``(n_yes + 1) / (n_yes + 2)`` and ``1 / (n_no + 2)``, so that scores that part the labels perfectly
    give no endless slope; found by Newton's method. A slope below 0 would turn the detector round: it is 0 then, and
    every probability the share of yes.
    """
    import numpy as np

    x, yes = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    target = np.where(yes, (yes.sum() + 1) / (yes.sum() + 2), 1 / ((~yes).sum() + 2))
    design = np.column_stack([x, np.ones_like(x)])
    coefficients = np.array([0.0, math.log((yes.sum() + 1) / ((~yes).sum() + 1))])

    def loss(at: Any) -> float:
        odds = design @ at
        return float((np.logaddexp(0, odds) - target * odds).sum())

    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(design @ coefficients, -500, 500)))
        gradient = design.T @ (p - target)
        hessian = (design * (p * (1 - p))[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-6 and loss(coefficients - size * step) > loss(coefficients):
            size /= 2
        coefficients = coefficients - size * step
        if np.abs(size * step).max() < 1e-8:
            break
    if coefficients[0] < 0:
        share = (yes.sum() + 1) / (len(yes) + 2)
        return 0.0, math.log(share / (1 - share))
    return float(coefficients[0]), float(coefficients[1])


def best_cut(probabilities: Sequence[float], labels: Sequence[bool]) -> float:
    """The probability from which a yes has the highest F1, halfway between two neighbours; of equals the one nearest to
    .5. It is .5 where nothing is labelled yes."""
    values = sorted(set(probabilities))
    if not any(labels):
        return 0.5

    def worth(cut: float) -> tuple[float, float]:
        predictions = [probability >= cut for probability in probabilities]
        hits = sum(label and yes for label, yes in zip(labels, predictions, strict=True))
        return 2 * hits / (sum(labels) + sum(predictions) or 1), -abs(cut - 0.5)

    cuts = [(low + high) / 2 for low, high in pairwise(values)]
    return max([0.5, values[0], *cuts], key=worth)


def quality_of(
    pairs: Sequence[Pair], scores: Sequence[float], chance: Callable[[float], float], threshold: float
) -> DetectorQuality:
    """How scores fare beside the labels of their pairs; intervals are over questions."""
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
