"""How large a study has to be: widths of intervals and power by numbers of topics and of items a topic, simulated from
assumptions or from a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.agreement import Level, alphas
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import CONFIDENCE, MIN_TOPICS
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import leave_one_out, mean
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.label_join import NO_PAIR, NO_SCALE, DimensionView, join_labels

SIMULATIONS = 200
"""Simulations a cell: the standard error of a power of one half is then .035."""
SEED = 13
MAX_WITHOUT = 0.05
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
            tested = tests and count >= MIN_TOPICS
            found_p = [sampled.p() for sampled in drawn] if tested else []
            significant = sum(p is not None and p < ALPHA for p in found_p)
            sizes.append(
                PlannedSize(
                    topics=count,
                    items=each,
                    half_width=float(np.median(widths)) if widths and without <= MAX_WITHOUT else None,
                    power=significant / self.simulations if tested else None,
                    without=without,
                )
            )
            self.on_cell()
        return sizes


def plan_agreement(draw: Draw, plan: SamplePlan, level: Level = "interval") -> list[PlannedSize]:
    """The width of the interval of Krippendorff's alpha between two columns, judge and annotators."""

    def alpha(values: NDArray[np.float64], names: list[int]) -> JackknifedEstimate:
        return alphas(values[None], level, leave_one_out(names))[0]

    return plan.cells(draw, alpha)


def plan_mean(draw: Draw, plan: SamplePlan) -> list[PlannedSize]:
    """The width of the interval of the mean of one column (of differences, say), and the power of its two-sided test
    against 0 at 5%."""
    return plan.cells(draw, lambda values, names: mean(values[0], names), tests=True)


