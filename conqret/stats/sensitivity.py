"""Does a score follow the damage? Curves over levels, and what can be said of them.

Scores are a matrix of n items by m levels, complete: an item that lacks a value at one level is left out by
the caller. Items of one topic are one cluster: intervals leave out topics, and tests compare topic means.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conqret.errors import DeclarationError
from conqret.stats import correlation
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval
from conqret.stats.significance import ALPHA, holm, paired_by_cluster

TOLERANCE = 0.01
"""A mean that moves by no more than this share of the scale counts as standing still, whatever the p-value: a
deterministic judge makes the smallest shift significant."""


@dataclass(frozen=True, slots=True)
class Step:
    """The mean score at level ``to`` against that at level ``start``, paired by topic.

    ``difference`` is over items; ``p`` is that of a paired t-test over topic means (None with fewer than two topics),
    corrected (Holm) for all steps of the same kind on one curve.
    """

    start: float
    to: float
    difference: float
    p: float | None

    @property
    def significant(self) -> bool:
        """Whether the two levels can be told apart at 5 %, corrected."""
        return self.p is not None and self.p < ALPHA


@dataclass(frozen=True, slots=True)
class Response:
    """How one score answers to rising levels.

    ``intervals`` hold the mean of each level with its ends; ``fell`` and ``rose`` are the shares of the n items
    whose score at the last level is below, or above, that at the first; ``neighbours`` compares each level
    with the one before it, ``from_first`` with the first. Correlations (of level and mean) are None where the
    means do not vary.
    """

    levels: tuple[float, ...]
    intervals: tuple[Estimate, ...]
    n: int
    clusters: int
    falls: bool
    rises: bool
    pearson: float | None
    spearman: float | None
    fell: float
    rose: float
    neighbours: tuple[Step, ...]
    from_first: tuple[Step, ...]

    @property
    def means(self) -> tuple[float, ...]:
        """The mean at each level."""
        return tuple(interval.value or 0.0 for interval in self.intervals)

    @property
    def within(self) -> bool:
        """Whether every mean lies inside the interval of the first one (within the tolerance, where it has none)."""
        first, start = self.intervals[0], self.means[0]
        low = start - TOLERANCE if first.low is None else first.low
        high = start + TOLERANCE if first.high is None else first.high
        return all(low <= mean <= high for mean in self.means)

    def alarms(self, *, upwards_only: bool = False, tolerance: float = TOLERANCE) -> tuple[Step, ...]:
        """The levels whose mean left that of the first: by more than ``tolerance``, and significantly."""
        return tuple(
            step
            for step in self.from_first
            if step.significant
            and (step.difference > tolerance or (not upwards_only and -step.difference > tolerance))
        )


def respond(
    scores: Sequence[Sequence[float]],
    levels: Sequence[float],
    clusters: Sequence[Hashable],
) -> Response:
    """The response of ``scores`` (n rows of one value in [0, 1] a level) to ``levels``, which rise.

    ``clusters`` names the topic of each row.

    Raises:
        DeclarationError: there is no row, fewer than two levels, a row of another length, or levels do not rise.
    """
    if len(levels) < 2 or any(low >= high for low, high in pairwise(levels)):
        raise DeclarationError(f"a curve needs two or more rising levels, not {list(levels)}")
    if not scores or any(len(row) != len(levels) for row in scores) or len(clusters) != len(scores):
        raise DeclarationError(f"a curve needs rows of {len(levels)} scores, and a topic for each row")
    columns = list(zip(*scores, strict=True))
    intervals = tuple(mean_interval(column, clusters, scale="share") for column in columns)
    means = [math.fsum(column) / len(column) for column in columns]
    last = len(levels) - 1
    return Response(
        levels=tuple(levels),
        intervals=intervals,
        n=len(scores),
        clusters=len(set(clusters)),
        falls=strictly_falls(means),
        rises=strictly_falls([-mean for mean in means]),
        pearson=pearson(levels, means),
        spearman=correlation.spearman(levels, means).value,
        fell=sum(row[last] < row[0] for row in scores) / len(scores),
        rose=sum(row[last] > row[0] for row in scores) / len(scores),
        neighbours=_steps(columns, levels, clusters, [(place, place + 1) for place in range(last)]),
        from_first=_steps(columns, levels, clusters, [(0, place + 1) for place in range(last)]),
    )


def strictly_falls(means: Sequence[float]) -> bool:
    """Whether each value is below the one before it (the strict monotone decrease of ConQRet, Table 17)."""
    return all(later < earlier for earlier, later in pairwise(means))


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """The correlation of levels and means, in [-1, 1]; None where either is constant."""
    return correlation.pearson(x, y).value


def _steps(
    columns: Sequence[Sequence[float]],
    levels: Sequence[float],
    clusters: Sequence[Hashable],
    pairs: Sequence[tuple[int, int]],
) -> tuple[Step, ...]:
    tests = [paired_by_cluster(columns[b], columns[a], clusters) for a, b in pairs]
    corrected = holm([None if test is None else test.p for test in tests])
    return tuple(
        Step(
            start=levels[a],
            to=levels[b],
            difference=(math.fsum(columns[b]) - math.fsum(columns[a])) / len(columns[a]),
            p=p,
        )
        for (a, b), p in zip(pairs, corrected, strict=True)
    )
