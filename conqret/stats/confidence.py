"""What stated probabilities of being right are worth (Brier score, expected calibration error, bands), and the
monotone maps (isotonic regression) that calibrate them, fitted in folds of whole clusters (topics).

Intervals leave out a cluster in turn. A map is ``argmin sum_i (y_i - g(x_i))^2`` over all g that never fall, by
pooling adjacent violators (Barlow et al., Statistical Inference under Order Restrictions, 1972; Zadrozny and Elkan,
KDD 2002, for calibration). Between two values of x it is a straight line, and beyond the ends it stays where it is.

A threshold on confidence carries a risk guarantee on the errors of what is kept by Learn then Test (Angelopoulos et
al., Annals of Applied Statistics 2025): thresholds are tested one after the other, from one that keeps little to
one that keeps all, each at the full ``delta`` (fixed sequence), and testing stops at the first that does not hold.
So the chance that any threshold is taken whose error is above the guarantee is at most ``delta``, whatever the
shape of the curve. Topics are what is drawn, not items. The test is a t of the share of errors among all that is
kept, by the jackknife over topics, twice: on the scale of log odds (the interval that is shown ends below the
guarantee), and corrected for how skewed topics are (Johnson, JASA 1978; Hall, JRSS-B 1992). It takes the topics
that were not seen to be like those that were; how often it fails was simulated (docs/results/abstention.md).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, MIN_FREEDOM, MIN_TOPICS, Estimate, t_quantile, undefined
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import cluster_places, leave_one_out, mean, mean_interval, snapped

BANDS = 5
"""Bands of what is said, of as many units each."""


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
    """Compute the Brier score ``mean_i (predicted_i - true_i)^2`` (Brier 1950); 0 is best.

    ``predicted`` are probabilities, ``true`` is 0 or 1, and ``clusters`` has the cluster of each unit.
    """
    return mean((predicted - true) ** 2, clusters, scale="share")


def calibration_error(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> JackknifedEstimate:
    """Compute the expected calibration error over bins of about equally many units (Naeini et al., AAAI
    2015).

    It is ``sum_b n_b / n |mean predicted - mean true|``. It is never below 0, and with few units it is above
    0 by chance alone: :func:`calibration_noise` says how far.
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
"""An error above all but this many - 1 of the simulated ones is beyond noise, at the level 100 / 2000."""
MANY_UNITS = 2000
"""Units of a bin from which on the sum of their outcomes is drawn from a normal distribution."""


