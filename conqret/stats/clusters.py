"""Items that belong together (one topic), as places and as means."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def cluster_places(clusters: Iterable[Hashable]) -> NDArray[np.intp]:
    """The place of each item's cluster among the clusters, in the order of their first item."""
    import numpy as np

    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in clusters], dtype=np.intp)


def cluster_means(values: ArrayLike, clusters: Iterable[Hashable]) -> NDArray[np.float64]:
    """The mean of the values of each cluster, in the order of their first item."""
    import numpy as np

    which = cluster_places(clusters)
    return np.asarray(np.bincount(which, weights=np.asarray(values, dtype=float)) / np.bincount(which))
