"""The interval of a correlation that is computed from rows, whole clusters left out one after another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out

Rows = NDArray[np.intp]


def interval(statistic: Callable[[Rows], float], clusters: Sequence[Hashable]) -> Estimate:
    """``statistic``, a correlation, of all rows, with its 95% interval over ``clusters`` (the cluster of each row)."""
    left_out = leave_one_out(clusters)

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([statistic(np.flatnonzero(row[left_out.cluster])) for row in weights])

    return left_out.sampled(of_weights, len(clusters), scale="correlation").estimate()
