"""How large a study has to be: widths of intervals and power by numbers of topics and of items a topic, simulated from
assumptions or from a pilot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from conqret._optional import require
from conqret.errors import DeclarationError, strict_options
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.control_charts import RATE, SEED, Design
from conqret.stats.drift_plan import ChartPlan, PlannedSeries
from conqret.stats.planning import (
    Draw,
    PlannedSize,
    SamplePlan,
    assumed,
    assumed_differences,
    from_pilot,
    plan_agreement,
    plan_mean,
    plan_probe,
    shifted,
    skewed,
    trend_spread,
)
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.dimension_view import NO_PAIR, NO_SCALE, View
from conqret.studies.agreement.label_join import join_labels
from conqret.studies.bias.bias_run import BiasFolder
from conqret.studies.power.pilot import Differences, between_runs, of_versions
from conqret.studies.power.selftest import SIMULATIONS, SelfTest, pairs_plan, selftest
from conqret.studies.sensitivity.result import SensitivityFolder

POWER_PROBES = ("position", "length", "authority", "injection")
"""What a bias run looks for in pairs without documents and labels."""


class PlanSettings(TypedDict, total=False):
    """What is simulated (:class:`conqret.stats.planning.SamplePlan`): each number of ``topics`` with each number of
    ``items`` a topic (``unequal``: that in the mean), so many ``simulations`` of each; ``on_cell`` is called
    after each of them."""

    topics: Sequence[int]
    items: Sequence[int]
    simulations: int
    seed: int
    confidence: float
    unequal: bool
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
    aggregate: Literal["auto", "mean", "majority"] = "auto",
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
        aggregate: how the labels of several annotators become one.
        plan: what is simulated: :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is out of range, pilot and labels do not go together, or the labels have several
            dimensions.
    """
    require("numpy", "scipy", extra="stats")
    _together(pilot=pilot, labels=labels)
    sizes = SamplePlan(**plan)
    if pilot is not None and shares:
        raise DeclarationError("a pilot has its own shares of labels: leave out --shares")
    if shares:
        steps = ", ".join(f"{share:g}" for share in shares)
        return _sizes(
            "alpha",
            plan_agreement(skewed(assumed(alpha, icc), shares), sizes, "ordinal"),
            sizes,
            assumed=f"ordinal labels with shares of {steps}, alpha {alpha:g} of the values behind them, ICC {icc:g}",
        )
    if pilot is None or labels is None:
        return _sizes(
            "alpha",
            plan_agreement(assumed(alpha, icc), sizes),
            sizes,
            assumed=f"true alpha {alpha:g}, interval level, ICC {icc:g}",
        )
    import numpy as np

    joined = join_labels(JudgeFolder(Path(pilot)).finished(), labels_of(labels))
    if len(joined.metrics) > 1:
        raise DeclarationError(
            f"the labels have {len(joined.metrics)} dimensions: choose one, as in --dimension "
            f"{next(iter(joined.metrics))}"
        )
    (dimension,) = joined.metrics
    view = View(joined, dimension, AgreementSettings(aggregate=aggregate, confidence=sizes.confidence))
    if not view.placed or not view.compared.any():
        raise DeclarationError(NO_PAIR if view.placed else NO_SCALE)
    kept = np.flatnonzero(view.compared).tolist()
    clusters = [view.clusters[place] for place in kept]
    drawn = from_pilot(np.stack([view.judge(), view.target])[:, kept], clusters)
    return _sizes(
        f"alpha of {dimension}",
        plan_agreement(drawn, sizes, view.scale.level),
        sizes,
        _piloted(len(kept), len(set(clusters)), f"{joined.clustered_by}s"),
    )


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
    require("numpy", "scipy", extra="stats")
    _together(pilot=pilot, reference=reference, metric=metric)
    sizes, draw, told = SamplePlan(**plan), assumed_differences(shift, sd, icc), ""
    if pilot is not None and reference is not None and metric is not None:
        first, second = (JudgeFolder(Path(one)).finished() for one in (pilot, reference))
        draw, told = _drawn(between_runs(first, second, _name(metric)))
        draw = shifted(draw, shift)
    return _sizes(
        f"a difference of {shift:g}", plan_mean(draw, sizes), sizes, told, assumed=_spread(sd, icc, told)
    )