def assumed(correlation: float, icc: float) -> Draw:
    """Two columns of normal values (judge, annotators) that correlate so, between topics and within them: alpha at the
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


def _normal(columns: int, icc: float) -> Draw:
    """So many unrelated columns of normal values, of which a share ``icc`` of the variance lies between topics."""
    if not 0 <= icc <= 1:
        raise DeclarationError(f"icc must lie in [0, 1], not at {icc}")

    def draw(topics: int, items: int, rng: np.random.Generator) -> NDArray[np.float64]:
        between = np.repeat(rng.normal(size=(columns, topics)), items, axis=1)
        within = rng.normal(size=(columns, topics * items))
        return np.asarray(between * icc**0.5 + within * (1 - icc) ** 0.5)

    return draw


SAME_SCORE = 1e-9
"""Differences that rounding alone tells apart are one."""


class PlanSettings(TypedDict, total=False):
    """What is simulated (:class:`SamplePlan`): each number of ``topics`` with each number of
    ``items`` a topic, so many ``simulations`` of each; ``on_cell`` is called after each of them."""

    topics: Sequence[int]
    items: Sequence[int]
    simulations: int
    seed: int
    confidence: float
    on_cell: Callable[[], object]


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """``cells`` say how wide the interval of ``what`` is and how often it is found; ``pilot`` what they are drawn from,
    empty where the spread is ``assumed``."""

    what: str
    cells: tuple[PlannedSize, ...]
    simulations: int
    confidence: float
    pilot: str = ""
    assumed: str = ""


@strict_options
def power_agreement(
    *,
    alpha: float = 0.5,
    icc: float = 0.2,
    shares: Sequence[float] = (),
    pilot: str | Path | None = None,
    labels: Labels | None = None,
    **plan: Unpack[PlanSettings],
) -> SampleSizes:
    """Simulate how wide the interval of Krippendorff's alpha of judge and annotators will be.

    Without a pilot, values at the interval level are assumed, or ordinal labels that occur with ``shares``. A pilot's
    labels keep their level and scale.

    Args:
        alpha: the assumed true alpha (with ``shares``: that of the values behind the labels).
        icc: the assumed share of the variance that is between topics.
        shares: how often each label is assumed to occur, from the lowest up.
        pilot: a finished run whose topics and items are drawn instead.
        labels: human labels of the pilot's items, of one dimension.
        plan: what is simulated: :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is out of range, pilot and labels do not go together, or the labels have several
            dimensions.
    """
    _together(pilot=pilot, labels=labels)
    sizes = SamplePlan(**plan)
    if pilot is not None and shares:
        raise DeclarationError("a pilot has its own shares of labels: leave out --shares")
    level: Level = "interval"
    what, told, draw = "alpha", "", assumed(alpha, icc)
    spread = f"true alpha {alpha:g}, interval level, ICC {icc:g}"
    if shares:
        steps = ", ".join(f"{share:g}" for share in shares)
        spread = (
            f"ordinal labels with shares of {steps}, alpha {alpha:g} of the values behind them, ICC {icc:g}"
        )
        level, draw = "ordinal", skewed(draw, shares)
    elif pilot is not None and labels is not None:
        joined = join_labels(JudgeFolder(Path(pilot)).finished(), labels_of(labels))
        if len(joined.metrics) > 1:
            example = f"--dimension {next(iter(joined.metrics))}"
            raise DeclarationError(
                f"the labels have {len(joined.metrics)} dimensions: choose one, as in {example}"
            )
        (dimension,) = joined.metrics
        view = DimensionView(joined, dimension, AgreementSettings(confidence=sizes.confidence))
        if not view.placed or not view.compared.any():
            raise DeclarationError(NO_PAIR if view.placed else NO_SCALE)
        kept = view.compared.nonzero()[0].tolist()
        clusters = [view.clusters[place] for place in kept]
        what, level, spread = f"alpha of {dimension}", view.scale.level, ""
        told = _piloted(len(kept), len(set(clusters)), f"{joined.clustered_by}s")
        draw = from_pilot([view.judge()[kept], view.target[kept]], clusters)
    cells = tuple(plan_agreement(draw, sizes, level))
    return SampleSizes(what, cells, sizes.simulations, sizes.confidence, told, spread)


@strict_options
def power_difference(
    *,
    shift: float = 0.05,
    sd: float = 0.2,
    icc: float = 0.2,
    pilot: str | Path | None = None,
    reference: str | Path | None = None,
    metric: str | None = None,
    **plan: Unpack[PlanSettings],
) -> SampleSizes:
    """Simulate how wide the interval of a mean or of a paired difference will be, and how often it is found.

    Args:
        shift: the true difference to be found.
        sd: the assumed standard deviation of the differences (of the scores themselves, where a mean is planned).
        icc: the assumed share of the variance that is between topics.
        pilot: a finished run, from which the spread is taken.
        reference: a second run over the pilot's items; the differences between both are drawn.
        metric: the metric of both.
        plan: what is simulated: :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is out of range, or ``pilot``, ``reference`` and ``metric`` do not go together.
    """
    _together(pilot=pilot, reference=reference, metric=metric)
    sizes, draw, told = SamplePlan(**plan), assumed_differences(shift, sd, icc), ""
    if pilot is not None and reference is not None and metric is not None:
        first, second = (JudgeFolder(Path(one)).finished() for one in (pilot, reference))
        values, topics = between_runs(first, second, metric.strip().replace("-", "_"))
        told = _piloted(len(values), len(set(topics)), "topics")
        draw = from_pilot(np.asarray([values]) + shift, topics)
    spread = "" if told else f"standard deviation {sd:g}, ICC {icc:g}"
    what, cells = f"a difference of {shift:g}", tuple(plan_mean(draw, sizes))
    return SampleSizes(what, cells, sizes.simulations, sizes.confidence, told, spread)


def _together(**given: object) -> None:
    """Raise DeclarationError where some of the options are given and others are not."""
    if len({value is None for value in given.values()}) > 1:
        *names, last = (f"--{name}" for name in given)
        raise DeclarationError(f"{', '.join(names)} and {last} must be given together")


def _piloted(items: int, clusters: int, what: str) -> str:
    return f"the pilot has {items} items of {clusters} {what}; the fewer it has, the less it says of others"


def between_runs(
    first: Iterable[Judgment], second: Iterable[Judgment], metric: str
) -> tuple[list[float], list[Hashable]]:
    """The second run less the first, on what both scored, around 0 (the effect comes from the user); and the topics.

    Raises:
        DeclarationError: no item has a score in both, or all differ by the same.
        UnknownNameError: the first run has no such metric.
    """
    before = list(first)
    check_known("metric of the pilot", {name for judgment in before for name in judgment.measures}, metric)
    after = {judgment.item: judgment for judgment in second}
    keys = TopicKeys.from_judged(before)
    pairs = [
        (new - old, keys[judgment.topic])
        for judgment in before
        if judgment.item in after
        and (old := judgment.value(metric)) is not None
        and (new := after[judgment.item].value(metric)) is not None
    ]
    if not pairs:
        raise DeclarationError(f"the pilot has no item with a score for {metric} in both runs")
    values = [value for value, _ in pairs]
    if max(values) - min(values) < SAME_SCORE:
        raise DeclarationError(
            f"all {len(values)} items of the pilot differ by {values[0]:+.3f}: leave out --pilot and give --sd"
        )
    middle = sum(values) / len(values)
    return [value - middle for value in values], [topic for _, topic in pairs]
