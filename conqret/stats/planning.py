"""How wide will intervals be, and what will be found, with so many topics and so many items a topic?

Each cell of a plan is simulated: data are drawn, either as assumed or from a pilot (its topics, and within them its
items, with replacement), and the same jackknife-t interval is computed that every command prints. Assumed data have a
share ``icc`` of their variance between topics, the rest within them; with k items a topic the variance of a mean over C
topics is then ``(icc + (1 - icc) / k) sd^2 / C``: more items a topic soon buy nothing, more topics always do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.stats.agreement import Level, alphas
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import CONFIDENCE, FEWEST_TESTED, JackknifedEstimate
from conqret.stats.resampling import leave_one_out, mean

SIMULATIONS = 200
"""Simulations a cell: the standard error of a power of one half is then .035."""
SEED = 13
MOST_WITHOUT = 0.05
"""The share of simulations without an interval above which a cell has no width: it would be that of the lucky ones."""

SHARES_SUM = 0.02
"""How far the sum of shares may lie from 1: shares are rounded."""

Draw = Callable[[int, int, "np.random.Generator"], "NDArray[np.float64]"]
"""From topics, items a topic and a generator to values, columns by items; the items of a topic follow each other."""


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """One cell: the median half of the interval's width (None where more than 5% have no interval), the share of the
    simulations in which the test finds something (None: no test, or fewer than six topics), and the share without an
    interval."""

    topics: int
    items: int
    half_width: float | None
    power: float | None
    without: float


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """What is simulated: each number of ``topics`` with each number of ``items`` a topic; ``on_cell`` is called after
    each.

    Raises:
        DeclarationError: a number is below 1.
    """

    topics: Sequence[int] = (6, 8, 12, 20, 50)
    items: Sequence[int] = (1, 3, 10)
    simulations: int = SIMULATIONS
    seed: int = SEED
    confidence: float = CONFIDENCE
    on_cell: Callable[[], object] = lambda: None

    def __post_init__(self) -> None:
        if min([*self.topics, *self.items, self.simulations]) < 1 or not self.topics or not self.items:
            raise DeclarationError("a plan needs at least one topic, one item a topic and one simulation")

    def cells(
        self,
        draw: Draw,
        compute: Callable[[NDArray[np.float64], list[int]], JackknifedEstimate],
        *,
        tests: bool = False,
    ) -> list[PlannedSize]:
        """Simulate each cell: ``compute`` makes the statistic of values and topics; where it ``tests``, it is tested
        against 0."""
        sizes = []
        for count, each in product(self.topics, self.items):
            rng = np.random.default_rng([self.seed, count, each])
            names = np.repeat(np.arange(count), each).tolist()
            drawn = [compute(draw(count, each, rng), names) for _ in range(self.simulations)]
            halves = [sampled.estimate(self.confidence).half for sampled in drawn]
            widths = [half for half in halves if half is not None]
            without = 1 - len(widths) / self.simulations
            tested = tests and count >= FEWEST_TESTED
            found_p = [sampled.p() for sampled in drawn] if tested else []
            significant = sum(p is not None and p < ALPHA for p in found_p)
            sizes.append(
                PlannedSize(
                    topics=count,
                    items=each,
                    half_width=float(np.median(widths)) if widths and without <= MOST_WITHOUT else None,
                    power=significant / self.simulations if tested else None,
                    without=without,
                )
            )
            self.on_cell()
        return sizes


def plan_agreement(draw: Draw, plan: SamplePlan, level: Level = "interval") -> list[PlannedSize]:
    """The width of the interval of Krippendorff's alpha between two columns, judge and people."""

    def alpha(values: NDArray[np.float64], names: list[int]) -> JackknifedEstimate:
        return alphas(values[None], level, leave_one_out(names))[0]

    return plan.cells(draw, alpha)


def plan_mean(draw: Draw, plan: SamplePlan) -> list[PlannedSize]:
    """The width of the interval of the mean of one column (of differences, say), and the power of its two-sided test
    against 0 at 5%."""
    return plan.cells(draw, lambda values, names: mean(values[0], names), tests=True)


