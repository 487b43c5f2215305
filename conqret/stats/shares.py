"""Statistics that are made of independent shares, with their intervals.

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
from scipy.special import betainc, ndtri, stdtrit

from conqret.stats.estimate import CONFIDENCE, MIN_CLUSTERS, MIN_FREEDOM

Numbers = NDArray[np.float64]
Equation = Callable[..., Numbers]
"""From t and shares to T, which is linear in t and 0 where t is the statistic."""

BISECTIONS = 32
STEP = 1e-6
"""Half the step of the numeric derivatives."""
TINY = 1e-9


def share_interval(share: ArrayLike, n: ArrayLike, confidence: float = CONFIDENCE) -> tuple[Numbers, Numbers]:
    """Return both ends of the mid-p interval of a ``share`` of ``n`` independent observations.

    Both may be arrays, and n need not be whole. At the ends, the tail beyond the share, with half the probability of
    the share itself, is ``(1 - confidence) / 2``. Without observations the interval is [0, 1].
    """
    n = np.asarray(n, dtype=float)
    x = np.asarray(share, dtype=float) * n
    passes, failures = np.maximum(x, TINY), np.maximum(n - x, TINY)
    tail = (1 - confidence) / 2
    tails = np.array([tail, 1 - tail]).reshape(2, *[1] * x.ndim)
    low, high = np.zeros((2, *x.shape)), np.ones((2, *x.shape))
    for _ in range(BISECTIONS):
        p = (low + high) / 2
        at_least = np.where(x > 0, betainc(passes, n - x + 1, p), 1.0)
        more = np.where(x < n, betainc(x + 1, failures, p), 0.0)
        below = at_least + more < 2 * tails
        low, high = np.where(below, p, low), np.where(below, high, p)
    ends = (low + high) / 2
    return np.where(n > 0, ends[0], 0.0), np.where(n > 0, ends[1], 1.0)


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval and its number of rows; each may be an array of many samples.

    ``errors`` is what each cluster adds to the error of the share (last axis); None with independent rows.
    """

    value: Numbers
    low: Numbers
    high: Numbers
    n: Numbers
    errors: Numbers | None = None


def share_of_sums(
    sums: Numbers, sizes: Numbers, n: ArrayLike, *, clustered: bool, confidence: float = CONFIDENCE
) -> Share:
    """Return the share of passes among rows, weighted or in clusters.

    The effective sample size is ``p (1 - p) / variance``, at most n; with clusters it is divided by the square of
    Student's t over the normal quantile. The degrees of freedom are those of clusters of unequal sizes
    (:func:`~conqret.stats.jackknife.freedom_by_size`), and fewer where few clusters make most of the error
    (Satterthwaite 1946). Of a share of 0 or 1, and of one or two clusters, the effective size is the number of
    clusters, or with independent rows ``(sum w)^2 / sum w^2``.

    Args:
        sums: the sum of the weights of passes in each cluster (last axis).
        sizes: the sum of all weights in each cluster; rows that are independent are clusters of one.
        n: the number of rows.
        clustered: whether the clusters are more than single rows.
        confidence: the confidence level of the interval.
    """
    n, total = np.asarray(n, dtype=float), sizes.sum(axis=-1)
    weights = sizes / np.maximum(total, TINY)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(total > 0, sums.sum(axis=-1) / total, 0.5)
        errors = weights * (np.where(sizes > 0, sums / sizes, value[..., None]) - value[..., None])
        variance, kish = (errors**2).sum(axis=-1), 1 / (weights**2).sum(axis=-1)
        effective, at_ends = np.minimum(value * (1 - value) / variance, n), kish
        if clustered:
            at_ends = (sizes > 0).sum(axis=-1).astype(float)
            tailed = np.maximum((errors**4).sum(axis=-1) / variance**2 - 1 / at_ends, TINY)
            freedom = np.maximum(np.minimum(kish, 2 / tailed) - 1, MIN_FREEDOM)
            middle = (1 + confidence) / 2
            effective = effective * (ndtri(middle) / stdtrit(freedom, middle)) ** 2
        inside = (value > 0) & (value < 1) & (at_ends >= MIN_CLUSTERS)
    effective = np.where(inside, effective, at_ends)
    low, high = share_interval(value, np.where(n > 0, effective, 0.0), confidence)
    return Share(value, low, high, n, errors if clustered else None)


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
    steps = STEP * np.eye(len(shares)).reshape(len(shares), len(shares), *[1] * (values.ndim - 1))

    def slopes(t: float) -> Numbers:
        sides = [(equation(t, *(values + step)), equation(t, *(values - step))) for step in steps]
        return np.array([(above - below) / (2 * STEP) for above, below in sides])

    at_0, slopes_0 = equation(0.0, *values), slopes(0.0)
    rise, turns = equation(1.0, *values) - at_0, slopes(1.0) - slopes_0
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.where(np.abs(rise) > TINY, np.clip(-at_0 / rise, least, 1.0), np.nan)

    def within(t: Numbers) -> NDArray[np.bool_]:
        off, slope = at_0 + t * rise, slopes_0[:, None] + t * turns[:, None]
        arms = slope * np.where(slope * off < 0, (highs - values)[:, None], (values - lows)[:, None])
        square = np.einsum("k...,kl...,l...->...", arms, correlation, arms)
        return np.asarray(off**2 <= square + TINY**2)

    bounds = np.stack([np.full(root.shape, least), np.ones(root.shape)])
    inside, outside = np.stack([root, root]), bounds
    for _ in range(BISECTIONS):
        middle = (inside + outside) / 2
        good = within(middle)
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    low, high = np.where(within(bounds), bounds, inside)
    return root, low, high


def _correlation(shares: Sequence[Share]) -> Numbers:
    """How the errors of the shares correlate over clusters: (K, K), then axes for the two ends and the samples."""
    errors = [share.errors for share in shares if share.errors is not None]
    if not errors:
        return np.eye(len(shares))
    scaled = np.array([each / np.maximum(np.linalg.norm(each, axis=-1), TINY)[..., None] for each in errors])
    correlation = np.asarray(np.einsum("k...c,l...c->kl...", scaled, scaled))[:, :, None]
    for place in range(len(errors)):
        correlation[place, place] = 1.0  # of a share of 0 or 1, too, which has no error
    return correlation
