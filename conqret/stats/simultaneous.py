"""Several statistics over the same clusters, looked at together: intervals that hold at once, and partial pooling.

Fifteen intervals of 95% hold all together in half of the samples, and the largest of fifteen estimates is too large on
average. Both are mended here on a common scale, Fisher's ``z = artanh(r)``, for correlations and coefficients of
agreement:

- **Errors** of few clusters are badly known, and t with few degrees of freedom is wide far out. So each squared error
  is moderated (Smyth 2004): ``(d_0 s_0^2 + d s^2) / (d_0 + d)`` with d + d_0 degrees of freedom, where the statistics'
  common error s_0 and the weight d_0 that it deserves follow from how far the errors differ. Statistics of far more
  or fewer items than most (:data:`ALIKE`) keep their own errors, and are not pooled.
- **Simultaneous intervals** are at Sidak's (1967) level, ``(1 - a)^(1 / D)`` for D statistics: independent ones need
  it, and correlated normal ones hold at once at least as often.
- **Partial pooling** takes the true values as drawn around a common mean with a standard deviation tau (a model of
  random effects: Efron and Morris 1975; Gelman et al., Bayesian Data Analysis, section 5.4). Errors correlate by
  their mean correlation over clusters; tau has a half-normal prior (:data:`SPREAD`) and is integrated out. No value is
  moved by more than :data:`LIMIT` of its error (limited translation: Efron and Morris 1972), so that one that is unlike
  all others is not drawn into their midst.

How often both hold is simulated (docs/results/statistics.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conqret.stats.estimate import CONFIDENCE, NO_INTERVAL, TOLERANCE, Estimate, JackknifedEstimate, undefined
from conqret.stats.student import quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_SIMULTANEOUS = 2
"""Statistics below which there is nothing to correct for."""
FEWEST_POOLED = 7
"""Statistics below which pooled values can be further off than values themselves, where one is unlike the others."""
SPREAD = 0.5
"""The standard deviation of the half-normal prior of tau, on Fisher's scale: coefficients around .5 that differ by .4
are one standard deviation out."""
LIMIT = 0.75
"""By how many of its errors pooling moves a value at most. Without a limit the interval of a value that is unlike
fourteen others holds in 50% of samples at worst, at 1 in 81%, and at this in 88%."""
ALIKE = 3.0
"""How many times as many items as the median statistic, or as few, one may have that counts as like the others: errors
of many items are smaller, and a measure of documents is not one of arguments."""
_GRID = 60
"""Values of tau, up to three times :data:`SPREAD`."""
MOST_CORRELATED = 0.95
"""The correlation of errors at most, so that their covariances can be inverted."""
UNLIKE = "it rests on far more or far fewer items than the other dimensions, and is not pooled with them"
AT_END = f"{NO_INTERVAL}at 1, or at -1 and below, it has no place on Fisher's scale"


@dataclass(frozen=True, slots=True)
class _Errors:
    """Statistics on Fisher's scale: their values, moderated errors with degrees of freedom, those of their clusters,
    and the mean correlation of their errors over clusters."""

    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    freedom: NDArray[np.float64]
    by_clusters: NDArray[np.float64]
    correlation: float


def simultaneous_intervals(
    estimates: Sequence[JackknifedEstimate], confidence: float = CONFIDENCE
) -> list[Estimate]:
    """The values of coefficients that leave out the same clusters, with intervals of which all hold the truth at once
    with the probability ``confidence``; those without an interval of their own have none here, for the same reason.
    Of one alone it is the interval that it has."""
    import numpy as np

    found = [estimate.estimate(confidence) for estimate in estimates]
    places = _usable(estimates, found)
    if len(places) < FEWEST_SIMULTANEOUS:
        return found
    fisher = _on_fisher_scale([estimates[place] for place in places])
    level = confidence ** (1 / len(places))
    reach = np.array([quantile(freedom, level) for freedom in fisher.freedom]) * fisher.errors
    wider = _with_ends(estimates, found, places, fisher.values, reach)
    return [replace(one, value=own.value) for one, own in zip(wider, found, strict=True)]


def partially_pooled(
    estimates: Sequence[JackknifedEstimate], confidence: float = CONFIDENCE
) -> list[Estimate]:
    """Coefficients that leave out the same clusters, each drawn towards their mean as far as its error and theirs say,
    with intervals that hold the truth with the probability ``confidence`` on average over them.

    Those without an interval of their own stay out and have no value here; so do all where there are fewer than
    :data:`FEWEST_POOLED`, and the reason says it.
    """
    import numpy as np

    found = [estimate.estimate(confidence) for estimate in estimates]
    usable = _usable(estimates, found)
    alike = _alike([estimates[place] for place in usable])
    places = [place for place, like in zip(usable, alike, strict=True) if like]
    if len(places) < FEWEST_POOLED:
        reason = (
            f"partial pooling needs {FEWEST_POOLED} dimensions with an interval, and there are {len(places)}"
        )
        return [undefined(reason, one.n) for one in found]
    fisher = _on_fisher_scale([estimates[place] for place in places])
    values, errors = shrunk(fisher.values, fisher.errors, fisher.correlation)
    limited = np.clip(values, fisher.values - LIMIT * fisher.errors, fisher.values + LIMIT * fisher.errors)
    errors = np.where(limited == values, errors, fisher.errors)
    reach = np.array([quantile(freedom, confidence) for freedom in fisher.by_clusters]) * errors
    pooled = [
        undefined(UNLIKE if place in usable else (one.reason or AT_END).removeprefix(NO_INTERVAL), one.n)
        for place, one in enumerate(found)
    ]
    return _with_ends(estimates, pooled, places, limited, reach)


def shrunk(
    values: NDArray[np.float64],
    errors: NDArray[np.float64],
    correlation: float = 0.0,
    *,
    spread: float = SPREAD,
    grid: int = _GRID,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means and standard deviations of the true values behind normal ``values`` with these ``errors``, which have
    one ``correlation``: true values are normal around a mean of which nothing is known, with a standard deviation tau
    that is half-normal with ``spread``, and integrated out on ``grid`` points.

    With S the covariance of the errors, ``V = S + tau^2 I`` and ``A = 1' V^-1 1``, for one tau the mean is
    ``mu = 1' V^-1 y / A``, true values have the means ``y - S V^-1 (y - mu)`` and the covariance
    ``S - S V^-1 S + S V^-1 1 1' V^-1 S / A``, and tau the density ``|V|^-1/2 A^-1/2 exp(-(y - mu)' V^-1 (y - mu) / 2)``
    times its prior.
    """
    import numpy as np

    covariance = correlation * np.outer(errors, errors)
    np.fill_diagonal(covariance, errors**2)
    own, axes = np.linalg.eigh(covariance)
    own = own.clip(min=TOLERANCE**2)
    turned, ones = axes.T @ values, axes.sum(axis=0)
    tau = (np.arange(grid) + 0.5) * 3 * spread / grid
    whole = own + tau[:, None] ** 2
    precision = (ones**2 / whole).sum(axis=1)
    middle = (ones * turned / whole).sum(axis=1) / precision
    away = turned - middle[:, None] * ones
    density = -(np.log(whole).sum(axis=1) + np.log(precision) + (away**2 / whole).sum(axis=1)) / 2
    density -= (tau / spread) ** 2 / 2
    weights = np.exp(density - density.max())
    weights /= weights.sum()
    means = values - (own / whole * away) @ axes.T
    variances = (own - own**2 / whole) @ (axes**2).T
    variances += ((own / whole * ones) @ axes.T) ** 2 / precision[:, None]
    mean = weights @ means
    return mean, np.sqrt(weights @ (variances + (means - mean) ** 2))


