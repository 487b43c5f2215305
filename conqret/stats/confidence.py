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

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from conqret.errors import DeclarationError
from conqret.stats.estimate import MIN_FREEDOM, MIN_TOPICS, Estimate, t_quantile
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import cluster_places, leave_one_out, mean, mean_interval, snapped

BANDS = 5
"""Bands of what is said, of as many units each."""


@dataclass(frozen=True, slots=True)
class Band:
    """Units of which much the same is said: the means of the judge's and of the human scores, in [0, 1]."""

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
    human: NDArray[np.float64],
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
            for series in (predicted, human)
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


LEVELS = 20
"""Shares of all scores that are kept, in steps of a twentieth."""
MIN_KEPT = 0.2
"""The share from which on thresholds are tested: fewer are rarely of use, and each one more has to hold."""
EXPECTED_ERRORS = 5
"""Errors that the first threshold is to show if its error is the guaranteed one: with fewer a test says nothing."""


@dataclass(frozen=True, slots=True)
class SelectedScores:
    """What a threshold on confidence keeps: the ``share`` of all scores, how many of the labeled ones, on so many
    topics, and the share of these that are wrong, with its interval of ``1 - 2 delta``. ``holds`` says whether the
    guarantee is shown to hold (None: it was not tested)."""

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
    """The curve of error over coverage, from the strictest threshold to that which keeps everything.

    The arrays are over all scores: their ``confidence`` (NaN: none is said, and it is never kept), whether annotators
    ``labelled`` them, whether they are ``wrong`` (read only where they are), and their topics. Where testing starts is
    said by confidences and numbers of labels alone.
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
    """The labels among what is kept, below which no threshold is tested: :data:`EXPECTED_ERRORS` over the
    guarantee."""
    return math.ceil(round(EXPECTED_ERRORS / error, 9))


def trusted_from(curve: Sequence[SelectedScores]) -> float | None:
    """The threshold from which on scores are kept; None where none is shown to meet the guarantee."""
    return next((step.threshold for step in reversed(curve) if step.holds), None)


def by_t(errors: NDArray[np.float64], topics: Sequence[Hashable], error: float, delta: float) -> bool:
    """Whether the mean of ``errors`` (0 or 1) is below ``error`` by one-sided t over ``topics`` at ``delta``: by the
    end of its interval, and by the t that is corrected for skewness.

    With ``S = (mean - error) / s`` per topic, s the jackknife's, and g the skewness of the topics, the t of C topics is
    ``sqrt(C) (S + g S^2 / 3 + g^2 S^3 / 27 + g / (6 C))``. Where nothing is wrong, it is as if one thing were.
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
