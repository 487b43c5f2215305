"""How large a study has to be: widths of intervals and power by numbers of topics and of items a topic, simulated from
assumptions or from a pilot."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, check_known, metric_name, strict_options
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

Draw = Callable[[int, int, "np.random.Generator"], "NDArray[np.float64]"]
"""From topics, items a topic and a generator to values, columns by items; the items of a topic follow each other."""
Statistic = Callable[["NDArray[np.float64]", list[int]], JackknifedEstimate]
"""From values and the topic of each item to a statistic."""


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """The simulation result for one number of topics and items per topic.

    ``half_width`` is the median half width of the interval (None if more than 5% have no interval). ``power``
    is the share of significant tests (None: no test, or fewer than six topics). ``without`` is the share of
    simulations without an interval.
    """

    topics: int
    items: int
    half_width: float | None
    power: float | None
    without: float


def planned_sizes(
    draw: Draw,
    statistic: Statistic,
    *,
    tests: bool = False,
    topics: Sequence[int] = (6, 8, 12, 20, 50),
    items: Sequence[int] = (1, 3, 10),
    simulations: int = SIMULATIONS,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    on_cell: Callable[[], object] = lambda: None,
) -> tuple[PlannedSize, ...]:
    """Simulate each number of topics with each number of items per topic, and return the results.

    ``draw`` simulates the values of so many topics with so many items each (columns by items), and ``statistic`` is
    computed from values and topics. If ``tests`` is True, it is tested against 0. The others are as in
    :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is below 1.
    """
    if min([*topics, *items, simulations]) < 1 or not topics or not items:
        raise DeclarationError("a plan needs at least one topic, one item a topic and one simulation")
    sizes = []
    for count, each in product(topics, items):
        rng = np.random.default_rng([seed, count, each])
        names = np.repeat(np.arange(count), each).tolist()
        drawn = [statistic(draw(count, each, rng), names) for _ in range(simulations)]
        halves = [sampled.estimate(confidence).half for sampled in drawn]
        widths = [half for half in halves if half is not None]
        without = 1 - len(widths) / simulations
        power = None
        if tests and count >= MIN_TOPICS:
            power = sum(p is not None and p < ALPHA for p in (one.p() for one in drawn)) / simulations
        half_width = float(np.median(widths)) if widths and without <= MAX_WITHOUT else None
        sizes.append(PlannedSize(count, each, half_width, power, without))
        on_cell()
    return tuple(sizes)


def alpha_of_two(level: Level = "interval") -> Statistic:
    """Return the function that computes Krippendorff's alpha between two columns, judge and annotators."""
    return lambda values, names: alphas(values[None], level, leave_one_out(names))[0]


def mean_of_one(values: NDArray[np.float64], names: list[int]) -> JackknifedEstimate:
    """Compute the mean of the only column."""
    return mean(values[0], names)


def assumed(correlation: float, icc: float) -> Draw:
    """Return a function that simulates normal scores of judge and annotators with this correlation.

    The correlation holds between and within topics; ``icc`` is the share of variance between topics. Alpha at
    the interval level equals the correlation.

    Raises:
        DeclarationError: a number is out of range.
    """
    if not -1 < correlation < 1:
        raise DeclarationError(f"an alpha to plan for must lie inside (-1, 1), not at {correlation}")
    root, normal = np.linalg.cholesky([[1, correlation], [correlation, 1]]), _normal(2, icc)
    return lambda topics, items, rng: np.asarray(root @ normal(topics, items, rng))


def assumed_differences(shift: float, sd: float, icc: float) -> Draw:
    """Return a function that simulates normal differences with mean ``shift``, standard deviation ``sd`` and
    ``icc``.

    Raises:
        DeclarationError: a number is out of range.
    """
    if not sd > 0:
        raise DeclarationError(f"a standard deviation must be above 0, not {sd}")
    normal = _normal(1, icc)
    return lambda topics, items, rng: shift + sd * normal(topics, items, rng)


