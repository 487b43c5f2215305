"""Agreement beyond chance of two raters (Cohen 1960, 1968) and of many (Fleiss 1971).

``kappa = (p_o - p_e) / (1 - p_e)``. Where both raters use one category only, p_e is 1 and kappa is not defined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from conqret.errors import DeclarationError, UnknownNameError
from conqret.stats.bootstrap import CONFIDENCE
from conqret.stats.confusion import Confusion
from conqret.stats.estimate import Estimate, from_draws, undefined
from conqret.stats.resampling import Resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Weights = Literal["none", "linear", "quadratic"]
ONE_CATEGORY = "both raters use one category only: chance agreement is complete"


def cohen_kappa(table: Confusion, weights: Weights = "none", *, confidence: float = CONFIDENCE) -> Estimate:
    """Cohen's kappa of two raters.

    ``linear`` and ``quadratic`` weigh a disagreement by the distance of the two categories in their order (not by
    their values), to the power of 1 or 2; ``p_o`` and ``p_e`` are then 1 minus the weighted disagreement.

    Raises:
        UnknownNameError: there are no such weights.
    """
    import numpy as np

    if weights not in ("none", "linear", "quadratic"):
        raise UnknownNameError("weights of kappa", weights, ("none", "linear", "quadratic"))
    size = len(table.categories)
    apart = np.abs(np.arange(size)[:, None] - np.arange(size)[None, :]).astype(float)
    cost = (apart > 0).astype(float) if weights == "none" else apart if weights == "linear" else apart**2
    drawn = table.drawn()
    return from_draws(
        _kappa(table.whole, cost)[0],
        None if drawn is None else _kappa(drawn, cost),
        table.n,
        confidence=confidence,
        reason=ONE_CATEGORY,
    )


def _kappa(tables: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    n = tables.sum(axis=(1, 2))
    observed = (tables * cost).sum(axis=(1, 2)) * n
    expected = np.einsum("bi,ij,bj->b", tables.sum(axis=2), cost, tables.sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
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
    import numpy as np

    table = np.asarray(ratings, dtype=float)
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
    columns = np.column_stack([counts, agreement, kept])
    whole = _fleiss(columns.sum(axis=0, keepdims=True))
    draws = None if resamples is None else _fleiss(resamples.weights @ resamples.sums(columns))
    reason = "all ratings are equal: chance agreement is complete"
    return from_draws(whole[0], draws, int(kept.sum()), confidence=confidence, reason=reason)


def _fleiss(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    counts, agreement, units = columns[:, :-2], columns[:, -2], columns[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = ((counts / counts.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return np.where(chance < 1 - 1e-12, (agreement / units - chance) / (1 - chance), np.nan)
