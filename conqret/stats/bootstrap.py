"""Percentile bootstrap intervals that resample whole clusters (topics), not single values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.clusters import cluster_places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

RESAMPLES = 2_000
"""Enough for two digits of a 95 % interval (Efron and Tibshirani 1993, section 13.3)."""

CONFIDENCE = 0.95

_AT_ONCE = 1_000_000
"""Numbers drawn at a time: 8 MB."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate between the ends of its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def bootstrap_interval(
    values: ArrayLike,
    rng: np.random.Generator,
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The mean of ``values`` with its percentile interval.

    ``clusters`` names for each value the cluster that it belongs to; whole clusters are drawn with
    replacement, as many as there are, and the mean is that of all values drawn (a ratio of sums, so large
    clusters weigh more). Without clusters every value is one. The ends are the ``(1 -+ confidence) / 2``
    quantiles of the resampled means. With one cluster the interval is the value itself.

    Raises:
        DeclarationError: there are no values, one is not finite, clusters are not as many, or ``resamples``
            or ``confidence`` are out of range.
    """
    import numpy as np

    data = np.asarray(values, dtype=float)
    if data.ndim != 1 or not len(data) or not np.isfinite(data).all():
        raise DeclarationError("a bootstrap needs a series of finite values, one at least")
    if clusters is not None and len(clusters) != len(data):
        raise DeclarationError(f"{len(clusters)} clusters for {len(data)} values: name one for each")
    if resamples < 1 or not 0 < confidence < 1:
        raise DeclarationError(
            f"{resamples} resamples at a confidence of {confidence}: at least 1, and inside (0, 1)"
        )
    if clusters is None:
        sums, counts = data, np.ones_like(data)
    else:
        which = cluster_places(clusters)
        sums, counts = np.bincount(which, weights=data), np.bincount(which).astype(float)
    means = _means(sums, counts, rng, resamples)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(data.mean()), float(low), float(high))


def _means(
    sums: np.typing.NDArray[np.float64],
    counts: np.typing.NDArray[np.float64],
    rng: np.random.Generator,
    resamples: int,
) -> np.typing.NDArray[np.float64]:
    import numpy as np

    size = len(sums)
    step = max(1, _AT_ONCE // size)
    parts = []
    for begin in range(0, resamples, step):
        drawn = rng.integers(size, size=(min(step, resamples - begin), size))
        parts.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    return np.concatenate(parts)
