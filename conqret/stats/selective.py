"""Which scores can be trusted: a threshold on confidence that keeps a promise about the errors of what is kept.

Learn then Test (Angelopoulos et al., Annals of Applied Statistics 2025): thresholds are tested one after the other,
from one that keeps little to one that keeps all, and testing stops at the first that does not hold. Each is tested at
the full ``delta`` (fixed sequence), so the chance that any threshold is taken whose error is above the promise is at
most ``delta``, whatever the shape of the curve. Topics are what is drawn, not items. The test is a t of the share of
errors among all that is kept, by the jackknife over topics, twice: on the scale of log odds (the interval that is shown
ends below the promise), and corrected for how skewed topics are (Johnson, JASA 1978; Hall, JRSS-B 1992). It takes the
topics that were not seen to be like those that were; how often it fails was simulated (docs/results/abstention.md).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conqret.stats.estimate import FEWEST_TESTED, LEAST_FREEDOM, Estimate
from conqret.stats.resampling import cluster_places, mean
from conqret.stats.student import quantile

LEVELS = 20
"""Shares of all scores that are kept, in steps of a twentieth."""
LEAST_KEPT = 0.2
"""The share from which on thresholds are tested: fewer are rarely of use, and each one more has to hold."""
EXPECTED_ERRORS = 5
"""Errors that the first threshold is to show if its error is as promised: with fewer a test says nothing."""


@dataclass(frozen=True, slots=True)
class SelectedScores:
    """What a threshold on confidence keeps: the ``share`` of all scores, how many of the labelled ones, on so many
    topics, and the share of these that are wrong, with its interval of ``1 - 2 delta``. ``holds`` says whether the
    promise is shown to be kept (None: it was not tested)."""

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

    The arrays are over all scores: their ``confidence`` (NaN: none is said, and it is never kept), whether people
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
        selected = SelectedScores(
            threshold, share, len(errors), len(set(among)), _share(errors, among, delta)
        )
        if testing and share >= LEAST_KEPT and len(errors) >= fewest_labels(error):
            testing = selected.topics >= FEWEST_TESTED and by_t(errors, among, error, delta)
            selected = replace(selected, holds=testing)
        curve.append(selected)
    return tuple(curve)


def fewest_labels(error: float) -> int:
    """The labels among what is kept, below which no threshold is tested: :data:`EXPECTED_ERRORS` over the promise."""
    return math.ceil(round(EXPECTED_ERRORS / error, 9))


def trusted_from(curve: Sequence[SelectedScores]) -> float | None:
    """The threshold from which on scores are kept; None where none is shown to keep the promise."""
    return next((step.threshold for step in reversed(curve) if step.holds), None)


def _share(errors: NDArray[np.float64], topics: Sequence[int], delta: float) -> Estimate:
    if not len(errors):
        return Estimate(None, reason="nothing that is kept has a label")
    return mean(errors, topics, scale="share").estimate(1 - 2 * delta)


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
    freedom = min(max(error_rate.freedom, LEAST_FREEDOM), count - 1.0)
    return math.sqrt(count) * curved <= -quantile(freedom, 1 - 2 * delta)
