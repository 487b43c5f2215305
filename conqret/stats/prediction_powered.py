"""A system's mean from many judgments and few labels: prediction-powered inference.

Angelopoulos et al., "Prediction-Powered Inference" (Science 2023), section 2, and "PPI++" (2023), section 6:
``theta = mean(Y) + lambda (mean(F) - mean(f))`` with labels Y and judgments f of the labelled items and judgments
F of the others. Whatever the judge's bias, theta is unbiased; lambda weighs the judge by how much it tells of the
labels, from 0 (labels alone) to 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import (
    CONFIDENCE,
    LEAST_FREEDOM,
    Estimate,
    JackknifedEstimate,
    Scale,
    freedom_by_size,
    undefined,
)
from conqret.stats.resampling import cluster_places, mean, sides

FEWEST_LABELS = 4
"""Labelled items (or clusters of them) below which there is no interval: a slope and a spread are estimated."""


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """Three estimates of one mean: ``naive`` believes the judge (all judgments, no labels), ``labels`` uses the
    labels alone, ``corrected`` both. ``power`` is lambda, in [0, 1]."""

    naive: Estimate
    labels: Estimate
    corrected: Estimate
    power: float | None


def prediction_powered_mean(
    labels: ArrayLike,
    judged: ArrayLike,
    unlabelled: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    unlabelled_clusters: Sequence[Hashable] | None = None,
    confidence: float = CONFIDENCE,
    power: float | None = None,
    scale: Scale = "plain",
) -> CorrectedMean:
    """The mean of what people would say of all items.

    ``labels`` and ``judged`` belong to the same n items, ``unlabelled`` holds the judgments of N further ones, all
    on one scale. The labelled items must be a random sample of all. A judgment that is missing (NaN) counts as the mean
    of the others, so that the label of its item stays (any judgment leaves theta unbiased); ``naive`` is of those that
    there are. ``power`` fixes lambda (1: plain PPI), by
    default ``cov(Y, f) / ((1 + n / N) var(f))``, cut to [0, 1]. With clusters for both, errors that a cluster
    shares (labelled or not) are added up before they are squared. Intervals are Student's, with the degrees of
    freedom that the labelled items of the clusters leave (:func:`~conqret.stats.estimate.freedom_by_size`: clusters - 1
    where sizes are equal), one fewer for the estimated lambda. On the ``scale`` of shares (labels and
    judgments in [0, 1]) they are made on that of the odds, so none leaves [0, 1]: 97 to 98% of them hold simulated
    means of .50, .80 and .93 at 8 topics of 5 items, half of them labelled, and 93 to 97% of plain ones.

    Raises:
        DeclarationError: there are no labels or no judgments, lengths differ, a label is missing, a value infinite, or
            ``confidence`` or ``power`` are out of range.
    """
    if (clusters is None) != (unlabelled_clusters is None):
        raise DeclarationError("name clusters for the labeled and for the other items, or for neither")
    (y, f, known), (rest, others) = sides(labels, judged, unlabelled, clusters, unlabelled_clusters)
    if not len(y):
        raise DeclarationError("there is no label")
    if not np.isfinite(y).all() or np.isinf(f).any() or np.isinf(rest).any():
        raise DeclarationError("a label is missing, or a label or judgment infinite: leave it out")
    if np.isnan(f).all() and np.isnan(rest).all():
        raise DeclarationError("there is no judgment")
    if not 0 < confidence < 1 or (power is not None and not 0 <= power <= 1):
        raise DeclarationError(
            f"confidence must lie in (0, 1) and power in [0, 1], not {confidence} and {power}"
        )
    everything = np.concatenate([f, rest])
    there = ~np.isnan(everything)
    names = [name for name, label_series in zip([*known, *others], there, strict=True) if label_series]
    usual = float(everything[there].mean())
    naive = mean(everything[there], names, scale=scale).estimate(confidence)
    f, rest = (np.where(np.isnan(values), usual, values) for values in (f, rest))
    alone = _mean(float(y.mean()), [(y, known)], 1, scale).estimate(confidence)
    if power is None:
        lam, lost = _best_power(y, f, len(rest)), 2
    else:
        lam, lost = power, 1
    if not len(rest) or lam == 0:
        note = (
            "no further judgments" if not len(rest) else "the judge tells nothing of the labels: labels alone"
        )
        same = Estimate(alone.value, alone.low, alone.high, alone.n, note)
        return CorrectedMean(naive, alone, same, 0.0)
    theta = float(y.mean() + lam * (rest.mean() - f.mean()))
    parts = [(y - lam * f, known), (lam * rest, others)]
    return CorrectedMean(naive, alone, _mean(theta, parts, lost, scale).estimate(confidence), lam)


def _best_power(y: NDArray[np.float64], f: NDArray[np.float64], further: int) -> float:
    if len(y) < FEWEST_LABELS or not further:
        return 0.0
    spread = float(f.var(ddof=1))
    if spread <= 1e-15:
        return 0.0
    slope = float(np.cov(y, f)[0, 1]) / spread
    return min(max(slope / (1 + len(y) / further), 0.0), 1.0)


def _mean(
    value: float, parts: list[tuple[NDArray[np.float64], list[Hashable]]], lost: int, scale: Scale
) -> JackknifedEstimate:
    """A sum of means, and what it is without each cluster, whose share of the error is squared and added up.

    ``variance = C / (C - lost) sum_c (sum over parts of sum_{i in c} (x_i - mean) / n)^2`` with C clusters of the first
    part, of which ``lost`` parameters were estimated; what is left without a cluster is as far from the whole as gives
    that by the jackknife.
    """
    where = cluster_places(name for _, names in parts for name in names)
    shares = np.bincount(where, np.concatenate([(part - part.mean()) / len(part) for part, _ in parts]))
    n, every = len(parts[0][0]), len(shares)
    labelled = np.bincount(where[:n]).astype(float)
    count = int(np.count_nonzero(labelled))
    few = count < FEWEST_LABELS
    widened = 1.0 if few else (count / (count - lost) * every / (every - 1)) ** 0.5
    return JackknifedEstimate(
        min(max(value, 0.0), 1.0) if scale == "share" else value,
        np.asarray(value - widened * shares, dtype=float),
        np.ones(every, dtype=bool),
        n,
        scale=scale,
        unsure=f"fewer than {FEWEST_LABELS} labeled items or topics" if few else "",
        freedom=max(freedom_by_size(labelled) + 1 - lost, LEAST_FREEDOM),
    )


def no_correction(reason: str) -> CorrectedMean:
    """The three estimates where there is nothing to estimate from."""
    return CorrectedMean(undefined(reason), undefined(reason), undefined(reason), None)
