"""How often the judge says what people say, beside how often that would be so for one who always said the same.

The first series of a table is people's, the second the judge's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.bootstrap import CONFIDENCE
from conqret.stats.confusion import Confusion, paired
from conqret.stats.estimate import Estimate, from_draws, undefined
from conqret.stats.resampling import Resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def base_rate(table: Confusion, *, confidence: float = CONFIDENCE) -> Estimate:
    """The share of people's most frequent category: the accuracy of always saying that one."""
    import numpy as np

    def share(tables: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore"):  # a resample may hold no item
            return np.asarray(tables.sum(axis=2).max(axis=1) / tables.sum(axis=(1, 2)))

    return _estimate(table, share, "", confidence)


def accuracy(table: Confusion, *, confidence: float = CONFIDENCE) -> Estimate:
    """The share of items on which both say the same."""
    import numpy as np

    def share(tables: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2)))

    return _estimate(table, share, "", confidence)


def f1(table: Confusion, *, confidence: float = CONFIDENCE) -> Estimate:
    """``2 tp / (2 tp + fp + fn)`` of the higher category where there are two, else the mean over categories (macro).

    Not defined where neither people nor judge ever use the (or, for the mean, a) category.
    """
    import numpy as np

    def score(tables: NDArray[np.float64]) -> NDArray[np.float64]:
        hits = np.diagonal(tables, axis1=1, axis2=2)
        both = tables.sum(axis=1) + tables.sum(axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = 2 * hits / both
        return np.asarray(scores[:, -1] if len(table.categories) == 2 else scores.mean(axis=1))

    if len(table.categories) < 2:
        return undefined("one category only", table.n)
    return _estimate(table, score, "a category is used by nobody", confidence)


def matthews(table: Confusion, *, confidence: float = CONFIDENCE) -> Estimate:
    """The correlation of Matthews (1975), for K categories that of Gorodkin (2004), in [-1, 1].

    ``(c s - sum_k p_k t_k) / sqrt((s^2 - sum p_k^2) (s^2 - sum t_k^2))`` with s items, c of them alike, and
    t_k and p_k times category k of people and judge. Not defined where either uses one category only.
    """
    import numpy as np

    def score(tables: NDArray[np.float64]) -> NDArray[np.float64]:
        s, c = tables.sum(axis=(1, 2)), np.trace(tables, axis1=1, axis2=2)
        t, p = tables.sum(axis=2), tables.sum(axis=1)
        spread = (s**2 - (p**2).sum(axis=1)) * (s**2 - (t**2).sum(axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(spread > 0, (c * s - (p * t).sum(axis=1)) / np.sqrt(spread), np.nan)

    return _estimate(table, score, "people or the judge use one category only", confidence)


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
    import numpy as np

    truth, values = paired(positive, scores)
    if not np.isin(truth, (0.0, 1.0)).all():
        raise DeclarationError("AUROC needs people's labels as 0 and 1")
    ups, downs = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    if not len(ups) or not len(downs):
        return undefined("all items are of one kind", len(truth))
    ordered = np.sort(values[downs])
    below = np.searchsorted(ordered, values[ups], "left")
    upto = np.searchsorted(ordered, values[ups], "right")
    whole = float((below + upto).sum() / 2 / (len(ups) * len(downs)))
    if resamples is None:
        return Estimate(whole, n=len(truth))
    wins = _wins(values, ups, downs, resamples)
    size = resamples.sums(np.column_stack([truth, 1 - truth]))
    weights = resamples.weights
    counts = weights @ size
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = ((weights @ wins) * weights).sum(axis=1) / (counts[:, 0] * counts[:, 1])
    return from_draws(whole, draws, len(truth), confidence=confidence)


def _wins(
    values: NDArray[np.float64], ups: NDArray[np.intp], downs: NDArray[np.intp], resamples: Resamples
) -> NDArray[np.float64]:
    """For each pair of clusters, the pairs that the positive of the first wins over the negative of the second."""
    import numpy as np

    wins = np.zeros((resamples.clusters, resamples.clusters))
    where = resamples.cluster[downs]
    for up in ups:
        won = (values[up] > values[downs]) + 0.5 * (values[up] == values[downs])
        wins[resamples.cluster[up]] += np.bincount(where, weights=won, minlength=resamples.clusters)
    return wins


def _estimate(table: Confusion, compute: Statistic, reason: str, confidence: float) -> Estimate:
    drawn = table.drawn()
    draws = None if drawn is None else compute(drawn)
    return from_draws(float(compute(table.whole)[0]), draws, table.n, confidence=confidence, reason=reason)
