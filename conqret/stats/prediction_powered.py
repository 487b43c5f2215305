"""Estimate a system's mean human label from many judgments and few labels: prediction-powered inference.

Angelopoulos et al., "Prediction-Powered Inference" (Science 2023), section 2, and "PPI++" (2023), section 6:
``theta = mean(Y) + lambda (mean(F) - mean(f))`` with labels Y and judgments f of the labeled items and
judgments F of the others. Whatever the judge's bias, theta is unbiased; lambda weighs the judge by how much
it predicts the labels, from 0 (labels alone) to 1.

Where items were drawn for labeling with unequal probabilities (Zrnic and Candes, "Active Statistical
Inference", ICML 2024), each labeled item stands for ``w = 1 / p`` items, with the probability p with which
it was drawn; weights are divided by their sum (Hajek 1971), which removes the noise of that sum: ``theta =
lambda mean(F) + sum w (Y - lambda f) / sum w`` with the judgments F of all items. Whole topics are left out
in turn, and lambda is chosen again without each.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, MIN_FREEDOM, Estimate, Scale, undefined
from conqret.stats.jackknife import JackknifedEstimate, freedom_by_size
from conqret.stats.resampling import cluster_places, leave_one_out, mean

MIN_LABELS = 4
"""The fewest labeled items (or clusters of them) for an interval, because a slope and a spread are
estimated.
"""


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """Three estimates of one mean human label, and the weight ``power`` (lambda, in [0, 1]) of the judge.

    ``naive`` is the mean of all judgments, ``labels`` the mean of the labels alone, and ``corrected`` the
    prediction-powered mean of both. ``power`` is None where there is no single lambda.
    """

    naive: Estimate
    labels: Estimate
    corrected: Estimate
    power: float | None


def prediction_powered_mean(
    labels: ArrayLike,
    judged: ArrayLike,
    unlabelled: ArrayLike,
    *,
    clusters: Sequence[Hashable],
    unlabelled_clusters: Sequence[Hashable],
    confidence: float = CONFIDENCE,
    scale: Scale = "plain",
) -> CorrectedMean:
    """Estimate the mean human label of all items from few labels and many judgments (prediction-powered
    inference).

    The labeled items must be a random sample of all items. A missing judgment (NaN) counts as the mean of the
    others. Without other items, or with a lambda of 0, ``corrected`` is the mean of the labels alone, and its
    reason says why. Intervals are Student's, with the degrees of freedom of
    :func:`~conqret.stats.jackknife.freedom_by_size`, less one for lambda, which is
    ``cov(Y, f) / ((1 + n / N) var(f))``, cut to [0, 1]. On the ``scale`` of
    shares they are computed on the log-odds scale, so they stay in [0, 1]. In simulations with 8 topics of 5
    items, half of them labeled, 97 to 98% of these and 93 to 97% of plain intervals hold the true mean.

    Args:
        labels: the human labels of n items.
        judged: the judgments of the same items.
        unlabelled: the judgments of the N other items, on the same scale.
        clusters: the cluster of each labeled item; errors of one cluster are summed before they are squared.
        unlabelled_clusters: the cluster of each other item.
        confidence: the confidence level of the intervals.
        scale: the scale on which the interval is computed.

    Raises:
        DeclarationError: there are no judgments.
    """
    y, f, rest = (np.asarray(values, dtype=float) for values in (labels, judged, unlabelled))
    known, others = list(clusters), list(unlabelled_clusters)
    everything = np.concatenate([f, rest])
    there = ~np.isnan(everything)
    names = [name for name, label_series in zip([*known, *others], there, strict=True) if label_series]
    usual = float(everything[there].mean())
    naive = mean(everything[there], names, scale=scale).estimate(confidence)
    f, rest = (np.where(np.isnan(values), usual, values) for values in (f, rest))
    alone = _mean(float(y.mean()), [(y, known)], 1, scale).estimate(confidence)
    lam = _best_power(y, f, len(rest))
    if not len(rest) or lam == 0:
        note = (
            "no further judgments" if not len(rest) else "the judge tells nothing of the labels: labels alone"
        )
        same = Estimate(alone.value, alone.low, alone.high, alone.n, note)
        return CorrectedMean(naive, alone, same, 0.0)
    theta = float(y.mean() + lam * (rest.mean() - f.mean()))
    parts = [(y - lam * f, known), (lam * rest, others)]
    return CorrectedMean(naive, alone, _mean(theta, parts, 2, scale).estimate(confidence), lam)


def _best_power(y: NDArray[np.float64], f: NDArray[np.float64], further: int) -> float:
    if len(y) < MIN_LABELS or not further:
        return 0.0
    spread = float(f.var(ddof=1))
    if spread <= 1e-15:
        return 0.0
    slope = float(np.cov(y, f)[0, 1]) / spread
    return min(max(slope / (1 + len(y) / further), 0.0), 1.0)


def _mean(
    value: float, parts: list[tuple[NDArray[np.float64], list[Hashable]]], lost: int, scale: Scale
) -> JackknifedEstimate:
    """Return ``value``, the sum of the means of ``parts`` (each values and their clusters), with jackknife values.

    The jackknife values are chosen so that the jackknife gives the variance
    ``C / (C - lost) sum_c (sum over parts of sum_{i in c} (x_i - mean) / n)^2``. C is the number of clusters of the
    first part, and ``lost`` the number of parameters estimated from it. There is no interval if these clusters are
    fewer than :data:`MIN_LABELS`.
    """
    where = cluster_places(name for _, names in parts for name in names)
    shares = np.bincount(where, np.concatenate([(part - part.mean()) / len(part) for part, _ in parts]))
    n, every = len(parts[0][0]), len(shares)
    labelled = np.bincount(where[:n]).astype(float)
    count = int(np.count_nonzero(labelled))
    few = count < MIN_LABELS
    widened = 1.0 if few else (count / (count - lost) * every / (every - 1)) ** 0.5
    return JackknifedEstimate(
        min(max(value, 0.0), 1.0) if scale == "share" else value,
        np.asarray(value - widened * shares, dtype=float),
        np.ones(every, dtype=bool),
        n,
        scale=scale,
        unsure=f"fewer than {MIN_LABELS} labeled items or topics" if few else "",
        freedom=max(freedom_by_size(labelled) + 1 - lost, MIN_FREEDOM),
    )


def no_correction(reason: str) -> CorrectedMean:
    """Return a :class:`CorrectedMean` without values, for ``reason``."""
    return CorrectedMean(undefined(reason), undefined(reason), undefined(reason), None)


FURTHEST = 4.0
"""By how many standard errors the sum of weights may differ from the number of items."""
MISSED = 0.1
"""By which share of the items it may differ in any case."""


@dataclass(frozen=True, slots=True)
class ProbabilitySample:
    """All items of one run, of which some were sampled for labeling with known inclusion probabilities.

    ``labels`` are NaN where an item was not labeled, and ``judged`` are the judgments (NaN where missing).
    ``chances`` are the inclusion probabilities of labeled items; 1 for an item without a label says that it
    was labeled and its annotators disagree.
    """

    labels: NDArray[np.float64]
    judged: NDArray[np.float64]
    chances: NDArray[np.float64]

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """A mask that is True for each labeled item."""
        return ~np.isnan(self.labels)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The number of items that each labeled item represents (1 / inclusion probability); 0 without a
        label.
        """
        labelled = self.labelled
        return np.divide(1.0, self.chances, out=np.zeros_like(self.labels), where=labelled)

    def fault(self) -> str:
        """Return why these inclusion probabilities permit no estimate (no label, a missing probability, or
        weights whose sum is far from the number of items); empty where they do.
        """
        labelled = self.labelled
        known = self.chances[labelled]
        if not len(known):
            return "there is no label"
        if unknown := int(np.isnan(known).sum()):
            return (
                f"{unknown} of {len(known)} labeled items have no inclusion_probability, and those of the others are "
                "unequal: state it for all"
            )
        without = int((self.chances[~labelled] == 1).sum())  # annotators disagree on these
        stood, total = float((1 / known).sum()), len(self.labels) - without
        error = math.sqrt(float(((1 - known) / known**2).sum()))
        if abs(stood - total) > max(FURTHEST * error, MISSED * total):
            return (
                f"the inclusion probabilities of the labeled items stand for {stood:.0f} items, and the judge judged "
                f"{total}: judge the very items from which the labeled ones were drawn, each with a probability "
                "above 0, and label all that were drawn"
            )
        return ""


