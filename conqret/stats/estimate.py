"""A number with its interval, or the reason why there is none; and Student's t, without numpy and scipy.

How intervals are made: :mod:`conqret.stats.jackknife`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import NormalDist
from typing import Literal

CONFIDENCE = 0.95

MIN_CLUSTERS = 3
"""The fewest clusters for an interval: with two, t has one degree of freedom, and the interval is of no
use.
"""

MIN_TOPICS = 6
"""The fewest clusters for a test: of 5 the smallest two-sided p-value by sign flips is 2 / 2^5 = 0.0625, so
what t finds at 0.05 there rests on its assumptions alone.
"""

NO_INTERVAL = "no interval: "
"""The beginning of a reason where there is a value and no interval."""

MIN_FREEDOM = 2.0
"""The least degrees of freedom of t, however much one cluster outweighs the others: those of three
clusters.
"""

TOLERANCE = 1e-12
"""Standard errors up to this are rounding."""
UNVARIED = f"{NO_INTERVAL}no variation between topics (or groups)"

MIN_DIFFERENT = 5
"""The fewest items other than the most frequent value with which a correlation has an interval: with fewer,
intervals exclude 0 in 10 to 20% of the cases without any correlation.
"""
MIN_SHARED = 2.0
"""The same for coefficients of agreement: the fewest items on which both raters would deviate from the most
frequent value by chance.
"""

Scale = Literal["plain", "share", "correlation", "ranks", "variance"]
"""The range of a statistic: any number; 0 to 1; correlations (up to 1, a Fisher scale); rank correlations
(-1 to 1, in steps that reach the ends, which a Fisher scale never does); from 0 up (variances and
counts).
"""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its interval (``low`` to ``high``) and the number ``n`` of observations behind it.

    ``value`` is None where the statistic is not defined. ``low`` and ``high`` are None where there is no
    interval. ``reason`` says why.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""

    @property
    def half(self) -> float | None:
        """Half the width of the interval; None where there is no interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def sign(self) -> int:
        """1 if the whole interval lies above 0, -1 if it lies below 0, and 0 otherwise or without an
        interval.
        """
        return int((self.low or 0) > 0) - int((self.high or 0) < 0)

    def moved(self, start: float, width: float) -> Estimate:
        """Return the estimate of ``start + width * x``, where x is the quantity of this estimate; ``width``
        is above 0, and None stays None.
        """
        value, low, high = (
            None if end is None else start + width * end for end in (self.value, self.low, self.high)
        )
        return Estimate(value, low, high, self.n, self.reason)

    def __str__(self) -> str:
        if self.value is None:
            return f"none ({self.reason})"
        return (
            f"{self.value:z.3f}"
            if self.low is None
            else f"{self.value:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"
        )


def too_few(clusters: int) -> str:
    """Return why an interval over this number of clusters is not possible; empty where it is."""
    if clusters >= MIN_CLUSTERS:
        return ""
    count_text = "one cluster only" if not clusters else f"{clusters} cluster{'s' * (clusters > 1)}"
    return f"{NO_INTERVAL}{count_text}" + f", and {MIN_CLUSTERS} are needed" * bool(clusters)


def share_ends(value: float, reach: float) -> tuple[float, float]:
    """Return both ends of the interval of a share inside (0, 1), computed on the log-odds scale.

    ``reach`` is half the width on the scale of shares: t times the standard error. A ``value`` of 0 or 1 is
    an error (see :func:`edge_ends`).
    """
    odds, half = math.log(value / (1 - value)), reach / (value * (1 - value))
    low, high = ((1 + math.tanh(end / 2)) / 2 for end in (odds - half, odds + half))
    return low, high


def edge_ends(value: float, clusters: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return both ends of the interval of a share that is 0 (or 1) in every one of ``clusters`` clusters.

    For 0 it is 0 to ``1 - a^(1 / clusters)`` with ``a = (1 - confidence) / 2`` (Clopper and Pearson 1934), as
    if each cluster were one draw.
    """
    reach = 1 - ((1 - confidence) / 2) ** (1 / clusters)
    return (0.0, reach) if value == 0 else (1 - reach, 1.0)


def undefined(reason: str, n: int = 0) -> Estimate:
    """Return an estimate without a value, with the ``reason`` why it is not defined."""
    return Estimate(None, n=n, reason=reason)


def mean_of_sums(sums: Sequence[float], counts: Sequence[float]) -> Estimate:
    """Compute the mean of values in [0, 1] with its interval, from the sum and the number of values of each
    cluster.

    It equals :func:`conqret.stats.mean_interval` on the scale of shares. Clusters without a value are
    ignored. Without any value the mean is not defined.
    """
    there = list(filter(itemgetter(1), zip(sums, counts, strict=True)))
    whole, total = math.fsum(map(itemgetter(0), there)), sum(map(itemgetter(1), there))
    if not total:
        return undefined("nothing was scored")
    mean, many, clusters = whole / total, int(total), len(there)
    if few := too_few(clusters if clusters > 1 else 0):
        return Estimate(mean, n=many, reason=few)
    without = [(whole - part) / (total - count) for part, count in there]
    middle = math.fsum(without) / clusters
    error = math.sqrt((clusters - 1) / clusters * math.fsum((value - middle) ** 2 for value in without))
    if error <= TOLERANCE:
        if mean in (0.0, 1.0):
            return Estimate(mean, *edge_ends(mean, clusters), many)
        return Estimate(mean, n=many, reason=UNVARIED)
    freedom = total**2 / sum(count**2 for _, count in there) - 1
    freedom = min(max(freedom, MIN_FREEDOM), clusters - 1.0)
    return Estimate(mean, *share_ends(mean, t_quantile(freedom, CONFIDENCE) * error), many)


# Student's t without scipy, whose import takes longer than a small run.
_STEPS = 100
_TERMS = 1_000
_CLOSE = 1e-13
_TINY = 1e-300
"""What stands in a denominator in place of 0."""


def t_tail(t: float, df: float) -> float:
    r"""Return the two-sided tail probability P(\|T\| > ``t``) of Student's t with ``df`` degrees of freedom,
    for ``t`` >= 0.

    It is the regularized incomplete beta function ``I_x(df / 2, 1 / 2)`` at ``x = df / (df + t^2)``
    (Abramowitz and Stegun, 26.7.1).
    """
    if math.isinf(t):
        return 0.0
    square = t * t
    x, rest = df / (df + square), square / (df + square)
    if x < (df / 2 + 1) / (df / 2 + 2.5):
        return _beta(x, rest, df / 2, 0.5)
    return 1 - _beta(rest, x, 0.5, df / 2)


def _beta(x: float, rest: float, a: float, b: float) -> float:
    """Return ``I_x(a, b)``, with ``rest = 1 - x``, by its continued fraction (Abramowitz and Stegun, 26.5.8), evaluated
    by the method of Lentz (1976)."""
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
def t_quantile(df: float, confidence: float) -> float:
    r"""Return the t with P(\|T\| <= t) = ``confidence``, for Student's t with ``df`` degrees of freedom.

    It is found by Newton's method, starting at the normal quantile.
    """
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(_STEPS):
        density = 2 * math.exp(scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (confidence - 1 + t_tail(t, df)) / density
        t += step
        if abs(step) <= _CLOSE * t:
            break
    return t
