"""Who said what where the other said what: the table behind kappa, accuracy, F1 and the correlation of Matthews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.resampling import Resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts by cluster (clusters by K by K): first series down, second across, over ``categories`` (K, rising)."""

    categories: tuple[float, ...]
    table: NDArray[np.float64]
    resamples: Resamples | None
    n: int

    @property
    def whole(self) -> NDArray[np.float64]:
        """The table of the data as they are: 1 by K by K."""
        import numpy as np

        return np.asarray(self.table.sum(axis=0, keepdims=True))

    def drawn(self) -> NDArray[np.float64] | None:
        """The table of each resample (resamples by K by K), or None without resamples."""
        if self.resamples is None:
            return None
        size = len(self.categories)
        drawn = self.resamples.weights @ self.table.reshape(len(self.table), -1)
        return drawn.reshape(-1, size, size)


def confusion(
    first: ArrayLike,
    second: ArrayLike,
    resamples: Resamples | None = None,
    categories: Sequence[float] | None = None,
) -> Confusion:
    """Count pairs of categories (numbers) of the same n items; ``categories`` default to those that occur.

    Raises:
        DeclarationError: the series differ in length, are empty, hold what is no number, or a category that is
            not among ``categories``.
    """
    import numpy as np

    one, other = paired(first, second)
    known = (
        np.unique(np.concatenate([one, other]))
        if categories is None
        else np.unique(np.asarray(categories, float))
    )
    if not (np.isin(one, known).all() and np.isin(other, known).all()):
        raise DeclarationError(f"a value is none of the categories {known.tolist()}")
    cells = np.searchsorted(known, one) * len(known) + np.searchsorted(known, other)
    cluster = np.zeros(len(one), dtype=np.intp) if resamples is None else resamples.cluster
    if len(cluster) != len(one):
        raise DeclarationError(f"resamples of {len(cluster)} items for {len(one)} pairs")
    table = np.zeros((1 if resamples is None else resamples.clusters, len(known) ** 2))
    np.add.at(table, (cluster, cells), 1.0)
    return Confusion(tuple(known.tolist()), table.reshape(-1, len(known), len(known)), resamples, len(one))


def paired(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The two series as arrays of one length without gaps.

    Raises:
        DeclarationError: they are not.
    """
    import numpy as np

    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.ndim != 1 or one.shape != other.shape or not len(one):
        raise DeclarationError(f"two series of one length are needed, not {one.shape} and {other.shape}")
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise DeclarationError("a value is missing or infinite: leave out the pairs that lack one")
    return one, other
