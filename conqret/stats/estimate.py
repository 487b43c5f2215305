"""A number with its interval, or the reason why there is none.

How intervals are made: :mod:`conqret.stats.jackknife`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from conqret.stats.student import quantile

CONFIDENCE = 0.95

MIN_CLUSTERS = 3
"""Two clusters say next to nothing of how clusters vary: t has one degree of freedom, and an interval no use."""

MIN_TOPICS = 6
"""Clusters below which nothing is tested: of 5 the smallest two-sided p-value that flipping their signs can have is
2 / 2^5 = 0.0625, so what t finds at 0.05 there rests on its assumptions alone."""

NO_INTERVAL = "no interval: "
"""How the reason begins where there is a value and no interval."""

MIN_FREEDOM = 2.0
"""Degrees of freedom that t has at least, however much one cluster outweighs the others: those of three clusters."""

TOLERANCE = 1e-12
"""Standard errors up to this are rounding."""
UNVARIED = f"{NO_INTERVAL}no variation between topics (or groups)"

MIN_DIFFERENT = 5
"""Items other than the most frequent value, below which a correlation has no interval: what two or three items do says
nothing of others, and with fewer its intervals exclude 0 in 10 to 20% of the cases where nothing hangs together."""
MIN_SHARED = 2.0
"""The like of it for coefficients of agreement: items on which both would leave the most frequent value by chance."""

Scale = Literal["plain", "share", "correlation", "ranks", "variance"]
"""Where a statistic lives: anywhere, from 0 to 1, up to 1 on either side of 0, there too but in steps that reach 1
(which a Fisher scale never does), or from 0 up (counts, too)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with the ends of its interval and the number of things behind it.

    ``value`` is None where the statistic is not defined, and ``reason`` then says why in words. ``low`` and
    ``high`` are None where no interval was requested or none can be had (``reason`` says which).
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""

    @property
    def half(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def sign(self) -> int:
        """1 where the whole interval lies above 0, -1 where it lies below, and 0 where neither is shown."""
        return int((self.low or 0) > 0) - int((self.high or 0) < 0)

    def moved(self, start: float, width: float) -> Estimate:
        """What is known of ``start + width * x`` where this is known of x; ``width`` is above 0."""
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
    """Why so many clusters give no interval; empty where they give one."""
    if clusters >= MIN_CLUSTERS:
        return ""
    count_text = "one cluster only" if not clusters else f"{clusters} cluster{'s' * (clusters > 1)}"
    return f"{NO_INTERVAL}{count_text}" + f", and {MIN_CLUSTERS} are needed" * bool(clusters)


def share_ends(value: float, reach: float) -> tuple[float, float]:
    """Both ends of the interval of a share inside (0, 1), made on the scale of its logarithmic odds.

    ``reach`` is half its width on the scale of shares: t times the standard error.
    """
    odds, half = math.log(value / (1 - value)), reach / (value * (1 - value))
    low, high = ((1 + math.tanh(end / 2)) / 2 for end in (odds - half, odds + half))
    return low, high


def edge_ends(value: float, clusters: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Both ends of the interval of a share that is 0 (or 1) in each of C clusters: from 0 to ``1 - a^(1 / C)`` with
    ``a = (1 - confidence) / 2`` (Clopper and Pearson 1934), a cluster being what is drawn."""
    reach = 1 - ((1 - confidence) / 2) ** (1 / clusters)
    return (0.0, reach) if value == 0 else (1 - reach, 1.0)


def undefined(reason: str, n: int = 0) -> Estimate:
    """The statistic that has no value, for ``reason``."""
    return Estimate(None, n=n, reason=reason)


def mean_of_sums(sums: Sequence[float], counts: Sequence[float]) -> Estimate:
    """The mean of values in [0, 1] with its interval over clusters, of which the sums and numbers of values are given.

    It is :func:`conqret.stats.mean_interval` on the scale of shares: without a cluster c the mean is
    ``(S - s_c) / (N - n_c)``. Clusters without a value are as if they were not there.
    """
    there = [(part, count) for part, count in zip(sums, counts, strict=True) if count]
    whole, total = math.fsum(part for part, _ in there), sum(count for _, count in there)
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
    return Estimate(mean, *share_ends(mean, quantile(freedom, CONFIDENCE) * error), many)
