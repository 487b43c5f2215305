"""Compare two runs: how items meet, the differences, and what labels say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.label_set import LabelSet, Unit
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import FinishedRun, JudgeFolder, folder_of, shared_metrics
from conqret.judging.judge_parts import TOURNAMENT
from conqret.runs.run_folder import distinct_names
from conqret.stats.curve_tests import check_margin
from conqret.stats.effects import TopicMean, holm, topic_mean
from conqret.stats.estimate import undefined
from conqret.stats.jackknife import without_value
from conqret.stats.prediction_powered import (
    CorrectedMean,
    ProbabilitySample,
    prediction_powered_mean,
    weighted_difference,
)
from conqret.stats.resampling import SAME, mean, snapped
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings
from conqret.studies.agreement.annotator_agreement import clusters_of_units
from conqret.studies.agreement.label_join import PROBABLE, DimensionView, join_labels
from conqret.studies.diff.result import (
    ChangedPart,
    ChangedScore,
    MetricDifference,
    RunDifference,
    WithinMargin,
)

Pairs = Sequence[tuple[Judgment, Judgment]]
"""What the first run and what the second says of the items that meet."""


@dataclass(frozen=True, slots=True)
class LabelledSides:
    """The aggregated human label in [0, 1] of each item, for the first and the second run.

    ``chances`` has the inclusion probabilities of both sides, if items were sampled for labeling with unequal
    ones.
    """

    first: Mapping[str, float]
    second: Mapping[str, float]
    chances: tuple[Mapping[str, float], Mapping[str, float]] | None = None

    def difference(self, before: Judgment, after: Judgment) -> float | None:
        """Return the human label of the second item minus that of the first; None if either has none."""
        first, second = self.first.get(before.item), self.second.get(after.item)
        return None if first is None or second is None else second - first


def labelled_sides(
    pairs: Pairs, labels: Sequence[LabelSet], settings: AgreementSettings, same_items: bool
) -> dict[str, LabelledSides]:
    """Return for each metric the human labels of both runs' items.

    Args:
        pairs: the paired judgments.
        labels: one set of labels for both runs, or one for each.
        settings: how labels are aggregated.
        same_items: True if both runs judge the same items.

    Raises:
        DeclarationError: both runs judge the same items, one set of labels covers different items with equal
            ids, no pair has labels on both sides (with unequal inclusion probabilities: a side has none), or
            the labels' scale has no ends.
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
    human = [_human_labels([pair[side] for pair in pairs], each[side], settings) for side in (0, 1)]
    unequal = any(label_set.unequal for label_set in each)
    chances = (each[0].chances, each[1].chances) if unequal else None
    sides = {
        metric: LabelledSides(human[0][metric], human[1][metric], chances)
        for metric in human[0].keys() & human[1].keys()
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
    """Estimate the mean human difference from the judge's differences and the human labels.

    Pairs with labels on both sides correct the judge's mean difference over all pairs. With unequal inclusion
    probabilities, labels on one side alone count, too.

    Args:
        pairs: the paired judgments.
        judged: the judge's difference by the number of the pair, where both runs have a score.
        clusters: the cluster of each pair.
        known: the human labels.
        confidence: the confidence level.
        metric: the metric.

    Returns:
        The estimates, or None if no pair has the labels needed.
    """
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
) -> ProbabilitySample:
    """One side of all pairs, with its labels and how likely their items were to be drawn."""

    def column(values: Mapping[str, float]) -> NDArray[np.float64]:
        return np.array([values.get(judgment.item, np.nan) for judgment in judgments], dtype=float)

    judged = np.array([judgment.value(metric) for judgment in judgments], dtype=float)
    return ProbabilitySample(column(labels), judged, column(chances))


def _human_labels(
    judgments: Sequence[Judgment], labels: LabelSet, settings: AgreementSettings
) -> dict[str, dict[str, float]]:
    """Return by metric and item the human label in [0, 1], of whole items and scales with known ends.

    Raises:
        DeclarationError: no scale has known ends.
    """
    joined = join_labels(judgments, labels)
    values = {}
    for dimension, metric in joined.metrics.items():
        view = DimensionView(joined, dimension, settings)
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


MAX_CHANGED = 10


NO_PAIR = "no pair was scored by both"


READ = attrgetter(
    "topic", "stance", "argument", "second_argument", "reference", "documents", "messages", "images"
)
"""What a judge reads of an item."""


