"""A number with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.bootstrap import CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with the ends of its interval and the number of things behind it.

    ``value`` is None where the statistic is not defined, and ``reason`` then says why in words. ``low`` and
    ``high`` are None where no interval was asked for or none can be had (``reason`` says which).
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return f"none ({self.reason})"
        return (
            f"{self.value:.3f}" if self.low is None else f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"
        )


def undefined(reason: str, n: int = 0) -> Estimate:
    """The statistic that has no value, for ``reason``."""
    return Estimate(None, n=n, reason=reason)


def from_draws(
    value: float, draws: ArrayLike | None, n: int, *, confidence: float = CONFIDENCE, reason: str = ""
) -> Estimate:
    """An estimate with the percentile interval of its bootstrap ``draws`` (one axis; NaN: undefined there).

    ``value`` that is NaN gives no estimate, for ``reason``. Draws in which the statistic was not defined are left
    out of the interval, and the reason counts them.

    Raises:
        DeclarationError: ``confidence`` is not inside (0, 1).
    """
    import numpy as np

    if not 0 < confidence < 1:
        raise DeclarationError(f"a confidence lies inside (0, 1), not at {confidence}")
    if np.isnan(value):
        return undefined(reason or "not defined for these values", n)
    if draws is None:
        return Estimate(float(value), n=n)
    drawn = np.asarray(draws, dtype=float)
    kept = drawn[~np.isnan(drawn)]
    if not len(kept):
        return Estimate(float(value), n=n, reason="no interval: one cluster only, or none that varies")
    low, high = np.quantile(kept, [(1 - confidence) / 2, (1 + confidence) / 2])
    lost = len(drawn) - len(kept)
    note = f"not defined in {lost} of {len(drawn)} resamples, which are left out" if lost else ""
    return Estimate(float(value), float(low), float(high), n, note)
