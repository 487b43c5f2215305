"""Krippendorff's alpha, for many dimensions and many bootstrap resamples at once.

``alpha = 1 - D_o / D_e`` with ``D_o = sum o_ck d(c, k)`` over the coincidences of values c and k within units and
``D_e = sum n_c n_k d(c, k) / (n - 1)`` over the values at large (Krippendorff, Computing Krippendorff's
Alpha-Reliability, 2011). Units with fewer than two ratings count for nothing. With m_u ratings of unit u, each
pair of them adds ``2 / (m_u - 1)`` to the coincidences, which are therefore sums over units: a resample is a
weighted sum of the clusters' own tables, and needs no ratings.

The differences d are 0 or 1 (nominal), ``(c - k)^2`` (interval), ``((c - k) / (c + k))^2`` (ratio), and for the
ordinal level ``(r_c - r_k)^2`` with the mid-rank ``r_c = n_1 + ... + n_c - n_c / 2``, which a resample changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from conqret.errors import DeclarationError, UnknownNameError
from conqret.stats.bootstrap import CONFIDENCE
from conqret.stats.estimate import Estimate, from_draws
from conqret.stats.resampling import Resamples, draw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)

NO_UNITS = "no unit has two ratings"
ONE_CATEGORY = "all ratings are equal: chance agreement is complete, and alpha is not defined"


@dataclass(frozen=True, slots=True)
class Alphas:
    """Alpha of D tables: ``values`` (D; NaN where not defined) and ``draws`` (resamples by D).

    ``units`` and ``ratings`` count, for each table, what has a partner; ``reasons`` say why a value is missing.
    """

    values: NDArray[np.float64]
    draws: NDArray[np.float64]
    units: tuple[int, ...]
    ratings: tuple[int, ...]
    reasons: tuple[str, ...]

    def estimate(self, place: int, *, confidence: float = CONFIDENCE) -> Estimate:
        """Alpha of one table with its interval; n counts units."""
        return from_draws(
            self.values[place],
            self.draws[:, place],
            self.units[place],
            confidence=confidence,
            reason=self.reasons[place],
        )

    def average(self, places: list[int], *, confidence: float = CONFIDENCE) -> Estimate:
        """The mean alpha of several tables with its interval; n counts the tables that have one."""
        import numpy as np

        defined = [place for place in places if not np.isnan(self.values[place])]
        if not defined:
            return Estimate(None, reason="alpha is defined for none of the dimensions")
        lost = len(places) - len(defined)
        found = from_draws(
            float(self.values[defined].mean()),
            self.draws[:, defined].mean(axis=1),
            len(defined),
            confidence=confidence,
        )
        note = f"{lost} of {len(places)} dimensions have no alpha and are left out" if lost else found.reason
        return Estimate(found.value, found.low, found.high, found.n, note)


def stack(found: list[Alphas]) -> Alphas:
    """Several results over the same resamples as one (levels may differ), for their average."""
    import numpy as np

    return Alphas(
        values=np.concatenate([one.values for one in found]),
        draws=np.column_stack([one.draws for one in found]),
        units=tuple(count for one in found for count in one.units),
        ratings=tuple(count for one in found for count in one.ratings),
        reasons=tuple(reason for one in found for reason in one.reasons),
    )


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> float:
    """Alpha of one table of ``ratings`` (raters by units, NaN where there is none); at most 1.

    Raises:
        DeclarationError: alpha is not defined (no unit with two ratings, or one category only), or the
            table is no table of numbers.
        UnknownNameError: there is no such level.
    """
    import numpy as np

    found = alphas(np.asarray(ratings, dtype=float)[None], level, None)
    if found.reasons[0]:
        raise DeclarationError(found.reasons[0])
    return float(found.values[0])


def alpha_interval(
    ratings: ArrayLike,
    level: Level,
    rng: np.random.Generator,
    *,
    clusters: list[str] | None = None,
    resamples: int = 2_000,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Alpha of one table with the percentile interval over resampled clusters of units (default: the units)."""
    import numpy as np

    table = np.asarray(ratings, dtype=float)
    names = list(range(table.shape[-1])) if clusters is None else clusters
    drawn = draw(names, rng, resamples=resamples)
    return alphas(table[None], level, drawn).estimate(0, confidence=confidence)


