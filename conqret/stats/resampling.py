"""Leave out whole clusters (topics), one after another, for all statistics of the same items.

Leaving out is a weight for each cluster: 1, or 0 for the one left out. Statistics that are sums over items
become products of the weights with the sums of each cluster, so all of them cost one matrix product, and
statistics that leave out the same clusters (two judges, fifteen dimensions) are paired. How intervals
follow: :mod:`conqret.stats.jackknife`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, Estimate, Scale, undefined
from conqret.stats.jackknife import JackknifedEstimate, freedom_by_size

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Takes weights (rows by clusters) and returns the statistic of each row; NaN where it is not defined."""


Clusters = Sequence[Hashable] | NDArray[np.intp]
"""The cluster of each item: any names, or numbers in an array, which are read faster."""


def cluster_places(clusters: Iterable[Hashable] | NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the number of each item's cluster; clusters are numbered in order of first occurrence."""
    if isinstance(clusters, np.ndarray):
        _, first, sorted_places = np.unique(clusters, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[sorted_places]
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in clusters], dtype=np.intp)


SAME = 1e-9
"""Values no further apart than this share of their range count as equal: rounding has moved them."""
ROUNDING = 64 * 2.0**-52
"""The same as a share of the largest value, whatever the range: 1.6666666666666667 and 1.6666666666666665
are both five thirds.
"""


def snapped(values: ArrayLike) -> NDArray[np.float64]:
    """Return the values as floats, with values that differ only by rounding errors made equal; NaN stay NaN."""
    array = np.asarray(values, dtype=float)
    known = np.unique(array[~np.isnan(array)])
    if len(known) < 2:
        return array
    least = max(SAME * (known[-1] - known[0]), ROUNDING * np.abs(known).max())
    apart = np.diff(known) > least
    if apart.all():
        return array
    first = np.concatenate([[True], apart])
    moved = known[first][np.cumsum(first) - 1]
    return np.where(np.isnan(array), array, moved[np.searchsorted(known, array).clip(max=len(known) - 1)])


def beside_mode(values: NDArray[np.float64]) -> int:
    """Return the number of values that differ from the most frequent one; 0 without values."""
    return len(values) - int(np.unique(values, return_counts=True)[1].max(initial=0))


AT_ONCE = 4_000_000
"""The most numbers that a statistic holds at a time: 32 MB."""

MAX_CLUSTERS = 400
"""The most clusters that are left out one by one; more of them (items without topics, say) are merged at
random into so many groups, which are left out instead (the delete-a-group jackknife, Kott 2001). Means
always leave out each cluster.
"""


def pooling(clusters: int, *, means: bool = False) -> str:
    """Return the note that so many ``clusters`` are merged at random into fewer groups; empty where they are
    not.

    The note ends a phrase. With ``means`` it says that means are excepted.
    """
    if clusters <= MAX_CLUSTERS:
        return ""
    return f" ({'but for means ' * means}in {MAX_CLUSTERS} groups, put together at random)"


