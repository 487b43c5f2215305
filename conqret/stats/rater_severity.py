"""How severe each rater is: by how much a rater rates the same units lower than the average rater.

A label of unit i by rater r is ``unit_i - severity_r + error``, and severities of the raters of a group sum to 0. They
are estimated by least squares from raters who labelled the same units, with units as fixed effects: nothing is assumed
of how worths are distributed or who labelled what, and the result is a difference of mean labels, in points of the
scale. Where every rater labelled every unit, a severity is the mean of all raters minus that rater's, as the fair
averages of a many-facet Rasch model are (Linacre 1989), whose rating scale model keeps raters' sums. Normal equations
are sums over units, so that leaving out a topic subtracts its part of them.

A judge is placed among raters without a say in where units lie: its severity is the mean over units of the raters'
labels, freed of their severities, minus the judge's score. Scores need no steps for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.correlation import ranked
from conqret.stats.estimate import FEWEST_CLUSTERS, JackknifedEstimate, freedom_by_size, without_value
from conqret.stats.rater_ceiling import FEWEST_RATED, mean_of_raters
from conqret.stats.resampling import Resamples, whole
from conqret.stats.student import beyond
from conqret.stats.topic_mean import variance_between

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

FEWEST_LABELLED = 5
"""Units that a rater shares with others of the group, below which nothing is said of that rater."""
FEWEST_FOR_OUTLIERS = 5
"""Raters among whom outliers are looked for."""
MOST_RATERS = 200
"""Raters that are placed, those with the most labels first."""
TOO_FEW = (
    f"fewer than {FEWEST_LABELLED} units that other annotators labeled, too, or such units in "
    f"fewer than {FEWEST_CLUSTERS} topics (or items)"
)
TOO_FEW_TO_ORDER = f"fewer than {FEWEST_RATED} units that other annotators labeled, too"
NOT_IN_GROUP = "the judge scored no unit that these annotators labeled"
LINK = 1e-9
"""Units in common below which two raters share none, after rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRater:
    """A rater's ``severity`` within its ``group`` (from 0, the largest first; None: not placed), and ``order``, the
    rank correlation of its labels with what the others of the group say of the same units, freed of severities."""

    group: int | None
    severity: JackknifedEstimate
    order: JackknifedEstimate


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRaters:
    """The raters in the order of the table, how many of them each group has, and the ``judge`` among the first group
    (None: no judge was given, or nobody is placed)."""

    raters: tuple[PlacedRater, ...]
    groups: tuple[int, ...]
    judge: PlacedRater | None


def place_raters(
    table: ArrayLike, resamples: Resamples | None = None, judge: ArrayLike | None = None
) -> PlacedRaters:
    """Place raters by their severity.

    ``table`` has raters by units, NaN for none; ``judge`` the judge's score of each unit on the same scale. Raters who
    are linked by units in common, directly or through others, form a group; severities of different groups have
    different zeros and are not compared.

    Raises:
        DeclarationError: the table has another shape, or the judge another number of units.
    """
    import numpy as np

    labels = np.asarray(table, dtype=float)
    if labels.ndim != 2:
        raise DeclarationError(f"a table of raters by units is needed, not the shape {labels.shape}")
    scores = None if judge is None else np.asarray(judge, dtype=float)
    if scores is not None and scores.shape != labels.shape[1:]:
        raise DeclarationError(
            f"the raters have labels of {labels.shape[1]} units, but the judge has scores of the shape {scores.shape}"
        )
    drawn = resamples or whole(labels.shape[1])
    none = PlacedRater(None, without_value(TOO_FEW), without_value(TOO_FEW))
    placed = [none] * len(labels)
    groups = _groups(~np.isnan(labels), drawn)
    found_judge = None
    for number, members in enumerate(groups):
        group = _Group(labels[members], drawn)
        for member, rater in zip(members, group.raters(number), strict=True):
            placed[member] = rater
        if scores is not None and not number:
            found_judge = group.judge(scores)
    return PlacedRaters(tuple(placed), tuple(map(len, groups)), found_judge)


