"""Paired effects over topics: how far a change moved a score, and whether chance explains it.

Several effects that are looked at together are corrected together: the signs of whole topics are flipped in
all of them at once, and each is compared with the largest that such a flip yields anywhere (Westfall and
Young 1993, section 2.6; the single-step maxT). Where nothing moves the scores, all signs are equally likely,
so a false alarm is raised anywhere with a probability of at most alpha, however many effects there are and
however they correlate.

The mean over topics (:func:`topic_mean`) is a random-effects estimate: a mean over items gives a topic of
twelve items twelve times the weight of one with a single item, although items of one topic are correlated.
With the mean m_c of the n_c values of topic c, their pooled variance s^2 within topics and the variance t^2
between them, ``mu = sum w_c m_c / sum w_c`` with ``w_c = 1 / (t^2 + s^2 / n_c)`` has the least variance. t^2
is that of Paule and Mandel (1982), for which ``sum w_c (m_c - mu)^2`` is C - 1; the interval is that of
Hartung and Knapp (2001), ``mu +- t_(C-1) (sum w_c (m_c - mu)^2 / ((C - 1) sum w_c))^(1/2)``. Where large
topics differ from small ones, the mean over topics is another number than the mean over items.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.stats.estimate import (
    CONFIDENCE,
    MIN_TOPICS,
    TOLERANCE,
    UNVARIED,
    Estimate,
    t_quantile,
    t_tail,
    too_few,
)
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import cluster_places, mean_interval

ALPHA = 0.05
"""The level of significance (ConQRet, Table 4)."""


def p_words(p: float) -> str:
    """Return a p-value as text with three decimals, such as "p = 0.012" or "p < 0.001"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def sign_p(ups: int, downs: int) -> float:
    """Return the two-sided exact p-value of the sign test of ``ups`` against ``downs``.

    It is ``2 sum_(k <= min) C(n, k) / 2^n``, at most 1. Ties are not counted.
    """
    n = ups + downs
    return min(1.0, sum(comb(n, k) for k in range(min(ups, downs) + 1)) / 2.0 ** (n - 1))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p-values (1979), in the given order; None (no test) stays None.

    With p_(1) <= ... <= p_(m): ``adjusted_(i) = max over j <= i of min(1, (m - j + 1) p_(j))``. The
    family-wise error is at most alpha if those below alpha are called significant.
    """
    raw = np.array([p for p in p_values if p is not None])
    order = np.argsort(raw)
    adjusted = np.empty_like(raw)
    adjusted[order] = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    tested = iter(adjusted.clip(max=1.0).tolist())
    return [None if p is None else next(tested) for p in p_values]


EXACT_CLUSTERS = 14
"""With up to so many clusters every pattern of signs is tried: 8,192, because a flip of all signs changes
nothing.
"""

FLIPS = 9_999
"""The patterns drawn where there are more clusters: the smallest p-value is then 0.0001."""

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class PairedDifferences:
    """The paired differences (changed minus base) of one series, with the cluster of each pair.

    If ``rising`` is True, only a rise is tested; otherwise the test is two-sided.
    """

    differences: Sequence[float] | NDArray[np.float64]
    clusters: Sequence[Hashable]
    rising: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect in one series of paired differences.

    - ``value``: the mean difference; ``low`` and ``high``: its interval over clusters (None with too few).
    - ``standardised``: the mean of the cluster means over their standard deviation (d_z); None without
    variation.
    - ``moved``: the mean absolute difference; ``share``: the share of the n pairs that changed at all.
    - ``p``: two-sided, or one-sided for a rise, corrected for all effects of the call; None if not tested.
    """

    value: float
    low: float | None
    high: float | None
    standardised: float | None
    moved: float
    share: float
    p: float | None
    n: int
    clusters: int

    def __str__(self) -> str:
        return (
            f"{self.value:+z.3f}"
            if self.low is None
            else f"{self.value:+z.3f} [{self.low:+z.3f}, {self.high:+z.3f}]"
        )


def paired_effects(
    series: Sequence[PairedDifferences],
    rng: np.random.Generator,
    *,
    tested: bool = True,
) -> list[Effect]:
    """Compute the effect of each series of paired differences; p-values are corrected over all series.

    Clusters of the same name in different series are the same topic. ``rng`` draws the sign patterns where
    they are too many. With ``tested`` False there are no p-values. Without series the result is empty.

    Raises:
        DeclarationError: a series is empty, holds a value that is not finite, or does not have one cluster
            for each value.
    """
    if not series:
        return []
    intervals = [mean_interval(sample.differences, sample.clusters) for sample in series]
    p_values: Sequence[float | None] = sign_flip_p(series, rng) if tested else [None] * len(series)
    effects = []
    for paired, interval, p in zip(series, intervals, p_values, strict=True):
        data = np.asarray(paired.differences, dtype=float)
        which = cluster_places(paired.clusters)
        means = np.bincount(which, weights=data) / np.bincount(which)
        spread = float(means.std(ddof=1)) if len(means) > 1 else 0.0
        effects.append(
            Effect(
                value=float(data.mean()),
                low=interval.low,
                high=interval.high,
                standardised=float(means.mean()) / spread if spread > _TOLERANCE else None,
                moved=float(np.abs(data).mean()),
                share=float((np.abs(data) > _TOLERANCE).mean()),
                p=p,
                n=len(data),
                clusters=len(means),
            )
        )
    return effects


