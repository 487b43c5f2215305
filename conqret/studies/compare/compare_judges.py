"""Compare several judges with human labels, on the labeled units that all judges scored."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment
from conqret.errors import DeclarationError, strict_options
from conqret.io.label_set import LabelScale, LabelSet, Unit
from conqret.io.labels import Labels, labels_of
from conqret.judging.cost import Cost
from conqret.judging.judge_folder import FinishedRun, folder_of
from conqret.runs.run_folder import distinct_names
from conqret.stats.agreement import alphas
from conqret.stats.confidence import FOLDS, dealt
from conqret.stats.effects import ALPHA, largest_p
from conqret.stats.jackknife import JackknifedEstimate, average, without_value
from conqret.stats.resampling import Resamples, leave_one_out, snapped
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings, Basis
from conqret.studies.agreement.annotator_agreement import averaged_dimensions
from conqret.studies.agreement.label_join import NO_SCALE, DimensionView, join_labels, of_whole_items
from conqret.studies.compare.result import (
    PRICED_ITEMS,
    ComparedDimension,
    ComparedJudge,
    HeldOut,
    JudgeComparison,
    JudgeCost,
    JudgePair,
)


@dataclass(frozen=True)
class UnitSides:
    """The labels and the judges' scores of one dimension on the shared units, on the labels' scale.

    ``labels`` has one value for each unit, ``judges`` is judges by units. A unit is NaN in both if the label
    or any score is missing. ``scored`` counts for each judge the labeled units that it scored. ``placed`` is
    True if scores can be put on the scale.
    """

    labels: NDArray[np.float64]
    judges: NDArray[np.float64]
    scale: LabelScale
    scored: tuple[int, ...]
    placed: bool

    @classmethod
    def from_views(cls, views: Sequence[DimensionView], places: Sequence[Sequence[int]]) -> Self:
        """Return labels and scores of the judges' ``views`` on shared units, NaN in all of them where the label or one
        of the scores is missing. ``places`` has for each judge the positions of the shared units."""
        labels = views[0].target[places[0]]
        judges = np.stack([view.judge()[where] for view, where in zip(views, places, strict=True)])
        labelled, scored = ~np.isnan(labels), ~np.isnan(judges)
        shared = labelled & scored.all(axis=0)
        return cls(
            np.where(shared, labels, np.nan),
            np.where(shared, judges, np.nan),
            views[0].scale,
            tuple((scored & labelled).sum(axis=1).tolist()),
            views[0].placed,
        )

    @property
    def units(self) -> int:
        """The number of labeled units that all judges scored; others are left out of the comparison."""
        return int((~np.isnan(self.labels)).sum())

    def alphas(self, judges: NDArray[np.float64], drawn: Resamples) -> list[JackknifedEstimate]:
        """Return one estimate for each row of ``judges`` (a judge's scores): Krippendorff's alpha between it and the
        labels. It has no value for labels without a scale."""
        if not self.placed:
            return [without_value(NO_SCALE)] * len(judges)
        pairs = np.stack([judges, np.broadcast_to(self.labels, judges.shape)], axis=1)
        return alphas(pairs, self.scale.level, drawn)

    def errors(self) -> list[float | None]:
        """Return each judge's mean absolute error as a share of the scale; None without a scale or units."""
        if not self.scale.bounded or not self.units:
            return [None] * len(self.judges)
        low, high = self.scale.ends()
        return [*(np.nanmean(np.abs(self.judges - self.labels), axis=1) / (high - low)).tolist()]


@dataclass(frozen=True)
class SharedUnits:
    """Several judges on the labeled ``units`` that all of them judged, with their ``sides`` by dimension."""

    names: tuple[str, ...]
    units: tuple[Unit, ...]
    clusters: tuple[Hashable, ...]
    clustered_by: str
    sides: Mapping[str, UnitSides]
    left_out: tuple[str, ...] = ()

    @classmethod
    def from_runs(
        cls,
        runs: Mapping[str, Iterable[Judgment]],
        labels: LabelSet,
        metrics: Mapping[str, str] | None,
        settings: AgreementSettings,
    ) -> Self:
        """Join the judgments of each run with the labels, and keep the units that all runs share.

        Args:
            runs: judgments by the name of the run, at least two.
            labels: the human labels.
            metrics: the metric of each dimension, where the names differ.
            settings: how labels are aggregated.

        Raises:
            DeclarationError, UnknownNameError: as :func:`conqret.compare`.
        """
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
            name: UnitSides.from_views([DimensionView(join, name, settings) for join in joined], places)
            for name in dimensions
        }
        if not any(side.placed for side in sides.values()):
            raise DeclarationError(f"{', '.join(sides)}: {NO_SCALE}")
        if not any(side.units for side in sides.values()):
            raise DeclarationError("no labeled item has a score in all runs: judge the labeled items in each")
        return cls(
            names=tuple(runs),
            units=units,
            clusters=tuple(joined[0].clusters[place] for place in places[0]),
            clustered_by=joined[0].clustered_by,
            sides=sides,
            left_out=tuple(sorted({name for join in joined for name in join.metrics} - set(sides))),
        )

    def basis(self, labels: LabelSet, settings: AgreementSettings) -> Basis:
        """Return the labels, clusters and settings behind statistics of these judges."""
        return Basis.from_labels(labels, self.clustered_by, self.units, self.clusters, settings)

    def averaged(
        self, alphas_by_dimension: Mapping[str, Sequence[JackknifedEstimate]]
    ) -> list[JackknifedEstimate]:
        """Return the mean alpha of each judge over the dimensions of :func:`averaged_dimensions` on which
        all have one.
        """
        defined = {name: all(alpha.defined for alpha in row) for name, row in alphas_by_dimension.items()}
        rows = [alphas_by_dimension[name] for name in averaged_dimensions(defined)]
        return [average(list(judge)) for judge in zip(*rows, strict=True)]