def _groups(there: NDArray[np.bool_], drawn: Resamples) -> list[NDArray[np.intp]]:
    """The raters of each group, the largest first: those who share units enough, in clusters enough."""
    import numpy as np

    least = min(FEWEST_CLUSTERS, drawn.clusters)
    kept = np.zeros(len(there), dtype=bool)
    kept[np.argsort(-there.sum(axis=1), kind="stable")[:MOST_RATERS]] = True
    while True:
        shared = there & (there[kept].sum(axis=0) > 1)
        clusters = np.array([len(np.unique(drawn.cluster[units])) for units in shared])
        stays = kept & (shared.sum(axis=1) >= FEWEST_LABELLED) & (clusters >= least)
        if (stays == kept).all():
            break
        kept = stays
    places = np.flatnonzero(kept)
    if not len(places):
        return []
    together = there[places].astype(float)
    number = _linked(together @ together.T)
    groups = [places[number == one] for one in range(int(number.max()) + 1)]
    return sorted(groups, key=lambda members: (-len(members), members[0]))


def _linked(weights: NDArray[np.float64]) -> NDArray[np.intp]:
    """The number of the connected component of each rater."""
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(np.abs(weights) > LINK, directed=False)[1], dtype=np.intp)


class _Group:
    """The labels of linked raters, and their severities, with all labels and without each cluster."""

    def __init__(self, labels: NDArray[np.float64], drawn: Resamples) -> None:
        import numpy as np

        self.labels, self.drawn = labels, drawn
        self.there = ~np.isnan(labels)
        self.counts = self.there.sum(axis=0)
        self.sums = np.where(self.there, labels, 0.0).sum(axis=0)
        self.shared = self.there & (self.counts > 1)
        self.present = drawn.sizes(self.counts > 1) > 0
        parts = [self._part(cluster) for cluster in range(drawn.clusters)]
        self._left, self._right = (np.sum(side, axis=0) for side in zip(*parts, strict=True))
        self.severity = self._solved(self._left, self._right)
        self.without = np.array(
            [
                self._solved(self._left - parts[out][0], self._right - parts[out][1])
                for weights in drawn.weights
                for out in np.flatnonzero(weights == 0)
            ]
        ).reshape(len(drawn.weights), len(labels))

    def raters(self, number: int) -> list[PlacedRater]:
        """The raters of the group, in order."""
        return [
            PlacedRater(
                number,
                JackknifedEstimate(
                    float(self.severity[place]),
                    self.without[:, place],
                    self.present,
                    int(self.there[place].sum()),
                    freedom=freedom_by_size(self.drawn.sizes(self.shared[place])),
                ),
                self._order(self.labels[place], place),
            )
            for place in range(len(self.labels))
        ]

    def judge(self, scores: NDArray[np.float64]) -> PlacedRater:
        """The judge among the raters of the group."""
        import numpy as np

        both = ~np.isnan(scores) & (self.counts > 0)
        if not both.any():
            none = without_value(NOT_IN_GROUP)
            return PlacedRater(None, none, none)
        shares = np.where(both, self.there, False) / self.counts.clip(min=1)
        gaps = np.where(both, self.sums / self.counts.clip(min=1) - scores, 0.0)
        sums = self.drawn.sums(np.column_stack([both, gaps, shares.T]).astype(float))

        def placed(total: NDArray[np.float64], severity: NDArray[np.float64]) -> NDArray[np.float64]:
            count, gap = total[:, 0], total[:, 1]
            above = gap + (total[:, 2:] * severity).sum(axis=1)
            found = np.full(len(count), np.nan)
            np.divide(above, count, out=found, where=count > 0)
            return found

        sizes = self.drawn.sizes(both)
        severity = JackknifedEstimate(
            float(placed(sums.sum(axis=0)[None], self.severity)[0]),
            placed(self.drawn.weights @ sums, self.without),
            self.present | (sizes > 0),
            int(both.sum()),
            freedom=freedom_by_size(sizes),
        )
        orders = [
            self._order(np.where(self.there[place], scores, np.nan), place)
            for place in range(len(self.labels))
        ]
        known = [order for order in orders if order.defined]
        order = mean_of_raters(known) if known else orders[0]
        return PlacedRater(0, severity, replace(order, n=int(both.sum())) if known else order)

    def _part(self, cluster: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What the units of a cluster add to the normal equations of the raters' effects, unit effects eliminated."""
        import numpy as np

        units = (self.drawn.cluster == cluster) & (self.counts > 1)
        there, counts = self.there[:, units].astype(float), self.counts[units]
        values = np.where(there > 0, self.labels[:, units] - self.sums[units] / counts, 0.0)
        return np.diag(there.sum(axis=1)) - (there / counts) @ there.T, values.sum(axis=1)

    def _solved(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        """The severities that solve the normal equations; NaN where the raters are no longer linked."""
        import numpy as np

        if _linked(left).max():
            return np.full(len(left), np.nan)
        return np.asarray(-np.linalg.solve(left + 1 / len(left), right))

    def _order(self, values: NDArray[np.float64], place: int) -> JackknifedEstimate:
        """The rank correlation of ``values`` with what the raters but one say of the same units."""
        import numpy as np

        freed = np.where(self.there, self.labels + self.severity[:, None], 0.0)
        others = self.counts - self.there[place]
        both = ~np.isnan(values) & (others > 0)
        if both.sum() < FEWEST_RATED:
            return without_value(TOO_FEW_TO_ORDER)
        rest = (freed.sum(axis=0) - freed[place])[both] / others[both]
        return ranked(values[both], rest, self.drawn.of(both))


@dataclass(frozen=True, slots=True)
class RaterTests:
    """Of each rater the p-value of its severity being the average (``p``), and of its being one of the others'
    (``outlier``), each corrected over raters (Holm 1979); None where nothing is tested. ``spread`` is the standard
    deviation of the severities of each group, without what chance adds (None: fewer than three raters). ``judge`` is
    the ``outlier`` of the judge among all raters of the first group."""

    p: tuple[float | None, ...]
    outlier: tuple[float | None, ...]
    spread: tuple[float | None, ...]
    judge: float | None


def rater_tests(placed: PlacedRaters) -> RaterTests:
    """Test who differs from the average rater, and who differs by more than raters do among themselves.

    Raters always differ, and with many labels it shows of most of them. An outlier's severity is beyond what the others
    let expect: ``s_r - m`` with its squared error plus the others' variance t^2 (that of Paule and Mandel) and the
    squared error of their mean m, by t with as many degrees of freedom as that variance has or the topics leave,
    whichever is fewer (deleted residuals: Viechtbauer and Cheung 2010). Of two raters neither is tested, and outliers
    are looked for among :data:`FEWEST_FOR_OUTLIERS` or more.
    """
    import numpy as np

    from conqret.stats.effects import holm

    p: list[float | None] = [None] * len(placed.raters)
    outlier, spreads, of_judge = list(p), [], None
    for number, size in enumerate(placed.groups):
        members = [place for place, rater in enumerate(placed.raters) if rater.group == number]
        known = [place for place in members if placed.raters[place].severity.error > 0]
        values = np.array([placed.raters[place].severity.value for place in known])
        errors = np.array([placed.raters[place].severity.error ** 2 for place in known])
        spreads.append(variance_between(values, errors) ** 0.5 if len(known) > 2 else None)
        if size < 3:
            continue
        enough = len(known) >= FEWEST_FOR_OUTLIERS
        if enough and not number and placed.judge is not None and placed.judge.severity.p() is not None:
            of_judge = _deleted(placed.judge.severity, values, errors)
        for at, place in enumerate(known):
            p[place] = placed.raters[place].severity.p()
            if p[place] is not None and enough:
                rest = np.arange(len(known)) != at
                outlier[place] = _deleted(placed.raters[place].severity, values[rest], errors[rest])
    return RaterTests(tuple(holm(p)), tuple(holm(outlier)), tuple(spreads), of_judge)


def _deleted(severity: JackknifedEstimate, others: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """The p-value of a severity being one of the ``others``, whose squared ``errors`` stand beside them."""
    between = variance_between(others, errors)
    weights = 1 / (between + errors)
    apart = abs(severity.value - float((weights * others).sum() / weights.sum()))
    deviation = float(severity.error**2 + between + 1 / weights.sum()) ** 0.5
    return beyond(apart / deviation, min(len(others) - 1.0, max(severity.freedom, 1.0)))
