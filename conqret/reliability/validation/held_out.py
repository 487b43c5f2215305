"""The best of several judges, chosen on some topics and held against people on others.

A judge that was chosen because it did best on some labels does worse on others, the more so the more judges there were
and the fewer topics (the winner's curse). So the choice is made again for each fold of topics, on the labels of all
other folds, and the scores of whoever was chosen are put together over the folds: alpha of those is what such a choice
is worth on topics that had no part in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from conqret.data.item import Frozen
from conqret.stats.estimate import Estimate, Sampled
from conqret.stats.isotonic import FOLDS, dealt
from conqret.stats.resampling import Resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.reliability.validation.shared_units import Shared


class HeldOut(Frozen):
    """In how many of the ``folds`` each judge was the best on all others, and ``alpha`` of those chosen so, each on its
    own fold. Intervals leave topics out of that, and leave the choices."""

    folds: int
    chosen: Mapping[str, int]
    alpha: Estimate


@dataclass(frozen=True)
class FoldedChoice:
    """``fold`` is that of each unit, and ``best`` the place of the judge that is chosen without each fold."""

    fold: NDArray[np.intp]
    best: NDArray[np.intp]

    @classmethod
    def of(cls, shared: Shared, seed: int) -> Self:
        """Choose among the judges without each fold of topics, by their mean alpha."""
        import numpy as np

        by_cluster = dealt(shared.clusters, seed)
        fold = np.array([by_cluster[name] for name in shared.clusters])
        without = Resamples(1 - np.eye(min(FOLDS, len(by_cluster))), fold)
        found = {name: side.alphas(side.judges, without) for name, side in shared.sides.items()}
        rows = [one.without for one in shared.averaged(found) if one.defined]
        if len(rows) < len(shared.names):  # nothing to choose by
            return cls(fold, np.zeros(len(without.weights), dtype=np.intp))
        known = np.stack(rows)
        return cls(fold, np.where(np.isnan(known), -np.inf, known).argmax(axis=0))

    def sampled(self, shared: Shared, drawn: Resamples) -> Sampled:
        """The mean alpha of what is chosen, each fold by the others."""
        import numpy as np

        places = np.arange(len(self.fold))
        found = {
            name: side.alphas(side.judges[self.best[self.fold], places][None], drawn)
            for name, side in shared.sides.items()
        }
        return shared.averaged(found)[0]

    def held_out(self, shared: Shared, drawn: Resamples, confidence: float) -> HeldOut:
        """The choices, and what they are worth."""
        counted = Counter(shared.names[place] for place in self.best.tolist())
        return HeldOut(
            folds=len(self.best),
            chosen={name: counted[name] for name in shared.names},
            alpha=self.sampled(shared, drawn).estimate(confidence),
        )
