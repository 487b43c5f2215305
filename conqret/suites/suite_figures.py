"""The statistics of a suite with their intervals, and what they are without each cluster, by which two judges of the
same items are compared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conqret.data.digest import digest_of
from conqret.stats.estimate import JackknifedEstimate, freedom_by_size
from conqret.stats.resampling import leave_one_out
from conqret.suites.suite import Suite, SuiteData, SuiteStatistic, SuiteVerdicts

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
    return float(statistic.function(verdicts)) if len(verdicts) else math.nan
