"""Prediction-powered means and differences where items were drawn for labeling with unequal probabilities.

Zrnic and Candes, "Active Statistical Inference" (ICML 2024): each labelled item stands for ``w = 1 / p`` items, with
the probability p with which it was drawn. Here with weights that are divided by their sum (Hajek 1971), which keeps the
noise of that sum out, so ``theta = lambda mean(F) + sum w (Y - lambda f) / sum w`` with labels Y and judgments f of the
labelled items, and judgments F of all. Whole topics are left out in turn, and lambda is chosen again without each.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, JackknifedEstimate, Scale, freedom_by_size
from conqret.stats.prediction_powered import FEWEST_LABELS, CorrectedMean
from conqret.stats.resampling import Resamples, cluster_places, leave_one_out

FURTHEST = 4.0
"""Standard errors by which the sum of weights may miss the number of items."""
MISSED = 0.1
"""The share of the items by which it may miss it in any case."""


@dataclass(frozen=True, slots=True)
class DrawnItems:
    """All items of one run, those that were drawn for labeling and the others: ``labels`` (NaN: none), what the judge
    says (``judged``; NaN: nothing), and the ``chances`` of the labelled ones (read only there)."""

    labels: NDArray[np.float64]
    judged: NDArray[np.float64]
    chances: NDArray[np.float64]

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items have a label."""
        return ~np.isnan(self.labels)

    @property
    def weights(self) -> NDArray[np.float64]:
        """For how many items each one stands; 0 without a label."""
        labelled = self.labelled
        return np.divide(1.0, self.chances, out=np.zeros_like(self.labels), where=labelled)

    def fault(self) -> str:
        """Why these probabilities give no estimate; empty where they give one."""
        labelled = self.labelled
        known = self.chances[labelled]
        if not len(known):
            return "there is no label"
        if unknown := int(np.isnan(known).sum()):
            return (
                f"{unknown} of {len(known)} labeled items have no inclusion_probability, and those of the others are "
                "unequal: state it for all"
            )
        stood, total = float((1 / known).sum()), len(self.labels)
        error = math.sqrt(float(((1 - known) / known**2).sum()))
        if abs(stood - total) > max(FURTHEST * error, MISSED * total):
            return (
                f"the inclusion probabilities of the labeled items stand for {stood:.0f} items, and the judge judged "
                f"{total}: judge the very items from which the labeled ones were drawn, each with a probability "
                "above 0, and label all that were drawn"
            )
        return ""


def weighted_mean(
    items: DrawnItems, clusters: Sequence[Hashable], *, confidence: float = CONFIDENCE, scale: Scale = "plain"
) -> CorrectedMean:
    """The mean of what people would say of all items, which were drawn for labeling with these probabilities.

    Judgments that are missing count as the mean of the others. Intervals are jackknife-t over ``clusters``.

    Raises:
        DeclarationError: there is no judgment, a value is infinite, a probability is not in (0, 1], or clusters are
            not as many as items.
    """
    naive, alone, corrected, power = _means(items, clusters, scale)
    return CorrectedMean(
        naive.estimate(confidence), alone.estimate(confidence), corrected.estimate(confidence), power
    )


def weighted_difference(
    first: DrawnItems, second: DrawnItems, clusters: Sequence[Hashable], *, confidence: float = CONFIDENCE
) -> CorrectedMean:
    """The second mean minus the first, of two sets of items that meet in pairs (of these ``clusters``).

    It needs no label on both sides of a pair, and no probability that both sides were drawn. Each side has its own
    lambda, so the result names none; n counts the labels of both sides. Raises as :func:`weighted_mean`.
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
    items: DrawnItems, clusters: Sequence[Hashable], scale: Scale
) -> tuple[JackknifedEstimate, JackknifedEstimate, JackknifedEstimate, float | None]:
    """The mean by the judge, by the labels, and by both, with the weight of the judge in the last."""
    labels, judged, labelled = items.labels, items.judged, items.labelled
    if len(clusters) != len(labels) or judged.shape != labels.shape or items.chances.shape != labels.shape:
        raise DeclarationError(
            f"{len(clusters)} clusters and {len(judged)} judgments for {len(labels)} items"
        )
    known = ~np.isnan(judged)
    if not known.any() or np.isinf(judged).any() or np.isinf(labels).any():
        raise DeclarationError("there is no judgment, or a label or judgment is infinite")
    drawn = leave_one_out(clusters)
    naive = drawn.of(known).ratio(judged[known], np.ones(int(known.sum())), scale=scale)
    if reason := items.fault():
        none = replace(_nothing(drawn), reason=reason)
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
    few = f"fewer than {FEWEST_LABELS} labeled items or topics" if least < FEWEST_LABELS else ""
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
    """Lambda, in [0, 1]: the least squares slope of what an item adds to the error of the labels' mean on what it adds
    to the difference of the judge's two means."""
    count, f, ff, w, wy, wf, wyf, wff, ww, wwy, wwf, wwyf, wwff = sums.T
    y_mean, labelled_mean, mean = wy / w, wf / w, f / count
    both = (wwyf - y_mean * wwf - labelled_mean * wwy + y_mean * labelled_mean * ww) / w**2
    both -= (wyf - y_mean * wf) / (w * count)
    square = (wwff - 2 * labelled_mean * wwf + labelled_mean**2 * ww) / w**2
    square -= 2 * (wff - labelled_mean * wf) / (w * count)
    square += (ff - count * mean**2) / count**2
    slope = np.divide(both, square, out=np.zeros_like(both), where=square > 1e-15)
    return np.asarray(np.clip(slope, 0.0, 1.0))


def _nothing(drawn: Resamples) -> JackknifedEstimate:
    empty = np.full(len(drawn.weights), np.nan)
    return JackknifedEstimate(np.nan, empty, np.ones(len(empty), dtype=bool), 0)