def calibration_noise(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> Estimate:
    """Simulate the expected calibration error that a perfectly calibrated judge has with the same stated
    probabilities.

    Outcomes are drawn as often as ``predicted`` says, independently. Where clusters have several units, the
    observed errors, less the mean of their bin, get random signs by cluster, too (a wild bootstrap, widened as
    t is to z for few clusters), and the larger noise counts: outcomes that are alike within a topic make the
    error of a calibrated judge larger.

    Returns:
        The mean, with the 5% and the 95% quantile as ``low`` and ``high``. A calibrated judge has an error
            above ``high`` in about 5% of samples at most.
    """
    rng, which = np.random.default_rng(0), band_places(predicted)
    sums = np.empty((NOISE_DRAWS, which.max() + 1))
    for band in range(sums.shape[1]):
        stated = predicted[which == band]
        if len(stated) < MANY_UNITS:
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
"""Parts into which topics are dealt: each is mapped by what was fitted on the four others."""

Knots = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""The places of a map, rising, and what it says there; ``np.interp`` reads it."""


def monotone(x: ArrayLike, y: ArrayLike) -> Knots:
    """Fit the non-decreasing map from ``x`` to ``y`` with the least squared error (isotonic regression).

    Returns:
        The distinct values of x, and the fitted value at each. Equal x count as one point with the mean of
            their y.

    Raises:
        DeclarationError: there are no pairs, the lengths differ, or a value is not finite.
    """

    from scipy.optimize import isotonic_regression  # it takes longer to import than most commands do

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


LEVELS = 20
"""Shares of all scores that are kept, in steps of a twentieth."""
MIN_KEPT = 0.2
"""The share from which on thresholds are tested: fewer are rarely of use, and each one more has to hold."""
EXPECTED_ERRORS = 5
"""Errors that the first threshold is to show if its error is the guaranteed one: with fewer a test says nothing."""


@dataclass(frozen=True, slots=True)
class SelectedScores:
    """One point of the risk-coverage curve: the scores with a confidence of at least ``threshold``.

    ``share`` is their share among all scores. ``labelled`` counts those with a human label, on ``topics``
    topics. ``error`` is the share of these that are wrong, with an interval of confidence ``1 - 2 delta``.
    ``holds`` is True if the risk guarantee is shown to hold, and None if it was not tested.
    """

    threshold: float
    share: float
    labelled: int
    topics: int
    error: Estimate
    holds: bool | None = None


def risk_coverage(
    confidence: NDArray[np.float64],
    labelled: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
    topics: Sequence[Hashable],
    *,
    error: float,
    delta: float,
) -> tuple[SelectedScores, ...]:
    """Compute the risk-coverage curve, from the strictest threshold to the one that keeps every score.

    All arrays have one entry for each score. ``confidence`` is NaN where a score has none, so that it is
    never kept. ``labelled`` is True where a score has a human label, and ``wrong`` is read only there.

    Args:
        error: the share of wrong scores that the risk guarantee allows.
        delta: the probability with which the guarantee may fail.
    """
    known_confidences = confidence[~np.isnan(confidence)]
    levels = 1 - np.arange(1, LEVELS + 1) / LEVELS
    thresholds = np.unique(np.quantile(known_confidences, levels, method="inverted_cdf"))[::-1]
    places = cluster_places(topics)
    curve: list[SelectedScores] = []
    testing = True
    for threshold in thresholds.tolist():
        kept = confidence >= threshold
        here = kept & labelled
        errors, among = wrong[here].astype(float), places[here].tolist()
        share = float(kept.mean())
        wrong_share = Estimate(None, reason="nothing that is kept has a label")
        if len(errors):
            wrong_share = mean(errors, among, scale="share").estimate(1 - 2 * delta)
        selected = SelectedScores(threshold, share, len(errors), len(set(among)), wrong_share)
        if testing and share >= MIN_KEPT and len(errors) >= fewest_labels(error):
            testing = selected.topics >= MIN_TOPICS and by_t(errors, among, error, delta)
            selected = replace(selected, holds=testing)
        curve.append(selected)
    return tuple(curve)


def fewest_labels(error: float) -> int:
    """Return the number of labels among the kept scores below which no threshold is tested.

    It is :data:`EXPECTED_ERRORS` divided by the allowed ``error``.
    """
    return math.ceil(round(EXPECTED_ERRORS / error, 9))


def trusted_from(curve: Sequence[SelectedScores]) -> float | None:
    """Return the lowest threshold of the curve that is shown to meet the guarantee; None if no threshold is."""
    return next((step.threshold for step in reversed(curve) if step.holds), None)


def by_t(errors: NDArray[np.float64], topics: Sequence[Hashable], error: float, delta: float) -> bool:
    """Return True if the mean of ``errors`` (0 or 1) is significantly below ``error`` at level ``delta``.

    The test is one-sided by t over ``topics``. Both the upper end of the interval and a t corrected for
    skewness must lie below ``error``. With ``S = (mean - error) / s`` per topic and skewness g of C topics,
    the corrected t is ``sqrt(C) (S + g S^2 / 3 + g^2 S^3 / 27 + g / (6 C))``. If nothing is wrong, one error
    is assumed.
    """
    counted = errors if errors.any() else np.append(errors[1:], 1.0)
    error_rate = mean(counted, topics, scale="share")
    high = error_rate.estimate(1 - 2 * delta).high
    if high is None or high > error:
        return False
    kept = error_rate.without[error_rate.present]
    count = len(kept)
    apart = kept.mean() - kept
    spread = math.sqrt((count - 1) * float((apart**2).sum()))
    skew = float((apart**3).mean() / (apart**2).mean() ** 1.5)
    standing = (error_rate.value - error) / spread
    curved = standing + skew * standing**2 / 3 + skew**2 * standing**3 / 27 + skew / (6 * count)
    freedom = min(max(error_rate.freedom, MIN_FREEDOM), count - 1.0)
    return math.sqrt(count) * curved <= -t_quantile(freedom, 1 - 2 * delta)