DEALS, MAX_FITS = 10, 500
"""Deals of topics over which alpha of what is chosen is averaged, and deals by clusters up to which there are several:
with so many topics a choice hangs on no deal."""


@dataclass(frozen=True)
class FoldedChoice:
    """The choice of the best judge without each fold, for one assignment of topics to folds.

    ``fold`` has the fold of each unit. ``tied`` (judges by folds) is True for judges with the highest mean
    alpha on the other folds. ``best`` has the number of the chosen judge for each fold: the first of these by
    name. ``without`` (clusters by folds) has the choice without each cluster.
    """

    fold: NDArray[np.intp]
    tied: NDArray[np.bool_]
    best: NDArray[np.intp]
    without: NDArray[np.intp]

    @classmethod
    def choose(cls, shared: SharedUnits, seed: int, drawn: Resamples) -> Self:
        """Choose the judge with the highest mean alpha without each fold of topics, and again without each
        cluster.
        """
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

    def mean_alpha(self, shared: SharedUnits, drawn: Resamples) -> JackknifedEstimate:
        """Return the cross-validated mean alpha of the choice: each fold is scored by the judge chosen on
        the others.

        Jackknife values repeat the choice without each cluster.
        """
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
        places = np.arange(len(self.fold))
        chosen = {
            name: side.alphas(side.judges[best[self.fold], places][None], drawn)
            for name, side in shared.sides.items()
        }
        return shared.averaged(chosen)[0]


