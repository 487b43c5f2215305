"""Statistics that several suites share, as functions of :class:`conqret.suites.suite.SuiteVerdicts`, statistics by the
groups of a suite's items (sides of debates, data sets, systems), and the annotators' labels as means and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conqret.data.digest import digest_of
from conqret.stats.correlation import kendall, spearman
from conqret.stats.estimate import JackknifedEstimate, freedom_by_size
from conqret.stats.resampling import leave_one_out
from conqret.suites.suite import Suite, SuiteData, SuiteStatistic, SuiteVerdicts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.stats.estimate import Estimate
    from conqret.suites.suite import Compute, SuiteVerdicts, Values


def preference_accuracy(verdicts: SuiteVerdicts) -> float:
    """The share of pairs whose better answer the judge prefers; a tie, or a verdict that changes with the order, is
    wrong. Pairs that the gold calls a tie take no part."""
    untied = verdicts.gold != 0.5
    right = (verdicts.verdicts - 0.5) * (verdicts.gold - 0.5) > 0
    return float(right[untied].mean()) if untied.any() else math.nan


def preference_half_ties(verdicts: SuiteVerdicts) -> float:
    """The same, but a tie counts as half: what a judge gets who then throws a coin."""
    import numpy as np

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


def plain_correlation(kind: str, first: Sequence[float], second: Sequence[float]) -> float:
    """Pearson's, Spearman's or Kendall's correlation as SciPy has it; NaN where one of the two does not vary."""
    from scipy.stats import kendalltau, pearsonr, spearmanr

    if len(set(first)) < 2 or len(set(second)) < 2:
        return math.nan
    how = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}[kind]
    return float(how(first, second)[0])


def correlation(name: str, definition: str, compute: Compute, metric: str = "") -> SuiteStatistic:
    """A statistic that is a correlation: 0 by chance."""
    return SuiteStatistic(name, definition, compute, metric, "correlation", chance=0.0)


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
    import numpy as np

    groups = np.array(verdicts.groups)
    return {name: verdicts.of(groups == name) for name in dict.fromkeys(verdicts.groups)}


def mean_labels(annotations: Mapping[str, Values]) -> dict[str, float]:
    """The mean label of each item."""
    return {item: math.fsum(labels.values()) / len(labels) for item, labels in annotations.items()}


def annotator_table(
    annotations: Mapping[str, Values], ids: Sequence[str] | None = None
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The annotators, in the order of their first label, and their labels: annotators by items, NaN for none.

    ``ids`` are the items, in their order; by default all that have labels.
    """
    import numpy as np

    columns = [annotations.get(item, {}) for item in (annotations if ids is None else ids)]
    annotators = tuple(dict.fromkeys(annotator for labels in columns for annotator in labels))
    row_of = {annotator: row for row, annotator in enumerate(annotators)}
    table = np.full((len(annotators), len(columns)), np.nan)
    for column, labels in enumerate(columns):
        for annotator, label in labels.items():
            table[row_of[annotator], column] = label
    return annotators, table


PLACES = 9
"""Decimals of what is kept: less than rounding shows, more than a test needs."""


@dataclass(frozen=True, slots=True)
class HeldStatistic:
    """A statistic of a judge's verdicts: the value with its jackknife, how many of ``items`` have a verdict, the number
    of them in each cluster that is left out, and the digest of the items, by which judges of the same ones are known.
    """

    statistic: SuiteStatistic
    metric: str
    jackknifed: JackknifedEstimate
    sizes: tuple[int, ...]
    items: int
    judged: int
    items_digest: str


def held_statistics(
    suite: Suite,
    data: SuiteData,
    verdicts: Mapping[str, Mapping[str, float | None]],
    ids: Iterable[str] | None = None,
) -> list[HeldStatistic]:
    """All statistics of a suite for verdicts by metric and item id.

    ``ids`` are the items that were to be judged; without them those that have a verdict. A statistic of whose metric
    there are no verdicts is left out, and so is one of a group that this copy does not have.
    """
    chosen = None if ids is None else set(ids)
    return [
        _held(suite, data, statistic, verdicts[metric], chosen)
        for statistic in suite.statistics
        if (metric := suite.metric_of(statistic)) in verdicts
        and (not statistic.group or data.labelled(metric, statistic.group))
    ]


def _held(
    suite: Suite,
    data: SuiteData,
    statistic: SuiteStatistic,
    verdicts: Mapping[str, float | None],
    chosen: set[str] | None,
) -> HeldStatistic:
    import numpy as np

    metric = suite.metric_of(statistic)
    labelled = data.labelled(metric, statistic.group)
    ids = sorted(labelled & (verdicts.keys() if chosen is None else chosen))
    view = data.against(metric, {name: verdicts.get(name) for name in ids}, statistic.group)
    digest = digest_of([metric, [(name, data.clusters.get(name, name)) for name in ids]])
    if not ids:
        empty = JackknifedEstimate(
            math.nan, np.zeros(0), np.zeros(0, dtype=bool), 0, "no item has gold", statistic.scale
        )
        return HeldStatistic(statistic, metric, empty, (), 0, 0, digest)
    resamples = leave_one_out([data.clusters.get(name, name) for name in ids])
    place = dict(zip(ids, resamples.cluster.tolist(), strict=True))
    own = resamples.of(np.isin(ids, view.ids))
    cluster = np.array([place[name] for name in view.ids], dtype=np.intp)
    sizes = np.bincount(cluster, minlength=resamples.clusters)
    value = computed(statistic, view)
    without = [computed(statistic, view.of(weights[cluster] > 0)) for weights in resamples.weights]
    jackknifed = JackknifedEstimate(
        round(value, PLACES),
        np.round(np.array(without, dtype=float), PLACES),
        own.present(),
        len(view),
        "" if value == value else "it is not defined for these verdicts",
        statistic.scale,
        freedom=freedom_by_size(sizes.astype(float)),
        behind=int(np.count_nonzero(sizes)) if statistic.scale == "share" else 0,
    )
    return HeldStatistic(statistic, metric, jackknifed, tuple(sizes.tolist()), len(ids), len(view), digest)


def computed(statistic: SuiteStatistic, verdicts: SuiteVerdicts) -> float:
    """The statistic; NaN where there are no verdicts, too."""
    return float(statistic.compute(verdicts)) if len(verdicts) else math.nan
