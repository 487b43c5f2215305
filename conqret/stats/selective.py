"""Thresholds on confidence that carry a risk guarantee: at which confidence and above a judge's scores are
kept.

Thresholds are tested by Learn then Test (Angelopoulos et al., Annals of Applied Statistics 2025): one after
the other, from one that keeps little to one that keeps all, each at the full ``delta`` (fixed sequence), and
testing stops at the first that does not hold. So the chance that any threshold is taken whose error is above
the guarantee is at most ``delta``, whatever the shape of the curve. Topics are what is drawn, not items.

Selective prediction bounds the share of errors among what is kept, tested on the scale of log odds; a
cascade bounds how many more errors it makes than its last judge alone, tested on paired differences. Both
tests are a t by the jackknife over topics, twice: the interval that is shown ends below the guarantee, and
so does a t corrected for how skewed topics are (Johnson, JASA 1978; Hall, JRSS-B 1992). They take the topics
that were not seen to be like those that were; how often they fail was simulated (docs/results/abstention.md,
docs/results/cascade.md).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conqret.stats.estimate import MIN_FREEDOM, MIN_TOPICS, Estimate, t_quantile
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import cluster_places, mean

LEVELS = 20
"""The number of thresholds: shares of all scores that are kept, in steps of a twentieth."""
MIN_KEPT = 0.2
"""The share of scores kept by the first threshold that is tested: smaller ones are rarely of use, and each
one more has to hold.
"""
EXPECTED_ERRORS = 5
"""The errors that the first threshold is expected to show if its error is the guaranteed one: with fewer a
test shows nothing.
"""
MORE_TOPICS = 50
"""How many numbers of topics, up to a hundred times the present one, are tried to say how many are needed."""


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
    ``topics`` has the topic of each score. Thresholds are tested in turn until the first that fails; ``holds``
    of the later ones is None, as it is of those that keep too few scores or labels to be tested.

    Args:
        error: the share of wrong scores that the risk guarantee allows.
        delta: the probability with which the guarantee may fail.
    """
    places = cluster_places(topics)
    curve: list[SelectedScores] = []
    testing = True
    for threshold in _thresholds(confidence):
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
    """Return the fewest labels among the kept scores with which a threshold is tested:
    :data:`EXPECTED_ERRORS` divided by the allowed ``error`` (a share above 0), rounded up.
    """
    return math.ceil(round(EXPECTED_ERRORS / error, 9))


def trusted_from(curve: Sequence[SelectedScores | CascadeStep]) -> float | None:
    """Return the lowest threshold of the curve that is shown to meet the guarantee; None if no threshold is."""
    return next((step.threshold for step in reversed(curve) if step.holds), None)


def _thresholds(confidence: NDArray[np.float64]) -> list[float]:
    """The confidences from which on a twentieth, two twentieths … of all scores are kept, the highest first."""
    levels = 1 - np.arange(1, LEVELS + 1) / LEVELS
    known = confidence[~np.isnan(confidence)]
    thresholds: list[float] = np.unique(np.quantile(known, levels, method="inverted_cdf"))[::-1].tolist()
    return thresholds


def by_t(errors: NDArray[np.float64], topics: Sequence[Hashable], error: float, delta: float) -> bool:
    """Return True if the mean of ``errors`` (0 or 1) is significantly below ``error`` at level ``delta``.

    The test is one-sided by t over ``topics``. If nothing is wrong, one error is assumed.
    """
    counted = errors if errors.any() else np.append(errors[1:], 1.0)
    return _is_below(mean(counted, topics, scale="share"), error, delta)


def _is_below(estimate: JackknifedEstimate, limit: float, delta: float, times: float = 1.0) -> bool:
    """Return whether the upper end of the interval and a t corrected for skewness, both with an error of ``delta``, lie
    below ``limit``.

    With ``S = (value - limit) / s`` per topic and skewness g of C topics, the corrected t is
    ``sqrt(C) (S + g S^2 / 3 + g^2 S^3 / 27 + g / (6 C))``. ``times`` as many topics are assumed.
    """
    high = estimate.estimate(1 - 2 * delta).high
    if high is None or estimate.value + (high - estimate.value) / math.sqrt(times) > limit:
        return False
    kept = estimate.without[estimate.present]
    apart, count = kept.mean() - kept, len(kept) * times
    spread = math.sqrt((len(kept) - 1) * float((apart**2).sum()))
    skew = float((apart**3).mean() / (apart**2).mean() ** 1.5)
    standing = (estimate.value - limit) / spread
    curved = standing + skew * standing**2 / 3 + skew**2 * standing**3 / 27 + skew / (6 * count)
    freedom = min(max(estimate.freedom * times, MIN_FREEDOM), count - 1.0)
    return math.sqrt(count) * curved <= -t_quantile(freedom, 1 - 2 * delta)


