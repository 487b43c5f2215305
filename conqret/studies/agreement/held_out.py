"""The best of several judges, chosen on some topics and held against people on others.

A judge that was chosen because it did best on some labels does worse on others, the more so the more judges there were
and the fewer topics (the winner's curse). So the choice is made again for each fold of topics, on the labels of all
other folds, and the scores of whoever was chosen are put together over the folds: alpha of those is what such a choice
is worth on topics that had no part in it. The choices are part of what is estimated: for the interval they are made
again without each topic that is left out. As topics that are dealt otherwise choose otherwise where judges are nearly
alike, alpha is the mean over several deals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from conqret.data.item import Frozen
from conqret.stats.estimate import Estimate, JackknifedEstimate, average
from conqret.stats.isotonic import FOLDS, dealt
from conqret.stats.resampling import Resamples, snapped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.studies.agreement.shared_units import SharedUnits


DEALS, MOST_FITS = 10, 500
"""Deals of topics over which alpha of what is chosen is averaged, and deals by clusters up to which there are several:
with so many topics a choice hangs on no deal."""


class HeldOut(Frozen):
    """In how many of the ``folds`` each judge was the best on all others (those that tie all count; of the first deal),
    and ``alpha`` of those chosen so, each on its own fold (mean over deals). For its interval the choices are made
    again without each topic."""

    folds: int
    chosen: Mapping[str, int]
    alpha: Estimate


@dataclass(frozen=True)
class FoldedChoice:
    """``fold`` is that of each unit, ``tied`` says which judges are best without each fold (judges by folds), and
    ``best`` is the place of the one of them that is taken: the first by its name, whatever order they are given in.
    ``without`` has the same of the choices without each cluster (clusters by folds)."""

    fold: NDArray[np.intp]
    tied: NDArray[np.bool_]
    best: NDArray[np.intp]
    without: NDArray[np.intp]

    @classmethod
    def of(cls, shared: SharedUnits, seed: int, drawn: Resamples) -> Self:
        """Choose among the judges without each fold of topics, by their mean alpha; and again without each cluster of
        ``drawn``."""
        import numpy as np

        by_cluster = dealt(shared.clusters, seed)
        fold = np.array([by_cluster[name] for name in shared.clusters])
        folds = min(FOLDS, len(by_cluster))
        tied = _best(shared, Resamples(1 - np.eye(folds), fold))
        by_name = np.array(sorted(range(len(shared.names)), key=shared.names.__getitem__))

        def taken(tied: NDArray[np.bool_]) -> NDArray[np.intp]:
            return np.asarray(by_name[tied[by_name].argmax(axis=0)])

        # cells of cluster and fold, as a cluster of ``drawn`` may be several that were put together
        cells, cell = np.unique(np.column_stack([drawn.cluster, fold]), axis=0, return_inverse=True)
        outside = (1 - np.eye(folds))[:, cells[:, 1]]
        rows = (drawn.weights[:, None, cells[:, 0]] * outside).reshape(-1, len(cells))
        nested = taken(_best(shared, Resamples(rows, cell.ravel()))) if len(rows) else np.zeros(0, np.intp)
        return cls(fold, tied, taken(tied), nested.reshape(-1, folds))

    def sampled(self, shared: SharedUnits, drawn: Resamples) -> JackknifedEstimate:
        """The mean alpha of what is chosen, each fold by the others; without each cluster, of what is then chosen."""
        import numpy as np

        whole = self._alpha(shared, drawn, self.best)
        without = whole.without.copy()
        if len(without):
            for best in np.unique(self.without, axis=0):
                again = (self.without == best).all(axis=1)
                if not (best == self.best).all():
                    part = Resamples(drawn.weights[again], drawn.cluster)
                    without[again] = self._alpha(shared, part, best).without
        return replace(whole, without=without)

    def _alpha(self, shared: SharedUnits, drawn: Resamples, best: NDArray[np.intp]) -> JackknifedEstimate:
        """The mean alpha of the judges at ``best``, each on its own fold."""
        import numpy as np

        places = np.arange(len(self.fold))
        return shared.averaged(
            {
                name: side.alphas(side.judges[best[self.fold], places][None], drawn)
                for name, side in shared.sides.items()
            }
        )[0]


@dataclass(frozen=True)
class HeldOutChoice:
    """The choices of several ``deals`` of the topics."""

    deals: tuple[FoldedChoice, ...]

    @classmethod
    def of(cls, shared: SharedUnits, seed: int, drawn: Resamples) -> Self:
        """Choose among the judges, in deals by ``seed`` and the numbers after it."""
        many = min(DEALS, max(1, MOST_FITS // drawn.clusters))
        return cls(tuple(FoldedChoice.of(shared, seed + deal, drawn) for deal in range(many)))

    def sampled(self, shared: SharedUnits, drawn: Resamples) -> JackknifedEstimate:
        """The mean alpha of what is chosen, over deals."""
        import numpy as np

        alphas = [deal.sampled(shared, drawn) for deal in self.deals]
        first = alphas[0]
        if not all(alpha.defined for alpha in alphas) or all(
            alpha.value == first.value and np.array_equal(alpha.without, first.without, equal_nan=True)
            for alpha in alphas
        ):
            return first  # to the last digit, where every deal chooses alike
        return replace(average(alphas), n=first.n)

    def held_out(self, shared: SharedUnits, drawn: Resamples, confidence: float) -> HeldOut:
        """The choices, and what they are worth."""
        first = self.deals[0]
        return HeldOut(
            folds=len(first.best),
            chosen=dict(zip(shared.names, first.tied.sum(axis=1).tolist(), strict=True)),
            alpha=self.sampled(shared, drawn).estimate(confidence),
        )


def _best(shared: SharedUnits, without: Resamples) -> NDArray[np.bool_]:
    """Which judges have the highest mean alpha, for each row of weights (judges by rows)."""
    import numpy as np

    means = shared.averaged({name: side.alphas(side.judges, without) for name, side in shared.sides.items()})
    tied = np.ones((len(shared.names), len(without.weights)), dtype=bool)
    if all(mean.defined for mean in means):  # else there is nothing to choose by
        known = np.nan_to_num(snapped(np.stack([mean.without for mean in means])), nan=-np.inf)
        tied = known == known.max(axis=0)
    return tied