def alphas(tables: ArrayLike, level: Level, resamples: Resamples | None) -> Alphas:
    """Alpha of each of D tables (D by raters by units, NaN where there is no rating), on the same units.

    With ``resamples`` of the units, their alphas come along in ``draws``; all tables share the same resamples.
    A table in which alpha is not defined has NaN and a reason.

    Raises:
        DeclarationError: the array has another shape, a rating is infinite, or a ratio is negative.
        UnknownNameError: there is no such level.
    """
    import numpy as np

    if level not in LEVELS:
        raise UnknownNameError("level of measurement", level, LEVELS)
    cube = np.asarray(tables, dtype=float)
    if cube.ndim != 3 or not cube.size:
        raise DeclarationError(
            f"alpha needs tables of raters by units, one of each at least; the shape is {cube.shape}"
        )
    if np.isinf(cube).any():
        raise DeclarationError("a rating is infinite")
    if level == "ratio" and (cube < 0).any():
        raise DeclarationError("ratings below 0 have no ratio: take the interval level")
    if resamples is None:
        resamples = Resamples(np.zeros((0, cube.shape[2])), np.arange(cube.shape[2]))
    if len(resamples.cluster) != cube.shape[2]:
        raise DeclarationError(f"resamples of {len(resamples.cluster)} units for tables of {cube.shape[2]}")
    prepared = [_Table(table, level, resamples) for table in cube]
    return Alphas(
        values=np.array([table.alpha(resamples.once().weights)[0] for table in prepared]),
        draws=np.column_stack([table.draws(resamples) for table in prepared]),
        units=tuple(table.units for table in prepared),
        ratings=tuple(table.ratings for table in prepared),
        reasons=tuple(table.reason for table in prepared),
    )


class _Table:
    """One table as sums over clusters: the counts of each value, and the coincidences of each pair of values."""

    def __init__(self, table: NDArray[np.float64], level: Level, resamples: Resamples) -> None:
        import numpy as np

        self.level = level
        slots = np.sort(table, axis=0)  # who rated does not matter: NaN go last, and the empty rows off
        sizes = (~np.isnan(slots)).sum(axis=0)
        slots = np.where(sizes >= 2, slots, np.nan)[: int(sizes.max(initial=0))]
        there = ~np.isnan(slots)
        self.units, self.ratings = int((sizes >= 2).sum()), int(there.sum())
        self.values, codes = np.unique(slots[there], return_inverse=True)
        coded = np.full(slots.shape, -1)
        coded[there] = codes
        self.reason = NO_UNITS if not self.units else ONE_CATEGORY if len(self.values) < 2 else ""
        self.counts = np.zeros((resamples.clusters, len(self.values)))
        places = np.broadcast_to(resamples.cluster, slots.shape)
        np.add.at(self.counts, (places[there], codes), 1.0)
        self._pair_up(coded, sizes, resamples)

    def _pair_up(self, coded: NDArray[np.intp], sizes: NDArray[np.intp], resamples: Resamples) -> None:
        """Fill ``pairs`` (two rows of value places) and ``coincidences`` (clusters by pairs), unlike pairs only."""
        import numpy as np

        lows, highs, places, shares = [], [], [], []
        for first in range(len(coded)):
            for second in range(first + 1, len(coded)):
                one, other = coded[first], coded[second]
                unlike = (other >= 0) & (one != other)  # sorted: where the second is there, so is the first
                lows.append(one[unlike])
                highs.append(other[unlike])
                places.append(resamples.cluster[unlike])
                shares.append(2.0 / (sizes[unlike] - 1))
        width = max(len(self.values), 1)
        keys = np.concatenate(
            [np.zeros(0, dtype=np.intp), *(a * width + b for a, b in zip(lows, highs, strict=True))]
        )
        distinct, columns = np.unique(keys, return_inverse=True)
        self.pairs = np.stack([distinct // width, distinct % width])
        self.coincidences = np.zeros((resamples.clusters, len(distinct)))
        if len(keys):
            np.add.at(self.coincidences, (np.concatenate(places), columns), np.concatenate(shares))

    def draws(self, resamples: Resamples) -> NDArray[np.float64]:
        """Alpha of every resample."""
        import numpy as np

        width = 2 * len(self.values) + 2 * self.pairs.shape[1]
        parts = [self.alpha(chunk) for chunk in resamples.chunks(width)]
        return np.concatenate([np.zeros(0), *parts])

    def alpha(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Alpha for each row of ``weights`` (rows by clusters); NaN where not defined."""
        import numpy as np

        n = weights @ self.counts
        observed = weights @ self.coincidences
        total = n.sum(axis=1)
        one, other = self.pairs
        if self.level == "nominal":
            difference = observed.sum(axis=1)
            expected = total**2 - (n**2).sum(axis=1)
        elif self.level == "ratio":
            scale = self.values[:, None] + self.values[None, :]
            ratios = (self.values[:, None] - self.values[None, :]) / np.where(scale == 0, 1.0, scale)
            difference = observed @ ratios[one, other] ** 2
            expected = ((n @ ratios**2) * n).sum(axis=1)
        else:
            ranks = np.cumsum(n, axis=1) - n / 2 if self.level == "ordinal" else self._centred()[None, :]
            difference = (observed * (ranks[:, one] - ranks[:, other]) ** 2).sum(axis=1)
            expected = 2 * (total * (n * ranks**2).sum(axis=1) - (n * ranks).sum(axis=1) ** 2)
        varied = (n > 0).sum(axis=1) > 1
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(varied, 1 - (total - 1) * difference / expected, np.nan)

    def _centred(self) -> NDArray[np.float64]:
        return self.values - self.values.mean() if len(self.values) else self.values