def sign_flip_p(series: Sequence[PairedDifferences], rng: np.random.Generator) -> list[float]:
    """Compute p-values by flipping the signs of clusters, corrected by the maximum over all series.

    With ``S_c`` the sum of the differences in cluster c, the statistic is ``T = |sum_c S_c| / sqrt(sum_c
    S_c^2)``, without absolute value where only a rise is tested. ``p`` is the share of sign patterns, the
    observed one included, whose largest T over all series is at least the series' own.
    """
    columns = np.repeat(np.arange(len(series)), [len(paired.differences) for paired in series])
    places = cluster_places(chain.from_iterable(paired.clusters for paired in series))
    sums = np.zeros((int(places.max()) + 1, len(series)))
    np.add.at(sums, (places, columns), np.concatenate([paired.differences for paired in series]))
    size = np.sqrt((sums**2).sum(axis=0))
    scaled = np.divide(sums, size, out=np.zeros_like(sums), where=size > _TOLERANCE)
    rising = np.array([paired.rising for paired in series])
    flipped = _signs(len(sums), rng) @ scaled
    if rising.any():  # turned round, a pattern says something else of a rise
        flipped = np.concatenate([flipped, -flipped])
    largest = np.where(rising, flipped, np.abs(flipped)).max(axis=1)
    statistics = np.where(rising, flipped[0], np.abs(flipped[0]))
    return [float((largest >= statistic - _TOLERANCE).mean()) for statistic in statistics]


def largest_p(
    estimates: Sequence[JackknifedEstimate],
    sizes: Sequence[float] | NDArray[np.float64],
    rng: np.random.Generator,
) -> list[float | None]:
    """Compute two-sided p-values of "the statistic is 0" for several statistics, corrected over all of them.

    All must leave out the same clusters; ``sizes`` are the numbers of their items. Signs of clusters are
    flipped as in :func:`sign_flip_p`. The contribution of a cluster with n_c of n items is ``n_c / n`` times
    its pseudo-value ``h theta - (h - 1) theta_(-c)`` with ``h = n / n_c`` (delete-m jackknife: Busing, Meijer
    and van der Leeden 1999). A p-value is None where :meth:`conqret.stats.jackknife.JackknifedEstimate.above`
    is None.
    """
    tested = [place for place, estimate in enumerate(estimates) if estimate.above() is not None]
    share = np.asarray(sizes, dtype=float) / np.sum(sizes)
    series = []
    for estimate in (estimates[place] for place in tested):
        names = np.flatnonzero(estimate.present)
        pseudo_value = estimate.value - (1 - share[names]) * estimate.without[names]
        series.append(PairedDifferences(pseudo_value, names.tolist()))
    p_values = dict(zip(tested, sign_flip_p(series, rng) if series else [], strict=True))
    return [p_values.get(place) for place in range(len(estimates))]


def _signs(clusters: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Patterns of signs, the one of all pluses first."""
    if clusters <= EXACT_CLUSTERS:
        rest = list(product((1.0, -1.0), repeat=max(clusters - 1, 0)))
        return np.column_stack([np.ones(len(rest)), np.array(rest).reshape(len(rest), -1)])[:, :clusters]
    drawn = rng.choice([1.0, -1.0], size=(FLIPS, clusters))
    return np.concatenate([np.ones((1, clusters)), drawn])


_HALVINGS = 80


@dataclass(frozen=True, slots=True)
class TopicMean:
    """The mean over topics with its interval (``estimate``) and its p-value.

    ``p`` is two-sided, for "the mean is 0"; None below six topics, or where topics do not vary.
    """

    estimate: Estimate
    p: float | None


def topic_mean(values: ArrayLike, topics: Sequence[Hashable], *, confidence: float = CONFIDENCE) -> TopicMean:
    """Compute the mean of ``values`` over topics by a random-effects model, with its interval and p-value;
    ``topics`` has the topic of each value.

    With too few topics it is the plain mean of the topics' means, without an interval.
    """
    data = np.asarray(values, dtype=float)
    which = cluster_places(topics)
    sizes = np.bincount(which).astype(float)
    means = np.bincount(which, weights=data) / sizes
    count = len(sizes)
    if few := too_few(count if count > 1 else 0):
        return TopicMean(Estimate(float(means.mean()), n=len(data), reason=few), None)
    left = len(data) - count
    within = float(((data - means[which]) ** 2).sum()) / left if left else 0.0
    errors = within / sizes
    between = variance_between(means, errors) if within > TOLERANCE**2 else float(means.var(ddof=1))
    if between <= TOLERANCE**2 and within <= TOLERANCE**2:
        return TopicMean(Estimate(float(means.mean()), n=len(data), reason=UNVARIED), None)
    weights = 1 / (between + errors)
    centre = float((weights * means).sum() / weights.sum())
    error = float(((weights * (means - centre) ** 2).sum() / ((count - 1) * weights.sum())) ** 0.5)
    reach = t_quantile(count - 1, confidence) * error
    p = t_tail(abs(centre) / error, count - 1) if count >= MIN_TOPICS and error > TOLERANCE else None
    return TopicMean(Estimate(centre, centre - reach, centre + reach, len(data)), p)


def variance_between(means: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """Estimate the variance between topics by Paule and Mandel's method, by bisection.

    ``means`` are the means of topics, ``errors`` their squared standard errors, all above 0.
    """

    def spread(variance: float) -> float:
        weights = 1 / (variance + errors)
        centre = (weights * means).sum() / weights.sum()
        return float((weights * (means - centre) ** 2).sum()) - (len(means) - 1)

    if spread(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(means.var(ddof=1)) + float(errors.max())
    while spread(high) > 0:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if spread(middle) > 0 else (low, middle)
    return high
