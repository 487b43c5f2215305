"""Statistics that several suites share, as functions of :class:`conqret.suites.suite.SuiteVerdicts`, statistics by the
groups of a suite's items (sides of debates, data sets, systems), the annotators' labels as means and as a table;
and judges whose verdicts others have published, which are compared with those that are run: no request is sent."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item
from conqret.data.digest import digest_of
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.stats.correlation import kendall, spearman
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out
from conqret.suites.result import SuiteFigure, SuiteJudge, SuiteResult, SuiteSample
from conqret.suites.suite import (
    Compute,
    PublishedFigure,
    Suite,
    SuiteData,
    SuiteStatistic,
    SuiteVerdicts,
    Values,
)


def preference_accuracy(verdicts: SuiteVerdicts) -> float:
    """The share of pairs whose better answer the judge prefers; a tie, or a verdict that changes with the order, is
    wrong. Pairs that the gold calls a tie take no part."""
    untied = verdicts.gold != 0.5
    right = (verdicts.verdicts - 0.5) * (verdicts.gold - 0.5) > 0
    return float(right[untied].mean()) if untied.any() else math.nan


def preference_half_ties(verdicts: SuiteVerdicts) -> float:
    """The same, but a tie counts as half: what a judge gets who then throws a coin."""
    untied = verdicts.gold != 0.5
    points = 0.5 + np.sign((verdicts.verdicts - 0.5) * (verdicts.gold - 0.5)) / 2
    return float(points[untied].mean()) if untied.any() else math.nan


def value_of(estimate: Estimate) -> float:
    """The value; NaN where it is not defined."""
    return math.nan if estimate.value is None else estimate.value


def spearman_rho(verdicts: SuiteVerdicts) -> float:
    """Spearman's rank correlation of verdicts and gold."""
    return value_of(spearman(verdicts.gold, verdicts.verdicts))


def kendall_tau(verdicts: SuiteVerdicts) -> float:
    """Kendall's tau-b of verdicts and gold."""
    return value_of(kendall(verdicts.gold, verdicts.verdicts))


def correlation(name: str, definition: str, compute: Compute, metric: str = "") -> SuiteStatistic:
    """A statistic that is a correlation: 0 by chance."""
    return SuiteStatistic(name, definition, compute, metric, "correlation", chance=0.0)


def share(name: str, definition: str, compute: Compute, **more: Any) -> SuiteStatistic:
    """A statistic that lies between 0 and 1."""
    return SuiteStatistic(name, definition, compute, scale="share", **more)


def in_groups(whole: SuiteStatistic, definition: str, groups: Iterable[str]) -> tuple[SuiteStatistic, ...]:
    """A statistic of all items, and the same of each group's, whose name stands in the ``definition`` for ``{}``."""
    return whole, *(
        replace(
            whole,
            name=f"{whole.name}_{group.lower().replace(' ', '_')}",
            definition=definition.format(group),
            group=group,
        )
        for group in groups
    )