def weighted_mean(
    items: ProbabilitySample,
    clusters: Sequence[Hashable],
    *,
    confidence: float = CONFIDENCE,
    scale: Scale = "plain",
) -> CorrectedMean:
    """Estimate the mean human label of all items, of which some were labeled with unequal inclusion
    probabilities.

    A missing judgment counts as the mean of the others. Intervals of the level ``confidence`` are
    jackknife-t over ``clusters``, which has the cluster of each item, and computed on the ``scale``.

    Raises:
        DeclarationError: there is no judgment, or a probability is not in (0, 1].
    """
    naive, alone, corrected, power = _means(items, clusters, scale)
    return CorrectedMean(
        naive.estimate(confidence), alone.estimate(confidence), corrected.estimate(confidence), power
    )


def weighted_difference(
    first: ProbabilitySample,
    second: ProbabilitySample,
    clusters: Sequence[Hashable],
    *,
    confidence: float = CONFIDENCE,
) -> CorrectedMean:
    """Estimate the difference of two mean human labels, ``second`` minus ``first``, over paired items.

    ``clusters`` has the cluster of each pair. A pair needs no label on both sides. Each side has its own
    lambda, so ``power`` of the result is None. ``n`` counts the labels of both sides.

    Raises:
        DeclarationError: as :func:`weighted_mean`.
    """
    before, after = (_means(side, clusters, "plain")[:3] for side in (first, second))
    naive, alone, corrected = (later.minus(earlier) for earlier, later in zip(before, after, strict=True))
    n = int(first.labelled.sum() + second.labelled.sum())
    return CorrectedMean(
        naive.estimate(confidence),
        replace(alone.estimate(confidence), n=n),
        replace(corrected.estimate(confidence), n=n),
        None,
    )


