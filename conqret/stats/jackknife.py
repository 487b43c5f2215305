"""Jackknife estimates: a statistic with its values without each cluster, for intervals, tests, differences
and averages.

Intervals are jackknife-t intervals: the statistic is computed again without each cluster (topic) in turn,
and with C clusters ``theta +- t_(C-1) s``, ``s^2 = (C - 1) / C sum_c (theta_(-c) - mean)^2`` (Tukey 1958;
Miller 1974). Where a statistic has ends, that is done on a scale that has none, ``g(theta) +- t g'(theta)
s`` (the delta method): shares on that of ``log(p / (1 - p))``, correlations and coefficients of agreement on
Fisher's ``artanh(r)``. These last are made of squares, of which one or two clusters may hold nearly all: s
is then known badly, and t has fewer degrees of freedom. So it is with means and shares where a few large
clusters hold most of the items. Variances are logarithms, with and without each cluster. With eight topics
such intervals cover their nominal level where percentiles of a bootstrap do not
(docs/results/statistics.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import (
    CONFIDENCE,
    MIN_CLUSTERS,
    MIN_FREEDOM,
    MIN_TOPICS,
    NO_INTERVAL,
    TOLERANCE,
    UNVARIED,
    Estimate,
    Scale,
    edge_ends,
    share_ends,
    t_quantile,
    t_tail,
    too_few,
    undefined,
)

POWER = 0.8
BELOW = f"{NO_INTERVAL}the estimate is far below 0, which no variance is"


@dataclass(frozen=True, slots=True, eq=False)
class JackknifedEstimate:
    """A statistic with its jackknife values, so that several statistics can be averaged and compared.

    - ``value``: the statistic; NaN where it is not defined. ``reason`` says why, or holds a remark.
    - ``without``: the value without each cluster, NaN where not defined; empty if no interval was requested.
    - ``present``: True for each cluster that holds an item.
    - ``unsure``: why the data allow no interval; empty where they do.
    - ``freedom``: the upper limit of the degrees of freedom (:func:`freedom_by_size`).
    - ``behind``: the number of clusters behind a share, for its interval where it is 0 or 1 in all; 0 if it
    is no share.

    Estimates that are combined must leave out the same clusters.
    """

    value: float
    without: NDArray[np.float64]
    present: NDArray[np.bool_]
    n: int
    reason: str = ""
    scale: Scale = "plain"
    unsure: str = ""
    freedom: float = math.inf
    behind: int = 0

    @property
    def defined(self) -> bool:
        """True if the statistic has a value."""
        return self.value == self.value  # NaN is not equal to itself

    @property
    def clusters(self) -> int:
        """The number of clusters that hold an item."""
        return int(self.present.sum())

    @property
    def varies(self) -> bool:
        """True if the value changes when some cluster is left out."""
        return len(self.without) > 0 and _error(self.without[self.present]) > TOLERANCE

    @property
    def error(self) -> float:
        """The jackknife standard error over clusters; NaN where there is no interval."""
        kept = self._kept()
        return math.nan if isinstance(kept, str) else _error(kept)

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return the value with its jackknife-t interval, or with the reason why there is no interval.

        There is no interval with fewer than three clusters. There is none, either, if the statistic is not
        defined without some cluster, or is the same whichever is left out.

        Raises:
            DeclarationError: ``confidence`` is not inside (0, 1).
        """
        if not 0 < confidence < 1:
            raise DeclarationError(f"a confidence must lie inside (0, 1), not at {confidence}")
        if not self.defined:
            return undefined(self.reason or "not defined for these values", self.n)
        ends = self._ends(confidence)
        if isinstance(ends, str):
            return Estimate(float(self.value), n=self.n, reason=self.reason or ends)
        return Estimate(float(self.value), *ends, self.n, self.reason)

    def above(self, bound: float = 0.0) -> float | None:
        """Return the one-sided p-value of "the value is not above ``bound``"; None without interval or with
        too few clusters.

        The test is by t, with the degrees of freedom of the interval. On the plain scale p is below 2.5%
        exactly where the 95% interval lies above ``bound``. The test needs :data:`MIN_TOPICS` clusters. If no
        cluster changes the value, p is that of flipping signs, at least ``2^-C``.
        """
        kept = self._kept()
        if isinstance(kept, str) or len(kept) < MIN_TOPICS:
            return None
        over, error = float(self.value - bound), _error(kept)
        if error <= TOLERANCE:
            least = 0.5 ** len(kept)
            return 0.5 if abs(over) <= TOLERANCE else least if over > 0 else 1 - least
        tail = t_tail(abs(over) / error, self._freedom(kept)) / 2
        return tail if over > 0 else 1 - tail

    def p(self) -> float | None:
        """Return the two-sided p-value of "the value is 0"; None where :meth:`above` is None."""
        tail = self.above()
        return None if tail is None else min(1.0, 2 * min(tail, 1 - tail))

    def equivalent(self, margin: float) -> float | None:
        """Return the p-value of "the value lies outside ±``margin``", by two one-sided tests (Schuirmann
        1987).

        A small p shows equivalence. The result is None where :meth:`above` is None.
        """
        low, high = self.above(-margin), self.above(margin)
        return None if low is None or high is None else max(low, 1 - high)

    def smallest_detectable(self, *, alpha: float = 1 - CONFIDENCE) -> float | None:
        """Return the smallest distance from 0 that a two-sided test at ``alpha`` detects with a power of
        :data:`POWER`.

        It is ``(t_(1 - alpha / 2) + t_power) s``. The result is None where :meth:`above` is None, or nothing
        varies.
        """
        kept = self._kept()
        if isinstance(kept, str) or len(kept) < MIN_TOPICS or _error(kept) <= TOLERANCE:
            return None
        freedom = self._freedom(kept)
        return (t_quantile(freedom, 1 - alpha) + t_quantile(freedom, 2 * POWER - 1)) * _error(kept)

    def outside(self, margin: float, *, rising: bool) -> float:
        """Return the p-value of "the value lies beyond ``margin``"; a small p shows that it lies within.

        If ``rising``, only values above ``margin`` are beyond it, else those on either side. The result is 1
        where no test is possible.
        """
        p = self.above(margin) if rising else self.equivalent(margin)
        return 1.0 if p is None else 1 - p if rising else p

    def made_of_few(self) -> JackknifedEstimate:
        """Return the estimate with fewer degrees of freedom where one or two clusters determine nearly all
        of it.

        The degrees of freedom follow from the kurtosis of the jackknife values, but are at least (C - 1) / 3
        for C clusters.
        """
        kept = self._kept()
        if isinstance(kept, str) or _error(kept) <= TOLERANCE:
            return self
        fewer = max(_freedom_by_kurtosis(kept), (len(kept) - 1) / 3)
        return replace(self, freedom=min(self.freedom, fewer))

    def minus(self, other: JackknifedEstimate) -> JackknifedEstimate:
        """Return the difference of this statistic and ``other``, which must be computed on the same clusters in the
        same order; not defined where one of them is not."""
        if not (self.defined and other.defined):
            return replace(without_value(self.reason or other.reason), n=self.n)
        return JackknifedEstimate(
            self.value - other.value,
            self.without - other.without,
            self.present | other.present,
            self.n,
            self.reason or other.reason,
            unsure=self.unsure or other.unsure,
            freedom=min(self.freedom, other.freedom),
        )

    def _kept(self) -> NDArray[np.float64] | str:
        """Return the jackknife values of the clusters that are present, or the reason why there is no interval."""
        kept = self.without[self.present] if len(self.without) else self.without
        if not self.defined:
            return self.reason
        if self.unsure:
            return f"no interval: {self.unsure}"
        if few := too_few(len(kept)):
            return few
        if lost := int(np.isnan(kept).sum()):
            return f"{NO_INTERVAL}without {lost} of the {len(kept)} topics (or other groups) it has no value"
        return kept

    def _freedom(self, kept: NDArray[np.float64]) -> float:
        """The degrees of freedom of t, for intervals and tests."""
        if self.scale == "correlation":
            return _freedom_by_kurtosis(kept)
        return min(max(self.freedom, MIN_FREEDOM), len(kept) - 1.0)

    def _ends(self, confidence: float) -> tuple[float, float] | str:
        """Return both ends of the interval, on the scale of the statistic (logarithmic for variances, bounded for
        shares and correlations), or the reason why there are none."""
        kept = self._kept()
        if isinstance(kept, str):
            return kept
        value = float(self.value)
        if _error(kept) <= TOLERANCE:
            edge = self.scale == "share" and value in (0.0, 1.0) and self.behind >= MIN_CLUSTERS
            return edge_ends(value, self.behind, confidence) if edge else UNVARIED
        logged = self.scale == "variance" and value > 0 and bool(kept.min() > 0)
        reach = t_quantile(self._freedom(kept), confidence) * _error(np.log(kept) if logged else kept)
        if logged:
            return value * float(np.exp(-reach)), value * float(np.exp(reach))
        if self.scale == "share" and 0 < value < 1:
            return share_ends(value, reach)
        if self.scale == "correlation" and -1 < value < 1:
            moved, half = np.arctanh(value), reach / (1 - value**2)
            return float(np.tanh(moved - half)), float(np.tanh(moved + half))
        bottom, top = _ENDS[self.scale]
        if value + reach < bottom:
            return BELOW
        return max(value - reach, bottom), min(value + reach, top)


