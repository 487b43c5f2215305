"""How often the judge says what people say, beside how often that would be so for one who always said the same.

The first series is people's, the second the judge's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.confusion import of_categories, paired
from conqret.stats.estimate import CONFIDENCE, FEWEST_DIFFERENT, Estimate, undefined
from conqret.stats.resampling import Resamples, whole


@of_categories()
def base_rate(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of people's most frequent category: the accuracy of always saying that one."""
    return np.asarray(tables.sum(axis=2).max(axis=1) / tables.sum(axis=(1, 2)))


@of_categories(over_items=True)
def accuracy(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of items on which both say the same."""
    return np.asarray(tables.trace(axis1=1, axis2=2) / tables.sum(axis=(1, 2)))


@of_categories("there is one category only, or the higher one is never used", macro=True)
def f1(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """``2 tp / (2 tp + fp + fn)`` of the higher category where there are two, else the mean over those in use (macro).

    Not defined where there are two categories and neither people nor judge ever use the higher one.
    """
    scores = 2 * np.diagonal(tables, axis1=1, axis2=2) / (tables.sum(axis=1) + tables.sum(axis=2))
    if tables.shape[1] < 2:
        return np.full(len(tables), np.nan)
    return np.asarray(scores[:, -1] if tables.shape[1] == 2 else np.nanmean(scores, axis=1))


@of_categories("there are not two categories, or the judge never uses the higher one")
def precision(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """``tp / (tp + fp)`` of the higher of two categories: how often people say it where the judge does."""
    return _of_higher(tables, 1)


@of_categories("there are not two categories, or annotators never use the higher one")
def recall(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """``tp / (tp + fn)`` of the higher of two categories: how often the judge says it where people do."""
    return _of_higher(tables, 2)


@of_categories("annotators or the judge use one category only", "correlation")
def matthews(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """The correlation of Matthews (1975), for K categories that of Gorodkin (2004), in [-1, 1].

    ``(c s - sum_k p_k t_k) / sqrt((s^2 - sum p_k^2) (s^2 - sum t_k^2))`` with s items, c of them alike, and
    t_k and p_k times category k of people and judge. Not defined where either uses one category only.
    """
    s, c = tables.sum(axis=(1, 2)), tables.trace(axis1=1, axis2=2)
    t, p = tables.sum(axis=2), tables.sum(axis=1)
    spread = (s**2 - (p**2).sum(axis=1)) * (s**2 - (t**2).sum(axis=1))
    return np.where(spread > 0, (c * s - (p * t).sum(axis=1)) / np.sqrt(spread), np.nan)


def average_precision(
    positive: ArrayLike,
    scores: ArrayLike,
    resamples: Resamples | None = None,
    *,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """``sum_k (R_k - R_(k-1)) P_k`` over the different scores from the highest down, with precision and recall of all
    items that have score k or a higher one: items with the same score come at once. It is a mean over positive items,
    so that their numbers by cluster say how many degrees of freedom its interval has.

    ``positive`` is 0 or 1 for each item. Not defined where none is positive.

    Raises:
        DeclarationError: the series do not fit, or ``positive`` holds something else.
    """
    truth, values = paired(positive, scores)
    if not np.isin(truth, (0.0, 1.0)).all():
        raise DeclarationError("average precision needs human labels as 0 and 1")
    drawn = resamples or whole(len(truth))
    levels, place = np.unique(-values, return_inverse=True)
    counts = drawn.counts(place * 2 + truth.astype(np.intp), 2 * len(levels))

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        tables = (weights @ counts).reshape(-1, len(levels), 2)
        hits, seen = tables[:, :, 1].cumsum(axis=1), tables.sum(axis=2).cumsum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):  # the highest scores may be left out
            precisions = np.where(tables[:, :, 1] > 0, tables[:, :, 1] * hits / seen, 0.0).sum(axis=1)
            return np.asarray(precisions / hits[:, -1])

    reason = "no item is positive"
    return drawn.sampled(
        of_weights, len(truth), width=2 * len(levels), reason=reason, scale="share", over=truth == 1
    ).estimate(confidence)


def auroc(
    positive: ArrayLike,
    scores: ArrayLike,
    resamples: Resamples | None = None,
    *,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """How often a positive item has a higher score than a negative one, ties counting half.

    ``positive`` is 0 or 1 for each item. Not defined where all items are of one kind.

    Raises:
        DeclarationError: the series do not fit, or ``positive`` holds something else.
    """
    truth, values = paired(positive, scores)
    if not np.isin(truth, (0.0, 1.0)).all():
        raise DeclarationError("AUROC needs human labels as 0 and 1")
    ups, downs = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    if not len(ups) or not len(downs):
        return undefined("all items are of one kind", len(truth))
    drawn = resamples or whole(len(truth))
    wins = _wins(values, ups, downs, drawn)
    size = drawn.sums(np.column_stack([truth, 1 - truth]))

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(((weights @ wins) * weights).sum(axis=1) / (weights @ size).prod(axis=1))

    few = min(len(ups), len(downs))
    rare = f"{few} items of one kind only" if few < FEWEST_DIFFERENT else ""
    found = drawn.sampled(of_weights, len(truth), scale="share", unsure=rare)
    return found.made_of_few().estimate(
        confidence
    )  # pairs: with C - 1 it covers .90 where positives are in few topics


def _of_higher(tables: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """The share of the higher category that both say, of those that the judge (axis 1) or people (axis 2) say."""
    if tables.shape[1] != 2:
        return np.full(len(tables), np.nan)
    return np.asarray(tables[:, 1, 1] / tables.sum(axis=axis)[:, 1])


def _wins(
    values: NDArray[np.float64], ups: NDArray[np.intp], downs: NDArray[np.intp], resamples: Resamples
) -> NDArray[np.float64]:
    """For each pair of clusters, the pairs that the positive of the first wins over the negative of the second."""
    wins = np.zeros((resamples.clusters, resamples.clusters))
    where = resamples.cluster[downs]
    for up in ups:
        won = (values[up] > values[downs]) + 0.5 * (values[up] == values[downs])
        wins[resamples.cluster[up]] += np.bincount(where, weights=won, minlength=resamples.clusters)
    return wins
