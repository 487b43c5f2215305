"""Is one system better than another on the same topics? Paired t-tests, and Holm's correction for several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ALPHA = 0.05
"""The level of significance (ConQRet, Table 4)."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The mean of ``a - b`` over the pairs, its t statistic, the two-sided p-value, and the number of pairs."""

    difference: float
    t: float
    p: float
    n: int


def paired_t_test(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Student's paired t-test of two measurements of the same n things (n at least 2).

    ``t = mean(d) / (sd(d) / sqrt(n))`` with d = a - b and n - 1 degrees of freedom. Where all differences
    are equal, t is 0 or infinite, and p 1 or, where they are not 0, that of flipping their signs, ``2^(1 - n)``.

    Raises:
        DeclarationError: the two are not of one length, hold fewer than 2 values, or a value is not finite.
    """
    import numpy as np
    from scipy.special import stdtr

    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise DeclarationError(
            f"a paired test needs two series of one length, 2 or more; they have {first.shape} and {second.shape}"
        )
    differences = first - second
    if not np.isfinite(differences).all():
        raise DeclarationError("a paired test needs finite values; leave out the pairs that lack one")
    n, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1))
    if spread <= 1e-12 * max(1.0, abs(mean)):
        same = abs(mean) <= 1e-12
        return PairedTest(
            mean, 0.0 if same else float(np.copysign(np.inf, mean)), 1.0 if same else 2.0 ** (1 - n), n
        )
    t = mean / (spread / n**0.5)
    return PairedTest(mean, t, float(2 * stdtr(n - 1, -abs(t))), n)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction: adjusted p-values, in the order given; None (no test was made) stays None.

    With p_(1) <= ... <= p_(m): ``adjusted_(i) = max over j <= i of min(1, (m - j + 1) p_(j))`` (Holm 1979).
    The family-wise error is at most alpha if those below alpha are called significant.

    Raises:
        DeclarationError: a value is not in [0, 1].
    """
    import numpy as np

    raw = np.array([p for p in p_values if p is not None])
    if ((raw < 0) | (raw > 1)).any():
        raise DeclarationError(f"p-values lie between 0 and 1, not {list(p_values)}")
    order = np.argsort(raw)
    adjusted = np.empty_like(raw)
    adjusted[order] = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    tested = iter(adjusted.clip(max=1.0).tolist())
    return [None if p is None else next(tested) for p in p_values]
