"""Means of shares with their intervals, from sums alone: without numpy, whose import takes longer than a small run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from conqret.stats.estimate import (
    CONFIDENCE,
    LEAST_FREEDOM,
    TOLERANCE,
    UNVARIED,
    Estimate,
    share_ends,
    too_few,
    undefined,
)
from conqret.stats.student import quantile


def mean_of_sums(sums: Sequence[float], counts: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of values in [0, 1] with its interval over clusters, of which the sums and numbers of values are given.

    It is :func:`conqret.stats.mean_interval` on the scale of shares: without a cluster c the mean is
    ``(S - s_c) / (N - n_c)``. Clusters without a value are as if they were not there.
    """
    there = [(part, count) for part, count in zip(sums, counts, strict=True) if count]
    whole, total = math.fsum(part for part, _ in there), sum(count for _, count in there)
    if not total:
        return undefined("nothing was scored")
    mean, many, clusters = whole / total, int(total), len(there)
    if few := too_few(clusters if clusters > 1 else 0):
        return Estimate(mean, n=many, reason=few)
    without = [(whole - part) / (total - count) for part, count in there]
    middle = math.fsum(without) / clusters
    error = math.sqrt((clusters - 1) / clusters * math.fsum((one - middle) ** 2 for one in without))
    if error <= TOLERANCE:
        return Estimate(mean, n=many, reason=UNVARIED)
    freedom = total**2 / sum(count**2 for _, count in there) - 1
    freedom = min(max(freedom, LEAST_FREEDOM), clusters - 1.0)
    return Estimate(mean, *share_ends(mean, quantile(freedom, confidence) * error), many)