def _means(
    items: ProbabilitySample, clusters: Sequence[Hashable], scale: Scale
) -> tuple[JackknifedEstimate, JackknifedEstimate, JackknifedEstimate, float | None]:
    """Return the means by the judge, by the labels, and by both, and the weight of the judge in the last. If the
    probabilities permit no estimate, the latter two are undefined, and the weight is None.

    Raises:
        DeclarationError: there is no judgment, or a probability is not in (0, 1].
    """
    labels, judged, labelled = items.labels, items.judged, items.labelled
    known = ~np.isnan(judged)
    if not known.any():
        raise DeclarationError("there is no judgment")
    drawn = leave_one_out(clusters)
    naive = drawn.for_items(known).ratio(judged[known], np.ones(int(known.sum())), scale=scale)
    if reason := items.fault():
        empty = np.full(len(drawn.weights), np.nan)
        none = JackknifedEstimate(np.nan, empty, np.ones(len(empty), dtype=bool), 0, reason)
        return naive, none, none, None
    if ((items.chances[labelled] <= 0) | (items.chances[labelled] > 1)).any():
        raise DeclarationError("a probability is above 0 and 1 at most")
    f = np.where(known, judged, judged[known].mean())
    y, w = np.where(labelled, labels, 0.0), items.weights
    every = np.ones_like(f)
    columns = (
        every,
        f,
        f * f,
        w,
        w * y,
        w * f,
        w * y * f,
        w * f * f,
        w * w,
        w * w * y,
        w * w * f,
        w * w * y * f,
    )
    sums = drawn.sums(np.column_stack([*columns, w * w * f * f]))

    def of_sums(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean by labels alone and by both, of each row of sums."""
        count, f, _, w, wy, wf, *_ = rows.T
        with np.errstate(divide="ignore", invalid="ignore"):
            return wy / w, wy / w - _power(rows) * (wf / w - f / count)

    least = min(len(np.unique(cluster_places(clusters)[labelled])), int(labelled.sum()))
    few = f"fewer than {MIN_LABELS} labeled items or topics" if least < MIN_LABELS else ""
    freedom = freedom_by_size(drawn.sums(w)[:, 0])
    count = int(labelled.sum())
    values = [
        replace(
            drawn.sampled(
                lambda weights, place=place: of_sums(weights @ sums)[place],  # type: ignore[misc]
                count,
                width=sums.shape[1],
                scale=scale,
                unsure=few,
            ),
            freedom=freedom,
        )
        for place in (0, 1)
    ]
    return naive, values[0], values[1], float(_power(sums.sum(axis=0)[None])[0])


def _power(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lambda, in [0, 1], for each row of ``sums`` (the columns of :func:`_means`): the least squares slope of
    what an item adds to the error of the labels' mean on what it adds to the difference of the judge's two means."""
    count, f, ff, w, wy, wf, wyf, wff, ww, wwy, wwf, wwyf, wwff = sums.T
    y_mean, labelled_mean, mean = wy / w, wf / w, f / count
    both = (wwyf - y_mean * wwf - labelled_mean * wwy + y_mean * labelled_mean * ww) / w**2
    both -= (wyf - y_mean * wf) / (w * count)
    square = (wwff - 2 * labelled_mean * wwf + labelled_mean**2 * ww) / w**2
    square -= 2 * (wff - labelled_mean * wf) / (w * count)
    square += (ff - count * mean**2) / count**2
    slope = np.divide(both, square, out=np.zeros_like(both), where=square > 1e-15)
    return np.asarray(np.clip(slope, 0.0, 1.0))
