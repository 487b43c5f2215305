"""The same items scored on several waves: how far the mean has moved, and how far apart the scores lie.

Items are paired with themselves: what counts is the difference from an item's own mean over the first waves, the
baseline. Each topic counts alike, with the mean over its items. Where no value is missing, a wave's shift is the
difference of two means over topics, and its error comes of the residuals of topics by waves (two-way analysis of
variance without replication) up to and with that wave, so that what comes later changes nothing. A move that all
topics share is no noise there: it is the shift.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.stats.estimate import FEWEST_TESTED
from conqret.stats.resampling import cluster_places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

ONE_SIDED = 1.645
"""The 95% quantile of the normal distribution."""
FEWEST_WAVES = 6
"""Waves from which on it is asked whether what topics do apart from each other carries over to the next wave."""
LEAST_DEVIATION = 1e-6
"""What the deviation of scores that are all alike is taken to be."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The correlation of a topic's noise on one wave with that on the next (None: too few waves, or no noise), and
    whether it is ``shown`` to be above 0 (one-sided, at 5%)."""

    correlation: float | None = None
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Moves:
    """What became of a mean over topics since the baseline, an entry a wave, the baseline's included.

    Attributes:
        level: the mean of the baseline; NaN where nothing was scored.
        values: the level on each wave; NaN where there is no shift.
        shifts: how far the mean lies from it; NaN where fewer than six topics have a score.
        errors: the standard error of the mean over topics of one wave; NaN on the first, and where there is no
            shift.
        topics: how many topics have a score.
        carried: what of a topic's noise carries over to the next wave (:func:`carried_over`).
    """

    level: float
    values: NDArray[np.float64]
    shifts: NDArray[np.float64]
    errors: NDArray[np.float64]
    topics: NDArray[np.intp]
    carried: Carried


def severity(values: ArrayLike, topics: Sequence[Hashable], baseline: int) -> Moves:
    """How the mean moves of ``values`` (waves by items, NaN where there is no score), items of ``topics``, against
    the first ``baseline`` waves. Items without a score in the baseline count nowhere."""
    import numpy as np

    return _moves(np.asarray(values, dtype=float), cluster_places(topics), baseline)


def spread(values: ArrayLike, topics: Sequence[Hashable], baseline: int) -> Moves:
    """The same for the standard deviation of the scores on a wave: a judge that uses less of the scale moves down.
    What is paired are squared distances from that wave's mean, which its own noise does not move (to first order);
    ``shifts`` and ``errors`` are those of the variance over twice the baseline's deviation (the delta method), so that
    a large move is known by ``values``."""
    import numpy as np

    scores = np.asarray(values, dtype=float)
    level_moves = severity(scores, topics, baseline)
    middle = level_moves.level + np.nan_to_num(level_moves.shifts)
    squares = _moves((scores - middle[:, None]) ** 2, cluster_places(topics), baseline)
    level = float(np.sqrt(squares.level))
    scale = 2 * max(level, LEAST_DEVIATION)
    deviations = np.sqrt(squares.values.clip(min=0.0))
    return Moves(
        level, deviations, squares.shifts / scale, squares.errors / scale, squares.topics, squares.carried
    )


def _moves(values: NDArray[np.float64], places: NDArray[np.intp], baseline: int) -> Moves:
    import numpy as np

    baseline_means = _mean(values[:baseline], axis=0)
    kept = ~np.isnan(baseline_means)
    members = places[kept][:, None] == np.unique(places[kept])
    cells = _topic_means(values[:, kept] - baseline_means[kept], members)
    there = ~np.isnan(cells)
    topics = there.sum(axis=1)
    charted = topics >= FEWEST_TESTED
    shifts = np.where(charted, _mean(cells, axis=1), np.nan)
    errors = np.sqrt(np.where(charted, _residual_variances(cells), np.nan) / topics.clip(min=1))
    level = float(_mean(_topic_means(baseline_means[kept][None], members), axis=1)[0])
    return Moves(level, level + shifts, shifts, errors, topics, carried_over(cells))


def carried_over(cells: NDArray[np.float64]) -> Carried:
    """What of the noise of ``cells`` (waves by topics, NaN where there is no score) carries over from one wave to the
    next.

    It is the first autocorrelation r of what is left when the means of waves and topics are taken off, without its
    bias in short series: ``(W r + 1) / (W - 3)`` for W waves, as E(r) is ``rho - (1 + 3 rho) / W`` or nearly so
    (Kendall 1954). Of independent noise it has a standard deviation of ``1 / sqrt(C (W - 1))``, or nearly so, for C
    topics.
    """
    import numpy as np

    waves, topics = len(cells), int((~np.isnan(cells)).any(axis=0).sum())
    if waves < FEWEST_WAVES or topics < FEWEST_TESTED:
        return Carried()
    left = cells - _mean(cells, axis=1)[:, None]
    left = np.nan_to_num(left - _mean(left, axis=0))
    squares = float((left**2).sum())
    if squares <= LEAST_DEVIATION**2:
        return Carried()
    raw = float((left[1:] * left[:-1]).sum()) / squares
    correlation = min((waves * raw + 1) / (waves - 3), 1.0)
    return Carried(
        correlation, correlation * ((topics - 1) * (waves - 1)) ** 0.5 * (waves - 3) / waves > ONE_SIDED
    )


def _residual_variances(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each wave the variance of what is left of ``cells`` (waves by topics) up to and with it, when the
    means of waves and topics are taken off; NaN where nothing is left."""
    import numpy as np

    there = ~np.isnan(cells)
    left = np.nan_to_num(cells - _mean(cells, axis=1)[:, None])
    counts, sums, squares = (np.cumsum(terms, axis=0) for terms in (there, left, left**2))
    rest = (squares - sums**2 / counts.clip(min=1)).sum(axis=1).clip(min=0.0)
    freedom = counts.sum(axis=1) - np.cumsum(there.any(axis=1)) - (counts > 0).sum(axis=1) + 1
    return np.asarray(np.divide(rest, freedom, out=np.full(len(cells), np.nan), where=freedom > 0))


def _topic_means(values: NDArray[np.float64], members: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The means over the items of each topic that have a value: rows by topics."""
    import numpy as np

    counts = (~np.isnan(values)).astype(float) @ members
    sums = np.nan_to_num(values) @ members
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def _mean(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """The mean of what there is; NaN where there is nothing."""
    import numpy as np

    counts = (~np.isnan(values)).sum(axis=axis)
    sums = np.nansum(values, axis=axis)
    return np.asarray(np.divide(sums, counts, out=np.full(np.shape(sums), np.nan), where=counts > 0))
