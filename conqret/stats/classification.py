"""Agreement of judge and human labels as categories: accuracy compared with the most frequent label, F1 and
its like, and agreement beyond chance of two raters (Cohen 1960, 1968; Gwet 2014) and of many (Fleiss
1971).

``kappa = (p_o - p_e) / (1 - p_e)``. Where both raters use one category only, p_e is 1 and kappa is not
defined. The weighted kappas weigh a disagreement by the distance of the two categories in their order (not
by their values): ``p_o`` and ``p_e`` are then 1 minus the weighted disagreement.

The first series is the human labels, the second the judge's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, MIN_DIFFERENT, MIN_SHARED, Estimate, Scale, undefined
from conqret.stats.resampling import Resamples, snapped, whole

OfTables = Callable[[NDArray[np.float64]], NDArray[np.float64]]


RARE = "too few labels differ from the most frequent value, in one or more of the compared sets of labels"
MIN_USES = 10
"""The fewest uses of each category by annotators with which a mean over three or more categories has an
interval: with rarer ones its intervals held the truth in 87 to 91% of simulated samples of eight topics.
"""
RARE_CATEGORY = f"annotators use a category fewer than {MIN_USES} times"


CategoryStatistic = Callable[..., Estimate]
"""Computes one statistic of human and judge labels of the same items: the function in :func:`of_categories`."""


def of_categories(
    reason: str = "", scale: Scale = "share", *, macro: bool = False, over_items: bool = False
) -> Callable[[OfTables], CategoryStatistic]:
    """Return a decorator that turns a function of contingency tables into a :class:`CategoryStatistic`.

    The decorated function takes counts of shape (many, K, K): rows are human labels, columns judge labels, in
    ascending order of category. It returns one number for each table, NaN where the statistic is not defined.
    The statistic takes two series of numbers that stand for categories, resamples (None: no interval), all possible
    ``categories`` (default: those that occur), and ``weights``, how much each item counts (default: 1). It raises
    DeclarationError if the series differ in length, are empty, or hold a value that is not finite.

    Args:
        reason: why the statistic is not defined where the number is NaN.
        scale: the scale on which the interval is computed.
        macro: the statistic is a mean over categories if there are three or more.
        over_items: the statistic is a mean over items.
    """

    def made(compute: OfTables) -> CategoryStatistic:
        @wraps(compute)
        def statistic(
            first: ArrayLike,
            second: ArrayLike,
            resamples: Resamples | None = None,
            *,
            categories: Sequence[float] | None = None,
            weights: NDArray[np.float64] | None = None,
            confidence: float = CONFIDENCE,
        ) -> Estimate:
            first_values, other = paired(first, second)
            drawn = resamples or whole(len(first_values))
            codes, size = _cells(first_values, other, categories)
            counts = drawn.counts(codes, size**2, weights)

            def of_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
                with np.errstate(divide="ignore", invalid="ignore"):  # without a cluster there may be no item
                    return np.asarray(compute((rows @ counts).reshape(-1, size, size)))

            few = scale == "correlation" and shared_by_chance(np.stack([first_values, other])) < MIN_SHARED
            uses = np.bincount(codes // size, minlength=size)
            unsure = RARE if few else RARE_CATEGORY if macro and size > 2 and uses.min() < MIN_USES else ""
            sampled = drawn.sampled(
                of_rows,
                len(first_values),
                width=size**2,
                reason=reason,
                scale=scale,
                unsure=unsure,
                behind=int(np.count_nonzero(drawn.sizes())) if over_items else 0,
            )
            return sampled.estimate(confidence)

        return statistic

    return made


def _cells(
    first: NDArray[np.float64],
    other: NDArray[np.float64],
    categories: Sequence[float] | None,
) -> tuple[NDArray[np.intp], int]:
    """Return the cell of each item in the table of K by K, row after row (``first`` gives the row), and K. Values that
    differ only by rounding are the same.
    """
    category_values = [] if categories is None else [np.asarray(categories, float)]
    parts = snapped(np.concatenate([*category_values, first, other]))
    first, other = parts[-2 * len(first) : -len(first)], parts[-len(first) :]
    known = np.unique(parts if categories is None else parts[: -2 * len(first)])
    return np.searchsorted(known, first) * len(known) + np.searchsorted(known, other), len(known)


def paired(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both series as arrays of floats, after checking that they belong together.

    Raises:
        DeclarationError: the series are empty, differ in length, or hold a missing or infinite value.
    """
    first_values, other = snapped(first), snapped(second)
    if first_values.ndim != 1 or first_values.shape != other.shape or not len(first_values):
        raise DeclarationError(
            f"both series must have one length, not {first_values.shape} and {other.shape}"
        )
    if not (np.isfinite(first_values).all() and np.isfinite(other).all()):
        raise DeclarationError("a value is missing or infinite: leave out the pairs that lack one")
    return first_values, other


