"""Items that belong together (one topic), as places and as means; values that rounding alone tells apart."""

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


SAME = 1e-9
"""Values no further apart than this share of the largest are the same: rounding has moved them (1.6666666666666667 and
1.6666666666666665 are both five thirds)."""


def snapped(values: ArrayLike) -> NDArray[np.float64]:
    """The values, those that rounding alone tells apart made equal; NaN stay."""
    import numpy as np

    given = np.asarray(values, dtype=float)
    known = np.unique(given[~np.isnan(given)])
    if len(known) < 2:
        return given
    first = np.concatenate([[True], np.diff(known) > SAME * np.abs(known).max()])
    moved = known[first][np.cumsum(first) - 1]
    return np.where(np.isnan(given), given, moved[np.searchsorted(known, given).clip(max=len(known) - 1)])


def beside_mode(values: NDArray[np.float64]) -> int:
    """How many of the values are not the most frequent one."""
    import numpy as np

    return len(values) - int(np.unique(values, return_counts=True)[1].max(initial=0))


def cluster_means(values: ArrayLike, clusters: Iterable[Hashable]) -> NDArray[np.float64]:
    """The mean of the values of each cluster, in the order of their first item."""
    import numpy as np

    which = cluster_places(clusters)
    return np.asarray(np.bincount(which, weights=np.asarray(values, dtype=float)) / np.bincount(which))
