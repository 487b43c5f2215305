"""Curves of a score over perturbation levels, and the tests of whether the score follows the level.

Scores are a matrix of n items by m levels, complete: an item that lacks a value at one level is left out by
the caller. Items of one topic are one cluster: intervals and tests are of means over items, over topics.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from conqret.errors import DeclarationError
from conqret.stats.correlation import pearson, spearman
from conqret.stats.effects import ALPHA, holm
from conqret.stats.estimate import Estimate
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import mean, mean_interval

_TOLERANCE = 1e-12


def slope_bounds(x: ArrayLike, y: ArrayLike) -> tuple[float, float] | None:
    """Return the smallest and the largest slope of y on x: ``cov / var(x)`` and ``var(y) / cov``.

    Both are 0 where x does not vary. The result is None where y does not rise with x, because nothing is then
    known of the slope.
    """
    first_values, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    first_values, other = first_values - first_values.mean(), other - other.mean()
    if float((first_values**2).mean()) <= _TOLERANCE:
        return 0.0, 0.0
    together = float((first_values * other).mean())
    if together <= _TOLERANCE:
        return None
    return together / float((first_values**2).mean()), float((other**2).mean()) / together


TOLERANCE = 0.01
"""A mean that moves by no more than this share of the scale raises no alarm, whatever the p-value: with a
deterministic judge the smallest shift is significant.
"""

MIN_LEVELS = 3
"""The fewest levels with a correlation with their means: that of two is always 1 or -1."""

MARGIN = 0.05
"""The default equivalence margin: a smaller shift, as a share of the scale, counts as none (a quarter of a
step of 0 to 5).
"""


def check_margin(margin: float) -> None:
    """Raise DeclarationError unless ``margin`` lies inside (0, 1), as a share of the scale must."""
    if not 0 < margin < 1:
        raise DeclarationError(f"--margin must be a share of the scale, inside (0, 1), not {margin:g}")


@dataclass(frozen=True, slots=True)
class CurveStep:
    """The difference of mean scores between two levels of a curve: at ``to`` minus at ``start``.

    ``p`` is two-sided, by cluster-robust t, corrected (Holm) for all such steps of the curve; None with too
    few topics.
    """

    start: float
    to: float
    difference: float
    p: float | None

    @property
    def significant(self) -> bool:
        """True if the difference between the two levels is significant at 5% after correction."""
        return self.p is not None and self.p < ALPHA


@dataclass(frozen=True, slots=True)
class Response:
    """The response of one score to rising perturbation levels, over ``n`` items of ``clusters`` topics.

    - ``intervals``: the mean at each level with its interval.
    - ``falls``: True if the means strictly decrease.
    - ``pearson`` and ``spearman``: correlations of level and mean; None where means do not vary, or with two
    levels.
    - ``fell`` and ``rose``: the shares of items with a lower, or higher, score at the last level than at the
    first.
    - ``neighbours``: the comparison of each level with the one before it.
    - ``shifts``: the mean difference of each later level from the first.
    - ``trend``: the difference of last and first level by the least-squares line through all levels.
    """

    levels: tuple[float, ...]
    intervals: tuple[Estimate, ...]
    n: int
    clusters: int
    falls: bool
    pearson: float | None
    spearman: float | None
    fell: float
    rose: float
    neighbours: tuple[CurveStep, ...]
    shifts: tuple[JackknifedEstimate, ...]
    trend: JackknifedEstimate

    @property
    def means(self) -> tuple[float, ...]:
        """The mean score at each level."""
        return tuple(interval.value or 0.0 for interval in self.intervals)


def respond(
    scores: Sequence[Sequence[float]], levels: Sequence[float], clusters: Sequence[Hashable]
) -> Response:
    """Compute the response of ``scores`` to rising ``levels``.

    Args:
        scores: one row for each item, with one value in [0, 1] for each level.
        levels: at least two levels in ascending order.
        clusters: the topic of each row.
    """
    columns = list(zip(*scores, strict=True))
    intervals = tuple(mean_interval(column, clusters, scale="share") for column in columns)
    means = [math.fsum(column) / len(column) for column in columns]
    last = len(levels) - 1
    steps = tuple(mean(_differences(*pair), clusters) for pair in pairwise(columns))
    return Response(
        levels=tuple(levels),
        intervals=intervals,
        n=len(scores),
        clusters=len(set(clusters)),
        falls=strictly_falls(means),
        pearson=pearson(levels, means).value if len(levels) >= MIN_LEVELS else None,
        spearman=spearman(levels, means).value if len(levels) >= MIN_LEVELS else None,
        fell=sum(row[last] < row[0] for row in scores) / len(scores),
        rose=sum(row[last] > row[0] for row in scores) / len(scores),
        neighbours=tuple(
            CurveStep(start=start, to=to, difference=float(step.value), p=p)
            for (start, to), step, p in zip(
                pairwise(levels), steps, holm([step.p() for step in steps]), strict=True
            )
        ),
        shifts=tuple(mean(_differences(columns[0], column), clusters) for column in columns[1:]),
        trend=mean(trends(scores), clusters),
    )


def trends(scores: Sequence[Sequence[float]]) -> list[float]:
    """Return for each row the difference of its last and first value on the least-squares line through all
    its values, which count as equally spaced.

    Each row needs at least two values.
    """
    trend_values = []
    for row in scores:
        last = len(row) - 1
        spread = sum((place - last / 2) ** 2 for place in range(last + 1))
        trend_values.append(
            last * sum((place - last / 2) * value for place, value in enumerate(row)) / spread
        )
    return trend_values


def strictly_falls(means: Sequence[float]) -> bool:
    """Return True if each value is below the one before it (the strict monotone decrease of ConQRet, Table
    17).
    """
    return all(later < earlier for earlier, later in pairwise(means))


def _differences(before: Sequence[float], after: Sequence[float]) -> list[float]:
    return [later - earlier for earlier, later in zip(before, after, strict=True)]
