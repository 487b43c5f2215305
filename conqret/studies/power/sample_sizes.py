"""How large a study has to be: widths of intervals and power by numbers of topics and of items a topic, simulated from
assumptions or from a pilot."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from conqret.data import Judgment
from conqret.data.topic_keys import TopicKeys
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.agreement import Level
from conqret.stats.planning import (
    PlannedSize,
    SamplePlan,
    assumed,
    assumed_differences,
    from_pilot,
    plan_agreement,
    plan_mean,
    shifted,
    skewed,
)
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.label_join import NO_PAIR, NO_SCALE, View, join_labels

SAME_SCORE = 1e-9
"""Differences that rounding alone tells apart are one."""


class PlanSettings(TypedDict, total=False):
    """What is simulated (:class:`conqret.stats.planning.SamplePlan`): each number of ``topics`` with each number of
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
        view = View(joined, dimension, AgreementSettings(confidence=sizes.confidence))
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
        draw = shifted(from_pilot([values], topics), shift)
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
    keys = TopicKeys.of(before)
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
