"""How the scores of several judges become one.

``mean`` and ``median`` need nothing. ``weights`` are one for each judge over all dimensions, none below 0 and 1 in sum,
by which the weighted mean is closest in squares to people's labels (stacked regressions: Breiman, Machine Learning
1996); a topic's own labels have no part in its weights. ``dawid-skene`` believes judges by how they agree with each
other (:mod:`conqret.stats.dawid_skene`), where there are few different scores.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self, get_args

from conqret.errors import DeclarationError
from conqret.stats.dawid_skene import FEWEST_RATERS, dawid_skene
from conqret.stats.estimate import JackknifedEstimate
from conqret.stats.isotonic import FOLDS, dealt
from conqret.stats.resampling import Resamples, snapped
from conqret.studies.agreement.dimension_view import MOST_CATEGORIES
from conqret.studies.agreement.shared_units import SharedUnits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Rule = Literal["mean", "median", "weights", "dawid-skene"]
RULES: tuple[Rule, ...] = get_args(Rule)
FEWEST_TOPICS = 6
"""Topics with labels below which no weights are fitted: each fold holds one, and four are left to be fitted on."""

MOST_REFITTED = 100
"""Clusters up to which weights are fitted again without each of them."""

Combine = Callable[["NDArray[np.float64]", Sequence[Hashable]], "NDArray[np.float64] | None"]
"""From the scores of one metric (units by judges, in [0, 1], none missing) and the topic of each unit to one score of
each, or None where the rule has none for such scores."""


@dataclass(frozen=True)
class JuryWeights:
    """What each judge counts, fitted on all labels (``whole``) and without each fold of topics (folds by judges)."""

    whole: NDArray[np.float64]
    without: NDArray[np.float64]
    fold: Mapping[Hashable, int]

    @classmethod
    def fitted(cls, shared: SharedUnits, seed: int) -> Self:
        """Fit them to people's labels.

        Raises:
            DeclarationError: the labels have no scale with ends, or are of too few topics.
        """
        import numpy as np

        columns, target, dimension, places = _stacked(shared)
        clusters = [shared.clusters[place] for place in places]
        topics = len(set(clusters))
        if topics < FEWEST_TOPICS:
            raise DeclarationError(
                f"fitting weights needs labels with a scale (--scale LOW:HIGH) on at least {FEWEST_TOPICS} "
                f"{shared.clustered_by}s, and there are {topics}"
            )
        fold = dealt(clusters, seed)
        where = np.array([fold[name] for name in clusters])
        whole, *without = (
            _simplex(columns[kept], target[kept], dimension[kept])
            for kept in (where >= 0, *(where != fold for fold in range(FOLDS)))
        )
        return cls(whole, np.stack(without), fold)

    def sampled(self, shared: SharedUnits, drawn: Resamples, whole: JackknifedEstimate) -> JackknifedEstimate:
        """The mean alpha of the weighted mean (``whole``), the weights fitted again without each cluster of ``drawn``:
        they are part of what is estimated. With more clusters than :data:`MOST_REFITTED` hardly any moves them."""
        import numpy as np

        if drawn.clusters > MOST_REFITTED or not len(whole.without):
            return whole
        columns, target, dimension, places = _stacked(shared)
        where = np.array([self.fold[shared.clusters[place]] for place in places])
        every = np.array([self.fold.get(name, -1) for name in shared.clusters])
        group = drawn.cluster[places]
        without = whole.without.copy()
        for left_out in np.flatnonzero(whole.present):
            kept = [(where != fold) & (group != left_out) for fold in range(FOLDS)]
            if not all(rows.any() for rows in kept):
                continue
            fitted = np.stack([_simplex(columns[rows], target[rows], dimension[rows]) for rows in kept])
            weights = fitted[every].T  # units that are in no fold have no label, and no part in alpha
            part = Resamples(drawn.weights[[left_out]], drawn.cluster)
            alphas = {
                name: side.alphas((side.judges * weights).sum(axis=0)[None], part)
                for name, side in shared.sides.items()
            }
            without[left_out] = shared.averaged(alphas)[0].without[0]
        return replace(whole, without=without)

    def combine(self, scores: NDArray[np.float64], topics: Sequence[Hashable]) -> NDArray[np.float64]:
        """The weighted mean of each unit, by the weights to which its topic did not contribute."""
        import numpy as np

        rows = np.vstack([self.without, self.whole])
        places = [self.fold.get(topic, len(self.without)) for topic in topics]
        return np.asarray((scores * rows[places]).sum(axis=1))


def combiner(rule: Rule, judges: int, weights: JuryWeights | None) -> Combine:
    """What a rule makes of scores.

    Raises:
        DeclarationError: the rule needs more judges, or labels.
    """
    import numpy as np

    if rule == "dawid-skene" and judges < FEWEST_RATERS:
        raise DeclarationError(f"dawid-skene needs at least {FEWEST_RATERS} judges, and there are {judges}")
    if rule == "weights":
        if weights is None:
            raise DeclarationError("weights are fitted to human labels: give --labels")
        return weights.combine
    if rule == "dawid-skene":
        return _consensus
    middle = np.mean if rule == "mean" else np.median
    return lambda scores, topics: np.asarray(middle(scores, axis=1))


def _consensus(scores: NDArray[np.float64], topics: Sequence[Hashable]) -> NDArray[np.float64] | None:
    """The score to be expected by what Dawid and Skene's estimate believes."""
    import numpy as np

    steps, codes = np.unique(scores, return_inverse=True)
    if len(steps) > MOST_CATEGORIES:
        return None
    consensus = dawid_skene(codes.reshape(scores.shape).T, len(steps))
    return np.asarray((consensus.belief @ steps).clip(0, 1))


def _stacked(
    shared: SharedUnits,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """The judges' scores and people's labels in [0, 1] over all dimensions that have a scale, and of each row the
    number of its dimension and the place of its unit."""
    import numpy as np

    columns, target = [np.zeros((0, len(shared.names)))], [np.zeros(0)]
    dimension = [np.zeros(0, dtype=np.intp)]
    places = [np.zeros(0, dtype=np.intp)]
    for number, side in enumerate(shared.sides.values()):
        known = ~np.isnan(side.people)
        if not side.scale.bounded:
            continue
        columns.append(side.scale.unit(side.judges[:, known].T))
        target.append(side.scale.unit(side.people[known]))
        dimension.append(np.full(int(known.sum()), number))
        places.append(np.flatnonzero(known))
    return np.concatenate(columns), np.concatenate(target), np.concatenate(dimension), np.concatenate(places)


def _simplex(
    columns: NDArray[np.float64], target: NDArray[np.float64], dimension: NDArray[np.intp]
) -> NDArray[np.float64]:
    """``argmin |y - X w|^2`` with ``w >= 0`` and ``sum w = 1``, all less their mean on each dimension. That they sum to
    1 is an equation that outweighs all others. Judges that say the same there share their weight, in any order."""
    import numpy as np
    from scipy.optimize import nnls

    rows = np.column_stack([columns, target])
    for level in np.unique(dimension):
        rows[dimension == level] -= rows[dimension == level].mean(axis=0)
    apart, which, alike = np.unique(snapped(rows[:, :-1]), axis=1, return_inverse=True, return_counts=True)
    heavy = 1e3 * max(1.0, float(np.abs(rows).sum()))
    weights, _ = nnls(np.vstack([apart, np.full(len(alike), heavy)]), np.append(rows[:, -1], heavy))
    return np.asarray((weights / alike)[which.ravel()] / weights.sum())
