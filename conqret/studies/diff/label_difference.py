"""What people would find between two systems, of one judge's differences of all pairs and labels of few of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.io.labels import LabelSet
from conqret.stats.prediction_powered import CorrectedMean, prediction_powered_mean
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.dimension_view import View
from conqret.studies.agreement.label_join import join_labels

Pairs = Sequence[tuple[Judgment, Judgment]]
"""What the first run and what the second says of the items that meet."""


def labelled_differences(
    pairs: Pairs, labels: Sequence[LabelSet], settings: AgreementSettings, same_items: bool
) -> dict[str, dict[str, float]]:
    """By metric, people's difference (second minus first, labels in [0, 1]) of each pair that has labels on both sides,
    by the first's item.

    Raises:
        DeclarationError: the two judge the same items, one file of labels is of both with the same ids, no pair has
            labels on both sides, or the labels' scale has no ends.
    """
    if same_items:
        raise DeclarationError(
            "both runs judge the same items, so human labels of them do not differ: conqret judges compare "
            "shows which of "
            "two judges is closer to annotators"
        )
    if len(labels) == 1 and any(first_judgment.item == other.item for first_judgment, other in pairs):
        raise DeclarationError(
            "the two runs give the same ids to different items, so one file of labels does not show "
            "which run a label belongs to: give --labels twice, first the labels of the first run's "
            "items, then those of the second's"
        )
    sides = [
        _people([pair[side] for pair in pairs], labels[min(side, len(labels) - 1)], settings)
        for side in (0, 1)
    ]
    differences: dict[str, dict[str, float]] = {}
    for metric in sides[0].keys() & sides[1].keys():
        before, after = sides[0][metric], sides[1][metric]
        differences[metric] = {
            first_judgment.item: after[other.item] - before[first_judgment.item]
            for first_judgment, other in pairs
            if first_judgment.item in before and other.item in after
        }
    if not any(differences.values()):
        raise DeclarationError("no pair has labels on both sides: label both systems' arguments of a topic")
    return differences


def corrected_difference(
    pairs: Pairs,
    steps: Sequence[float],
    both: Sequence[int],
    clusters: Sequence[Hashable],
    known: Mapping[str, float],
    confidence: float,
) -> CorrectedMean | None:
    """People's difference, by the judge's (``steps``) of all pairs that ``both`` runs scored (their places), and
    people's (``known``) of those with labels on both sides; None where there are none of these."""
    judged = dict(zip(both, steps, strict=True))
    labelled = [place for place, (before, _) in enumerate(pairs) if before.item in known and place in judged]
    rest = [place for place in both if pairs[place][0].item not in known]
    if not labelled:
        return None
    return prediction_powered_mean(
        [known[pairs[place][0].item] for place in labelled],
        [judged[place] for place in labelled],
        [judged[place] for place in rest],
        clusters=[clusters[place] for place in labelled],
        unlabelled_clusters=[clusters[place] for place in rest],
        confidence=confidence,
    )


def _people(
    judgments: Sequence[Judgment], labels: LabelSet, settings: AgreementSettings
) -> dict[str, dict[str, float]]:
    """By metric people's one label of each item in [0, 1], where the labels' scale has ends."""
    joined = join_labels(judgments, labels)
    values = {}
    for dimension, metric in joined.metrics.items():
        view = View(joined, dimension, settings)
        if view.scale.bounded:
            targets = zip(joined.units, view.target.tolist(), strict=True)
            values[metric] = {
                unit.item: view.scale.unit(value)
                for unit, value in targets
                if value == value and not unit.part  # NaN is not equal to itself
            }
    if not values:
        raise DeclarationError("the labels' scale has no known ends: set it, as in --scale 1:3")
    return values
