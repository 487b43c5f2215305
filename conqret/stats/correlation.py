"""Correlation of two series: Pearson, Spearman and Kendall, each with an interval over the clusters of
``resamples`` (None: the value alone).

All three are computed from what is left without a cluster: sums, ranks among the values, and pairs of
clusters. A correlation is not defined where either series is constant.

The correlations of two rankings of systems (Kendall, Spearman, Pearson, tau-AP-b, tau-GAP: the reference
first, higher scores first) have no interval, are NaN where not defined, and compare scores to the last bit,
as TREC's tools do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.stats.classification import ONE_CATEGORY, paired
from conqret.stats.estimate import CONFIDENCE, MIN_DIFFERENT, Estimate, undefined
from conqret.stats.jackknife import JackknifedEstimate, average, without_value
from conqret.stats.resampling import SAME, Resamples, beside_mode, whole

CONSTANT = "one of the two does not vary"
MAX_ITEMS = 5_000
"""The most items for which Kendall's interval is computed, because it compares every pair of them."""


def pearson(
    first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Compute Pearson's correlation ``cov(x, y) / (sd(x) sd(y))``, in [-1, 1], with its interval over the
    clusters of ``resamples`` (None: no interval).

    It is not defined where a series is constant.

    Raises:
        DeclarationError: the series differ in length, are empty or have gaps.
    """
    first_values, other = paired(first, second)
    if _constant(first_values) or _constant(other):
        return undefined(CONSTANT, len(first_values))
    x, y = (first_values - first_values.mean()) / first_values.std(), (other - other.mean()) / other.std()
    drawn = resamples or whole(len(first_values))
    columns = drawn.sums(np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y]))

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        n, x, y, xx, yy, xy = (weights @ columns).T
        return _ratio(n * xy - x * y, (n * xx - x * x) * (n * yy - y * y), 1e-9 * n**4)

    sampled = drawn.sampled(
        of_weights, len(first_values), scale="correlation", unsure=_unsure(first_values, other)
    )
    return sampled.estimate(confidence)


def concordance(
    first: ArrayLike,
    second: ArrayLike,
    resamples: Resamples | None = None,
    *,
    weights: NDArray[np.float64] | None = None,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Compute Lin's concordance correlation ``1 - mean (x - y)^2 / (var x + var y + (mean x - mean y)^2)``
    (Biometrics 1989), with its interval over the clusters of ``resamples`` (None: no interval).

    Of ratings in whole steps it equals Cohen's kappa with quadratic weights (King and Chinchilli, Statistics in
    Medicine 2001), and it needs no steps: the mean of several annotators is taken as it is. It is not defined where
    all values are equal.

    Raises:
        DeclarationError: the series differ in length, are empty or have gaps.
    """
    x, y = paired(first, second)
    drawn = resamples or whole(len(x))
    each = np.ones_like(x) if weights is None else weights
    sums = drawn.sums(
        np.column_stack([each, each * x, each * y, each * (x - y) ** 2, each * (x * x + y * y)])
    )

    def of_weights(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        n, x, y, apart, squares = (rows @ sums).T
        expected = n * squares - 2 * x * y
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(expected > 1e-9 * n * n, 1 - n * apart / expected, np.nan)

    unsure = _unsure(x, y)
    sampled = drawn.sampled(
        of_weights, len(x), width=5, reason=ONE_CATEGORY, scale="correlation", unsure=unsure
    )
    return sampled.estimate(confidence)


def spearman(
    first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Compute Spearman's rank correlation (1904), in [-1, 1]: Pearson's correlation of the ranks, with
    mean ranks for ties.

    It is not defined where a series is constant. The interval is over the clusters of ``resamples`` (None:
    no interval).

    Raises:
        DeclarationError: the series differ in length, are empty or have gaps.
    """
    return ranked(first, second, resamples).estimate(confidence)


def ranked(first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None) -> JackknifedEstimate:
    """Compute Spearman's rank correlation with its jackknife values, so that it can be averaged and
    compared.

    It is not defined where a series is constant. Without ``resamples`` there are no jackknife values.

    Raises:
        DeclarationError: the series differ in length, are empty or have gaps.
    """
    first_values, other = paired(first, second)
    if _constant(first_values) or _constant(other):
        return replace(without_value(CONSTANT), n=len(first_values))
    drawn = resamples or whole(len(first_values))
    coded = [np.unique(values, return_inverse=True)[1] for values in (first_values, other)]
    tables = [drawn.counts(codes, int(codes.max()) + 1) for codes in coded]

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rank correlation for each row of weights. The mid-rank of a value is the weight below it and half
        the weight at it."""
        of_items, sides = weights[:, drawn.cluster], []
        for codes, table in zip(coded, tables, strict=True):
            counts = weights @ table
            ranks = np.cumsum(counts, axis=1) - counts / 2
            sides.append(ranks[:, codes] - of_items.sum(axis=1, keepdims=True) / 2)
        x, y = sides
        spread = (of_items * x * x).sum(axis=1) * (of_items * y * y).sum(axis=1)
        return _ratio((of_items * x * y).sum(axis=1), spread, 1e-9)

    return drawn.sampled(
        of_weights,
        len(first_values),
        width=6 * len(first_values),
        scale="correlation",
        unsure=_unsure(first_values, other),
    )


def kendall(
    first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Compute Kendall's tau-b: ``(concordant - discordant) / sqrt(pairs untied in x * pairs untied in y)``
    (1945), in [-1, 1].

    It is not defined where a series is constant. The interval is over the clusters of ``resamples`` (None:
    no interval); above :data:`MAX_ITEMS` items there is none.

    Raises:
        DeclarationError: the series differ in length, are empty or have gaps.
    """
    first_values, other = paired(first, second)
    if _constant(first_values) or _constant(other):
        return undefined(CONSTANT, len(first_values))
    value = _kendall(first_values, other)
    if resamples is None:
        return Estimate(value, n=len(first_values))
    if len(first_values) > MAX_ITEMS:
        return Estimate(value, n=len(first_values), reason=f"no interval above {MAX_ITEMS} items")
    without = _taus(first_values, other, resamples)
    sampled = JackknifedEstimate(
        value,
        without,
        resamples.present(),
        len(first_values),
        scale="correlation",
        unsure=_unsure(first_values, other),
    )
    return sampled.estimate(confidence)


def _unsure(first_values: NDArray[np.float64], other: NDArray[np.float64]) -> str:
    """Why there is no interval: one of the two is nearly constant."""
    few = min(beside_mode(first_values), beside_mode(other))
    rare = few < MIN_DIFFERENT <= len(first_values)
    return f"one of the two differs in fewer than {MIN_DIFFERENT} items" if rare else ""


def _constant(values: NDArray[np.float64]) -> bool:
    return bool(values.max() - values.min() <= SAME * abs(values).max())


def _ratio(
    shared: NDArray[np.float64], spread: NDArray[np.float64], least: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """``shared / sqrt(spread)`` in [-1, 1]; NaN where the spread is not above ``least``."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.where(spread > least, shared / np.sqrt(spread), np.nan), -1, 1)


def _taus(
    first_values: NDArray[np.float64], other: NDArray[np.float64], resamples: Resamples
) -> NDArray[np.float64]:
    size = resamples.clusters
    score, untied, apart = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    for place in range(len(first_values)):
        x, y = np.sign(first_values[place] - first_values), np.sign(other[place] - other)
        row = resamples.cluster[place]
        score[row] += np.bincount(resamples.cluster, weights=x * y, minlength=size)
        untied[row] += np.bincount(resamples.cluster, weights=x * x, minlength=size)
        apart[row] += np.bincount(resamples.cluster, weights=y * y, minlength=size)
    weights = resamples.weights
    forms = [((weights @ matrix) * weights).sum(axis=1) for matrix in (score, untied, apart)]
    return _ratio(forms[0], forms[1] * forms[2], 0.0)


MIN_RATED = 20
"""The fewest units that a rater shares with others; with fewer, that rater's correlation is noise."""
NO_RATER = f"no annotator labeled {MIN_RATED} units that others labeled, too"


def one_against_others(
    table: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Compute the mean over raters of Spearman's correlation of one rater with the mean of all others.

    ``table`` has raters by units, NaN where there is no rating. A rater counts with at least
    :data:`MIN_RATED` units that others rated, too, if its correlation is defined; ``n`` is the number of such
    raters, and without any the mean is not defined. Jackknife values average over the raters whose
    correlation is then still defined.
    """
    labels = np.asarray(table, dtype=float)
    drawn = resamples or whole(labels.shape[1])
    there = ~np.isnan(labels)
    counts, sums = there.sum(axis=0), np.where(there, labels, 0.0).sum(axis=0)
    single = []
    for row, has in zip(labels, there, strict=True):
        shared = has & (counts > 1)
        if shared.sum() >= MIN_RATED:
            others = (sums - row)[shared] / (counts - 1)[shared]
            correlation = ranked(row[shared], others, drawn.for_items(shared))
            if correlation.defined:
                single.append(correlation)
    if not single:
        return undefined(NO_RATER)
    without = np.stack([correlation.without for correlation in single])
    return replace(
        single[0],
        value=float(np.mean([correlation.value for correlation in single])),
        without=_mean(without),
        present=np.any([correlation.present for correlation in single], axis=0),
        n=len(single),
        unsure=single[0].unsure if all(correlation.unsure for correlation in single) else "",
    ).estimate(confidence)


def mean_of_raters(each: Sequence[JackknifedEstimate]) -> JackknifedEstimate:
    """Return the mean of the raters' estimates that are defined.

    Each jackknife value is a mean over the estimates that are defined without that cluster. So a rater with
    few topics does not remove the interval of all others.
    """
    mean = average(each)
    if not mean.defined or not len(mean.without):
        return mean
    without = np.stack([rater.without for rater in each if rater.defined])
    return replace(mean, without=_mean(without))


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The means over the rows that have a value; NaN where none has."""
    counts = (~np.isnan(values)).sum(axis=0)
    return np.asarray(
        np.divide(np.nansum(values, axis=0), counts, out=np.full(values.shape[1], np.nan), where=counts > 0)
    )


MIN_SYSTEMS = 3
"""Two systems have one order or the other: a correlation of their ranks says nothing."""


def too_crowded(systems: int, topics: int) -> str:
    """Return why a ranking of ``systems`` by means over ``topics`` has no interval; empty where it may have
    one.

    Noise in the means swaps systems with similar scores, which lowers the coefficient. The bias grows with
    the number of systems and shrinks with that of topics. With more systems than topics, intervals lie below
    the truth too often (docs/results/statistics.md).
    """
    if systems <= topics:
        return ""
    return f"{systems} systems on {topics} topics, and as many topics as systems are needed"


def tau_ap(truth: ArrayLike, judged: ArrayLike) -> float:
    """Compute the symmetric tau-AP-b of two scorings, in [-1, 1]: a rank correlation in which errors near
    the top weigh more.

    It is the mean with either scoring as the reference, with ties (Cheng et al., after Yilmaz, Aslam and
    Robertson 2008): ``2 / m sum_i (share of those above i that the other one has above i, too) - 1`` over
    the m systems i outside the first group of ties; 0 where all tie.
    """
    true_values, other = np.asarray(truth, dtype=float), np.asarray(judged, dtype=float)
    return (_tau_ap(true_values, other) + _tau_ap(other, true_values)) / 2


def tau_gap(truth: ArrayLike, judged: ArrayLike) -> float:
    """Compute a top-weighted rank correlation that weighs each error by its gap in the reference (Gao and
    Oard, SIGIR 2015).

    ``truth`` are the reference scores of systems, ``judged`` those of a judge in the same order. It is
    ``2 / m sum_i (gaps above i in the right order / gaps above i) - 1`` over the m places i of the
    judged list with any gap above them. Ties of the judged scores keep their given order. It is NaN where all
    reference scores are equal.
    """
    scores = np.asarray(truth, dtype=float)[np.argsort(-np.asarray(judged, dtype=float), kind="stable")]
    gaps = np.tril(scores[None, :] - scores[:, None], -1)  # row i: how far each one above i is beyond it
    every = abs(gaps).sum(axis=1)
    right = gaps.clip(min=0).sum(axis=1)
    counted = every > 0
    if not counted.any():
        return float("nan")
    return float(2 * (right[counted] / every[counted]).sum() / counted.sum() - 1)


def _kendall(truth: ArrayLike, judged: ArrayLike) -> float:
    """Kendall's tau-b."""
    from scipy.stats import kendalltau  # scipy.stats takes longer to import than most commands do

    return float(kendalltau(truth, judged).statistic)


def _pearson(truth: ArrayLike, judged: ArrayLike) -> float:
    """``cov(x, y) / (sd(x) sd(y))``."""
    true_values, other = np.asarray(truth, dtype=float), np.asarray(judged, dtype=float)
    if np.ptp(true_values) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(true_values, other)[0, 1])


def _spearman(truth: ArrayLike, judged: ArrayLike) -> float:
    """Pearson's correlation of the ranks, ties at their mean rank."""
    from scipy.stats import rankdata

    return _pearson(rankdata(truth), rankdata(judged))


COEFFICIENTS: Mapping[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "kendall": _kendall,
    "pearson": _pearson,
    "spearman": _spearman,
    "tauap_b": tau_ap,
    "tau_gap": tau_gap,
}
"""The rank correlations by the names that auto-judge-evaluate gives them."""


def _tau_ap(scores: NDArray[np.float64], ranking: NDArray[np.float64]) -> float:
    """tau-AP of ``scores`` along ``ranking``, the mean over all that have another one above them."""
    above = ranking[None, :] > ranking[:, None]
    agree = (above & (scores[None, :] > scores[:, None])).sum(axis=1)
    count = above.sum(axis=1)
    counted = count > 0
    return float(2 * (agree[counted] / count[counted]).sum() / counted.sum() - 1) if counted.any() else 0.0
