"""The true share of positives behind a judge that errs: Rogan and Gladen (1978).

``theta = (p + sp - 1) / (se + sp - 1)`` with the share p that the judge calls positive, and its sensitivity and
specificity on labelled items. The interval leaves out whole clusters (topics), labelled and other items together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, FEWEST_DIFFERENT, Estimate, undefined
from conqret.stats.resampling import leave_one_out, mean_interval, sides

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """The share of positives: ``naive`` as the judge says, ``corrected`` for its errors, both in [0, 1]."""

    naive: Estimate
    corrected: Estimate
    sensitivity: float | None
    specificity: float | None


def rogan_gladen(
    labels: ArrayLike,
    judged: ArrayLike,
    unlabelled: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    unlabelled_clusters: Sequence[Hashable] | None = None,
    confidence: float = CONFIDENCE,
    chances: ArrayLike | None = None,
) -> CorrectedShare:
    """Correct the share of ``unlabelled`` items that the judge calls positive.

    ``labels`` and ``judged`` belong to the same items; all are 0 or 1. Not defined where the judge does no better than
    chance on the labelled items; no interval where fewer than :data:`FEWEST_DIFFERENT` of these are of one kind. Where
    labelled items were drawn with unequal ``chances`` p, each of them stands for ``(1 - p) / p`` of the others.

    Raises:
        DeclarationError: there are no unlabelled items, a value is neither 0 nor 1, lengths differ, ``confidence``
            is out of range, or a chance is not in (0, 1].
    """
    import numpy as np

    (truth, judge_values, known), (rest, others) = sides(
        labels, judged, unlabelled, clusters, unlabelled_clusters
    )
    if not len(rest):
        raise DeclarationError("there is no unlabeled item whose share could be corrected")
    if not all(np.isin(values, (0.0, 1.0)).all() for values in (truth, judge_values, rest)):
        raise DeclarationError("the correction of a share needs labels and judgments as 0 and 1")
    naive = mean_interval(rest, others, confidence=confidence, scale="share")
    weights = np.ones_like(truth)
    if chances is not None:
        known_chances = np.asarray(chances, dtype=float)
        if known_chances.shape != truth.shape or not ((known_chances > 0) & (known_chances <= 1)).all():
            raise DeclarationError("each labeled item needs a chance above 0 and 1 at most")
        weights = (1 - known_chances) / known_chances
        truth, judge_values, known, weights = _others_like(truth, judge_values, known, weights)
    positives, negatives = int(truth.sum()), int((1 - truth).sum())
    if not positives or not negatives:
        missing = "negative" if positives else "positive"
        return CorrectedShare(naive, undefined(f"no labeled item is {missing}", len(rest)), None, None)
    drawn = leave_one_out([*known, *others])
    right = [truth * judge_values, truth, (1 - truth) * (1 - judge_values), 1 - truth]
    columns = np.zeros((len(truth) + len(rest), 6))
    columns[: len(truth), :4] = np.column_stack(right) * weights[:, None]
    columns[len(truth) :, 4:] = np.column_stack([rest, np.ones_like(rest)])
    sums = drawn.sums(columns)

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        hits, ups, rejections, downs, called, all_others = (weights @ sums).T
        with np.errstate(
            divide="ignore", invalid="ignore"
        ):  # without a cluster there may be no item of a kind
            gain = hits / ups + rejections / downs - 1
            return np.where(gain > 0, (called / all_others + rejections / downs - 1) / gain, np.nan)

    few = min(positives, negatives)
    corrected = drawn.sampled(
        of_weights,
        len(rest),
        width=6,
        reason="the judge does no better than chance on the labeled items",
        scale="share",
        unsure=f"{few} labeled items of one kind only" if few < FEWEST_DIFFERENT else "",
    ).estimate(confidence)
    value, low, high = (
        None if bound is None else min(max(bound, 0.0), 1.0)
        for bound in (corrected.value, corrected.low, corrected.high)
    )
    se, sp = (
        float((weights * hit).sum() / (weights * kind).sum())
        for hit, kind in ((right[0], right[1]), (right[2], right[3]))
    )
    return CorrectedShare(naive, replace(corrected, value=value, low=low, high=high), se, sp)


def _others_like(
    truth: NDArray[np.float64],
    judged: NDArray[np.float64],
    known: list[Hashable],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Hashable], NDArray[np.float64]]:
    """Those labelled items that stand for others: one that was certain to be drawn stands for none."""
    import numpy as np

    some = np.flatnonzero(weights > 0)
    return truth[some], judged[some], [known[place] for place in some.tolist()], weights[some]
