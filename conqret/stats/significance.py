"""Holm's correction for several tests, and the sign test. Other tests over topics are
:meth:`conqret.stats.estimate.Sampled.p`."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from conqret.errors import DeclarationError

ALPHA = 0.05
"""The level of significance (ConQRet, Table 4)."""


def p_words(p: float) -> str:
    """A p-value in a sentence, with three places."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def sign_p(ups: int, downs: int) -> float:
    """The two-sided exact p-value of "as many ups as downs": ``2 sum_(k <= min) C(n, k) / 2^n``, 1 at most; what is
    neither has no part in it."""
    n = ups + downs
    return min(1.0, sum(comb(n, k) for k in range(min(ups, downs) + 1)) / 2.0 ** (n - 1))


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
