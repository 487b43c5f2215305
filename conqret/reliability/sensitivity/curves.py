"""Scores, the curves over levels of damage that they make, and the cells of a grid."""

from __future__ import annotations

from collections.abc import Mapping

from conqret.data.item import Frozen
from conqret.perturb import Direction


class Score(Frozen):
    """What one judgment came to: a value in [0, 1] or a reason for each metric, and what it took."""

    fingerprint: str
    item: str
    values: Mapping[str, float]
    reasons: Mapping[str, str] = {}
    calls: int = 0
    recorded: int = 0
    cost_usd: float | None = 0.0


class Point(Frozen):
    """The mean at one level with its 95 % interval (topics resampled whole)."""

    level: float
    mean: float
    low: float
    high: float


class Comparison(Frozen):
    """Two levels: the difference of their means, and the p-value of a paired t-test over topics after Holm."""

    start: float
    to: float
    difference: float
    p: float | None


class Curve(Frozen):
    """One metric of one judge under one perturbation.

    ``n`` of ``total`` items have a value at every level, and the curve is over those; ``missing`` counts the
    reasons of the others. ``verdict`` says whether the curve is as ``expected`` (None: nothing is), and
    ``words`` why. ``alarms`` are levels at which a score moved that should not have.
    """

    format: str
    model: str
    metric: str
    perturbation: str
    unit: str
    expected: Direction | None
    points: tuple[Point, ...]
    n: int
    total: int
    topics: int
    missing: Mapping[str, int]
    falls: bool
    pearson: float | None
    spearman: float | None
    fell: float
    rose: float
    neighbours: tuple[Comparison, ...]
    alarms: tuple[float, ...]
    within: bool
    verdict: bool | None
    words: str

    @property
    def means(self) -> tuple[float, ...]:
        """The mean at each level."""
        return tuple(point.mean for point in self.points)

    @property
    def told_apart(self) -> int:
        """How many neighbouring levels differ significantly."""
        return sum(one.p is not None and one.p < 0.05 for one in self.neighbours)


class Unscored(Frozen):
    """A curve that could not be drawn: no item has a value at every level, and why not."""

    format: str
    model: str
    metric: str
    perturbation: str
    missing: Mapping[str, int]


class StanceCurve(Frozen):
    """The means of one metric over the items of one stance (ConQRet, Table 15)."""

    format: str
    model: str
    metric: str
    perturbation: str
    stance: str
    levels: tuple[float, ...]
    means: tuple[float, ...]
    n: int
    falls: bool
    pearson: float | None


class Cell(Frozen):
    """One combination of two perturbations: the mean of a metric with its interval, over n items."""

    format: str
    model: str
    metric: str
    levels: Mapping[str, float]
    mean: float
    low: float
    high: float
    n: int
