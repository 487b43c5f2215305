"""How far one scoring orders systems as another does: Kendall, Spearman, Pearson, tau-AP-b and tau-GAP.

Each takes two series of the same systems, the reference first; higher scores stand earlier. It is NaN where it is not
defined. Scores are taken to the last bit, as TREC's tools take them: :mod:`conqret.stats.correlation` holds those that
rounding alone tells apart for equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kendalltau, rankdata

FEWEST_SYSTEMS = 3
"""Two systems have one order or the other: a correlation of their ranks says nothing."""


def too_crowded(systems: int, topics: int) -> str:
    """Why the ranking of ``systems`` by their means over ``topics`` has no interval; empty where it may have one.

    Noise in the means puts systems that are close into a wrong order, so that a coefficient is lower than the true one:
    the more so, the more systems there are and the fewer topics. With more systems than topics the interval lies below
    the truth too often (docs/results/statistics.md)."""
    if systems <= topics:
        return ""
    return f"{systems} systems on {topics} topics, and as many topics as systems are needed"


def tau_ap(truth: ArrayLike, judged: ArrayLike) -> float:
    """The mean of tau-AP with either scoring as the reference, with ties (Cheng et al., tau-AP-b, after Yilmaz,
    Aslam and Robertson 2008): an error among the best weighs more.

    ``2 / m sum_i (share of those above i that the other one has above i, too) - 1`` over the m systems i that are not
    in the first group of ties; 0 where all tie.
    """
    true_values, other = np.asarray(truth, dtype=float), np.asarray(judged, dtype=float)
    return (_tau_ap(true_values, other) + _tau_ap(other, true_values)) / 2


def tau_gap(truth: ArrayLike, judged: ArrayLike) -> float:
    """Head-weighted and by the size of the gaps in the reference (Gao and Oard, SIGIR 2015).

    ``2 / m sum_i (gaps above i in the right order / gaps above i) - 1`` over the m places i of the judged list that
    have any gap above them; ties of the judged scores stand as given.
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
    return float(kendalltau(truth, judged).statistic)


def _pearson(truth: ArrayLike, judged: ArrayLike) -> float:
    """``cov(x, y) / (sd(x) sd(y))``."""
    true_values, other = np.asarray(truth, dtype=float), np.asarray(judged, dtype=float)
    if np.ptp(true_values) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(true_values, other)[0, 1])


def _spearman(truth: ArrayLike, judged: ArrayLike) -> float:
    """Pearson's correlation of the ranks, ties at their mean rank."""
    return _pearson(rankdata(truth), rankdata(judged))


COEFFICIENTS: Mapping[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "kendall": _kendall,
    "pearson": _pearson,
    "spearman": _spearman,
    "tauap_b": tau_ap,
    "tau_gap": tau_gap,
}
"""By the names that auto-judge-evaluate gives them."""


def _tau_ap(scores: NDArray[np.float64], ranking: NDArray[np.float64]) -> float:
    """tau-AP of ``scores`` along ``ranking``, the mean over all that have another one above them."""
    above = ranking[None, :] > ranking[:, None]
    agree = (above & (scores[None, :] > scores[:, None])).sum(axis=1)
    count = above.sum(axis=1)
    counted = count > 0
    return float(2 * (agree[counted] / count[counted]).sum() / counted.sum() - 1) if counted.any() else 0.0
