"""Draw whole clusters (topics) again and again, once for everything that is computed on the same items.

A resample is a weight for each cluster: how often it was drawn. Statistics that are sums over items become
products of the weights with the sums of each cluster, so thousands of resamples cost one matrix product, and
statistics of the same resamples (two judges, fifteen dimensions) are paired.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.bootstrap import RESAMPLES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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

    def chunks(self, width: int) -> Iterator[NDArray[np.float64]]:
        """The weights, so many rows at a time that ``width`` numbers a row stay below :data:`AT_ONCE`."""
        step = max(1, AT_ONCE // max(width, 1))
        for begin in range(0, len(self.weights), step):
            yield self.weights[begin : begin + step]

    def once(self) -> Resamples:
        """The data as they are: every cluster drawn once."""
        import numpy as np

        return Resamples(np.ones((1, self.clusters)), self.cluster)


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
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    which = np.array([places[name] for name in clusters])
    count = len(places)
    if count == 1:
        return Resamples(np.zeros((0, 1)), which)
    weights = rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(float)
    return Resamples(weights, which)
