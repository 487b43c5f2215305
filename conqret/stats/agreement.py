"""Krippendorff's alpha, for many dimensions and without each cluster at once.

``alpha = 1 - D_o / D_e`` with ``D_o = sum o_ck d(c, k)`` over the coincidences of values c and k within units and
``D_e = sum n_c n_k d(c, k) / (n - 1)`` over the values at large (Krippendorff, Computing Krippendorff's
Alpha-Reliability, 2011). Units with fewer than two ratings count for nothing. With m_u ratings of unit u, each
pair of them adds ``2 / (m_u - 1)`` to the coincidences, which are therefore sums over units: alpha without a cluster
is one of a weighted sum of the clusters' own tables, and needs no ratings.

The differences d are 0 or 1 (nominal), ``(c - k)^2`` (interval), ``((c - k) / (c + k))^2`` (ratio), and for the
ordinal level ``(r_c - r_k)^2`` with the mid-rank ``r_c = n_1 + ... + n_c - n_c / 2``, which every
cluster changes. Ratings that rounding alone tells apart are one value.

Can the judge stand in for one of the annotators? The alternative annotator test (Calderon, Reichart and Dror, "The
Alternative Annotator Test for LLM-as-a-Judge", ACL 2025, section 3): for each annotator j in turn, judge and annotator
are compared by how well each fits the *other* annotators on the items that j labeled: by the share of them that say
the same (nominal), or by the root mean square of the differences. ``d_ij = 1[annotator fits at least as well] -
1[judge fits at least as well]``, and the judge has the *advantage* over j if the mean of d is significantly below
``epsilon``, what the annotator may be better by because the judge is cheaper. The judge passes if it has the advantage
over at least half of the annotators. The paper tests the mean of d by Student's t over items. Items of one topic
are no independent witnesses, so here its error is that of a jackknife over topics, which is Student's where each
item is a topic of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError, check_known, number
from conqret.stats.classification import RARE, shared_by_chance
from conqret.stats.estimate import MIN_SHARED, MIN_TOPICS
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import Resamples, mean, snapped, whole

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)

NO_UNITS = "no unit has two ratings"
ONE_CATEGORY = "all ratings are equal: chance agreement is complete, and alpha is not defined"


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> float:
    """Compute Krippendorff's alpha of one table of ratings.

    Args:
        ratings: raters by units; NaN where a rater gave no rating.
        level: the level of measurement: nominal, ordinal, interval or ratio.

    Returns:
        Alpha, at most 1.

    Raises:
        DeclarationError: alpha is not defined (no unit has two ratings, or all ratings are equal), or a ratio
            is negative.
        UnknownNameError: the level is unknown.
    """
    (alpha,) = alphas(np.asarray(ratings, dtype=float)[None], level)
    if not alpha.defined:
        raise DeclarationError(alpha.reason)
    return alpha.value


def alphas(tables: ArrayLike, level: Level, resamples: Resamples | None = None) -> list[JackknifedEstimate]:
    """Compute Krippendorff's alpha of several tables over the same units, with its jackknife values.

    Args:
        tables: tables by raters by units; NaN where there is no rating.
        level: the level of measurement: nominal, ordinal, interval or ratio.
        resamples: how clusters of units are left out; None computes the values alone, without intervals.

    Returns:
        One estimate for each table. It is NaN, with a reason, where alpha is not defined. Its ``n`` counts
            the units with at least two ratings.

    Raises:
        DeclarationError: a ratio is negative.
        UnknownNameError: the level is unknown.
    """
    check_known("level of measurement", LEVELS, level)
    cube = np.asarray(tables, dtype=float)
    if level == "ratio" and (cube < 0).any():
        raise DeclarationError("ratings below 0 have no ratio: use the interval level")
    drawn = resamples or whole(cube.shape[2])
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

    Each column of ``coincidences`` (clusters by pairs) belongs to a pair of different values; ``pairs`` has two rows,
    the indices of both in ``values``. The interval level needs no pairs: ``counts`` are sums of 1, x and x^2, and
    ``coincidences`` sums of squared differences.
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
        self.rare = RARE if self.units and shared_by_chance(table[:, self.rated]) < MIN_SHARED else ""
        self.values, codes = np.unique(slots[there], return_inverse=True)
        coded = np.full(slots.shape, -1)
        coded[there] = codes
        self.reason = NO_UNITS if not self.units else ONE_CATEGORY
        if level == "interval":
            self._sum_squares(np.where(there, slots, 0.0), there, sizes, resamples)
            return
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

    def _sum_squares(
        self,
        slots: NDArray[np.float64],
        there: NDArray[np.bool_],
        sizes: NDArray[np.intp],
        resamples: Resamples,
    ) -> None:
        """Set the sums of the interval level, by ``sum_ij (x_i - x_j)^2 / 2 = m sum_i (x_i - mean)^2`` of a unit with m
        ratings. ``slots`` are ratings by units, ``there`` marks those that exist, ``sizes`` counts them by unit."""
        low, high = (self.values[0], self.values[-1]) if len(self.values) else (0.0, 0.0)
        x = np.where(there, (slots - low) / ((high - low) or 1.0), 0.0)
        m, total, squares = there.sum(axis=0), x.sum(axis=0), (x * x).sum(axis=0)
        self.counts = resamples.sums(np.column_stack([m, total, squares]))
        apart = np.where(there, x - total / np.maximum(m, 1), 0.0)
        self.coincidences = resamples.sums(2 * m * (apart**2).sum(axis=0) / np.maximum(sizes - 1, 1))
        self.width = 4

    def alpha(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Alpha for each row of ``weights`` (rows by clusters); NaN where not defined."""
        n = weights @ self.counts
        observed = weights @ self.coincidences
        if self.level == "interval":
            total, sums, squares = n.T
            expected = 2 * (total * squares - sums**2)
            with np.errstate(divide="ignore", invalid="ignore"):
                alpha = 1 - (total - 1) * observed[:, 0] / expected
            return np.where(expected > 1e-12 * total**2, alpha, np.nan)
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
            ranks = np.cumsum(n, axis=1) - n / 2
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