def from_pilot(columns: ArrayLike, clusters: Sequence[Hashable]) -> Draw:
    """Return a function that resamples the values of a pilot.

    Topics are drawn with replacement. Their items are drawn without replacement if there are enough, because
    replacement would add variance. ``columns`` are columns by items, with ``clusters`` as the topic of each
    item.

    Raises:
        DeclarationError: the pilot has fewer than two topics, or there is not one topic for each item.
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
    """Return a function that draws so many unrelated columns of normal values with variance 1, of which the share
    ``icc`` lies between topics.

    Raises:
        DeclarationError: ``icc`` is not in [0, 1].
    """
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
    """The settings of a simulation (:func:`planned_sizes`), as keyword arguments.

    Each number of ``topics`` is combined with each number of ``items`` per topic. ``on_cell`` is called after
    each combination.
    """

    topics: Sequence[int]
    items: Sequence[int]
    simulations: int
    seed: int
    confidence: float
    on_cell: Callable[[], object]


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """The results of planning sample sizes for the statistic ``what``, one of ``cells`` for each size.

    ``pilot`` says what the data were drawn from; it is empty if the spread is ``assumed``.
    """

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
    pilot: str | Path | None = None,
    labels: Labels | None = None,
    **plan: Unpack[PlanSettings],
) -> SampleSizes:
    """Simulate the interval width of Krippendorff's alpha of judge and annotators for several sample sizes.

    Without a pilot, interval-level scores are assumed. A pilot's labels keep their level and scale.

    Args:
        alpha: the assumed true alpha.
        icc: the assumed share of the variance between topics.
        pilot: a finished run whose topics and items are resampled instead.
        labels: human labels of the pilot's items, of one dimension.
        plan: the settings of the simulation: :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is out of range, pilot and labels are not given together, or the labels
            have several dimensions.
    """
    _together(pilot=pilot, labels=labels)
    level: Level = "interval"
    what, told, draw = "alpha", "", assumed(alpha, icc)
    spread = f"true alpha {alpha:g}, interval level, ICC {icc:g}"
    if pilot is not None and labels is not None:
        joined = join_labels(JudgeFolder(Path(pilot)).finished(), labels_of(labels))
        if len(joined.metrics) > 1:
            example = f"--dimension {next(iter(joined.metrics))}"
            raise DeclarationError(
                f"the labels have {len(joined.metrics)} dimensions: choose one, as in {example}"
            )
        (dimension,) = joined.metrics
        view = DimensionView(
            joined, dimension, AgreementSettings(confidence=plan.get("confidence", CONFIDENCE))
        )
        if not view.placed or not view.compared.any():
            raise DeclarationError(NO_PAIR if view.placed else NO_SCALE)
        kept = view.compared.nonzero()[0].tolist()
        clusters = [view.clusters[place] for place in kept]
        what, level, spread = f"alpha of {dimension}", view.scale.level, ""
        told = _piloted(len(kept), len(set(clusters)), f"{joined.clustered_by}s")
        draw = from_pilot([view.judge()[kept], view.target[kept]], clusters)
    return _sizes(what, planned_sizes(draw, alpha_of_two(level), **plan), plan, told, spread)


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
    """Simulate the interval width of a mean or paired difference, and the power of its test, for several
    sample sizes.

    Args:
        shift: the true difference to detect.
        sd: the assumed standard deviation of the differences (of scores, if a mean is planned).
        icc: the assumed share of the variance between topics.
        pilot: a finished run from which the spread is taken.
        reference: a second run over the pilot's items; differences between both are resampled.
        metric: the metric of both.
        plan: the settings of the simulation: :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is out of range, or ``pilot``, ``reference`` and ``metric`` are not given
            together.
    """
    _together(pilot=pilot, reference=reference, metric=metric)
    draw, told = assumed_differences(shift, sd, icc), ""
    if pilot is not None and reference is not None and metric is not None:
        first, second = (JudgeFolder(Path(one)).finished() for one in (pilot, reference))
        values, topics = between_runs(first, second, metric_name(metric.strip()))
        told = _piloted(len(values), len(set(topics)), "topics")
        draw = from_pilot(np.asarray([values]) + shift, topics)
    spread = "" if told else f"standard deviation {sd:g}, ICC {icc:g}"
    cells = planned_sizes(draw, mean_of_one, tests=True, **plan)
    return _sizes(f"a difference of {shift:g}", cells, plan, told, spread)


def _sizes(
    what: str, cells: tuple[PlannedSize, ...], plan: PlanSettings, pilot: str, spread: str
) -> SampleSizes:
    settings = plan.get("simulations", SIMULATIONS), plan.get("confidence", CONFIDENCE)
    return SampleSizes(what, cells, *settings, pilot, spread)


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
    """Return the paired differences (second minus first run), centered at 0, and the topic of each.

    Raises:
        DeclarationError: no item has a score in both runs, or all differences are equal.
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