def moderated(
    squares: NDArray[np.float64], freedom: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Squared errors drawn towards their common value, and their degrees of freedom, by the mean and variance of
    logarithms (Smyth 2004, section 6.2): the variance of ``log s^2`` is ``trigamma(d / 2) + trigamma(d_0 / 2)``.
    d_0 is at most what the other errors have together, as the common error is known no better than by them."""
    import numpy as np

    half, most = freedom / 2, float((len(freedom) - 1) * freedom.mean())
    logs = np.log(squares) - np.array([_digamma(x) for x in half]) + np.log(half)
    beyond = float(logs.var(ddof=1) - np.mean([_trigamma(x) for x in half]))
    weight, common = most, float(logs.mean())
    if beyond > 0:
        weight = 2 * _trigamma_inverse(beyond)
        common += _digamma(weight / 2) - math.log(weight / 2)
        weight = min(weight, most)
    return (weight * math.exp(common) + freedom * squares) / (weight + freedom), weight + freedom


def _usable(estimates: Sequence[JackknifedEstimate], found: Sequence[Estimate]) -> list[int]:
    """The places of those with an interval that have a place on Fisher's scale."""
    return [
        place
        for place, (estimate, one) in enumerate(zip(estimates, found, strict=True))
        if one.low is not None and estimate.scale == "correlation" and -1 < estimate.value < 1
    ]


def _alike(estimates: Sequence[JackknifedEstimate]) -> NDArray[np.bool_]:
    """Which of the statistics have about as many items as most."""
    import numpy as np

    counts = np.array([estimate.n for estimate in estimates], dtype=float)
    middle = float(np.median(counts)) if len(counts) else 0.0
    return (counts >= middle / ALIKE) & (counts <= middle * ALIKE)


def _on_fisher_scale(estimates: Sequence[JackknifedEstimate]) -> _Errors:
    import numpy as np

    values = np.array([estimate.value for estimate in estimates])
    slopes = 1 / (1 - values**2)
    errors = np.array([estimate.error for estimate in estimates]) * slopes
    freedom = np.array([estimate.freedom_of_t for estimate in estimates])
    alike = _alike(estimates)
    if alike.sum() >= FEWEST_SIMULTANEOUS:
        squares, freedom[alike] = moderated(errors[alike] ** 2, freedom[alike])
        errors[alike] = np.sqrt(squares)
    left = np.array([np.where(estimate.present, estimate.without, np.nan) for estimate in estimates])
    away = np.nan_to_num(left - np.nanmean(left, axis=1, keepdims=True))
    away /= np.sqrt((away**2).sum(axis=1, keepdims=True))
    count = len(estimates)
    between = float((away @ away.T).sum() - count) / (count * (count - 1))
    return _Errors(
        np.arctanh(values),
        errors,
        freedom,
        np.array([estimate.clusters - 1.0 for estimate in estimates]),
        min(max(between, 0.0), MOST_CORRELATED),
    )


def _with_ends(
    estimates: Sequence[JackknifedEstimate],
    others: Sequence[Estimate],
    places: Sequence[int],
    values: NDArray[np.float64],
    reach: NDArray[np.float64],
) -> list[Estimate]:
    """The ``others``, those at ``places`` with these values and ends, on Fisher's scale."""
    estimated = list(others)
    for place, value, half in zip(places, values.tolist(), reach.tolist(), strict=True):
        middle, low, high = map(math.tanh, (value, value - half, value + half))
        estimated[place] = Estimate(middle, low, high, estimates[place].n, estimates[place].reason)
    return [
        replace(one, low=None, high=None, reason=AT_END)
        if place not in places and one.low is not None
        else one
        for place, one in enumerate(estimated)
    ]


def _digamma(x: float) -> float:
    """The derivative of log gamma, for x above 0 (Abramowitz and Stegun, 6.3.5 and 6.3.18)."""
    added = 0.0
    while x < 8:
        added, x = added - 1 / x, x + 1
    square = 1 / x**2
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return added + math.log(x) - 0.5 / x - series


def _trigamma(x: float) -> float:
    """The derivative of :func:`_digamma` (there, 6.4.6 and 6.4.12)."""
    added = 0.0
    while x < 8:
        added, x = added + 1 / x**2, x + 1
    square = 1 / x**2
    series = square * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30)))
    return added + (1 + series) / x + square / 2


def _trigamma_inverse(value: float) -> float:
    """The x at which trigamma has this ``value``, by halving: it falls from infinity to 0."""
    low, high = 1e-6, 1e6
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _trigamma(middle) > value else (low, middle)
    return math.sqrt(low * high)