@strict_options
def power_probe(
    *,
    shift: float = 0.1,
    rows: int = 8,
    sd: float = 0.15,
    icc: float = 0.1,
    pilot: str | Path | None = None,
    perturbation: str | None = None,
    metric: str | None = None,
    **plan: Unpack[PlanSettings],
) -> SampleSizes:
    """Simulate how often one probe of a bias run raises its alarm, corrected over all probes.

    Args:
        shift: how far the bias shifts the scores.
        rows: how many probes are made; p-values are corrected over them.
        sd: the assumed standard deviation of one value.
        icc: the assumed share of the variance that is between topics.
        pilot: a finished run of ``conqret bias``, from which the spread is taken.
        perturbation: its perturbation.
        metric: its metric.
        plan: what is simulated: :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is out of range, or ``pilot``, ``perturbation`` and ``metric`` do not go together.
    """
    require("numpy", "scipy", extra="stats")
    _together(pilot=pilot, perturbation=perturbation, metric=metric)
    sizes, draw, told = SamplePlan(**plan), assumed_differences(0.0, sd, icc), ""
    if pilot is not None:
        folder = BiasFolder(Path(pilot))
        draw, told = _of_versions(folder, [folder.record().fingerprint], perturbation, metric)
    return _sizes(
        f"a bias of {shift:g}",
        plan_probe(draw, shift, rows, sizes),
        sizes,
        told,
        assumed="; ".join(filter(None, [_spread(sd, icc, told), f"p corrected over {rows} probes"])),
    )


@strict_options
def power_curve(
    *,
    shift: float = 0.2,
    levels: int = 4,
    sd: float = 0.15,
    icc: float = 0.2,
    pilot: str | Path | None = None,
    perturbation: str | None = None,
    metric: str | None = None,
    **plan: Unpack[PlanSettings],
) -> SampleSizes:
    """Simulate how often a sensitivity curve that falls is found to fall, by the one-sided test of its trend.

    Args:
        shift: how far the mean falls from the first level to the last.
        levels: levels of the perturbation, the one without it included.
        sd: the assumed standard deviation of one score around its item's line.
        icc: the assumed share of the variance that is between topics.
        pilot: a finished run of ``conqret sensitivity``, from which the spread is taken.
        perturbation: its perturbation.
        metric: its metric.
        plan: what is simulated: :class:`PlanSettings`.

    Raises:
        DeclarationError: a number is out of range, or ``pilot``, ``perturbation`` and ``metric`` do not go together.
    """
    require("numpy", "scipy", extra="stats")
    _together(pilot=pilot, perturbation=perturbation, metric=metric)
    sizes, draw, told = SamplePlan(**plan), assumed_differences(shift, trend_spread(levels, sd), icc), ""
    if pilot is not None:
        folder = SensitivityFolder(Path(pilot))
        judges = [judge["fingerprint"] for judge in folder.record().judges]
        draw, told = _of_versions(folder, judges, perturbation, metric)
        draw = shifted(draw, shift)
    spread = _spread(sd, icc, told)
    return _sizes(
        f"a decrease of {shift:g}",
        plan_mean(draw, sizes, one_sided=True),
        sizes,
        told,
        assumed=spread and f"{spread}, {levels} levels",
    )


