"""The curves over levels of damage, and the cells of a grid."""

from __future__ import annotations

from collections.abc import Mapping

from conqret.data.item import Frozen
from conqret.perturb import Direction
from conqret.stats.curve_tests import MARGIN, CurveStep
from conqret.studies.sensitivity.verdict import Verdict


class MeasuredCurve(Frozen):
    """What was measured: a metric of a judge."""

    format: str
    model: str
    metric: str


class PerturbationCurve(MeasuredCurve):
    """The same under a perturbation."""

    perturbation: str


class CurvePoint(Frozen):
    """The mean at one level with its 95% interval (over topics)."""

    level: float
    mean: float
    low: float | None
    high: float | None


class Curve(PerturbationCurve):
    """One metric of one judge (of this ``fingerprint``) under one perturbation.

    ``n`` of ``total`` items have a value at every level, and the curve is over those; ``missing`` counts the
    reasons of the others. ``verdict`` says whether the curve is as ``expected``, and ``words`` why; both are None where
    nothing is expected (of a criterion of one's own), and ``words`` say how far it moved. ``falls`` is the strict
    monotone decrease of the means (ConQRet, Table 17). What should stand still has to stay within ``margin``, and
    ``alarms`` are levels at which it is shown to have moved further.
    """

    fingerprint: str
    unit: str
    expected: Direction | None
    points: tuple[CurvePoint, ...]
    n: int
    total: int
    topics: int
    missing: Mapping[str, int]
    falls: bool
    pearson: float | None
    spearman: float | None
    fell: float
    rose: float
    neighbours: tuple[CurveStep, ...]
    alarms: tuple[float, ...]
    margin: float = MARGIN
    verdict: Verdict | None
    words: str

    @property
    def means(self) -> tuple[float, ...]:
        """The mean at each level."""
        return tuple(point.mean for point in self.points)

    @property
    def told_apart(self) -> int:
        """How many neighbouring levels differ significantly."""
        return sum(step.significant for step in self.neighbours)


class EmptyCurve(PerturbationCurve):
    """A curve that could not be drawn: no item has a value at every level, and why not."""

    missing: Mapping[str, int]


class StanceCurve(PerturbationCurve):
    """The means of one metric over the items of one stance (ConQRet, Table 15)."""

    stance: str
    levels: tuple[float, ...]
    means: tuple[float, ...]
    n: int
    falls: bool
    pearson: float | None


class CurveCell(MeasuredCurve):
    """One combination of two perturbations: the mean of a metric with its interval, over n items."""

    levels: Mapping[str, float]
    mean: float
    low: float | None
    high: float | None
    n: int
