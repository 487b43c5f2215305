"""What stated probabilities of being right are worth (Brier score, expected calibration error, bands), and the
monotone maps (isotonic regression) that calibrate them, fitted in folds of whole clusters (topics).

Intervals leave out a cluster in turn. A map is ``argmin sum_i (y_i - g(x_i))^2`` over all g that never fall, by pooling
adjacent violators (Barlow et al., Statistical Inference under Order Restrictions, 1972; Zadrozny and Elkan, KDD 2002,
for calibration). Between two values of x it is a straight line, and beyond the ends it stays where it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from conqret.errors import DeclarationError
from conqret.stats.estimate import Estimate, JackknifedEstimate
from conqret.stats.resampling import leave_one_out, mean, mean_interval, snapped

BANDS = 5
"""Bands of what is said, of as many units each."""


@dataclass(frozen=True, slots=True)
class Band:
    """Units of which much the same is said: the means of what is said and of what people say, in [0, 1]."""

    units: int
    said: Estimate
    people: Estimate


def brier(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> JackknifedEstimate:
    """``mean_i (said_i - true_i)^2`` (Brier 1950), of probabilities and of what came true (0 or 1): 0 is best."""
    return mean((predicted - true) ** 2, clusters, scale="share")


def calibration_error(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> JackknifedEstimate:
    """``sum_b n_b / n |mean of said - mean of true|`` over bands b of equally many units (Naeini et al., AAAI 2015). It
    is never below 0, and with few units above it by chance alone."""
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


def band_places(predicted: NDArray[np.float64]) -> NDArray[np.intp]:
    """The band of each unit, from 0 at the lowest; what is said alike is in one band."""
    alike = snapped(predicted)
    edges = np.unique(np.quantile(alike, np.arange(1, BANDS) / BANDS))
    return np.unique(np.searchsorted(edges, alike, side="left"), return_inverse=True)[1]


def bands(
    predicted: NDArray[np.float64],
    people: NDArray[np.float64],
    clusters: Sequence[Hashable],
    confidence: float,
) -> tuple[Band, ...]:
    """The bands of what is said, from the lowest up, with intervals over clusters."""
    which = band_places(predicted)
    bands_found = []
    for band in range(which.max() + 1):
        here = np.flatnonzero(which == band)
        names = [clusters[place] for place in here.tolist()]
        means = [
            mean_interval(series[here], names, confidence=confidence, scale="share")
            for series in (predicted, people)
        ]
        bands_found.append(Band(len(here), *means))
    return tuple(bands_found)


FOLDS = 5
"""Parts into which topics are dealt: each is mapped by what was fitted on the four others."""

Knots = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""The places of a map, rising, and what it says there; ``np.interp`` reads it."""


def monotone(x: ArrayLike, y: ArrayLike) -> Knots:
    """The monotone map from ``x`` to ``y`` (series of one length, finite) that is closest in squares; equal x count
    as one place with the mean of their y.

    Raises:
        DeclarationError: there are no pairs, the lengths differ, or a value is not finite.
    """

    scores, target = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if scores.ndim != 1 or scores.shape != target.shape or not len(scores):
        raise DeclarationError(
            f"a monotone map needs two series of one length, not {scores.shape} and {target.shape}"
        )
    if not (np.isfinite(scores).all() and np.isfinite(target).all()):
        raise DeclarationError("a monotone map needs finite values; leave out the pairs that lack one")
    places, which, counts = np.unique(snapped(scores), return_inverse=True, return_counts=True)
    means = np.bincount(which, weights=target) / counts
    return places, np.asarray(isotonic_regression(means, weights=counts).x)


def dealt(clusters: Iterable[Hashable], seed: int, folds: int = FOLDS) -> dict[Hashable, int]:
    """The fold (from 0) of each cluster: dealt out at random, so that folds differ by one cluster at most."""
    names = sorted(set(clusters), key=str)
    order = np.random.default_rng(seed).permutation(len(names))
    return {names[place]: number % folds for number, place in enumerate(order.tolist())}


def cross_fitted(x: ArrayLike, y: ArrayLike, fold: ArrayLike) -> NDArray[np.float64]:
    """What the map that was fitted on all other folds says of each ``x``; NaN for x that are NaN, or where the other
    folds hold no pair. Pairs with a NaN are not fitted on. A map falls where x and y go apart in those other folds.
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