@dataclass(frozen=True, slots=True)
class CascadeStep:
    """One threshold of a cascade: the first judge keeps items with a confidence of at least ``threshold``.

    ``share`` is the share of items that it keeps: so many calls of the last judge are saved. ``extra`` has for each
    metric how many more errors the cascade makes than the last judge alone, as a share of all labeled scores, with an
    interval of confidence ``1 - 2 delta``. ``holds`` is True if the guarantee is shown to hold for all metrics, and
    None if it was not tested. ``topics`` is about how many labeled topics would show it, if these estimates are right;
    None if it holds, or no number would.
    """

    threshold: float
    share: float
    extra: tuple[Estimate, ...]
    holds: bool | None = None
    topics: int | None = None


def cascade_curve(
    confidence: NDArray[np.float64],
    cheap_errors: NDArray[np.float64],
    llm_errors: NDArray[np.float64],
    topics: Sequence[Hashable],
    *,
    margin: float,
    delta: float,
) -> tuple[CascadeStep, ...]:
    """Compute how many more errors each threshold of a cascade makes than its last judge, and test them in turn, from
    the strictest, until the first that fails.

    Args:
        confidence: the first judge's confidence in each item; NaN where it has none, so that it never keeps the item.
        cheap_errors: by item and metric, 1 where the first judge is wrong and 0 where it is right; NaN without a label.
        llm_errors: the same of the last judge.
        topics: the topic of each item.
        margin: how many more errors the guarantee allows, as a share of all scores.
        delta: the probability with which the guarantee may fail.
    """
    differences, places = cheap_errors - llm_errors, cluster_places(topics)
    curve: list[CascadeStep] = []
    testing = True
    for threshold in _thresholds(confidence):
        kept = confidence >= threshold
        each = [_ExtraErrors.from_difference(difference, kept, places) for difference in differences.T]
        step = CascadeStep(
            threshold, float(kept.mean()), tuple(extra.mean.estimate(1 - 2 * delta) for extra in each)
        )
        if testing:
            testing = all(extra.are_few(margin, delta) for extra in each)
            step = replace(
                step, holds=testing, topics=None if testing else _topics_needed(each, margin, delta)
            )
        curve.append(step)
    return tuple(curve)


@dataclass(frozen=True, slots=True)
class _ExtraErrors:
    """How many more errors a cascade makes in one metric; ``labelled`` kept items have a label.

    The difference is 0 where the last judge judges. ``seen`` is False if no kept item is an error of the first judge
    alone.
    """

    mean: JackknifedEstimate
    labelled: int
    seen: bool

    @classmethod
    def from_difference(
        cls, difference: NDArray[np.float64], kept: NDArray[np.bool_], places: NDArray[np.intp]
    ) -> _ExtraErrors:
        there, of_kept = ~np.isnan(difference), difference[kept]
        extra = mean(np.where(kept, difference, 0.0)[there], places[there])
        return cls(extra, int((~np.isnan(of_kept)).sum()), bool((of_kept > 0).any()))

    def are_few(self, margin: float, delta: float, times: float = 1.0) -> bool:
        """Whether they are shown to be few, or would be with ``times`` as many topics like these.

        They are few if the labeled items that are kept are at most the share ``margin`` of all, and never shown to be
        with fewer than :data:`MIN_TOPICS` topics. Where none is seen, topics do not say how rare they are; a binomial
        test does: none of ``n`` kept items is one with the probability ``(1 - margin / share)^n`` at most.
        """
        share = self.labelled / self.mean.n
        if self.mean.clusters * times < MIN_TOPICS:
            return False
        if share <= margin:
            return True
        if self.seen:
            return _is_below(self.mean, margin, delta, times)
        return bool((1 - margin / share) ** (self.labelled * times) <= delta)


def _topics_needed(each: Sequence[_ExtraErrors], margin: float, delta: float) -> int | None:
    """About how many topics like these would show it for all metrics; None if a hundred times as many would not."""
    topics = max(extra.mean.clusters for extra in each)
    for step in range(1, MORE_TOPICS + 1):
        times = math.pow(100, step / MORE_TOPICS)
        if all(extra.are_few(margin, delta, times) for extra in each):
            return math.ceil(topics * times)
    return None
