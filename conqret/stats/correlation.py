"""Do two series rise together? Pearson, Spearman and Kendall, each with an interval over resampled clusters.

All three are computed from what a resample keeps: sums, ranks among the values drawn, and pairs of clusters. A
correlation is not defined where either series is constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.stats.bootstrap import CONFIDENCE
from conqret.stats.confusion import paired
from conqret.stats.estimate import Estimate, from_draws, undefined
from conqret.stats.resampling import Resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

CONSTANT = "one of the two does not vary"
MOST_ITEMS = 5_000
"""Items up to which Kendall's interval is computed: it looks at every pair of them."""


def pearson(
    first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """``cov(x, y) / (sd(x) sd(y))``, in [-1, 1]."""
    import numpy as np

    one, other = paired(first, second)
    if _constant(one) or _constant(other):
        return undefined(CONSTANT, len(one))
    x, y = (one - one.mean()) / one.std(), (other - other.mean()) / other.std()
    columns = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    whole = _from_moments(columns.sum(axis=0, keepdims=True))
    draws = None if resamples is None else _from_moments(resamples.weights @ resamples.sums(columns))
    return from_draws(whole[0], draws, len(one), confidence=confidence)


def spearman(
    first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Pearson's correlation of the ranks, ties at their mean rank (Spearman 1904)."""
    import numpy as np
    from scipy.stats import rankdata

    one, other = paired(first, second)
    if _constant(one) or _constant(other):
        return undefined(CONSTANT, len(one))
    whole = pearson(rankdata(one), rankdata(other)).value
    if resamples is None:
        return Estimate(whole, n=len(one))
    draws = [
        _ranked(chunk[:, resamples.cluster], one, other, resamples, chunk)
        for chunk in resamples.chunks(6 * len(one))
    ]
    return from_draws(whole or 0.0, np.concatenate([np.zeros(0), *draws]), len(one), confidence=confidence)


def kendall(
    first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Kendall's tau-b: ``(concordant - discordant) / sqrt(pairs untied in x * pairs untied in y)`` (Kendall 1945)."""
    from scipy.stats import kendalltau

    one, other = paired(first, second)
    if _constant(one) or _constant(other):
        return undefined(CONSTANT, len(one))
    whole = float(kendalltau(one, other).statistic)
    if resamples is None:
        return Estimate(whole, n=len(one))
    if len(one) > MOST_ITEMS:
        return Estimate(whole, n=len(one), reason=f"no interval above {MOST_ITEMS} items")
    return from_draws(whole, _tau_draws(one, other, resamples), len(one), confidence=confidence)


def _constant(values: NDArray[np.float64]) -> bool:
    return bool((values == values[0]).all())


def _from_moments(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    n, x, y, xx, yy, xy = sums.T
    spread = (n * xx - x * x) * (n * yy - y * y)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(spread > 1e-9 * n**4, (n * xy - x * y) / np.sqrt(spread), np.nan)
    return np.clip(found, -1, 1)


def _ranked(
    weights: NDArray[np.float64],
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    resamples: Resamples,
    chunk: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Spearman of each row: the mid-rank of a value is the weight below it and half the weight at it."""
    import numpy as np

    n = weights.sum(axis=1)
    sides = []
    for values in (one, other):
        _, codes = np.unique(values, return_inverse=True)
        counts = chunk @ resamples.sums(np.eye(codes.max() + 1)[codes])
        ranks = np.cumsum(counts, axis=1) - counts / 2
        sides.append(ranks[:, codes] - n[:, None] / 2)
    x, y = sides
    spread = (weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 1e-9, (weights * x * y).sum(axis=1) / np.sqrt(spread), np.nan)


def _tau_draws(
    one: NDArray[np.float64], other: NDArray[np.float64], resamples: Resamples
) -> NDArray[np.float64]:
    import numpy as np

    size = resamples.clusters
    score, untied, apart = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    for place in range(len(one)):
        x, y = np.sign(one[place] - one), np.sign(other[place] - other)
        row = resamples.cluster[place]
        score[row] += np.bincount(resamples.cluster, weights=x * y, minlength=size)
        untied[row] += np.bincount(resamples.cluster, weights=x * x, minlength=size)
        apart[row] += np.bincount(resamples.cluster, weights=y * y, minlength=size)
    weights = resamples.weights
    forms = [((weights @ matrix) * weights).sum(axis=1) for matrix in (score, untied, apart)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(forms[1] * forms[2] > 0, forms[0] / np.sqrt(forms[1] * forms[2]), np.nan)