@dataclass(frozen=True, slots=True)
class Resamples:
    """The jackknife replicates of a data set.

    ``weights`` has one row for each cluster that is left out and one column for each cluster. ``cluster`` is
    the number of each item's cluster.
    """

    weights: NDArray[np.float64]
    cluster: NDArray[np.intp]

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return int(self.weights.shape[1])

    def for_items(self, items: NDArray[np.bool_ | np.intp]) -> Resamples:
        """Return the resamples of a subset of the items; ``items`` is a mask, or their places."""
        return Resamples(self.weights, self.cluster[items])

    def grouped(self, groups: int) -> Resamples:
        """Return the resamples that leave out ``groups`` groups of clusters, where there are more clusters.

        For statistics of many items that cost much for each replicate (ranks). With the groups of
        :func:`leave_one_out` these are random, too.
        """
        if self.clusters <= groups:
            return self
        return Resamples(1 - np.eye(groups), self.cluster % groups)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of ``values`` (items, or items by columns) within each cluster, as clusters by
        columns.
        """
        columns = values.reshape(len(values), -1).T
        return np.stack(
            [np.bincount(self.cluster, column, minlength=self.clusters) for column in columns], axis=1
        )

    def counts(
        self, codes: NDArray[np.intp], size: int, weights: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return how often each code occurs in each cluster, as clusters by codes.

        ``codes`` has one integer from 0 to ``size`` - 1 for each item, and ``weights`` how often it counts (None: 1).
        """
        counts = np.bincount(self.cluster * size + codes, weights, minlength=self.clusters * size)
        return counts.reshape(self.clusters, size).astype(float)

    def chunks(self, width: int) -> Iterator[NDArray[np.float64]]:
        """Yield the weights in blocks of rows, so that ``width`` numbers per row stay below :data:`AT_ONCE`
        in memory.
        """
        step = max(1, AT_ONCE // max(width, 1))
        for begin in range(0, len(self.weights), step):
            yield self.weights[begin : begin + step]

    def sampled(
        self,
        compute: Statistic,
        n: int,
        *,
        width: int | None = None,
        reason: str = "",
        scale: Scale = "plain",
        counted: NDArray[np.bool_] | None = None,
        over: NDArray[np.bool_] | None = None,
        unsure: str = "",
        behind: int = 0,
    ) -> JackknifedEstimate:
        """Compute a statistic on all data and without each cluster.

        Args:
            compute: the statistic as a function of weights (rows by clusters).
            n: the number of observations behind the statistic.
            width: how many numbers ``compute`` holds for each row of weights (default: one per item).
            reason: why the statistic is not defined where its value is NaN.
            scale: the scale on which the interval is computed.
            counted: the mask of items that count (default: all); clusters without such an item take no part.
            over: the mask of items that the statistic is a mean over; cluster sizes give the degrees of
                freedom.
            unsure: why there is no interval; empty if there may be one.
            behind: the number of clusters behind a share.
        """
        value = float(compute(np.ones((1, self.clusters)))[0])
        without = [compute(weights) for weights in self.chunks(width or len(self.cluster))]
        return JackknifedEstimate(
            value,
            np.concatenate([np.zeros(0), *without]),
            self.sizes(counted) > 0,
            n,
            reason if np.isnan(value) else "",
            scale,
            unsure,
            freedom_by_size(self.sizes(counted if over is None else over)),
            behind,
        )

    def ratio(
        self,
        part: NDArray[np.generic],
        whole: NDArray[np.generic],
        *,
        reason: str = "",
        scale: Scale = "plain",
        counted: NDArray[np.bool_] | None = None,
    ) -> JackknifedEstimate:
        """Compute the sum of ``part`` divided by the sum of ``whole``, and the same without each cluster.

        It is a mean of ratios weighted by ``whole``. It is not defined, for ``reason``, where the sum of
        ``whole`` is 0. ``n`` counts items with ``whole`` other than 0, and ``counted`` is as in
        :meth:`sampled`.
        """
        sums = self.sums(np.column_stack([part, whole]).astype(float))

        def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            above, below = (weights @ sums).T
            return np.asarray(np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0))

        return self.sampled(
            of_weights,
            int(np.count_nonzero(whole)),
            width=self.clusters,
            reason=reason,
            scale=scale,
            counted=counted,
            behind=int(np.count_nonzero(sums[:, 1])),
        )

    def sizes(self, counted: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the number of items in each cluster; with the mask ``counted``, only of items that count."""
        items = self.cluster if counted is None else self.cluster[counted]
        return np.bincount(items, minlength=self.clusters).astype(float)

    def present(self) -> NDArray[np.bool_]:
        """Return the mask of the clusters that hold an item."""
        return self.sizes() > 0


def whole(n: int) -> Resamples:
    """Return resamples with all n items in one cluster, so that statistics are computed without intervals."""
    return Resamples(np.zeros((0, 1)), np.zeros(n, dtype=np.intp))


def leave_one_out(clusters: Clusters) -> Resamples:
    """Return the resamples that leave out each cluster in turn; ``clusters`` has the cluster of each item.

    With one cluster there are no replicates, and statistics have no interval. More than :data:`MAX_CLUSTERS`
    clusters are merged at random, by a fixed seed, into that many.

    Raises:
        DeclarationError: there are no items.
    """
    if not len(clusters):
        raise DeclarationError("intervals need at least one item")
    which = cluster_places(clusters)
    count = int(which.max()) + 1
    if count == 1:
        return whole(len(which))
    if count > MAX_CLUSTERS:
        which = np.random.default_rng(0).permutation(count)[which] % MAX_CLUSTERS
        count = MAX_CLUSTERS
    return Resamples(1 - np.eye(count), which)


def mean_interval(
    values: Sequence[float] | NDArray[np.generic],
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = CONFIDENCE,
    scale: Scale = "plain",
    ends: tuple[float, float] | None = None,
    reason: str = "",
) -> Estimate:
    """Compute the mean of ``values`` with its interval over clusters (None: each value is its own), at the
    level ``confidence`` and on the ``scale``.

    If a ``reason`` is given, the mean of no values is not defined, for that reason; otherwise no values are
    an error. If two ``ends`` are given, values lie between them, and so does the interval.

    Raises:
        DeclarationError: as :func:`mean`.
    """
    if reason and not len(values):
        return undefined(reason)
    if ends is not None:
        low, wide = ends[0], ends[1] - ends[0]
        estimate = mean([(value - low) / wide for value in values], clusters, scale="share").estimate(
            confidence
        )
        return estimate.moved(low, wide)
    return mean(values, clusters, scale=scale).estimate(confidence)


def mean(
    values: ArrayLike, clusters: Clusters | None = None, *, scale: Scale = "plain"
) -> JackknifedEstimate:
    """Compute the mean of ``values``, and the same without each cluster.

    ``clusters`` has the cluster of each value (None: each value is its own cluster). The mean is over values,
    so large clusters have more weight. Clusters are never merged.

    Raises:
        DeclarationError: there are no values, one is not finite, or there is not one cluster for each value.
    """
    data = np.asarray(values, dtype=float)
    if data.ndim != 1 or not len(data) or not np.isfinite(data).all():
        raise DeclarationError("an interval needs at least one value, and finite values only")
    if clusters is not None and len(clusters) != len(data):
        raise DeclarationError(f"{len(clusters)} clusters for {len(data)} values: name one for each")
    names = np.arange(len(data)) if clusters is None else clusters
    which = cluster_places(names)
    sizes = np.bincount(which).astype(float)
    if len(sizes) <= MAX_CLUSTERS:
        return leave_one_out(names).ratio(data, np.ones_like(data), scale=scale)
    sums = np.bincount(which, weights=data)
    without = (sums.sum() - sums) / (len(data) - sizes)
    there = np.ones(len(sizes), dtype=bool)
    return JackknifedEstimate(
        float(data.mean()), without, there, len(data), "", scale, "", freedom_by_size(sizes), len(sizes)
    )
