"""A number with its interval, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.bootstrap import CONFIDENCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """A statistic with what it is on each of the resamples, so that several can be averaged and compared.

    ``value`` is NaN where the statistic is not defined, for ``reason`` (which may also hold a remark on a value);
    ``draws`` has a number for each resample, NaN likewise. What is combined has to come from the same resamples.
    """

    value: float
    draws: NDArray[np.float64]
    n: int
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value == self.value  # NaN is not equal to itself

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """The value with the percentile interval of the draws.

        Draws in which the statistic is not defined are left out of the interval, and the reason counts them.

        Raises:
            DeclarationError: ``confidence`` is not inside (0, 1).
        """
        import numpy as np

        if not 0 < confidence < 1:
            raise DeclarationError(f"a confidence lies inside (0, 1), not at {confidence}")
        if not self.defined:
            return undefined(self.reason or "not defined for these values", self.n)
        value, kept = float(self.value), self.draws[~np.isnan(self.draws)]
        if not len(kept):
            note = "no interval: one cluster only, or none that varies"
            return Estimate(value, n=self.n, reason=self.reason or note)
        low, high = np.quantile(kept, [(1 - confidence) / 2, (1 + confidence) / 2])
        lost = len(self.draws) - len(kept)
        note = f"not defined in {lost} of {len(self.draws)} resamples, which are left out" if lost else ""
        return Estimate(value, float(low), float(high), self.n, self.reason or note)

    def minus(self, other: Sampled) -> Sampled:
        """The difference of two statistics of the same items."""
        reason = self.reason or other.reason
        return Sampled(self.value - other.value, self.draws - other.draws, self.n, reason)


def average(found: Sequence[Sampled]) -> Sampled:
    """The mean of those that are defined; n counts them, and a remark says how many are left out."""
    import numpy as np

    defined = [one for one in found if one.defined]
    if not defined:
        return without_value("none of them has a value")
    lost = len(found) - len(defined)
    return Sampled(
        float(np.mean([one.value for one in defined])),
        np.mean([one.draws for one in defined], axis=0),
        len(defined),
        f"{lost} of {len(found)} have no value and are left out" if lost else "",
    )


def without_value(reason: str) -> Sampled:
    """What has neither value nor draws, for ``reason``."""
    import numpy as np

    return Sampled(np.nan, np.zeros(0), 0, reason)


def undefined(reason: str, n: int = 0) -> Estimate:
    """The statistic that has no value, for ``reason``."""
    return Estimate(None, n=n, reason=reason)
