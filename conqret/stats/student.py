"""Student's t, for whole degrees of freedom without scipy, whose import takes longer than a small run."""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

_STEPS = 100
_CLOSE = 1e-13


def within(t: float, df: int) -> float:
    """The probability that \\|T\\| is at most ``t``: a finite sum over powers of cos(atan(t / sqrt(df)))
    (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(df))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    term = total = math.cos(angle) if df % 2 else 1.0
    for power in range(2 + df % 2, df - 1, 2):
        term *= (power - 1) / power * square
        total += term
    if df % 2 == 0:
        return sine * total
    return 2 / math.pi * (angle + (sine * total if df > 1 else 0.0))


@functools.lru_cache(maxsize=256)
def quantile(df: float, confidence: float) -> float:
    """The t within which \\|T\\| lies with the probability ``confidence``, inside (0, 1).

    Newton's steps from the normal quantile, which lies below it: the probability is concave, so each stays below. Of
    degrees of freedom that are not whole, scipy's.
    """
    if df != int(df):
        from scipy.special import stdtrit

        return float(stdtrit(df, (1 + confidence) / 2))
    df = int(df)
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(_STEPS):
        density = 2 * math.exp(scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (confidence - within(t, df)) / density
        t += step
        if abs(step) <= _CLOSE * t:
            break
    return t
