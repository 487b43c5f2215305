"""Krippendorff's alpha, for many dimensions and without each cluster at once.

``alpha = 1 - D_o / D_e`` with ``D_o = sum o_ck d(c, k)`` over the coincidences of values c and k within units and
``D_e = sum n_c n_k d(c, k) / (n - 1)`` over the values at large (Krippendorff, Computing Krippendorff's
Alpha-Reliability, 2011). Units with fewer than two ratings count for nothing. With m_u ratings of unit u, each
pair of them adds ``2 / (m_u - 1)`` to the coincidences, which are therefore sums over units: alpha without a cluster
is one of a weighted sum of the clusters' own tables, and needs no ratings.

The differences d are 0 or 1 (nominal), ``(c - k)^2`` (interval), ``((c - k) / (c + k))^2`` (ratio), and for the
ordinal level ``(r_c - r_k)^2`` with the mid-rank ``r_c = n_1 + ... + n_c - n_c / 2``, which every
cluster changes. Ratings that rounding alone tells apart are one value.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError, check_known
from conqret.stats.classification import RARE, shared_by_chance
from conqret.stats.estimate import FEWEST_SHARED, JackknifedEstimate
from conqret.stats.resampling import Resamples, snapped, whole

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)

NO_UNITS = "no unit has two ratings"
ONE_CATEGORY = "all ratings are equal: chance agreement is complete, and alpha is not defined"


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> float:
    """Alpha of one table of ``ratings`` (raters by units, NaN where there is none); at most 1.

    Raises:
        DeclarationError: alpha is not defined (no unit with two ratings, or one category only), or the
            table is no table of numbers.
        UnknownNameError: there is no such level.
    """
    (alpha,) = alphas(np.asarray(ratings, dtype=float)[None], level)
    if not alpha.defined:
        raise DeclarationError(alpha.reason)
    return alpha.value


def alphas(tables: ArrayLike, level: Level, resamples: Resamples | None = None) -> list[JackknifedEstimate]:
    """Alpha of each of D tables (D by raters by units, NaN where there is no rating), on the same units.

    With ``resamples`` of the units, the alphas without each cluster come along; all tables leave out the same.
    A table in which alpha is not defined has NaN and a reason; ``n`` counts units with two ratings or more.

    Raises:
        DeclarationError: the array has another shape, a rating is infinite, or a ratio is negative.
        UnknownNameError: there is no such level.
    """
    check_known("level of measurement", LEVELS, level)
    cube = np.asarray(tables, dtype=float)
    if cube.ndim != 3 or not cube.size:
        raise DeclarationError(
            f"alpha needs tables of at least one rater by one unit, but the shape is {cube.shape}"
        )
    if np.isinf(cube).any():
        raise DeclarationError("a rating is infinite")
    if level == "ratio" and (cube < 0).any():
        raise DeclarationError("ratings below 0 have no ratio: use the interval level")
    drawn = resamples or whole(cube.shape[2])
    if len(drawn.cluster) != cube.shape[2]:
        raise DeclarationError(f"resamples of {len(drawn.cluster)} units for tables of {cube.shape[2]}")
    prepared = [_Table(table, level, drawn) for table in cube]
    return [
        drawn.sampled(
            table.alpha,
            table.units,
            width=table.width,
            reason=table.reason,
            scale="correlation",
            counted=table.rated,
            unsure=table.rare,
        )
        for table in prepared
    ]


class _Table:
    """One table as sums over clusters: the counts of each value, and the coincidences of each pair of values.

    ``pairs`` are two rows of places in ``values``, the columns of ``coincidences``: unlike ones only.
    """

    def __init__(self, table: NDArray[np.float64], level: Level, resamples: Resamples) -> None:
        self.level = level
        slots = np.sort(
            snapped(table), axis=0
        )  # who rated does not matter: NaN go last, and the empty rows off
        sizes = (~np.isnan(slots)).sum(axis=0)
        self.rated = sizes >= 2
        slots = np.where(self.rated, slots, np.nan)[: int(sizes.max(initial=0))]
        there = ~np.isnan(slots)
        self.units = int(self.rated.sum())
        self.rare = RARE if self.units and shared_by_chance(table[:, self.rated]) < FEWEST_SHARED else ""
        self.values, codes = np.unique(slots[there], return_inverse=True)
        coded = np.full(slots.shape, -1)
        coded[there] = codes
        self.reason = NO_UNITS if not self.units else ONE_CATEGORY
        rated_clusters = resamples.cluster[there.nonzero()[1]]
        self.counts = _summed(rated_clusters, codes, resamples.clusters, len(self.values))
        first, second = np.triu_indices(len(coded), 1)
        unlike = (coded[second] >= 0) & (
            coded[first] != coded[second]
        )  # where the second is, so is the first
        pair, unit = np.nonzero(unlike)
        keys = coded[first[pair], unit] * len(self.values) + coded[second[pair], unit]
        distinct, columns = np.unique(keys, return_inverse=True)
        self.pairs = np.array(divmod(distinct, max(len(self.values), 1)))
        self.coincidences = _summed(
            resamples.cluster[unit], columns, resamples.clusters, len(distinct), 2.0 / (sizes[unit] - 1)
        )
        self.width = 2 * (len(self.values) + len(distinct))

    def alpha(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Alpha for each row of ``weights`` (rows by clusters); NaN where not defined."""
        n = weights @ self.counts
        observed = weights @ self.coincidences
        total = n.sum(axis=1)
        first, other = self.pairs
        if self.level == "nominal":
            difference = observed.sum(axis=1)
            expected = total**2 - (n**2).sum(axis=1)
        elif self.level == "ratio":
            scale = self.values[:, None] + self.values[None, :]
            ratios = (self.values[:, None] - self.values[None, :]) / np.where(scale == 0, 1.0, scale)
            difference = observed @ ratios[first, other] ** 2
            expected = ((n @ ratios**2) * n).sum(axis=1)
        else:
            centred = self.values - self.values[:1]
            ranks = np.cumsum(n, axis=1) - n / 2 if self.level == "ordinal" else centred[None, :]
            difference = (observed * (ranks[:, first] - ranks[:, other]) ** 2).sum(axis=1)
            expected = 2 * (total * (n * ranks**2).sum(axis=1) - (n * ranks).sum(axis=1) ** 2)
        varied = (n > 0).sum(axis=1) > 1
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(varied, 1 - (total - 1) * difference / expected, np.nan)


def _summed(
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    height: int,
    width: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """A table in which each place is the sum of the ``weights`` (default: 1) that belong there."""
    sums = np.bincount(rows * width + columns, weights, minlength=height * width)
    return sums.reshape(height, width).astype(float)
