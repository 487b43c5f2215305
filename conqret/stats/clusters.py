"""Items that belong together (one topic), as places and as means; values that rounding alone tells apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError

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


def sides(
    labels: ArrayLike,
    judged: ArrayLike,
    unlabelled: ArrayLike,
    clusters: Sequence[Hashable] | None,
    others: Sequence[Hashable] | None,
) -> tuple[
    tuple[NDArray[np.float64], NDArray[np.float64], list[Hashable]],
    tuple[NDArray[np.float64], list[Hashable]],
]:
    """Labels and judgments of the labelled items with their clusters, and the judgments of the ``others`` with theirs;
    without clusters, each item is one.

    Raises:
        DeclarationError: lengths differ.
    """
    import numpy as np

    truth, said, rest = (np.asarray(values, dtype=float) for values in (labels, judged, unlabelled))
    if truth.ndim != 1 or truth.shape != said.shape or rest.ndim != 1:
        raise DeclarationError(
            f"labels and judgments of the same items, and of others, are needed, not {truth.shape}, {said.shape} and "
            f"{rest.shape}"
        )
    known: list[Hashable] = (
        [("labelled", place) for place in range(len(truth))] if clusters is None else list(clusters)
    )
    further: list[Hashable] = (
        [("other", place) for place in range(len(rest))] if others is None else list(others)
    )
    if (len(known), len(further)) != (len(truth), len(rest)):
        raise DeclarationError(
            f"{len(known)} and {len(further)} clusters for {len(truth)} and {len(rest)} items"
        )
    return (truth, said, known), (rest, further)