def shared_by_chance(table: NDArray[np.float64]) -> float:
    """Return the number of units on which two raters would both deviate from the most frequent value by
    chance.

    ``table`` has raters by units, NaN where there is no rating. With a_r ratings of rater r that deviate, and
    m ratings per unit, it is ``((sum a)^2 - sum a^2) / (2 units (m - 1))``; for two raters, ``a b / units``.
    """
    there = ~np.isnan(table)
    values, counts = np.unique(table[there], return_counts=True)
    beside = ((table != values[counts.argmax()]) & there).sum(axis=1)
    pairs = (beside.sum() ** 2 - (beside**2).sum()) / 2
    return float(pairs / (table.shape[1] * (there.sum() / table.shape[1] - 1)))


@of_categories()
def base_rate(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the share of the most frequent human label: the accuracy of always predicting that label."""
    return np.asarray(tables.sum(axis=2).max(axis=1) / tables.sum(axis=(1, 2)))


@of_categories(over_items=True)
def accuracy(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the share of items on which the judge's label equals the human label."""
    return np.asarray(tables.trace(axis1=1, axis2=2) / tables.sum(axis=(1, 2)))


@of_categories("there is one category only, or the higher one is never used", macro=True)
def f1(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute F1, ``2 tp / (2 tp + fp + fn)``.

    With two categories it is the F1 of the higher one; with more, the unweighted mean over the categories in
    use (macro F1). It is not defined where there is one category, or where neither side uses the higher of
    two.
    """
    scores = 2 * np.diagonal(tables, axis1=1, axis2=2) / (tables.sum(axis=1) + tables.sum(axis=2))
    if tables.shape[1] < 2:
        return np.full(len(tables), np.nan)
    return np.asarray(scores[:, -1] if tables.shape[1] == 2 else np.nanmean(scores, axis=1))


@of_categories("there are not two categories, or the judge never uses the higher one")
def precision(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the precision of the higher of two categories, ``tp / (tp + fp)``.

    It is the share of the items with this judge label that have this human label, too.
    """
    return _of_higher(tables, 1)


@of_categories("there are not two categories, or annotators never use the higher one")
def recall(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the recall of the higher of two categories, ``tp / (tp + fn)``.

    It is the share of the items with this human label that have this judge label, too.
    """
    return _of_higher(tables, 2)


@of_categories("annotators or the judge use one category only", "correlation")
def matthews(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the Matthews correlation coefficient (1975), for K categories as by Gorodkin (2004), in [-1,
    1].

    It is ``(c s - sum_k p_k t_k) / sqrt((s^2 - sum p_k^2) (s^2 - sum t_k^2))``. Here s counts items, c equal
    labels, and t_k and p_k the human and judge labels of category k. It is not defined where either side uses
    one category only.
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
    """Compute the average precision of ``scores`` for the items that are ``positive`` (1, else 0).

    It is ``sum_k (R_k - R_(k-1)) P_k`` over the distinct scores in descending order. P_k and R_k are
    precision and recall of all items with score k or higher. The interval is that of a mean over positive
    items, over the clusters of ``resamples`` (None: no interval). It is not defined where no item is
    positive.

    Raises:
        DeclarationError: the series differ in length, are empty or have gaps.
    """
    truth, values = paired(positive, scores)
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
    """Compute the area under the ROC curve of ``scores`` for the items that are ``positive`` (1, else 0).

    It is the probability that a positive item has a higher score than a negative one; ties count half. It is
    not defined where all items are positive, or all negative. The interval is over the clusters of
    ``resamples`` (None: no interval).

    Raises:
        DeclarationError: the series differ in length, are empty or have gaps.
    """
    truth, values = paired(positive, scores)
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
    rare = f"{few} items of one kind only" if few < MIN_DIFFERENT else ""
    found = drawn.sampled(of_weights, len(truth), scale="share", unsure=rare)
    return found.made_of_few().estimate(
        confidence
    )  # pairs: with C - 1 it covers .90 where positives are in few topics


def _of_higher(tables: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """The share of the higher category that both say, of those that the judge (axis 1) or annotators (axis 2) give."""
    if tables.shape[1] != 2:
        return np.full(len(tables), np.nan)
    return np.asarray(tables[:, 1, 1] / tables.sum(axis=axis)[:, 1])


AT_ONCE = 2_000
"""The levels of the scores that are counted in one step."""


def _wins(
    values: NDArray[np.float64], ups: NDArray[np.intp], downs: NDArray[np.intp], resamples: Resamples
) -> NDArray[np.float64]:
    """Return a table of clusters by clusters: how many pairs the positives (``ups``) of the first win over the
    negatives (``downs``) of the second; a tie is half a win."""
    levels = np.unique(values, return_inverse=True)[1]
    wins, lower = np.zeros((resamples.clusters, resamples.clusters)), np.zeros((resamples.clusters, 1))
    for start in range(0, int(levels.max()) + 1, AT_ONCE):
        positives, negatives = (
            resamples.for_items(some).counts(levels[some] - start, AT_ONCE)
            for some in (
                items[(levels[items] >= start) & (levels[items] < start + AT_ONCE)] for items in (ups, downs)
            )
        )
        below = lower + np.cumsum(negatives, axis=1) - negatives / 2
        wins += positives @ below.T
        lower += negatives.sum(axis=1, keepdims=True)
    return wins


ONE_CATEGORY = "both raters use one category only: chance agreement is complete"


@of_categories(ONE_CATEGORY, "correlation")
def cohen_kappa(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Cohen's kappa of two raters, unweighted: every disagreement counts the same."""
    return _kappa(tables, 0)


@of_categories(ONE_CATEGORY, "correlation")
def quadratic_kappa(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Cohen's kappa with quadratic weights.

    A disagreement counts the square of the number of steps between the two categories.
    """
    return _kappa(tables, 2)


@of_categories("there is one category only", "correlation")
def gwet_ac2(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Gwet's AC2 with quadratic weights (Handbook of Inter-Rater Reliability, 4th ed. 2014, chapter
    4).

    It is ``(p_a - p_e) / (1 - p_e)`` with weights ``w_kl = 1 - ((k - l) / (K - 1))^2``. The weighted
    agreement is ``p_a = sum w_kl p_kl``. Chance agreement is ``p_e = sum w / (K (K - 1)) sum_k q_k (1 -
    q_k)``, with q_k the mean share of category k. Unlike kappa, it stays high if nearly all labels are of one
    category and both sides agree. With two categories it is AC1.
    """
    size = tables.shape[1]
    places = np.arange(size)
    weights = 1 - ((places[:, None] - places) / (size - 1)) ** 2
    n = tables.sum(axis=(1, 2))
    shares = (tables.sum(axis=1) + tables.sum(axis=2)) / (2 * n[:, None])
    chance = weights.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum(axis=1)
    return np.asarray(((tables * weights).sum(axis=(1, 2)) / n - chance) / (1 - chance))


def _kappa(tables: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    places = np.arange(tables.shape[1])
    apart = np.abs(places[:, None] - places)
    cost = np.where(apart > 0, apart.astype(float) ** power, 0.0)
    observed = (tables * cost).sum(axis=(1, 2)) * tables.sum(axis=(1, 2))
    expected = np.einsum("bi,ij,bj->b", tables.sum(axis=2), cost, tables.sum(axis=1))
    return np.where(expected > 0, 1 - observed / expected, np.nan)


def fleiss_kappa(
    ratings: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Compute Fleiss's kappa of ``ratings`` (raters by units, NaN where there is no rating).

    Only units with at least two ratings count, and ``n`` is their number. The agreement of a unit with m
    ratings is ``sum_j n_j (n_j - 1) / (m (m - 1))``, and all units have the same weight. The interval is
    over the clusters of ``resamples`` (None: no interval). Kappa is not defined where no unit has two
    ratings, or where all ratings are equal.
    """
    table = snapped(ratings)
    sizes = (~np.isnan(table)).sum(axis=0)
    kept = sizes >= 2
    if not kept.any():
        return undefined("no unit has two ratings")
    known = np.unique(table[:, kept][~np.isnan(table[:, kept])])
    counts = (table[:, :, None] == known).sum(axis=0) * kept[:, None].astype(float)
    m = np.where(kept, sizes, 2)
    agreement = (counts * (counts - 1)).sum(axis=1) / (m * (m - 1))
    drawn = resamples or whole(table.shape[1])
    rare = RARE if shared_by_chance(table[:, kept]) < MIN_SHARED else ""
    columns = drawn.sums(np.column_stack([agreement, kept, counts]))

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        agreed, units, *values = (weights @ columns).T
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = ((np.array(values) / sum(values)) ** 2).sum(axis=0)
            return np.where(chance < 1 - 1e-12, (agreed / units - chance) / (1 - chance), np.nan)

    reason = "all ratings are equal: chance agreement is complete"
    return drawn.sampled(
        of_weights, int(kept.sum()), reason=reason, scale="correlation", counted=kept, unsure=rare
    ).estimate(confidence)