@strict_options
def power_bias(
    *,
    size: float = 0.1,
    topics: Sequence[int] = (8, 12, 20, 40),
    items: Sequence[int] = (2, 5),
    probes: Sequence[str] = (),
    simulations: int = SIMULATIONS,
    seed: int = SEED,
    on_cell: Callable[[], object] = lambda: None,
) -> dict[tuple[int, int], SelfTest]:
    """Simulate how often a bias run on pairs of arguments finds a bias of this size, all probes corrected together.

    Args:
        size: the bias: with 0.1 the favored place, or a changed text, wins 60% instead of 50%.
        topics: numbers of topics.
        items: numbers of pairs a topic.
        probes: only these; by default those that need neither documents nor labels.
        simulations: judges without a bias, and as many with each probe's.
        seed: the seed of the simulated judges.
        on_cell: is called after each number of topics with each number of pairs.

    Raises:
        DeclarationError: a number is out of range, or a probe cannot be made.
    """
    require("numpy", "scipy", extra="stats")
    found = {}
    for count, each in product(topics, items):
        plan = pairs_plan(count * each, count, probes or POWER_PROBES)
        found[count, each] = selftest(plan, size=size, simulations=simulations, seed=seed)
        on_cell()
    return found


@dataclass(frozen=True, slots=True)
class DriftSizes:
    """What was simulated, the first of the series, and each number of topics with each number of items."""

    watched: ChartPlan
    design: Design
    cells: tuple[PlannedSeries, ...]


@strict_options
def power_drift(
    *,
    shift: float = 0.05,
    sd: float = 0.1,
    icc: float = 0.0,
    topics: Sequence[int] = (6, 12, 24),
    items: Sequence[int] = (1, 5),
    waves: int = 20,
    baseline: int = 3,
    after: int = 10,
    metrics: int = 1,
    rate: float = RATE,
    seed: int = SEED,
    on_cell: Callable[[], object] = lambda: None,
) -> DriftSizes:
    """Simulate how often a time series finds that a judge has shifted, how soon, and how often it raises false alarms.

    Args:
        shift: the true difference to be found.
        sd: the standard deviation of one score between waves.
        icc: the share of that variance that is common to the items of a topic.
        topics: numbers of topics.
        items: numbers of items a topic.
        waves: waves of the series, including the baseline's.
        baseline: how many of the first waves are the baseline.
        after: the judge shifts after this many waves.
        metrics: how many metrics are charted; each has two charts.
        rate: the allowed rate of false alarms a series.
        seed: the seed of the simulations.
        on_cell: is called after each number of topics with each number of items.

    Raises:
        DeclarationError: a number is out of its range.
    """
    require("numpy", "scipy", extra="stats")
    watched = ChartPlan(shift, sd, icc, after, metrics, rate, seed=seed)
    designs = [(Design(count, waves, baseline), each) for count, each in product(topics, items)]
    cells = []
    for design, each in designs:
        cells.append(watched.plan(design, each))
        on_cell()
    return DriftSizes(watched, designs[0][0], tuple(cells))


def _sizes(
    what: str, cells: Iterable[PlannedSize], plan: SamplePlan, pilot: str = "", *, assumed: str = ""
) -> SampleSizes:
    return SampleSizes(what, tuple(cells), plan.simulations, plan.confidence, pilot, assumed)


def _spread(sd: float, icc: float, pilot: str) -> str:
    """The assumed spread; empty where a ``pilot`` gives it."""
    return "" if pilot else f"standard deviation {sd:g}, ICC {icc:g}"


def _together(**given: object) -> None:
    """Raise DeclarationError where some of the options are given and others are not."""
    if len({value is None for value in given.values()}) > 1:
        *names, last = (f"--{name}" for name in given)
        raise DeclarationError(f"{', '.join(names)} and {last} must be given together")


def _of_versions(
    folder: BiasFolder | SensitivityFolder,
    fingerprints: Sequence[str],
    perturbation: str | None,
    metric: str | None,
) -> tuple[Draw, str]:
    return _drawn(
        of_versions(folder.judgments(), fingerprints, _name(perturbation or "", "-"), _name(metric or ""))
    )


def _drawn(differences: Differences) -> tuple[Draw, str]:
    piloted = _piloted(len(differences.values), len(set(differences.topics)), "topics")
    return from_pilot([differences.values], differences.topics), piloted


def _piloted(items: int, clusters: int, what: str) -> str:
    return f"the pilot has {items} items of {clusters} {what}; the fewer it has, the less it says of others"


def _name(text: str, mark: str = "_") -> str:
    """A name with its words joined as the runs have it."""
    return text.strip().replace("-" if mark == "_" else "_", mark)
