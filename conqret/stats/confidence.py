"""The quality of stated probabilities of being right (Brier score, expected calibration error, reliability
diagram), and the monotone maps (isotonic regression) that calibrate them, fitted in folds of whole
clusters (topics).

Intervals leave out a cluster in turn. A map is ``argmin sum_i (y_i - g(x_i))^2`` over all non-decreasing g,
by pooling adjacent violators (Barlow et al., Statistical Inference under Order Restrictions, 1972; Zadrozny
and Elkan, KDD 2002, for calibration). Between two values of x it is a straight line, and beyond the ends it
is constant.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.stats.estimate import CONFIDENCE, Estimate, t_quantile, undefined
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import cluster_places, leave_one_out, mean, mean_interval, snapped

BANDS = 5
"""The number of bins, of about equally many units each."""


@dataclass(frozen=True, slots=True)
class Band:
    """One bin of a reliability diagram: the number of ``units`` and two means in [0, 1].

    ``said`` is the mean of the judge's scores, ``people`` the mean of the human scores, each with its
    interval.
    """

    units: int
    said: Estimate
    people: Estimate


def brier(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> JackknifedEstimate:
    """Compute the Brier score ``mean_i (predicted_i - true_i)^2`` (Brier 1950); 0 is best, 1 worst.

    ``predicted`` are probabilities, ``true`` is 0 or 1, and ``clusters`` has the cluster of each unit.

    Raises:
        DeclarationError: there are no units, or a value is not finite.
    """
    return mean((predicted - true) ** 2, clusters, scale="share")


def ranked_probability_score(
    shares: NDArray[np.float64],
    values: NDArray[np.float64],
    true: NDArray[np.float64],
    clusters: Sequence[Hashable],
) -> JackknifedEstimate:
    """Compute the mean continuous ranked probability score ``E|X - y| - E|X - X'| / 2`` of distributions over levels
    (Gneiting and Raftery, JASA 2007); 0 is best.

    With equally spaced levels and a label on one of them, it is the ranked probability score over the number of steps
    (Epstein 1969), with two levels the Brier score.

    Args:
        shares: float (n, levels), the probabilities of each unit's levels.
        values: float (levels,), the levels in [0, 1].
        true: float (n,), the labels in [0, 1].
        clusters: the cluster of each unit.
    """
    apart = np.abs(values[:, None] - values)
    spread = ((shares @ apart) * shares).sum(axis=1) / 2
    return mean((shares * np.abs(values - true[:, None])).sum(axis=1) - spread, clusters, scale="share")


def calibration_error(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> JackknifedEstimate:
    """Compute the expected calibration error over bins of about equally many units (Naeini et al., AAAI
    2015).

    It is ``sum_b n_b / n |mean predicted - mean true|`` of the predictions and true values of units, with the
    cluster of each. It is never below 0, and with few units it is above 0 by chance alone:
    :func:`calibration_noise` says how far.
    """
    which = band_places(predicted)
    drawn = leave_one_out(clusters)
    columns = np.zeros((len(predicted), which.max() + 2))
    columns[np.arange(len(predicted)), which] = predicted - true
    columns[:, -1] = 1
    sums = drawn.sums(columns)

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        gaps = weights @ sums
        return np.asarray(np.abs(gaps[:, :-1]).sum(axis=1) / gaps[:, -1])

    return drawn.sampled(of_weights, len(predicted), width=columns.shape[1], scale="share")


NOISE_DRAWS = 1999
"""Simulated samples behind the noise of a calibration error."""
BEYOND = 100
"""An error above all but so many - 1 of the simulated ones is beyond noise, at the level 100 / 2000."""
MANY_UNITS = 2000
"""Units of a bin from which on the sum of their outcomes is drawn from a normal distribution."""


def calibration_noise(
    predicted: NDArray[np.float64],
    true: NDArray[np.float64],
    clusters: Sequence[Hashable],
    levels: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> Estimate:
    """Simulate the expected calibration error that a perfectly calibrated judge has with the same stated
    probabilities.

    Outcomes are drawn as often as ``predicted`` says, independently. Where clusters have several units, the
    observed errors, less the mean of their bin, get random signs by cluster, too (a wild bootstrap, widened as
    t is to z for few clusters), and the larger noise counts: outcomes that are alike within a topic make the
    error of a calibrated judge larger.

    With ``levels`` (probabilities and values, as in :func:`ranked_probability_score`), outcomes are levels, and
    ``predicted`` are expected values.

    Returns:
        The mean, with the 5% and the 95% quantile as ``low`` and ``high``; undefined with one cluster. A
            calibrated judge has an error above ``high`` in about 5% of samples at most.
    """
    rng, which = np.random.default_rng(0), band_places(predicted)
    sums = np.empty((NOISE_DRAWS, which.max() + 1))
    for band in range(sums.shape[1]):
        stated = predicted[which == band]
        if levels is not None:
            sums[:, band] = _drawn_levels(levels[0][which == band], levels[1], rng)
        elif len(stated) < MANY_UNITS:
            sums[:, band] = (rng.random((NOISE_DRAWS, len(stated))) < stated).sum(axis=1) - stated.sum()
        else:
            sums[:, band] = rng.normal(0, math.sqrt((stated * (1 - stated)).sum()), NOISE_DRAWS)
    drawn = [sums]
    places = cluster_places(clusters)
    count = int(places.max()) + 1
    if count == 1:
        return undefined("all labels are of one topic")
    if count < len(places):
        errors = predicted - true
        by_cluster = np.zeros((count, sums.shape[1]))
        np.add.at(
            by_cluster, (places, which), errors - (np.bincount(which, errors) / np.bincount(which))[which]
        )
        widened = t_quantile(count - 1, CONFIDENCE) / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        signs = rng.choice([-1.0, 1.0], (NOISE_DRAWS, count)) * math.sqrt(count / (count - 1))
        drawn.append(widened * signs @ by_cluster)
    noises = [np.sort(snapped(np.abs(each).sum(axis=1) / len(predicted))) for each in drawn]
    noise = max(noises, key=lambda each: float(each[-BEYOND]))
    return Estimate(float(noise.mean()), float(noise[BEYOND - 1]), float(noise[-BEYOND]), len(predicted))


def _drawn_levels(
    shares: NDArray[np.float64], values: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return for each simulated sample the sum of one level drawn for each unit, less its expected value. ``shares``
    are the probabilities (units by levels), ``values`` those of the levels, ascending."""
    expected = shares @ values
    if len(shares) >= MANY_UNITS:
        return rng.normal(0, math.sqrt((shares @ values**2 - expected**2).sum()), NOISE_DRAWS)
    drawn, below = rng.random((NOISE_DRAWS, len(shares))), shares.cumsum(axis=1)
    sums = np.full(NOISE_DRAWS, len(shares) * values[0] - expected.sum())
    for level, step in enumerate(np.diff(values)):
        sums += step * (drawn > below[:, level]).sum(axis=1)
    return sums


