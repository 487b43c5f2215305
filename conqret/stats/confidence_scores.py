"""What stated probabilities of being right are worth: Brier score, expected calibration error, bands of them.

Intervals leave out a cluster (topic) in turn.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conqret.stats.estimate import Estimate, JackknifedEstimate
from conqret.stats.resampling import leave_one_out, mean, mean_interval, snapped

BANDS = 5
"""Bands of what is said, of as many units each."""


@dataclass(frozen=True, slots=True)
class Band:
    """Units of which much the same is said: the means of what is said and of what people say, in [0, 1]."""

    units: int
    said: Estimate
    people: Estimate


def brier(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> JackknifedEstimate:
    """``mean_i (said_i - true_i)^2`` (Brier 1950), of probabilities and of what came true (0 or 1): 0 is best."""
    return mean((predicted - true) ** 2, clusters, scale="share")


def calibration_error(
    predicted: NDArray[np.float64], true: NDArray[np.float64], clusters: Sequence[Hashable]
) -> JackknifedEstimate:
    """``sum_b n_b / n |mean of said - mean of true|`` over bands b of equally many units (Naeini et al., AAAI 2015). It
    is never below 0, and with few units above it by chance alone."""
    which = band_places(predicted)
    drawn = leave_one_out(clusters)
    columns = np.zeros((len(predicted), which.max() + 2))
    columns[np.arange(len(predicted)), which] = predicted - true
    columns[:, -1] = 1
    sums = drawn.sums(columns)

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        gaps = weights @ sums
        return np.asarray(np.abs(gaps[:, :-1]).sum(axis=1) / gaps[:, -1])

    return drawn.sampled(of_weights, len(predicted), width=columns.shape[1], scale="share")


def band_places(predicted: NDArray[np.float64]) -> NDArray[np.intp]:
    """The band of each unit, from 0 at the lowest; what is said alike is in one band."""
    alike = snapped(predicted)
    edges = np.unique(np.quantile(alike, np.arange(1, BANDS) / BANDS))
    return np.unique(np.searchsorted(edges, alike, side="left"), return_inverse=True)[1]


def bands(
    predicted: NDArray[np.float64],
    people: NDArray[np.float64],
    clusters: Sequence[Hashable],
    confidence: float,
) -> tuple[Band, ...]:
    """The bands of what is said, from the lowest up, with intervals over clusters."""
    which = band_places(predicted)
    bands_found = []
    for band in range(which.max() + 1):
        here = np.flatnonzero(which == band)
        names = [clusters[place] for place in here.tolist()]
        means = [
            mean_interval(series[here], names, confidence=confidence, scale="share")
            for series in (predicted, people)
        ]
        bands_found.append(Band(len(here), *means))
    return tuple(bands_found)