_ENDS = {
    "plain": (-float("inf"), float("inf")),
    "share": (0.0, 1.0),
    "variance": (0.0, float("inf")),
    "correlation": (-float("inf"), 1.0),  # a coefficient of agreement has no lower end
    "ranks": (-1.0, 1.0),
}


def average(estimates: Sequence[JackknifedEstimate]) -> JackknifedEstimate:
    """Return the mean of the estimates that are defined; ``n`` counts them, and a remark says how many are
    left out. Not defined if none of them is. All must have the same clusters, in the same order.
    """
    defined = [estimate for estimate in estimates if estimate.defined]
    if not defined:
        return without_value("none of them has a value")
    lost = len(estimates) - len(defined)
    scales = {estimate.scale for estimate in defined}
    return JackknifedEstimate(
        float(np.mean([estimate.value for estimate in defined])),
        np.mean([estimate.without for estimate in defined], axis=0),
        np.any([estimate.present for estimate in defined], axis=0),
        len(defined),
        f"{lost} of {len(estimates)} have no value and are left out" if lost else "",
        scales.pop() if len(scales) == 1 else "plain",
        defined[0].unsure if all(estimate.unsure for estimate in defined) else "",
        min(estimate.freedom for estimate in defined),
    )


def without_value(reason: str) -> JackknifedEstimate:
    """Return an estimate that is not defined, for ``reason``."""
    return JackknifedEstimate(np.nan, np.zeros(0), np.zeros(0, dtype=bool), 0, reason)


