"""What people would find between two systems, of one judge's differences of all pairs and labels of few of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.io.label_set import LabelSet
from conqret.stats.prediction_powered import CorrectedMean, prediction_powered_mean
from conqret.stats.weighted_prediction import DrawnItems, weighted_difference
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.label_join import View, join_labels

Pairs = Sequence[tuple[Judgment, Judgment]]
"""What the first run and what the second says of the items that meet."""


@dataclass(frozen=True, slots=True)
class LabelledSides:
    """People's one label of each item of the first run and of the second, in [0, 1]; where items were drawn for
    labeling with unequal probabilities, ``chances`` has those of both sides."""

    first: Mapping[str, float]
    second: Mapping[str, float]
    chances: tuple[Mapping[str, float], Mapping[str, float]] | None = None

    def difference(self, before: Judgment, after: Judgment) -> float | None:
        """The second's label minus the first's; None where a side has none."""
        first, second = self.first.get(before.item), self.second.get(after.item)
        return None if first is None or second is None else second - first


def labelled_sides(
    pairs: Pairs, labels: Sequence[LabelSet], settings: AgreementSettings, same_items: bool
) -> dict[str, LabelledSides]:
    """By metric, people's labels of the items of both sides.

    Raises:
        DeclarationError: the two judge the same items, one file of labels is of both with the same ids, no pair has
            labels on both sides (a side has none, where items were drawn with unequal probabilities), or the labels'
            scale has no ends.
    """
    if same_items:
        raise DeclarationError(
            "both runs judge the same items, so human labels of them do not differ: conqret judges compare shows which "
            "of two judges is closer to annotators"
        )
    if len(labels) == 1 and any(first_judgment.item == other.item for first_judgment, other in pairs):
        raise DeclarationError(
            "the two runs give the same ids to different items: give --labels twice, first the labels of the first "
            "run's items, then those of the second's"
        )
    each = [labels[min(side, len(labels) - 1)] for side in (0, 1)]
    people = [_people([pair[side] for pair in pairs], each[side], settings) for side in (0, 1)]
    unequal = any(label_set.unequal for label_set in each)
    chances = (each[0].chances, each[1].chances) if unequal else None
    sides = {
        metric: LabelledSides(people[0][metric], people[1][metric], chances)
        for metric in people[0].keys() & people[1].keys()
    }
    if not unequal and not any(
        known.difference(*pair) is not None for known in sides.values() for pair in pairs
    ):
        raise DeclarationError("no pair has labels on both sides: label both systems' arguments of a topic")
    return sides


def corrected_difference(
    pairs: Pairs,
    judged: Mapping[int, float],
    clusters: Sequence[Hashable],
    known: LabelledSides,
    confidence: float,
    metric: str,
) -> CorrectedMean | None:
    """People's difference, by the judge's of all pairs that both runs scored (``judged``, by their places), and
    people's (``known``) of those with labels on both sides; None where there are none of these. Where items were drawn
    with unequal probabilities, labels on one side alone count, too."""
    if known.chances is not None:
        first, second = (
            _drawn([pairs[place][side] for place in judged], labels, known.chances[side], metric)
            for side, labels in enumerate((known.first, known.second))
        )
        if not (first.labelled.any() and second.labelled.any()):
            return None
        names = [clusters[place] for place in judged]
        return weighted_difference(first, second, names, confidence=confidence)
    human = {place: step for place in judged if (step := known.difference(*pairs[place])) is not None}
    rest = [place for place in judged if place not in human]
    if not human:
        return None
    return prediction_powered_mean(
        list(human.values()),
        [judged[place] for place in human],
        [judged[place] for place in rest],
        clusters=[clusters[place] for place in human],
        unlabelled_clusters=[clusters[place] for place in rest],
        confidence=confidence,
    )


def _drawn(
    judgments: Sequence[Judgment], labels: Mapping[str, float], chances: Mapping[str, float], metric: str
) -> DrawnItems:
    """One side of all pairs, with its labels and how likely their items were to be drawn."""

    def column(values: Mapping[str, float]) -> NDArray[np.float64]:
        return np.array([values.get(judgment.item, np.nan) for judgment in judgments], dtype=float)

    judged = np.array([judgment.value(metric) for judgment in judgments], dtype=float)
    return DrawnItems(column(labels), judged, column(chances))


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
