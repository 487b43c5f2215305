"""The best of several judges, chosen on some topics and held against people on others.

A judge that was chosen because it did best on some labels does worse on others, the more so the more judges there were
and the fewer topics (the winner's curse). So the choice is made again for each fold of topics, on the labels of all
other folds, and the scores of whoever was chosen are put together over the folds: alpha of those is what such a choice
is worth on topics that had no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from conqret.data.item import Frozen
from conqret.stats.estimate import Estimate, JackknifedEstimate
from conqret.stats.isotonic import FOLDS, dealt
from conqret.stats.resampling import Resamples, snapped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.studies.agreement.shared_units import SharedUnits


class HeldOut(Frozen):
    """In how many of the ``folds`` each judge was the best on all others (those that tie all count), and ``alpha`` of
    those chosen so, each on its own fold. Intervals leave topics out of that, and leave the choices."""

    folds: int
    chosen: Mapping[str, int]
    alpha: Estimate


@dataclass(frozen=True)
class FoldedChoice:
    """``fold`` is that of each unit, ``tied`` says which judges are best without each fold (judges by folds), and
    ``best`` is the place of the one of them that is taken: the first by its name, whatever order they are given in."""

    fold: NDArray[np.intp]
    tied: NDArray[np.bool_]
    best: NDArray[np.intp]

    @classmethod
    def of(cls, shared: SharedUnits, seed: int) -> Self:
        """Choose among the judges without each fold of topics, by their mean alpha."""
        import numpy as np

        by_cluster = dealt(shared.clusters, seed)
        fold = np.array([by_cluster[name] for name in shared.clusters])
        without = Resamples(1 - np.eye(min(FOLDS, len(by_cluster))), fold)
        alphas_by_dimension = {name: side.alphas(side.judges, without) for name, side in shared.sides.items()}
        means = shared.averaged(alphas_by_dimension)
        tied = np.ones((len(shared.names), len(without.weights)), dtype=bool)
        if all(mean.defined for mean in means):  # else there is nothing to choose by
            known = np.nan_to_num(snapped(np.stack([mean.without for mean in means])), nan=-np.inf)
            tied = known == known.max(axis=0)
        by_name = np.array(sorted(range(len(shared.names)), key=shared.names.__getitem__))
        return cls(fold, tied, by_name[tied[by_name].argmax(axis=0)])

    def sampled(self, shared: SharedUnits, drawn: Resamples) -> JackknifedEstimate:
        """The mean alpha of what is chosen, each fold by the others."""
        import numpy as np

        places = np.arange(len(self.fold))
        alphas_by_dimension = {
            name: side.alphas(side.judges[self.best[self.fold], places][None], drawn)
            for name, side in shared.sides.items()
        }
        return shared.averaged(alphas_by_dimension)[0]

    def held_out(self, shared: SharedUnits, drawn: Resamples, confidence: float) -> HeldOut:
        """The choices, and what they are worth."""
        return HeldOut(
            folds=len(self.best),
            chosen=dict(zip(shared.names, self.tied.sum(axis=1).tolist(), strict=True)),
            alpha=self.sampled(shared, drawn).estimate(confidence),
        )