def over_groups(compute: Compute) -> Compute:
    """The mean of a statistic over the groups in which it is defined."""

    def mean(verdicts: SuiteVerdicts) -> float:
        values = [compute(part) for part in by_group(verdicts).values()]
        defined = [value for value in values if not math.isnan(value)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    return mean


def system_means(verdicts: SuiteVerdicts) -> tuple[list[float], list[float]]:
    """The mean gold and the mean verdict of each group."""
    parts = by_group(verdicts).values()
    return [float(part.gold.mean()) for part in parts], [float(part.verdicts.mean()) for part in parts]


def by_group(verdicts: SuiteVerdicts) -> dict[str, SuiteVerdicts]:
    """The verdicts of each group, in the order in which groups come first."""
    groups = np.array(verdicts.groups)
    return {name: verdicts.subset(groups == name) for name in dict.fromkeys(verdicts.groups)}


def mean_labels(annotations: Mapping[str, Values]) -> dict[str, float]:
    """The mean label of each item."""
    return {item: math.fsum(labels.values()) / len(labels) for item, labels in annotations.items()}


def annotator_table(annotations: Mapping[str, Values]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The annotators, in the order of their first label, and their labels: annotators by items, NaN for none."""
    annotators = tuple(dict.fromkeys(annotator for labels in annotations.values() for annotator in labels))
    row_of = {annotator: row for row, annotator in enumerate(annotators)}
    table = np.full((len(annotators), len(annotations)), np.nan)
    for column, labels in enumerate(annotations.values()):
        for annotator, label in labels.items():
            table[row_of[annotator], column] = label
    return annotators, table


PLACES = 9
"""Decimals of what is kept: less than rounding shows, more than a test needs."""


def suite_figures(
    suite: Suite,
    data: SuiteData,
    verdicts: Mapping[str, Mapping[str, float | None]],
    ids: Iterable[str] | None = None,
) -> list[SuiteFigure]:
    """All statistics of a suite for verdicts by metric and item id: the value with its jackknife, how many of the items
    have a verdict, and the digest of the items, by which judges of the same ones are known.

    ``ids`` are the items that were to be judged; without them those that have a verdict. A statistic of whose metric
    there are no verdicts is left out, and so is one of a group that this copy does not have.
    """
    chosen = None if ids is None else set(ids)
    figures = []
    for statistic in suite.statistics:
        metric = suite.metric_of(statistic)
        labelled = data.labelled(metric, statistic.group)
        if metric in verdicts and (labelled or not statistic.group):
            items = sorted(labelled & (verdicts[metric].keys() if chosen is None else chosen))
            figures.append(_figure(data, statistic, metric, verdicts[metric], items))
    return figures


def _figure(
    data: SuiteData,
    statistic: SuiteStatistic,
    metric: str,
    verdicts: Mapping[str, float | None],
    ids: Sequence[str],
) -> SuiteFigure:
    """A statistic with what it is without each cluster in turn, and how many verdicts each of them holds."""
    view = data.against(metric, {name: verdicts.get(name) for name in ids}, statistic.group)
    value, reason = computed(statistic, view), "it is not defined for these verdicts"
    sizes, without = np.zeros(0, dtype=np.intp), list[float]()
    if ids:
        resamples = leave_one_out([data.clusters.get(name, name) for name in ids])
        place = dict(zip(ids, resamples.cluster.tolist(), strict=True))
        cluster = np.array([place[name] for name in view.ids], dtype=np.intp)
        sizes = np.bincount(cluster, minlength=resamples.clusters)
        without = [computed(statistic, view.subset(weights[cluster] > 0)) for weights in resamples.weights]
    else:
        reason = "no item has gold"
    figure = SuiteFigure(
        statistic=statistic.name,
        metric=metric,
        value=None if value != value else round(value, PLACES),
        n=len(view),
        items=len(ids),
        clusters=int(np.count_nonzero(sizes)),
        scale=statistic.scale,
        reason="" if value == value else reason,
        items_digest=digest_of([metric, [(name, data.clusters.get(name, name)) for name in ids]]),
        without=tuple(None if number != number else number for number in np.round(without, PLACES).tolist()),
        sizes=tuple(sizes.tolist()),
    )
    estimate = figure.jackknifed.estimate()
    return figure.model_copy(update={"low": estimate.low, "high": estimate.high, "reason": estimate.reason})


def computed(statistic: SuiteStatistic, verdicts: SuiteVerdicts) -> float:
    """The statistic; NaN where there are no verdicts, too."""
    return float(statistic.compute(verdicts)) if len(verdicts) else math.nan


def sampled(suite: Suite, data: SuiteData, size: int | None, seed: int) -> SuiteData:
    """The data with ``size`` of its items alone (None: all of them), in their order.

    Items stand in a line, cluster by cluster and within each by their gold, and every so many is taken from a random
    start (systematic sampling): each cluster, and each value of the gold within it, has its share, to one item.

    Raises:
        DeclarationError: there are no so many items, or the size is none.
    """
    items: Sequence[Item | Pair] = data.items
    if size is None or size == len(items):
        return data
    if not 0 < size < len(items):
        raise DeclarationError(f"--sample is {size}, but {suite.name} has only {len(items):,} items")
    rng = random.Random(seed)
    gold = data.gold.get(suite.metrics[0], {})
    clusters: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        clusters[data.clusters.get(item.id, item.id)].append(place)
    names = sorted(clusters)
    rng.shuffle(names)
    line: list[int] = []
    for name in names:
        members = clusters[name]
        rng.shuffle(members)
        line += sorted(members, key=lambda place: gold.get(items[place].id, 0.0))
    start = rng.random()
    chosen = sorted(line[int((number + start) * len(line) / size)] for number in range(size))
    kept: Any = tuple(items[place] for place in chosen)
    return replace(data, items=kept)


PUBLISHED = "published verdicts"


@dataclass(frozen=True, slots=True)
class RecomputedFigure:
    """A published figure compared with what comes of the files: ``value`` as it is printed, None where it cannot be
    had."""

    figure: PublishedFigure
    value: float | None

    @property
    def same(self) -> bool | None:
        """Whether it is the printed one, to its digits; None where there is no value."""
        return None if self.value is None else self.figure.agrees(self.value / self.figure.times)


def logged_results(suite: Suite, data: SuiteData) -> Iterator[SuiteResult]:
    """A result for each judge whose verdicts the suite's files hold."""
    for name, verdicts in data.logs.items():
        figures = suite_figures(suite, data, verdicts)
        if not figures:
            continue
        yield SuiteResult(
            suite=suite.name,
            judge=SuiteJudge(
                model=name,
                format=PUBLISHED,
                fingerprint=digest_of(
                    [
                        [suite.name, name],
                        {metric: sorted(values.items()) for metric, values in verdicts.items()},
                    ]
                ),
                baseline=name in data.rules,
                published=True,
            ),
            figures=tuple(figures),
            judged=len({item for values in verdicts.values() for item in values}),
            lacking=suite.lacking(data),
        )


def logged_figure(suite: Suite, data: SuiteData, log: str, sample: SuiteSample) -> SuiteFigure | None:
    """The first statistic of a published judge on a sample of the items, by which it is compared with who judged that
    sample; None where the log does not have it, or there is no such sample of this copy."""
    if not 0 < sample.n < len(data.items) or sample.of != len(data.items):
        return None
    ids = [item.id for item in sampled(suite, data, sample.n, sample.seed).items]
    first = replace(suite, statistics=suite.statistics[:1])
    figures = suite_figures(first, data, data.logs[log], ids)
    return figures[0] if figures else None


def recomputed(suite: Suite, data: SuiteData) -> list[RecomputedFigure]:
    """The published figures of a suite compared with what its files give."""
    return [RecomputedFigure(figure, _value(suite, data, figure)) for figure in suite.published]


def _value(suite: Suite, data: SuiteData, figure: PublishedFigure) -> float | None:
    statistic = suite.statistic(figure.statistic)
    if figure.recompute is not None:
        value = float(figure.recompute(data))
    elif statistic is not None and figure.log in data.logs:
        metric = suite.metric_of(statistic)
        view = data.against(metric, data.logs[figure.log].get(metric, {}), statistic.group)
        value = computed(statistic, view)
    else:
        return None
    return None if value != value else value * figure.times
