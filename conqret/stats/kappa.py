"""Agreement beyond chance of two raters (Cohen 1960, 1968; Gwet 2014) and of many (Fleiss 1971).

``kappa = (p_o - p_e) / (1 - p_e)``. Where both raters use one category only, p_e is 1 and kappa is not defined.
The weighted kappas weigh a disagreement by the distance of the two categories in their order (not by their values):
``p_o`` and ``p_e`` are then 1 minus the weighted disagreement.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.confusion import RARE, of_categories, shared_by_chance
from conqret.stats.estimate import CONFIDENCE, FEWEST_SHARED, Estimate, undefined
from conqret.stats.resampling import Resamples, snapped, whole

ONE_CATEGORY = "both raters use one category only: chance agreement is complete"


@of_categories(ONE_CATEGORY, "correlation")
def cohen_kappa(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cohen's kappa of two raters: every disagreement weighs the same."""
    return _kappa(tables, 0)


@of_categories(ONE_CATEGORY, "correlation")
def quadratic_kappa(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cohen's kappa in which a disagreement weighs the square of its steps."""
    return _kappa(tables, 2)


@of_categories("there is one category only", "correlation")
def gwet_ac2(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gwet's AC2 with quadratic weights (Handbook of Inter-Rater Reliability, 4th ed. 2014, chapter 4).

    ``(p_a - p_e) / (1 - p_e)`` with weights ``w_kl = 1 - ((k - l) / (K - 1))^2``, the weighted agreement
    ``p_a = sum w_kl p_kl``, and ``p_e = sum w / (K (K - 1)) sum_k q_k (1 - q_k)``, q_k the mean share of category k.
    Unlike kappa it stays high where nearly all is of one category and both say so. Of two categories it is AC1.
    """
    size = tables.shape[1]
    places = np.arange(size)
    weights = 1 - ((places[:, None] - places) / (size - 1)) ** 2
    n = tables.sum(axis=(1, 2))
    shares = (tables.sum(axis=1) + tables.sum(axis=2)) / (2 * n[:, None])
    chance = weights.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum(axis=1)
    return np.asarray(((tables * weights).sum(axis=(1, 2)) / n - chance) / (1 - chance))


def _kappa(tables: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    places = np.arange(tables.shape[1])
    apart = np.abs(places[:, None] - places)
    cost = np.where(apart > 0, apart.astype(float) ** power, 0.0)
    observed = (tables * cost).sum(axis=(1, 2)) * tables.sum(axis=(1, 2))
    expected = np.einsum("bi,ij,bj->b", tables.sum(axis=2), cost, tables.sum(axis=1))
    return np.where(expected > 0, 1 - observed / expected, np.nan)


def fleiss_kappa(
    ratings: ArrayLike, resamples: Resamples | None = None, *, confidence: float = CONFIDENCE
) -> Estimate:
    """Fleiss's kappa of ``ratings`` (raters by units, NaN where there is none); n counts units.

    Units with two ratings or more count. For the same number of ratings everywhere it is Fleiss's formula; else
    the agreement of a unit is ``sum_j n_j (n_j - 1) / (m (m - 1))`` of its own m ratings, and units weigh alike.

    Raises:
        DeclarationError: the ratings are no table, or one is infinite.
    """
    table = snapped(ratings)
    if table.ndim != 2 or np.isinf(table).any():
        raise DeclarationError(f"Fleiss's kappa needs a table of raters by units; the shape is {table.shape}")
    sizes = (~np.isnan(table)).sum(axis=0)
    kept = sizes >= 2
    if not kept.any():
        return undefined("no unit has two ratings")
    known = np.unique(table[:, kept][~np.isnan(table[:, kept])])
    counts = (table[:, :, None] == known).sum(axis=0) * kept[:, None].astype(float)
    m = np.where(kept, sizes, 2)
    agreement = (counts * (counts - 1)).sum(axis=1) / (m * (m - 1))
    drawn = resamples or whole(table.shape[1])
    rare = RARE if shared_by_chance(table[:, kept]) < FEWEST_SHARED else ""
    columns = drawn.sums(np.column_stack([agreement, kept, counts]))

    def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        agreed, units, *values = (weights @ columns).T
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = ((np.array(values) / sum(values)) ** 2).sum(axis=0)
            return np.where(chance < 1 - 1e-12, (agreed / units - chance) / (1 - chance), np.nan)

    reason = "all ratings are equal: chance agreement is complete"
    return drawn.sampled(
        of_weights, int(kept.sum()), reason=reason, scale="correlation", counted=kept, unsure=rare
    ).estimate(confidence)
