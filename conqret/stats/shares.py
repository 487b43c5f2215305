"""Statistics made of independent shares, and their intervals.

A share has the mid-p interval of a binomial (Lancaster 1961; Berry and Armitage 1995). With clusters or weights, n is
the effective sample size (Korn and Graubard, Survey Methodology 1998). A statistic t of shares is the root of an
equation ``T(t) = 0`` in them, and its interval holds each t with ``T(t)^2 <= sum_k (dT/ds_k d_k)^2``, where d_k is how
far the end of the interval of share k lies from the share, on the side towards T = 0: Fieller's theorem with the
unequal arms of MOVER (Zou and Donner, Statistics in Medicine 2008). It stays within the statistic's range, and it
holds where a share is 0 or 1. With clusters, the sum has the correlations of the shares' errors, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from conqret.stats.estimate import CONFIDENCE, MIN_FREEDOM, t_quantile
from conqret.stats.jackknife import freedom_by_size

Numbers = NDArray[np.float64]
Equation = Callable[..., Numbers]
"""From t and shares to T, which is linear in t and 0 where t is the statistic."""

BISECTIONS = 40
STEP = 1e-6
"""Half the step of the numeric derivatives."""
TINY = 1e-9
MANY = 1e6
"""Degrees of freedom with which Student's t is the normal."""


def share_interval(share: ArrayLike, n: ArrayLike, confidence: float = CONFIDENCE) -> tuple[Numbers, Numbers]:
    """Return both ends of the mid-p interval of a ``share`` of ``n`` independent observations.

    Both may be arrays, and n need not be whole. At the ends, the tail beyond the share, with half the probability of
    the share itself, is ``(1 - confidence) / 2``. Without observations the interval is [0, 1].
    """
    n = np.asarray(n, dtype=float)
    x = np.asarray(share, dtype=float) * n
    some, fewer = np.maximum(x, TINY), np.maximum(n - x, TINY)

    def end(tail: float) -> Numbers:
        low, high = np.zeros(x.shape), np.ones(x.shape)
        for _ in range(BISECTIONS):
            p = (low + high) / 2
            least = np.where(x > 0, betainc(some, n - x + 1, p), 1.0)
            more = np.where(x < n, betainc(x + 1, fewer, p), 0.0)
            below = (least + more) / 2 < tail
            low, high = np.where(below, p, low), np.where(below, high, p)
        return (low + high) / 2

    tail = (1 - confidence) / 2
    return np.where(n > 0, end(tail), 0.0), np.where(n > 0, end(1 - tail), 1.0)


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval and number of rows (each may be an array of many samples), and its error.

    ``errors`` is what each cluster adds to the error; None with independent rows.
    """

    value: Numbers
    low: Numbers
    high: Numbers
    n: Numbers
    errors: Numbers | None = None


def solve(
    equation: Equation, shares: Sequence[Share], least: float = 0.0
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the root of the equation, cut to ``least`` to 1, and both ends of its interval.

    The root is NaN where the equation holds for every t.
    """
    values, lows, highs = (
        np.array([getattr(share, name) for share in shares]) for name in ("value", "low", "high")
    )
    correlation = _correlation(shares)

    def derivative(t: float, place: int) -> Numbers:
        step = np.zeros(len(shares))
        step[place] = STEP
        step = step.reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray((equation(t, *(values + step)) - equation(t, *(values - step))) / (2 * STEP))

    at_0, at_1 = equation(0.0, *values), equation(1.0, *values)
    slopes_0, slopes_1 = (
        np.array([derivative(t, place) for place in range(len(shares))]) for t in (0.0, 1.0)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.where(np.abs(at_1 - at_0) > TINY, np.clip(at_0 / (at_0 - at_1), least, 1.0), np.nan)

    def within(t: Numbers) -> NDArray[np.bool_]:
        off, slopes = at_0 + t * (at_1 - at_0), slopes_0 + t * (slopes_1 - slopes_0)
        arms = slopes * np.where(slopes * off < 0, highs - values, values - lows)
        return np.asarray(off**2 <= (arms * np.tensordot(correlation, arms, 1)).sum(axis=0) + TINY**2)

    ends = []
    for bound in (least, 1.0):
        inside, outside = root, np.full(root.shape, bound)
        for _ in range(BISECTIONS):
            middle = (inside + outside) / 2
            good = within(middle)
            inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
        ends.append(np.where(within(np.full(root.shape, bound)), bound, inside))
    return root, ends[0], ends[1]


def _correlation(shares: Sequence[Share]) -> Numbers:
    """How the errors of the shares correlate over clusters."""
    errors = [share.errors for share in shares if share.errors is not None]
    if not errors:
        return np.eye(len(shares))
    scaled = [each / (np.linalg.norm(each) or 1.0) for each in errors]
    return np.array(scaled) @ np.array(scaled).T


def observed_share(
    values: Numbers,
    among: NDArray[np.bool_],
    weights: Numbers,
    clusters: NDArray[np.intp] | None,
    confidence: float,
) -> Share:
    """The weighted mean of the values ``among`` these rows, which are 0 or 1."""
    x, w, n = values[among], weights[among], int(among.sum())
    size = 0 if clusters is None else int(clusters.max(initial=-1)) + 1
    if not n:
        low, high = np.zeros(()), np.ones(())
        return Share((low + high) / 2, low, high, np.zeros(()), None if clusters is None else np.zeros(size))
    w = w / w.sum()
    value = float(np.average(x, weights=w))
    if clusters is None:
        errors = w * (x - value)
        effective, narrowed = 1 / float((w**2).sum()), 1.0
    else:
        errors = np.bincount(clusters[among], w * (x - value), minlength=size)
        sizes = np.bincount(clusters[among], w)
        effective = float(np.count_nonzero(sizes))
        freedom = max(freedom_by_size(sizes), MIN_FREEDOM)
        narrowed = (1 - 1 / effective) * (t_quantile(MANY, confidence) / t_quantile(freedom, confidence)) ** 2
    if 0 < value < 1:
        effective = narrowed * min(value * (1 - value) / float((errors**2).sum()), n)
    low, high = share_interval(value, effective, confidence)
    return Share(np.asarray(value), low, high, np.asarray(n), None if clusters is None else errors)
