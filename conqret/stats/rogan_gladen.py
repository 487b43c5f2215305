"""The true share of positives behind a judge that errs: Rogan and Gladen (1978).

``theta = (p + sp - 1) / (se + sp - 1)`` with the share p that the judge calls positive, and its sensitivity and
specificity on labelled items.
"""

from __future__ import annotations

from dataclasses import dataclass

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, Estimate, undefined


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """The share of positives: ``naive`` as the judge says, ``corrected`` for its errors, both in [0, 1]."""

    naive: Estimate
    corrected: Estimate
    sensitivity: float | None
    specificity: float | None


def rogan_gladen(
    called: int, judged: int, hits: int, positives: int, rejections: int, negatives: int, *,
    confidence: float = CONFIDENCE,
) -> CorrectedShare:  # fmt: skip
    """Correct the share ``called / judged`` of unlabelled items that the judge calls positive.

    Of the labelled items, ``hits`` of the ``positives`` and ``rejections`` of the ``negatives`` were judged rightly.
    The interval is that of Lang and Reiczigel (2014), which adds pseudo-counts and keeps its coverage for small
    samples and shares near 0; the naive one is Wilson's. Not defined where the judge does no better than chance.

    Raises:
        DeclarationError: a count is negative or larger than its whole, or there are no judgments.
    """
    from math import sqrt
    from statistics import NormalDist

    from scipy.stats import binomtest

    if not (0 <= called <= judged and 0 <= hits <= positives and 0 <= rejections <= negatives) or not judged:
        raise DeclarationError(
            f"counts do not fit: {called} of {judged}, {hits} of {positives}, {rejections} of {negatives}"
        )
    if not 0 < confidence < 1:
        raise DeclarationError(f"a confidence lies inside (0, 1), not at {confidence}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = called / judged
    wilson = binomtest(called, judged).proportion_ci(confidence, method="wilson")
    naive = Estimate(p, float(wilson.low), float(wilson.high), judged)
    if not positives or not negatives:
        missing = "positive" if not positives else "negative"
        return CorrectedShare(naive, undefined(f"no labelled item is {missing}", judged), None, None)
    se, sp = hits / positives, rejections / negatives
    n, wide_p = judged + z * z, (called + z * z / 2) / (judged + z * z)
    wide_se, wide_sp = (hits + 1) / (positives + 2), (rejections + 1) / (negatives + 2)
    gain = wide_se + wide_sp - 1
    if se + sp <= 1 or gain <= 0:
        reason = "the judge does no better than chance on the labelled items"
        return CorrectedShare(naive, undefined(reason, judged), se, sp)
    theta = (wide_p + wide_sp - 1) / gain
    miss, false = wide_se * (1 - wide_se) / (positives + 2), wide_sp * (1 - wide_sp) / (negatives + 2)
    centre = theta + 2 * z * z * (theta * miss - (1 - theta) * false)
    spread = sqrt(wide_p * (1 - wide_p) / n + theta**2 * miss + (1 - theta) ** 2 * false) / gain
    value = (p + sp - 1) / (se + sp - 1)
    low, high = (min(max(centre + sign * z * spread, 0.0), 1.0) for sign in (-1, 1))
    return CorrectedShare(naive, Estimate(min(max(value, 0.0), 1.0), low, high, judged), se, sp)