def assumed(correlation: float, icc: float) -> Draw:
    """Two columns of normal values (judge, people) that correlate so, between topics and within them: alpha at the
    interval level is then the correlation. Raises DeclarationError where a number is out of range."""
    if not -1 < correlation < 1:
        raise DeclarationError(f"an alpha to plan for must lie inside (-1, 1), not at {correlation}")
    root, normal = np.linalg.cholesky([[1, correlation], [correlation, 1]]), _normal(2, icc)
    return lambda topics, items, rng: np.asarray(root @ normal(topics, items, rng))


def skewed(draw: Draw, shares: Sequence[float]) -> Draw:
    """The columns of ``draw`` (normal values of variance 1) as steps 0, 1 … that occur with these ``shares``, in each
    column: each value is cut at the quantiles of the normal distribution. Agreement of steps is below that of the
    values, most where few steps hold nearly everything.

    Raises:
        DeclarationError: fewer than two shares, one that is not above 0, or they are not 1 in sum.
    """
    from statistics import NormalDist

    if len(shares) < 2 or min(shares) <= 0 or not math.isclose(sum(shares), 1, abs_tol=SHARES_SUM):
        raise DeclarationError(
            "the shares of labels must be at least two numbers above 0, from the lowest label up, "
            f"with the sum 1, such as 0.8,0.15,0.05, not {', '.join(f'{share:g}' for share in shares)}"
        )
    whole = sum(shares)
    cuts = [NormalDist().inv_cdf(sum(shares[:step]) / whole) for step in range(1, len(shares))]
    return lambda topics, items, rng: np.digitize(draw(topics, items, rng), cuts).astype(float)


def assumed_differences(shift: float, sd: float, icc: float) -> Draw:
    """One column of normal differences around ``shift``. Raises DeclarationError where a number is out of range."""
    if not sd > 0:
        raise DeclarationError(f"a standard deviation must be above 0, not {sd}")
    normal = _normal(1, icc)
    return lambda topics, items, rng: shift + sd * normal(topics, items, rng)


def from_pilot(columns: ArrayLike, clusters: Sequence[Hashable]) -> Draw:
    """Values of a pilot (columns by items, none missing): topics drawn with replacement, and of each its items, without
    where it has enough of them. Drawn with replacement, items would vary twice: in the pilot's topic, and in the draw.

    Raises:
        DeclarationError: the pilot has fewer than two topics, or as many clusters are not named as items.
    """
    values = np.asarray(columns, dtype=float)
    places = [
        np.array(indices)
        for indices in gathered((name, place) for place, name in enumerate(clusters)).values()
    ]
    if values.ndim != 2 or values.shape[1] != len(clusters) or len(places) < 2:
        raise DeclarationError("a pilot needs items of at least two topics, and a topic for each item")

    def draw(topics: int, items: int, rng: np.random.Generator) -> NDArray[np.float64]:
        chosen = rng.integers(len(places), size=topics)
        indices = [
            rng.choice(places[topic], size=items, replace=items > len(places[topic])) for topic in chosen
        ]
        return values[:, np.concatenate(indices)]

    return draw


def shifted(draw: Draw, shift: float) -> Draw:
    """The same values, ``shift`` higher."""
    return lambda topics, items, rng: draw(topics, items, rng) + shift


def _normal(columns: int, icc: float) -> Draw:
    """So many unrelated columns of normal values, of which a share ``icc`` of the variance lies between topics."""
    if not 0 <= icc <= 1:
        raise DeclarationError(f"icc must lie in [0, 1], not at {icc}")

    def draw(topics: int, items: int, rng: np.random.Generator) -> NDArray[np.float64]:
        between = np.repeat(rng.normal(size=(columns, topics)), items, axis=1)
        within = rng.normal(size=(columns, topics * items))
        return np.asarray(between * icc**0.5 + within * (1 - icc) ** 0.5)

    return draw