EPSILON: Mapping[str, float] = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""How much better than the judge an annotator may be, as a share, by the kind of annotators (section 3.2)."""
FALSE_DISCOVERY = 0.05
"""The expected share of false advantages among those called significant."""
WINNING_RATE = 0.5
"""The share of annotators over whom the judge must have the advantage."""
ENOUGH_ITEMS = 30
"""The fewest items of an annotator for a test (section 3.1)."""
ENOUGH_ANNOTATORS = 3


@dataclass(frozen=True, slots=True)
class AgainstOne:
    """The alternative annotator test of the judge against one annotator, on ``items`` that both labeled.

    ``judge`` is the share of items (0 to 1) on which the judge fits the other annotators at least as well as
    this annotator does; ``person`` is the reverse share, and a tie counts for both. ``p`` is the one-sided
    p-value before correction. ``advantage`` is True if the judge has the advantage after correction.
    """

    annotator: str
    items: int
    judge: float
    person: float
    p: float
    advantage: bool


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """The result of the alternative annotator test over all annotators.

    ``winning_rate`` is the share of annotators over whom the judge has the advantage. ``advantage`` is the
    average advantage probability: the mean share of items on which the judge fits at least as well.
    ``passed`` is True if the winning rate is at least 0.5, and None if no test was possible. ``reason`` says
    why there is no test, or holds a caution.
    """

    epsilon: float
    winning_rate: float | None
    advantage: float | None
    passed: bool | None
    annotators: tuple[AgainstOne, ...] = ()
    reason: str = ""


def alternative_annotator_test(
    judge: ArrayLike,
    annotators: ArrayLike,
    names: Sequence[str],
    level: Level,
    *,
    clusters: Sequence[Hashable] | None = None,
    epsilon: float = EPSILON["experts"],
) -> AlternativeAnnotator:
    """Run the alternative annotator test: can the judge replace one of the annotators?

    A unit counts for annotator j if j, the judge and at least one other annotator rated it. Annotators with
    fewer than :data:`ENOUGH_ITEMS` such units, or without any variation in the differences, are not tested.
    The tests are one-sided and corrected by Benjamini and Yekutieli (2001).

    Args:
        judge: the judge's value of each unit; NaN where it has none.
        annotators: annotators by units; NaN where an annotator has no label.
        names: the names of the annotators.
        level: the level of measurement; nominal compares equality, all others distances.
        clusters: the cluster of each unit; None makes each unit its own cluster.
        epsilon: how much better the annotator may be, in [0, 1).

    Raises:
        DeclarationError: epsilon is out of range.
    """
    if not 0 <= epsilon < 1:
        raise DeclarationError(f"epsilon must lie in [0, 1), not at {epsilon}")
    verdicts, table = np.asarray(judge, dtype=float), np.asarray(annotators, dtype=float)
    topics = range(len(verdicts)) if clusters is None else clusters
    if len(table) < 2:
        return AlternativeAnnotator(
            epsilon, None, None, None, reason="no test: one annotator labeled, and it takes several"
        )
    rows = [
        _against(verdicts, table, place, names[place], level, epsilon, topics) for place in range(len(table))
    ]
    tested = [row for row in rows if isinstance(row, AgainstOne)]
    untested = "; ".join(
        f"{count} of {len(rows)} annotators: {why}"
        for why, count in Counter(row for row in rows if isinstance(row, str)).items()
    )
    if not tested:
        return AlternativeAnnotator(epsilon, None, None, None, reason=f"no test: {untested}")
    from scipy.stats import false_discovery_control  # it takes longer to import than most commands do

    corrected = false_discovery_control([row.p for row in tested], method="by")
    corrected_rows = tuple(
        replace(row, advantage=bool(p <= FALSE_DISCOVERY)) for row, p in zip(tested, corrected, strict=True)
    )
    rate = sum(row.advantage for row in corrected_rows) / len(corrected_rows)
    cautions = []
    if len(corrected_rows) < ENOUGH_ANNOTATORS:
        cautions.append(f"{len(corrected_rows)} annotators tested, {ENOUGH_ANNOTATORS} are wanted")
    if untested:
        cautions.append(f"left out: {untested}")
    advantage = sum(row.judge for row in corrected_rows) / len(corrected_rows)
    passed = rate >= WINNING_RATE
    return AlternativeAnnotator(epsilon, rate, advantage, passed, corrected_rows, "; ".join(cautions))


def _against(
    verdicts: NDArray[np.float64],
    table: NDArray[np.float64],
    place: int,
    name: str,
    level: Level,
    epsilon: float,
    topics: Sequence[Hashable],
) -> AgainstOne | str:
    """Return the test against the annotator at ``place`` in ``table``, or the reason why there is none. Items count
    that the judge, this annotator and at least one other have labeled; a tie is a win for both. ``p`` is not corrected
    yet, and ``advantage`` is False."""
    others = np.delete(table, place, axis=0)
    shared = ~np.isnan(verdicts) & ~np.isnan(table[place]) & (~np.isnan(others)).any(axis=0)
    n = int(shared.sum())
    if n < ENOUGH_ITEMS:
        return f"fewer than {ENOUGH_ITEMS} items shared with the judge and another annotator"
    judge = _fit(verdicts[shared], others[:, shared], level)
    person = _fit(table[place, shared], others[:, shared], level)
    judge_wins, person_wins = judge >= person - 1e-12, person >= judge - 1e-12
    d = person_wins.astype(float) - judge_wins.astype(float)
    names = [topic for topic, counts in zip(topics, shared, strict=True) if counts]
    advantage = mean(d, names)
    above = advantage.above(epsilon)
    if above is None:
        return f"{number(advantage.clusters, 'topic')} only, and {MIN_TOPICS} are needed for a test"
    if not advantage.varies:
        return "the difference does not vary, so that it cannot be tested"
    return AgainstOne(name, n, float(judge_wins.mean()), float(person_wins.mean()), 1 - above, False)


def _fit(values: NDArray[np.float64], others: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """How well each value fits the others' of its unit; higher is better."""
    there = ~np.isnan(others)
    if level == "nominal":
        return np.asarray(((others == values) & there).sum(axis=0) / there.sum(axis=0))
    squares = np.where(there, (others - values) ** 2, 0.0)
    return np.asarray(-np.sqrt(squares.sum(axis=0) / there.sum(axis=0)))
