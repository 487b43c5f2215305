"""How steep is the line behind two measurements of one thing that both err?

Regressing y on x makes the line too flat, as x has noise; regressing x on y makes it too steep, as y has. Without
further knowledge the slope is known to lie between the two only (Frisch 1934; Klepper and Leamer 1984, section 2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_TOLERANCE = 1e-12


def slope_bounds(x: ArrayLike, y: ArrayLike) -> tuple[float, float] | None:
    """The least and the largest slope of y on x: ``cov / var(x)`` and ``var(y) / cov``.

    Both are 0 where x does not vary; None where y does not rise with x: nothing is then known of the slope.

    Raises:
        DeclarationError: the two are not of one length, or empty.
    """
    import numpy as np

    one, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if one.ndim != 1 or one.shape != other.shape or not len(one):
        raise DeclarationError(f"a slope needs two series of one length, not {one.shape} and {other.shape}")
    one, other = one - one.mean(), other - other.mean()
    if float((one**2).mean()) <= _TOLERANCE:
        return 0.0, 0.0
    together = float((one * other).mean())
    if together <= _TOLERANCE:
        return None
    return together / float((one**2).mean()), float((other**2).mean()) / together
