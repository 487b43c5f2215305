"""Two judges on the same items and labels: which of them is closer to people, paired."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conqret.data import Judgment
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.labels import LabelSet
from conqret.reliability.validation.dimension_view import NO_SCALE, View
from conqret.reliability.validation.label_join import join_labels
from conqret.reliability.validation.people import OVERALL
from conqret.reliability.validation.settings import Basis, Settings
from conqret.stats.agreement import alphas
from conqret.stats.estimate import Estimate, Sampled, average, without_value
from conqret.stats.resampling import Resamples, leave_one_out
from conqret.stats.significance import holm


class ComparedOn(Frozen):
    """Two judges on one dimension, on the ``units`` that people labelled and both scored.

    ``first`` and ``second`` are their alphas with people's one label, ``difference`` is first minus second over the
    same topics, and ``p`` is two-sided for it, ``p_holm`` corrected over the dimensions. ``error_first`` and
    ``error_second`` are mean distances from that label in [0, 1], which a judge that always says the middle keeps low.
    """

    dimension: str
    units: int
    only_first: int
    only_second: int
    first: Estimate
    second: Estimate
    difference: Estimate
    error_first: float | None = None
    error_second: float | None = None
    p: float | None = None
    p_holm: float | None = None


class JudgeComparison(Frozen):
    """The paired comparison of two judges; ``average`` is without overall quality, in the order first, second,
    difference. Dimensions that only one of them has are named, and left out."""

    first: str
    second: str
    basis: Basis
    dimensions: dict[str, ComparedOn]
    average: tuple[Estimate, Estimate, Estimate]
    left_out: list[str]


def compare_judges(
    first: Iterable[Judgment],
    second: Iterable[Judgment],
    labels: LabelSet,
    *,
    names: tuple[str, str] = ("first", "second"),
    metrics: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> JudgeComparison:
    """Compare two judges on what both scored.

    Raises:
        DeclarationError: the labels meet one of them nowhere, or the two share no dimension.
    """
    settings = settings or Settings()
    one, other = join_labels(first, labels, metrics), join_labels(second, labels, metrics)
    shared = [name for name in one.metrics if name in other.metrics]
    there = {unit: place for place, unit in enumerate(other.units)}
    mine = [place for place, unit in enumerate(one.units) if unit in there]
    if not shared or not mine:
        raise DeclarationError("the two judges share no labelled dimension, or no item")
    yours = [there[one.units[place]] for place in mine]
    drawn = leave_one_out([one.clusters[place] for place in mine])
    found = {}
    for dimension in shared:
        views = View(one, dimension, settings), View(other, dimension, settings)
        found[dimension] = _compare(dimension, views, (mine, yours), drawn)
    corrected = holm([row.p for row, _, _ in found.values()])
    rows = [
        row.model_copy(update={"p_holm": p}) for (row, _, _), p in zip(found.values(), corrected, strict=True)
    ]
    both = [
        (left, right)
        for dimension, (_, left, right) in found.items()
        if (dimension != OVERALL or len(found) == 1) and left.defined and right.defined
    ]
    means = average([left for left, _ in both]), average([right for _, right in both])
    return JudgeComparison(
        first=names[0],
        second=names[1],
        basis=Basis.of(labels, one.clustered_by, one.units, one.clusters, settings),
        dimensions={row.dimension: row for row in rows},
        average=_three(*means, settings.confidence),
        left_out=sorted(set(one.metrics) ^ set(other.metrics)),
    )


def _three(left: Sampled, right: Sampled, confidence: float) -> tuple[Estimate, Estimate, Estimate]:
    """Two statistics and their difference."""
    difference = left.minus(right)
    return left.estimate(confidence), right.estimate(confidence), difference.estimate(confidence)


def _compare(
    dimension: str, views: tuple[View, View], places: tuple[Sequence[int], Sequence[int]], drawn: Resamples
) -> tuple[ComparedOn, Sampled, Sampled]:
    """The row of a dimension, and the two alphas."""
    import numpy as np

    view = views[0]
    target = view.target[places[0]]
    sides = [one.judge()[where] for one, where in zip(views, places, strict=True)]
    labelled, (mine, yours) = ~np.isnan(target), (~np.isnan(side) for side in sides)
    shared = labelled & mine & yours
    pairs = np.stack([np.stack([np.where(shared, side, np.nan), target]) for side in sides])
    left, right = alphas(pairs, view.scale.level, drawn) if view.placed else [without_value(NO_SCALE)] * 2
    first, second, difference = _three(left, right, view.settings.confidence)
    row = ComparedOn(
        dimension=dimension,
        units=int(shared.sum()),
        only_first=int((labelled & mine & ~yours).sum()),
        only_second=int((labelled & ~mine & yours).sum()),
        first=first,
        second=second,
        difference=difference,
        p=left.minus(right).p(),
    )
    if view.scale.bounded and shared.any():
        low, high = view.scale.ends()
        errors = [np.abs(side - target)[shared] / (high - low) for side in sides]
        row = row.model_copy(
            update={
                "error_first": float(errors[0].mean()),
                "error_second": float(errors[1].mean()),
            }
        )
    return row, left, right