def freedom_by_size(sizes: NDArray[np.float64]) -> float:
    """Return the degrees of freedom for clusters with ``sizes`` items: ``(sum_c n_c)^2 / sum_c n_c^2 - 1``;
    0 without items.

    The first term is the effective number of clusters (Carter, Schnepel and Steigerwald 2017) for a mean of
    items with independent errors. C clusters of equal size leave C - 1; dominance of a few clusters leaves
    fewer.
    """
    return float(sizes.sum() ** 2 / (sizes**2).sum()) - 1 if sizes.any() else 0.0


def _freedom_by_kurtosis(without: NDArray[np.float64]) -> float:
    """The degrees of freedom of the squared error by Satterthwaite (1946): ``2 C / (k - (C - 3) / (C - 1))`` with the
    kurtosis k of what is left without each cluster, unbiased for normal values (3 gives C - 1, which is also the most).
    """
    count = len(without)
    squares = (without - without.mean()) ** 2
    if count == MIN_CLUSTERS:
        return count - 1.0
    excess = float((squares**2).mean() / squares.mean() ** 2) - 3
    kurtosis = 3 + (count - 1) / ((count - 2) * (count - 3)) * ((count + 1) * excess + 6)
    spread = kurtosis - (count - 3) / (count - 1)
    return min(max(2 * count / spread, MIN_FREEDOM), count - 1.0) if spread > 0 else count - 1.0


def _error(without: NDArray[np.float64]) -> float:
    """``sqrt((C - 1) / C sum_c (theta_(-c) - mean)^2)``."""
    count = len(without)
    return float(((count - 1) / count * ((without - without.mean()) ** 2).sum()) ** 0.5)
