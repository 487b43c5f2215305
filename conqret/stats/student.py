"""Student's t without scipy, whose import takes longer than a small run."""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

_STEPS = 100
_TERMS = 1_000
_CLOSE = 1e-13
_TINY = 1e-300
"""What stands in a denominator in place of 0."""


def beyond(t: float, df: float) -> float:
    """The probability that \\|T\\| is larger than ``t``, which is 0 or more: the regularised incomplete beta function
    ``I_x(df / 2, 1 / 2)`` at ``x = df / (df + t^2)`` (Abramowitz and Stegun, 26.7.1)."""
    if math.isinf(t):
        return 0.0
    square = t * t
    x, rest = df / (df + square), square / (df + square)
    if x < (df / 2 + 1) / (df / 2 + 2.5):
        return _beta(x, rest, df / 2, 0.5)
    return 1 - _beta(rest, x, 0.5, df / 2)


def _beta(x: float, rest: float, a: float, b: float) -> float:
    """``I_x(a, b)`` with ``rest = 1 - x``, by its continued fraction (26.5.8 there) as Lentz (1976) evaluates it."""
    if x <= 0:
        return 0.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    )
    above, below, fraction = 1.0, 0.0, 1.0
    for term in range(1, _TERMS):
        half = term // 2
        part = -(a + half) * (a + b + half) if term % 2 else half * (b - half)
        part *= x / ((a + term - 1) * (a + term))
        below = 1 / (1 + part * below or _TINY)
        above = 1 + part / above or _TINY
        fraction *= above * below
        if abs(above * below - 1) < _CLOSE:
            break
    return front / a / fraction


@functools.lru_cache(maxsize=256)
def quantile(df: float, confidence: float) -> float:
    """The t within which \\|T\\| lies with the probability ``confidence``, inside (0, 1).

    Newton's steps from the normal quantile, which lies below it: the probability is concave, so each stays below.
    """
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(_STEPS):
        density = 2 * math.exp(scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (confidence - 1 + beyond(t, df)) / density
        t += step
        if abs(step) <= _CLOSE * t:
            break
    return t
