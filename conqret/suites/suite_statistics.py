"""Statistics that suites share, as functions of :class:`conqret.suites.suite.SuiteVerdicts`: over all
items, by group, and of published judges' verdicts.
"""

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
from conqret.stats.classification import auroc
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
    """Return the share of pairs for which the judge prefers the better answer.

    A tie, or a verdict that changes with the order of answers, counts as wrong. Pairs with a tie as gold
    are left out. Without other pairs the result is NaN.
    """
    untied = verdicts.gold != 0.5
    right = (verdicts.verdicts - 0.5) * (verdicts.gold - 0.5) > 0
    return float(right[untied].mean()) if untied.any() else math.nan


def preference_half_ties(verdicts: SuiteVerdicts) -> float:
    """Return the share of pairs for which the judge prefers the better answer; its ties count as half.

    Pairs with a tie as gold are left out. Without other pairs the result is NaN.
    """
    untied = verdicts.gold != 0.5
    points = 0.5 + np.sign((verdicts.verdicts - 0.5) * (verdicts.gold - 0.5)) / 2
    return float(points[untied].mean()) if untied.any() else math.nan


def value_of(estimate: Estimate) -> float:
    """Return the value of an estimate, or NaN if it is not defined."""
    return math.nan if estimate.value is None else estimate.value


def spearman_rho(verdicts: SuiteVerdicts) -> float:
    """Return Spearman's rank correlation between verdicts and gold; NaN where one does not vary."""
    return value_of(spearman(verdicts.gold, verdicts.verdicts))


def kendall_tau(verdicts: SuiteVerdicts) -> float:
    """Return Kendall's tau-b between verdicts and gold; NaN where one does not vary."""
    return value_of(kendall(verdicts.gold, verdicts.verdicts))


def balanced_accuracy(flagged: NDArray[np.bool_], gold: NDArray[np.float64]) -> float:
    """Return the mean of sensitivity and specificity of ``flagged`` for a gold of 1; NaN if all gold is of one
    kind."""
    positive = gold == 1
    if not positive.any() or positive.all():
        return math.nan
    return float(np.mean([flagged[positive].mean(), 1 - flagged[~positive].mean()]))


def area(verdicts: SuiteVerdicts) -> float:
    """Return the area under the ROC curve of the verdicts; NaN if all gold is of one kind."""
    return value_of(auroc(verdicts.gold, verdicts.verdicts)) if len(verdicts) else math.nan


def correlation(name: str, definition: str, compute: Compute, metric: str = "") -> SuiteStatistic:
    """Build a statistic that is a correlation (in [-1, 1], by chance 0); the arguments are fields of
    :class:`~conqret.suites.suite.SuiteStatistic`.
    """
    return SuiteStatistic(name, definition, compute, metric, "correlation", chance=0.0)


def share(name: str, definition: str, compute: Compute, **more: Any) -> SuiteStatistic:
    """Build a statistic that lies between 0 and 1; the arguments are fields of
    :class:`~conqret.suites.suite.SuiteStatistic`.
    """
    return SuiteStatistic(name, definition, compute, scale="share", **more)


def in_groups(whole: SuiteStatistic, definition: str, groups: Iterable[str]) -> tuple[SuiteStatistic, ...]:
    """Return a statistic of all items, and a copy for each group with its name filled into ``definition``
    (``{}``).
    """
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
    """Return a function that averages a statistic over groups; those in which it is NaN are left out."""

    def mean(verdicts: SuiteVerdicts) -> float:
        values = [compute(part) for part in by_group(verdicts).values()]
        defined = [value for value in values if not math.isnan(value)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    return mean


def system_means(verdicts: SuiteVerdicts) -> tuple[list[float], list[float]]:
    """Return two lists: the mean gold and the mean verdict of each group (system), in order of first
    appearance.
    """
    parts = by_group(verdicts).values()
    return [float(part.gold.mean()) for part in parts], [float(part.verdicts.mean()) for part in parts]


def by_group(verdicts: SuiteVerdicts) -> dict[str, SuiteVerdicts]:
    """Return a mapping from each group to its verdicts, in order of first appearance."""
    groups = np.array(verdicts.groups)
    return {name: verdicts.subset(groups == name) for name in dict.fromkeys(verdicts.groups)}


def mean_labels(annotations: Mapping[str, Values]) -> dict[str, float]:
    """Return the mean label of each item."""
    return {item: math.fsum(labels.values()) / len(labels) for item, labels in annotations.items()}


def annotator_table(annotations: Mapping[str, Values]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the annotators' names and their labels as an array of annotators by items, with NaN for no
    label.
    """
    annotators = tuple(dict.fromkeys(annotator for labels in annotations.values() for annotator in labels))
    row_of = {annotator: row for row, annotator in enumerate(annotators)}
    table = np.full((len(annotators), len(annotations)), np.nan)
    for column, labels in enumerate(annotations.values()):
        for annotator, label in labels.items():
            table[row_of[annotator], column] = label
    return annotators, table


PLACES = 9
"""Decimals of the values in a result."""


def suite_figures(
    suite: Suite,
    data: SuiteData,
    verdicts: Mapping[str, Mapping[str, float | None]],
    ids: Iterable[str] | None = None,
) -> list[SuiteFigure]:
    """Compute all statistics of a suite, with jackknife intervals, counts and a digest of the items.

    Statistics whose metric has no verdicts, or whose group this copy lacks, are left out.

    Args:
        suite: the suite.
        data: the contents of its files.
        verdicts: verdicts by metric and item id.
        ids: the items that were to be judged; by default those with a verdict.
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
    """Compute a statistic over the items ``ids``, also without each cluster in turn, and return it as a
    figure with the number of verdicts in each cluster."""
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
    """Return the value of a statistic, or NaN if there are no verdicts."""
    return float(statistic.compute(verdicts)) if len(verdicts) else math.nan


def sampled(suite: Suite, data: SuiteData, size: int | None, seed: int) -> SuiteData:
    """Return the data with a systematic sample of ``size`` items in their order (None: all items).

    Items are sorted by cluster and gold, and every k-th item is taken from a random start. So each
    cluster, and each gold value within it, has its proportional share.

    Raises:
        DeclarationError: ``size`` is not between 1 and the number of items.
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
    """A published figure with the value recomputed from the files, on the printed scale (None: not
    available).
    """

    figure: PublishedFigure
    value: float | None

    @property
    def same(self) -> bool | None:
        """True if the recomputed value equals the printed one to its digits; None without a value."""
        return None if self.value is None else self.figure.agrees(self.value / self.figure.times)


def logged_results(suite: Suite, data: SuiteData) -> Iterator[SuiteResult]:
    """Yield a result for each judge whose verdicts are in the suite's files, except for those without any figure."""
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
    """Return a published judge's first statistic on a sample of the items, to compare it with a judge of that
    sample.

    Returns None if its log lacks the metric or this copy has no such sample.
    """
    if not 0 < sample.n < len(data.items) or sample.of != len(data.items):
        return None
    ids = [item.id for item in sampled(suite, data, sample.n, sample.seed).items]
    first = replace(suite, statistics=suite.statistics[:1])
    figures = suite_figures(first, data, data.logs[log], ids)
    return figures[0] if figures else None


def recomputed(suite: Suite, data: SuiteData) -> list[RecomputedFigure]:
    """Return each published figure of a suite with its value recomputed from the files."""
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
