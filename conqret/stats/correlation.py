"""Do two series rise together? Pearson, Spearman and Kendall, each with an interval over clusters.

All three are computed from what is left without a cluster: sums, ranks among the values, and pairs of clusters. A
correlation is not defined where either series is constant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conqret.stats.confusion import paired
from conqret.stats.estimate import (
    CONFIDENCE,
    FEWEST_DIFFERENT,
    Estimate,
    JackknifedEstimate,
    undefined,
    without_value,
)
from conqret.stats.resampling import SAME, Resamples, beside_mode, whole

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


def spearman(
    first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Pearson's correlation of the ranks, ties at their mean rank (Spearman 1904)."""
    return ranked(first, second, resamples).estimate(confidence)


def ranked(first: ArrayLike, second: ArrayLike, resamples: Resamples | None = None) -> JackknifedEstimate:
    """The same with its values without each cluster, to be averaged and compared."""
    import numpy as np

    first_values, other = paired(first, second)
    if _constant(first_values) or _constant(other):
        return replace(without_value(CONSTANT), n=len(first_values))
    drawn = resamples or whole(len(first_values))
    coded = [np.unique(values, return_inverse=True)[1] for values in (first_values, other)]
    tables = [drawn.counts(codes, int(codes.max()) + 1) for codes in coded]

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mid-rank of a value is the weight below it and half the weight at it."""
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
    """Kendall's tau-b: ``(concordant - discordant) / sqrt(pairs untied in x * pairs untied in y)`` (Kendall 1945)."""
    from scipy.stats import kendalltau

    first_values, other = paired(first, second)
    if _constant(first_values) or _constant(other):
        return undefined(CONSTANT, len(first_values))
    value = float(kendalltau(first_values, other).statistic)
    if resamples is None:
        return Estimate(value, n=len(first_values))
    if len(first_values) > MOST_ITEMS:
        return Estimate(value, n=len(first_values), reason=f"no interval above {MOST_ITEMS} items")
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
    rare = few < FEWEST_DIFFERENT <= len(first_values)
    return f"one of the two differs in fewer than {FEWEST_DIFFERENT} items" if rare else ""


def _constant(values: NDArray[np.float64]) -> bool:
    return bool(values.max() - values.min() <= SAME * abs(values).max())


def _ratio(
    shared: NDArray[np.float64], spread: NDArray[np.float64], least: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """``shared / sqrt(spread)`` in [-1, 1]; NaN where the spread is not above ``least``."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.where(spread > least, shared / np.sqrt(spread), np.nan), -1, 1)


def _taus(
    first_values: NDArray[np.float64], other: NDArray[np.float64], resamples: Resamples
) -> NDArray[np.float64]:
    import numpy as np

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