@strict_options
def diff(
    first: FinishedRun,
    second: FinishedRun,
    *,
    labels: Sequence[Labels] = (),
    settings: AgreementSettings = DEFAULT_SETTINGS,
    most: int = MAX_CHANGED,
    metrics: Collection[str] = (),
    margin: float | None = None,
) -> RunDifference:
    """Compare two finished runs on the items that both judged.

    Args:
        first: the first run.
        second: the second run; differences are second minus first.
        labels: human labels of both runs' items: one set, or one for each run.
        settings: how labels are aggregated and how intervals are computed.
        most: how many of the most changed items to list.
        metrics: the metrics to compare (none: all that both runs have).
        margin: a share of the scale in (0, 1); equivalence within it is then tested.

    Raises:
        DeclarationError: a run is not finished, the runs share no item or metric, or labels cannot
            distinguish the two.
        UnknownNameError: the runs do not both have one of the ``metrics``.
    """
    if margin is not None:
        check_margin(margin)
    first, second = folder_of(first), folder_of(second)
    records = first.record(), second.record()
    if margin is not None and any(record.format == TOURNAMENT.name for record in records):
        raise DeclarationError(
            "--margin has no meaning for tournaments, whose strengths are relative to their topic's mean: leave it "
            "out, or compare systems by one tournament with the arguments of all (--system)"
        )
    sides = [[judgment.bare() for judgment in run.finished()] for run in (first, second)]
    key, paired_by = _key(*sides)
    left, right = (_by(key, side, run) for side, run in zip(sides, (first, second), strict=True))
    had = [list(dict.fromkeys(name for one in side for name in one.measures)) for side in sides]
    common = shared_metrics({first.path: had[0], second.path: had[1]})
    check_known("metric of both runs", common, *metrics)
    common = [name for name in common if name in (metrics or common)]
    pairs = [(left[name], right[name]) for name in left if name in right]
    keys = TopicKeys.from_judged(judgment for judgment, _ in pairs)
    topics = {Unit(judgment.item): keys[judgment.topic] for judgment, _ in pairs}
    clusters, kind = clusters_of_units(list(topics), topics)
    texts = [{item.id: READ(item) for item in run.items()} for run in (first, second)]
    same_items = all(texts[0].get(before.item) == texts[1].get(after.item) for before, after in pairs)
    known = labelled_sides(pairs, list(map(labels_of, labels)), settings, same_items) if labels else {}
    rows = [_on(name, pairs, clusters, known.get(name), settings.confidence, margin) for name in common]
    corrected = holm([row.p for row in rows])
    moved = []
    for before, after in pairs:
        meets = {"first_item": before.item, "second_item": after.item, "topic": before.topic}
        for name in common:
            a, b = before.value(name), after.value(name)
            if a is not None and b is not None and abs(b - a) > SAME:
                moved.append(ChangedScore(**meets, metric=name, first=a, second=b))
    first_side, second_side = ([pair[side] for pair in pairs] for side in (0, 1))
    alike = {name for name, text in texts[0].items() if texts[1].get(name) == text}
    parts, apart = changed_parts(first, second, alike)
    names = distinct_names([first.path, second.path])
    return RunDifference(
        first=f"{names[0]} ({records[0]})",
        second=f"{names[1]} ({records[1]})",
        same_judge=all(records[0].fingerprint_of(name) == records[1].fingerprint_of(name) for name in common),
        same_items=same_items,
        paired_by=paired_by,
        pairs=len(pairs),
        clustered_by=kind,
        clusters=len(set(clusters)),
        confidence=settings.confidence,
        metrics={
            row.metric: row.model_copy(update={"p_holm": p}) for row, p in zip(rows, corrected, strict=True)
        },
        changed=_furthest(moved, most),
        moved=len({change.first_item for change in moved}),
        parts=parts,
        parts_moved=len(apart),
        changed_parts=_furthest(apart, most),
        expected_values=(_expected_values(first_side), _expected_values(second_side)),
        stages=(_stages(first_side), _stages(second_side)),
        missing_first=[judgment.item for name, judgment in right.items() if name not in left],
        missing_second=[judgment.item for name, judgment in left.items() if name not in right],
        left_out=sorted(set(had[0]) ^ set(had[1])),
        unlike=tuple(before.item for before, after in pairs if _asked(before) != _asked(after)),
    )


_C = TypeVar("_C", ChangedScore, ChangedPart)


def _furthest(differing: Sequence[_C], most: int) -> tuple[_C, ...]:
    """Those that moved most, in their order where only rounding tells them apart."""
    apart = snapped([abs(change.second - change.first) for change in differing])
    return tuple(differing[place] for place in np.argsort(-apart, kind="stable")[:most])