@dataclass(frozen=True)
class HeldOutChoice:
    """The choices of the best judge for several random assignments (``deals``) of topics to folds."""

    deals: tuple[FoldedChoice, ...]

    @classmethod
    def choose(cls, shared: SharedUnits, seed: int, drawn: Resamples) -> Self:
        """Choose among the judges for several assignments to folds, with ``seed`` and the numbers after it."""
        many = min(DEALS, max(1, MAX_FITS // drawn.clusters))
        return cls(tuple(FoldedChoice.choose(shared, seed + deal, drawn) for deal in range(many)))

    def mean_alpha(self, shared: SharedUnits, drawn: Resamples) -> JackknifedEstimate:
        """Return the cross-validated mean alpha of the choice, averaged over the assignments; that of the first if all
        are equal, or one is not defined."""
        alphas = [deal.mean_alpha(shared, drawn) for deal in self.deals]
        first = alphas[0]
        if not all(alpha.defined for alpha in alphas) or all(
            alpha.value == first.value and np.array_equal(alpha.without, first.without, equal_nan=True)
            for alpha in alphas
        ):
            return first  # to the last digit, where every deal chooses alike
        return replace(average(alphas), n=first.n)

    def held_out(self, shared: SharedUnits, drawn: Resamples, confidence: float) -> HeldOut:
        """Return how often each judge is chosen (first assignment), and the cross-validated alpha of the
        choice.
        """
        first = self.deals[0]
        return HeldOut(
            folds=len(first.best),
            chosen=dict(zip(shared.names, first.tied.sum(axis=1).tolist(), strict=True)),
            alpha=self.mean_alpha(shared, drawn).estimate(confidence),
        )


def _best(shared: SharedUnits, without: Resamples) -> NDArray[np.bool_]:
    """Return which judges have the highest mean alpha, for each row of weights (judges by rows); all judges if the mean
    of one is not defined."""
    means = shared.averaged({name: side.alphas(side.judges, without) for name, side in shared.sides.items()})
    tied = np.ones((len(shared.names), len(without.weights)), dtype=bool)
    if all(mean.defined for mean in means):  # else there is nothing to choose by
        known = np.nan_to_num(snapped(np.stack([mean.without for mean in means])), nan=-np.inf)
        tied = known == known.max(axis=0)
    return tied


@strict_options
def compare(
    runs: Sequence[FinishedRun],
    labels: Labels,
    *,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
) -> JudgeComparison:
    """Compare judges with human labels: their alphas, paired differences, and whether one wins.

    Args:
        runs: at least two finished runs over the same items.
        labels: human labels of the items.
        metrics: the metric of each dimension, where the names differ.
        settings: aggregation of labels, intervals, the seed of the tests.

    Raises:
        DeclarationError: there are fewer than two runs, one is given twice or not finished, labels have no
            scale or match no judgment of a run, or no dimension or item is shared by all.
        UnknownNameError: ``metrics`` has an unknown dimension or metric.
    """
    folders, read = [folder_of(run) for run in runs], labels_of(labels)
    names = distinct_names([folder.path for folder in folders])
    if len(set(names)) < max(len(names), 2):
        raise DeclarationError("at least two different runs are needed, each given once")
    judged = {name: list(folder.finished()) for name, folder in zip(names, folders, strict=True)}
    read = of_whole_items(read, judged.values(), metrics)
    shared = SharedUnits.from_runs(judged, read, metrics, settings)
    compared = compare_shared(shared, shared.basis(read, settings))
    costs = {}
    for name, folder in zip(names, folders, strict=True):
        cost = Cost.from_summary(folder.summary()).item
        usd = None if cost["usd"] is None else cost["usd"] * PRICED_ITEMS
        costs[name] = JudgeCost(usd=usd, seconds=cost["seconds"], tokens=cost["tokens"])
    return compared.model_copy(update={"costs": costs})


def compare_shared(shared: SharedUnits, basis: Basis) -> JudgeComparison:
    """Compare judges on their shared units: alphas, paired differences, and the winner; ``costs`` stay empty."""
    settings = basis.settings
    drawn = leave_one_out(shared.clusters)
    rng = np.random.default_rng(settings.seed)
    alphas_by_dimension = {name: side.alphas(side.judges, drawn) for name, side in shared.sides.items()}
    means = shared.averaged(alphas_by_dimension)
    choice = HeldOutChoice.choose(shared, settings.seed, drawn)
    labels = [drawn.sizes(~np.isnan(side.labels)) for side in shared.sides.values()]
    sizes = np.asarray(np.sum(labels, axis=0))
    (pairs,) = _pairs(shared, [means], sizes, rng, settings.confidence)
    by_dimension = _pairs(shared, list(alphas_by_dimension.values()), sizes, rng, settings.confidence)
    rows = {}
    for (name, side), pairs_on in zip(shared.sides.items(), by_dimension, strict=True):
        judged = zip(shared.names, alphas_by_dimension[name], side.errors(), side.scored, strict=True)
        judges = {
            judge: ComparedJudge(alpha=alpha.estimate(settings.confidence), error=error, scored=scored)
            for judge, alpha, error, scored in judged
        }
        rows[name] = ComparedDimension(units=side.units, judges=judges, pairs=pairs_on)
    values = np.nan_to_num(snapped([mean.value if mean.defined else np.nan for mean in means]), nan=-np.inf)
    order = [shared.names[place] for place in np.argsort(-values, kind="stable")]
    held_out = choice.held_out(shared, drawn, settings.confidence)
    by_name = dict(zip(shared.names, means, strict=True))
    best = by_name[order[0]]
    over = {name: largest_p([best.minus(by_name[name])], sizes, rng)[0] for name in order[1:]}
    averaged = {}
    for name, mean in by_name.items():
        known = [error for row in rows.values() if (error := row.judges[name].error) is not None]
        averaged[name] = ComparedJudge(
            alpha=mean.estimate(settings.confidence),
            error=sum(known) / len(known) if known else None,
            scored=sum(row.judges[name].scored for row in rows.values()),
        )
    won = all(p is not None and p < ALPHA for p in over.values())
    winner = order[0] if won and held_out.chosen[order[0]] == held_out.folds else ""
    return JudgeComparison(
        judges=tuple(order),
        basis=basis,
        dimensions=rows,
        average=ComparedDimension(
            units=sum(row.units for row in rows.values()), judges=averaged, pairs=pairs
        ),
        held_out=held_out,
        over=over,
        winner=winner,
        left_out=shared.left_out,
    )


def _pairs(
    shared: SharedUnits,
    rows: Sequence[Sequence[JackknifedEstimate]],
    sizes: NDArray[np.float64],
    rng: np.random.Generator,
    confidence: float,
) -> list[tuple[JudgePair, ...]]:
    """Return for each of ``rows`` (judges' estimates) the differences of all pairs of judges, first minus second, with
    p-values corrected over all rows and pairs together; None where no test is possible. ``sizes`` are the numbers of
    labels by cluster."""
    names = shared.names
    pairs = list(combinations(range(len(names)), 2))
    differences = [[row[first].minus(row[other]) for first, other in pairs] for row in rows]
    tested = iter(largest_p([difference for row in differences for difference in row], sizes, rng))
    return [
        tuple(
            JudgePair(
                first=names[first],
                second=names[other],
                difference=difference.estimate(confidence),
                p=p,
                shown=names[first if difference.value > 0 else other] if p is not None and p < ALPHA else "",
            )
            for (first, other), difference, p in zip(pairs, row, tested, strict=False)
        )
        for row in differences
    ]
