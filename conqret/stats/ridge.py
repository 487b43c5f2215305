"""One series from several: ridge regression (Hoerl and Kennard, Technometrics 1970).

``argmin sum_i (y_i - a - x_i w)^2 + c |w|^2``, with the penalty c of the least generalised cross-validation error
(Golub, Heath and Wahba, Technometrics 1979). What is so chosen is still too good on its own data: judge it on topics
kept back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

PENALTIES = tuple(10.0**power for power in range(-2, 4))
"""Penalties that are tried, for columns in [0, 1]: from next to none to one that leaves the mean alone."""


def ridge(columns: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """The weight of each of ``columns`` (n by p), to be laid on what lies above its mean; the mean of ``y`` is what is
    said at the means.

    Raises:
        DeclarationError: the shapes differ, there are fewer than two rows, or a value is not finite.
    """
    import numpy as np

    matrix, target = np.asarray(columns, dtype=float), np.asarray(y, dtype=float)
    if matrix.ndim != 2 or target.shape != matrix.shape[:1] or len(target) < 2:
        raise DeclarationError(
            f"two rows at least, and a value for each, not {matrix.shape} and {target.shape}"
        )
    if not (np.isfinite(matrix).all() and np.isfinite(target).all()):
        raise DeclarationError("a ridge regression needs finite values")
    left, sizes, right = np.linalg.svd(matrix - matrix.mean(axis=0), full_matrices=False)
    centred = target - target.mean()
    along = left.T @ centred

    def error(penalty: float) -> float:
        kept = sizes**2 / (sizes**2 + penalty)
        free = 1 - (1 + kept.sum()) / len(target)
        return float(((centred - left @ (kept * along)) ** 2).mean() / max(free, 1e-9) ** 2)

    best = min(PENALTIES, key=error)
    return np.asarray(right.T @ (sizes / (sizes**2 + best) * along))