def _key(
    judgments: Sequence[Judgment], other: Sequence[Judgment]
) -> tuple[Callable[[Judgment], Hashable], str]:
    """Return the function that gives the key by which items of both runs are paired, and its name: the id, or topic and
    side where ids name other items.

    Raises:
        DeclarationError: the runs share no item by either.
    """
    asked = [{judgment.item: _asked(judgment) for judgment in side} for side in (judgments, other)]
    apart = [name for name, question in asked[0].items() if asked[1].get(name, question) != question]
    # An id whose question has another id in the other run is the number of a row, and says nothing of the item.
    moved = {asked[0][name] for name in apart} & set(asked[1].values())
    if asked[0].keys() & asked[1].keys() and not moved:
        return lambda judgment: judgment.item, "item"
    if set(asked[0].values()) & set(asked[1].values()):
        return _asked, "topic and side" + (" (ids are of other items in either)" if moved else "")
    raise DeclarationError(
        "the two runs share no item, neither by id nor by topic and side: judge the same items, or two systems' "
        "arguments on the same topics"
    )


def _asked(judgment: Judgment) -> tuple[str, str]:
    return judgment.topic, judgment.stance


def _by(
    key: Callable[[Judgment], Hashable], judgments: Sequence[Judgment], run: JudgeFolder
) -> dict[Hashable, Judgment]:
    by_key = {key(judgment): judgment for judgment in judgments}
    if len(by_key) < len(judgments):
        twice = Counter(map(key, judgments)).most_common(1)[0][0]
        raise DeclarationError(
            f"{run.path} has several items of {twice}, so that items cannot be matched: give each item an "
            "id of its own, the same in both runs"
        )
    return by_key


def _on(
    metric: str,
    pairs: Pairs,
    clusters: Sequence[Hashable],
    known: LabelledSides | None,
    confidence: float,
    margin: float | None,
) -> MetricDifference:
    """Return the difference of a metric, second minus first, over the pairs that both runs scored, with its tests; the
    corrected difference only with labels (``known``), and the tests of the ``margin`` only with one."""
    values = np.array([[judgment.value(metric) for judgment in pair] for pair in pairs], dtype=float)
    lost = np.isnan(values)
    both = np.flatnonzero(~lost.any(axis=1)).tolist()
    names = [clusters[place] for place in both]
    steps = values[both, 1] - values[both, 0]
    steps[np.abs(steps) <= SAME] = 0
    moved = first = second = without_value(NO_PAIR)
    topics = TopicMean(undefined(NO_PAIR), None)
    if both:
        moved, topics = mean(steps, names), topic_mean(steps, names, confidence=confidence)
        first, second = (mean(values[both, side], names, scale="share") for side in (0, 1))
    within = corrected = None
    if margin is not None:
        within = WithinMargin(
            margin=margin,
            p_equivalent=moved.equivalent(margin),
            p_not_worse=moved.above(-margin),
            smallest_detectable=moved.smallest_detectable(),
        )
    if known is not None:
        judged = dict(zip(both, steps.tolist(), strict=True))
        corrected = corrected_difference(pairs, judged, clusters, known, confidence, metric)
    return MetricDifference(
        metric=metric,
        pairs=len(both),
        first=first.estimate(confidence),
        second=second.estimate(confidence),
        difference=moved.estimate(confidence),
        over_topics=topics.estimate,
        p=moved.p(),
        p_topics=topics.p,
        up=int((steps > 0).sum()),
        down=int((steps < 0).sum()),
        only_first=int((~lost[:, 0] & lost[:, 1]).sum()),
        only_second=int((lost[:, 0] & ~lost[:, 1]).sum()),
        within=within,
        corrected=corrected,
    )


def _expected_values(judgments: Sequence[Judgment]) -> int:
    return sum(any(one.method in PROBABLE for one in judgment.measures.values()) for judgment in judgments)


def _stages(judgments: Sequence[Judgment]) -> Mapping[str, int]:
    return Counter(judgment.cascade.model for judgment in judgments if judgment.cascade is not None)


def changed_parts(
    first: JudgeFolder, second: JudgeFolder, same: Collection[str]
) -> tuple[int, list[ChangedPart]]:
    """Return how many parts both runs rated, and the parts that they rated differently.

    Only parts of items in ``same`` are compared, because numbers and ids of parts mean nothing across
    different texts.
    """
    rated = {place: rating for place, rating in _rated(first) if place[0] in same}
    both = [(place, rated[place], rating) for place, rating in _rated(second) if place in rated]
    apart = [
        ChangedPart(
            item=item, metric=metric, part=part, first=before, second=after, first_says=was, second_says=says
        )
        for (item, metric, part), (before, was), (after, says) in both
        if abs(after - before) > SAME
    ]
    return len(both), apart


def _rated(run: JudgeFolder) -> Iterator[tuple[tuple[str, str, str], tuple[float, str]]]:
    """By item, metric and part the rating, and what is said of it."""
    for judgment in run.finished():
        for metric, measure in judgment.measures.items():
            for part in measure.parts:
                if part.value is not None:
                    yield (judgment.item, metric, part.id), (part.value, part.explanation)
