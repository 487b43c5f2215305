"""What one rater reaches against the mean of the others: a ceiling for what a judge can be asked to reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.correlation import ranked
from conqret.stats.estimate import CONFIDENCE, Estimate, JackknifedEstimate, average, undefined
from conqret.stats.resampling import Resamples, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

FEWEST_RATED = 20
"""Units that a rater shares with others, below which that rater's correlation is noise."""
NO_RATER = f"no annotator labeled {FEWEST_RATED} units that others labeled, too"


def one_against_others(
    table: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Spearman's correlation of one rater with the mean of all others on the units that the rater has, as the mean over
    the raters with :data:`FEWEST_RATED` such units.

    ``table`` has raters by units, NaN for none. Without a cluster it is the mean over those of these raters whose
    correlation is then defined.

    Raises:
        DeclarationError: the table has another shape.
    """
    import numpy as np

    labels = np.asarray(table, dtype=float)
    if labels.ndim != 2:
        raise DeclarationError(f"a table of raters by units is needed, not the shape {labels.shape}")
    drawn = resamples or whole(labels.shape[1])
    there = ~np.isnan(labels)
    counts, sums = there.sum(axis=0), np.where(there, labels, 0.0).sum(axis=0)
    single = []
    for row, has in zip(labels, there, strict=True):
        shared = has & (counts > 1)
        if shared.sum() >= FEWEST_RATED:
            others = (sums - row)[shared] / (counts - 1)[shared]
            correlation = ranked(row[shared], others, drawn.of(shared))
            if correlation.defined:
                single.append(correlation)
    if not single:
        return undefined(NO_RATER)
    without = np.stack([correlation.without for correlation in single])
    return replace(
        single[0],
        value=float(np.mean([correlation.value for correlation in single])),
        without=_mean(without),
        present=np.any([correlation.present for correlation in single], axis=0),
        n=len(single),
        unsure=single[0].unsure if all(correlation.unsure for correlation in single) else "",
    ).estimate(confidence)


def mean_of_raters(each: Sequence[JackknifedEstimate]) -> JackknifedEstimate:
    """The mean over those that are defined, and without each cluster over those that are defined then: one who labelled
    few topics takes no interval from all others."""
    import numpy as np

    mean = average(each)
    if not mean.defined or not len(mean.without):
        return mean
    without = np.stack([rater.without for rater in each if rater.defined])
    return replace(mean, without=_mean(without))


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The means over the rows that have a value; NaN where none has."""
    import numpy as np

    counts = (~np.isnan(values)).sum(axis=0)
    return np.asarray(
        np.divide(np.nansum(values, axis=0), counts, out=np.full(values.shape[1], np.nan), where=counts > 0)
    )
