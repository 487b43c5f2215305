"""What several judges and people's labels share: the units that people labelled and all of the judges scored."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.io.label_scale import LabelScale
from conqret.io.labels import LabelSet, Unit
from conqret.stats.agreement import alphas
from conqret.stats.estimate import JackknifedEstimate, average, without_value
from conqret.stats.resampling import Resamples
from conqret.studies.agreement.agreement_settings import AgreementSettings, Basis
from conqret.studies.agreement.annotator_agreement import averaged_dimensions
from conqret.studies.agreement.dimension_view import NO_SCALE, View
from conqret.studies.agreement.label_join import join_labels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class UnitSides:
    """One dimension: what people and each of the judges say of the shared units, on the labels' scale; NaN where people
    or one of the judges say nothing. ``scored`` counts for each judge the labelled units with a score."""

    people: NDArray[np.float64]
    judges: NDArray[np.float64]
    scale: LabelScale
    scored: tuple[int, ...]
    placed: bool

    @classmethod
    def of(cls, views: Sequence[View], places: Sequence[Sequence[int]]) -> Self:
        """What the judges' ``views`` show of the units at ``places`` in each."""
        import numpy as np

        people = views[0].target[places[0]]
        judges = np.stack([view.judge()[where] for view, where in zip(views, places, strict=True)])
        labelled, scored = ~np.isnan(people), ~np.isnan(judges)
        shared = labelled & scored.all(axis=0)
        return cls(
            np.where(shared, people, np.nan),
            np.where(shared, judges, np.nan),
            views[0].scale,
            tuple((scored & labelled).sum(axis=1).tolist()),
            views[0].placed,
        )

    @property
    def units(self) -> int:
        """How many units people labelled and all judges scored."""
        import numpy as np

        return int((~np.isnan(self.people)).sum())

    def alphas(self, judges: NDArray[np.float64], drawn: Resamples) -> list[JackknifedEstimate]:
        """The alpha with people of each row of ``judges``."""
        import numpy as np

        if not self.placed:
            return [without_value(NO_SCALE)] * len(judges)
        pairs = np.stack([judges, np.broadcast_to(self.people, judges.shape)], axis=1)
        return alphas(pairs, self.scale.level, drawn)

    def errors(self) -> list[float | None]:
        """The mean distance of each judge from people, on a scale whose ends are 0 and 1."""
        import numpy as np

        if not self.scale.bounded or not self.units:
            return [None] * len(self.judges)
        low, high = self.scale.ends()
        errors: list[float] = (np.nanmean(np.abs(self.judges - self.people), axis=1) / (high - low)).tolist()
        return list(errors)


@dataclass(frozen=True)
class SharedUnits:
    """Several judges on what all of them and the labels share: by dimension, in one order of ``units``."""

    names: tuple[str, ...]
    units: tuple[Unit, ...]
    clusters: tuple[Hashable, ...]
    clustered_by: str
    sides: Mapping[str, UnitSides]
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        runs: Mapping[str, Iterable[Judgment]],
        labels: LabelSet,
        metrics: Mapping[str, str] | None,
        settings: AgreementSettings,
    ) -> Self:
        """Join each of ``runs`` (judgments by a name) with the labels. Raises what :func:`compare_judges` raises."""
        if len(runs) < 2:
            raise DeclarationError("at least two different runs are needed, each given once")
        joined = tuple(join_labels(kept, labels, metrics) for kept in runs.values())
        dimensions = [name for name in joined[0].metrics if all(name in join.metrics for join in joined)]
        if not dimensions:
            raise DeclarationError(f"no labeled dimension is judged in all runs ({', '.join(runs)})")
        there = [{unit: place for place, unit in enumerate(join.units)} for join in joined]
        units = tuple(unit for unit in joined[0].units if all(unit in scores for scores in there))
        if not units:
            raise DeclarationError("no labeled item is judged in all runs: judge the same items")
        places = [[scores[unit] for unit in units] for scores in there]
        sides = {
            name: UnitSides.of([View(join, name, settings) for join in joined], places) for name in dimensions
        }
        if not any(side.placed for side in sides.values()):
            raise DeclarationError(f"{', '.join(sides)}: {NO_SCALE}")
        if not any(side.units for side in sides.values()):
            raise DeclarationError(
                "no labeled item has a score in all runs: judge the labeled items in each run"
            )
        return cls(
            names=tuple(runs),
            units=units,
            clusters=tuple(joined[0].clusters[place] for place in places[0]),
            clustered_by=joined[0].clustered_by,
            sides=sides,
            left_out=tuple(sorted({name for join in joined for name in join.metrics} - set(sides))),
        )

    def basis(self, labels: LabelSet, settings: AgreementSettings) -> Basis:
        """What numbers of these judges rest on."""
        return Basis.of(labels, self.clustered_by, self.units, self.clusters, settings)

    def sizes(self, drawn: Resamples) -> NDArray[np.float64]:
        """How many labels each cluster has, over all dimensions."""
        import numpy as np

        sizes = [drawn.sizes(~np.isnan(side.people)) for side in self.sides.values()]
        return np.asarray(np.sum(sizes, axis=0))

    def averaged(
        self, alphas_by_dimension: Mapping[str, Sequence[JackknifedEstimate]]
    ) -> list[JackknifedEstimate]:
        """The mean alpha of each judge over the dimensions of :func:`averaged_dimensions` on which all have one."""
        names = averaged_dimensions(
            {
                name: all(alpha.defined for alpha in judge_alphas)
                for name, judge_alphas in alphas_by_dimension.items()
            }
        )
        return [
            average(list(judge)) for judge in zip(*(alphas_by_dimension[name] for name in names), strict=True)
        ]
