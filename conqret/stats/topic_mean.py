"""The mean over topics, where topics are of unequal sizes: a random-effects estimate.

A mean over items gives a topic of twelve items twelve times the weight of one of a single item, although items of one
topic hang together. With the mean m_c of the n_c values of topic c, their pooled variance s^2 within topics and the
variance t^2 between them, ``mu = sum w_c m_c / sum w_c`` with ``w_c = 1 / (t^2 + s^2 / n_c)`` has the least variance.
t^2 is that of Paule and Mandel (1982): the one for which ``sum w_c (m_c - mu)^2`` is C - 1. The interval is that of
Hartung and Knapp (2001): ``mu +- t_(C-1) (sum w_c (m_c - mu)^2 / ((C - 1) sum w_c))^(1/2)``, which errs little where
t^2 is badly known. What it estimates is the mean over topics: another number than the mean over items, where large
topics differ from small ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, FEWEST_TESTED, TOLERANCE, UNVARIED, Estimate, too_few
from conqret.stats.resampling import cluster_places
from conqret.stats.student import beyond, quantile

_HALVINGS = 80


@dataclass(frozen=True, slots=True)
class TopicMean:
    """The mean over topics with its interval, the two-sided p-value of "it is 0" (None below six topics, or where
    topics do not vary), and the variance between topics."""

    estimate: Estimate
    p: float | None
    between: float


def topic_mean(values: ArrayLike, topics: Sequence[Hashable], *, confidence: float = CONFIDENCE) -> TopicMean:
    """The mean of ``values`` over ``topics``, which name for each value its own.

    Raises:
        DeclarationError: there are no values, one is not finite, or topics are not as many.
    """
    data = np.asarray(values, dtype=float)
    if data.ndim != 1 or not len(data) or not np.isfinite(data).all() or len(topics) != len(data):
        raise DeclarationError("a mean over topics needs finite values, and a topic for each")
    which = cluster_places(topics)
    sizes = np.bincount(which).astype(float)
    means = np.bincount(which, weights=data) / sizes
    count = len(sizes)
    if few := too_few(count if count > 1 else 0):
        return TopicMean(Estimate(float(means.mean()), n=len(data), reason=few), None, 0.0)
    left = len(data) - count
    within = float(((data - means[which]) ** 2).sum()) / left if left else 0.0
    errors = within / sizes
    between = variance_between(means, errors) if within > TOLERANCE**2 else float(means.var(ddof=1))
    if between <= TOLERANCE**2 and within <= TOLERANCE**2:
        return TopicMean(Estimate(float(means.mean()), n=len(data), reason=UNVARIED), None, 0.0)
    weights = 1 / (between + errors)
    centre = float((weights * means).sum() / weights.sum())
    error = float(((weights * (means - centre) ** 2).sum() / ((count - 1) * weights.sum())) ** 0.5)
    reach = quantile(count - 1, confidence) * error
    p = beyond(abs(centre) / error, count - 1) if count >= FEWEST_TESTED and error > TOLERANCE else None
    return TopicMean(Estimate(centre, centre - reach, centre + reach, len(data)), p, between)


def variance_between(means: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """The variance between topics (or others) whose ``means`` have these squared ``errors``, by Paule and Mandel, by
    halving: the sum of squares falls as it rises. No error may be 0."""

    def spread(variance: float) -> float:
        weights = 1 / (variance + errors)
        centre = (weights * means).sum() / weights.sum()
        return float((weights * (means - centre) ** 2).sum()) - (len(means) - 1)

    if spread(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(means.var(ddof=1)) + float(errors.max())
    while spread(high) > 0:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if spread(middle) > 0 else (low, middle)
    return high