def band_places(predicted: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the number of each unit's bin, from 0 for the lowest predictions. Equal predictions share a
    bin.
    """
    alike = snapped(predicted)
    edges = np.unique(np.quantile(alike, np.arange(1, BANDS) / BANDS))
    return np.unique(np.searchsorted(edges, alike, side="left"), return_inverse=True)[1]


def bands(
    predicted: NDArray[np.float64],
    human: NDArray[np.float64],
    clusters: Sequence[Hashable],
    confidence: float,
) -> tuple[Band, ...]:
    """Return the bins of the predictions in ascending order, with the mean prediction and the mean human
    score of each.

    Intervals are over ``clusters`` at the level ``confidence``.
    """
    which = band_places(predicted)
    bands_found = []
    for band in range(which.max() + 1):
        here = np.flatnonzero(which == band)
        names = [clusters[place] for place in here.tolist()]
        means = [
            mean_interval(series[here], names, confidence=confidence, scale="share")
            for series in (predicted, human)
        ]
        bands_found.append(Band(len(here), *means))
    return tuple(bands_found)


FOLDS = 5
"""The number of folds: topics of each are mapped by what was fitted on the four others."""

Knots = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""The ascending places of a map, and its value at each; ``np.interp`` evaluates it."""


def monotone(x: ArrayLike, y: ArrayLike) -> Knots:
    """Fit the non-decreasing map from ``x`` to ``y`` with the least squared error (isotonic regression).

    Returns:
        The distinct values of x, and the fitted value at each. Equal x count as one point with the mean of
            their y.
    """
    from scipy.optimize import isotonic_regression  # it takes longer to import than most commands do

    scores, target = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    places, which, counts = np.unique(snapped(scores), return_inverse=True, return_counts=True)
    means = np.bincount(which, weights=target) / counts
    return places, np.asarray(isotonic_regression(means, weights=counts).x)


def dealt(clusters: Iterable[Hashable], seed: int, folds: int = FOLDS) -> dict[Hashable, int]:
    """Assign each cluster to one of ``folds`` folds at random; return the fold (from 0) of each cluster.

    The sizes of folds differ by at most one cluster.
    """
    names = sorted(set(clusters), key=str)
    order = np.random.default_rng(seed).permutation(len(names))
    return {names[place]: number % folds for number, place in enumerate(order.tolist())}


def cross_fitted(x: ArrayLike, y: ArrayLike, fold: ArrayLike) -> NDArray[np.float64]:
    """Return the cross-fitted isotonic predictions: for each ``x`` that of the map fitted on all other
    folds.

    A prediction is NaN where x is NaN, or where the other folds have no complete pair. The map is decreasing
    where x and y are negatively related in those folds.
    """
    scores, target, folds = np.asarray(x, dtype=float), np.asarray(y, dtype=float), np.asarray(fold)
    known = ~np.isnan(scores) & ~np.isnan(target)
    mapped = np.full(len(scores), np.nan)
    for held_out in np.unique(folds):
        rest, here = known & (folds != held_out), (folds == held_out) & ~np.isnan(scores)
        if rest.any():
            centred = scores[rest] - scores[rest].mean()
            sign = -1.0 if (centred * target[rest]).sum() < 0 else 1.0
            mapped[here] = np.interp(sign * scores[here], *monotone(sign * scores[rest], target[rest]))
    return mapped
