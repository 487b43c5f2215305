"""Draw whole clusters (topics) again and again, once for everything that is computed on the same items.

A resample is a weight for each cluster: how often it was drawn. Statistics that are sums over items become
products of the weights with the sums of each cluster, so thousands of resamples cost one matrix product, and
statistics of the same resamples (two judges, fifteen dimensions) are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.bootstrap import RESAMPLES
from conqret.stats.clusters import cluster_places
from conqret.stats.estimate import Sampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
    """From weights (rows by clusters) to the statistic of each row; NaN where it is not defined."""

AT_ONCE = 4_000_000
"""Numbers that a statistic holds at a time while it goes through the resamples: 32 MB."""


@dataclass(frozen=True, slots=True)
class Resamples:
    """``weights`` (resamples by clusters) beside ``cluster``, the place of each item's cluster (items)."""

    weights: NDArray[np.float64]
    cluster: NDArray[np.intp]

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.weights.shape[1])

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum ``values`` (items, or items by columns) within each cluster: clusters by columns."""
        import numpy as np

        columns = values.reshape(len(values), -1)
        total = np.zeros((self.clusters, columns.shape[1]))
        np.add.at(total, self.cluster, columns)
        return total

    def counts(self, codes: NDArray[np.intp], size: int) -> NDArray[np.float64]:
        """How often each of the ``codes`` (one an item, from 0 to ``size`` - 1) occurs in each cluster."""
        import numpy as np

        found = np.bincount(self.cluster * size + codes, minlength=self.clusters * size)
        return found.reshape(self.clusters, size).astype(float)

    def chunks(self, width: int) -> Iterator[NDArray[np.float64]]:
        """The weights, so many rows at a time that ``width`` numbers a row stay below :data:`AT_ONCE`."""
        step = max(1, AT_ONCE // max(width, 1))
        for begin in range(0, len(self.weights), step):
            yield self.weights[begin : begin + step]

    def sampled(self, compute: Statistic, n: int, *, width: int | None = None, reason: str = "") -> Sampled:
        """The statistic of the data as they are and of each resample.

        ``compute`` holds ``width`` numbers for each row of weights at a time (default: one for each item), ``n``
        counts what is behind it, and ``reason`` says why it is not defined where it is not.
        """
        import numpy as np

        value = float(compute(np.ones((1, self.clusters)))[0])
        draws = [compute(weights) for weights in self.chunks(width or len(self.cluster))]
        return Sampled(value, np.concatenate([np.zeros(0), *draws]), n, reason if np.isnan(value) else "")


def undrawn(n: int) -> Resamples:
    """One cluster of n items and no resamples: statistics come as values alone."""
    import numpy as np

    return Resamples(np.zeros((0, 1)), np.zeros(n, dtype=np.intp))


def draw(clusters: Sequence[Hashable], rng: np.random.Generator, *, resamples: int = RESAMPLES) -> Resamples:
    """Draw as many clusters as there are, with replacement, ``resamples`` times.

    ``clusters`` names the cluster of each item. With one cluster there is nothing to draw from: the weights then
    have no rows, and statistics come without an interval.

    Raises:
        DeclarationError: there are no items, or ``resamples`` is negative.
    """
    import numpy as np

    if not len(clusters) or resamples < 0:
        raise DeclarationError(
            f"{resamples} resamples of {len(clusters)} items: one item and 0 resamples at least"
        )
    which = cluster_places(clusters)
    count = int(which.max()) + 1
    if count == 1:
        return undrawn(len(which))
    weights = rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(float)
    return Resamples(weights, which)
