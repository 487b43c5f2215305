"""Two runs beside each other without labels: what changed, or which of two systems one judge finds better.

Items meet by their ids (two judges of the same items, the same judge before and after), or, where no id is in both or
ids are of other items in either run, by topic and side (two systems under one judge). Differences are the second run
minus the first, paired, and tested over topics. A judge may favour one system; with labels of both, people's difference
is estimated from all judgments and few labels by prediction-powered inference on the paired differences
(:mod:`conqret.stats.prediction_powered`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Literal, TypeVar

import numpy as np

from conqret.data import Judgment
from conqret.data.item import Frozen
from conqret.data.topic_keys import TopicKeys
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.label_set import Unit
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import FinishedRun, JudgeFolder, folder_of, shared_metrics
from conqret.judging.judge_parts import TOURNAMENT
from conqret.runs.run_folder import told_apart
from conqret.stats.curve_tests import check_margin
from conqret.stats.effects import ALPHA, TopicMean, holm, topic_mean
from conqret.stats.estimate import Estimate, undefined, without_value
from conqret.stats.prediction_powered import CorrectedMean
from conqret.stats.resampling import SAME, mean, snapped
from conqret.studies.agreement.agreement_settings import USUAL, AgreementSettings
from conqret.studies.agreement.annotator_agreement import unit_clusters
from conqret.studies.diff.label_difference import LabelledSides, Pairs, corrected_difference, labelled_sides

MOST_CHANGED = 10
NO_PAIR = "no pair was scored by both"
READ = attrgetter(
    "topic", "stance", "argument", "second_argument", "reference", "documents", "messages", "images"
)
"""What a judge reads of an item."""


class WithinMargin(Frozen):
    """Whether the second run's mean is within ``margin`` of the first's: p-values of "it is not" against "the two are
    equivalent" (two one-sided tests, Schuirmann 1987) and against "the second is not worse by ``margin`` or more"
    (non-inferiority), and the smallest difference that would be found in 80% of such comparisons; None below six
    topics."""

    margin: float
    p_equivalent: float | None
    p_not_worse: float | None
    smallest_detectable: float | None

    @property
    def verdict(self) -> Literal["equivalent", "not worse", "not shown"]:
        """What is shown at 5%."""
        if self.p_equivalent is not None and self.p_equivalent < ALPHA:
            return "equivalent"
        return "not worse" if self.p_not_worse is not None and self.p_not_worse < ALPHA else "not shown"


class DifferenceOn(Frozen):
    """One metric: the means in [0, 1] over the ``pairs`` that both runs scored, and the second minus the first.

    ``difference`` is a mean over items; ``over_topics`` is one over topics (:mod:`conqret.stats.effects`), which
    finds more where topics are of unequal sizes, with its p-value ``p_topics``. ``p`` is two-sided by t over topics
    (None below six), ``p_holm`` corrected over the metrics. ``within`` says whether the difference is within the
    margin, where one was given. ``up`` and ``down``
    count pairs, ``only_first`` and ``only_second`` those that one run alone scored. ``corrected`` has people's
    difference, where labels were given: by the judge alone, by the labels alone, and by both.
    """

    metric: str
    pairs: int
    first: Estimate
    second: Estimate
    difference: Estimate
    over_topics: Estimate
    p: float | None
    p_topics: float | None
    up: int
    down: int
    only_first: int
    only_second: int
    p_holm: float | None = None
    within: WithinMargin | None = None
    corrected: CorrectedMean | None = None


class ChangedScore(Frozen):
    """An item (or a topic and side) and a metric whose score moved from ``first`` to ``second``."""

    first_item: str
    second_item: str
    topic: str
    metric: str
    first: float
    second: float


class ChangedPart(Frozen):
    """A part of an item (a document, say) whose rating moved from ``first`` to ``second``, both in [0, 1], with what
    either judge says of it."""

    item: str
    metric: str
    part: str
    first: float
    second: float
    first_says: str = ""
    second_says: str = ""


class RunDifference(Frozen):
    """Two runs side by side. ``same_judge`` says whether one instrument judged both, ``same_items`` whether the items
    that met are the same, ``paired_by`` how they met, ``unlike`` which of them met by their ids although topic or side
    differ; ``moved`` counts the pairs that differ on some metric, ``parts`` those parts (documents, say) of the same
    items that both rated, and ``parts_moved`` those of them that they rate differently, of which ``changed_parts`` are
    the furthest apart; ``missing_first`` and ``missing_second`` are items that only the other run has, ``left_out``
    metrics of one run."""

    first: str
    second: str
    same_judge: bool
    same_items: bool
    paired_by: str
    pairs: int
    clustered_by: str
    clusters: int
    confidence: float
    metrics: Mapping[str, DifferenceOn]
    changed: tuple[ChangedScore, ...]
    moved: int = 0
    parts: int = 0
    parts_moved: int = 0
    changed_parts: tuple[ChangedPart, ...] = ()
    missing_first: list[str]
    missing_second: list[str]
    left_out: list[str]
    unlike: tuple[str, ...] = ()


@strict_options
def diff(
    first: FinishedRun,
    second: FinishedRun,
    *,
    labels: Sequence[Labels] = (),
    settings: AgreementSettings = USUAL,
    most: int = MOST_CHANGED,
    metrics: Collection[str] = (),
    margin: float | None = None,
) -> RunDifference:
    """Compare two finished runs on what both judged.

    ``labels`` are those of both runs' items, or two sets, one for each run; ``most`` says how many of the items that
    changed most are named. ``metrics`` are those that are compared (none: all that both have). With a
    ``margin``, a share of the scale inside (0, 1), it is tested whether the two are equivalent within it.

    Raises:
        DeclarationError: one is no finished run, they share no item or no metric, or labels cannot tell the two apart.
        UnknownNameError: they do not both have one of the ``metrics``.
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
    keys = TopicKeys.of(judgment for judgment, _ in pairs)
    topics = {Unit(judgment.item): keys[judgment.topic] for judgment, _ in pairs}
    clusters, kind = unit_clusters(list(topics), topics)
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
    alike = {name for name, text in texts[0].items() if texts[1].get(name) == text}
    parts, apart = changed_parts(first, second, alike)
    names = told_apart([first.path, second.path])
    return RunDifference(
        first=f"{names[0]} ({records[0]})",
        second=f"{names[1]} ({records[1]})",
        same_judge=records[0].fingerprint == records[1].fingerprint,
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
    """How items meet, and in words."""
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
) -> DifferenceOn:
    """What is said of a metric."""
    values = np.array([[judgment.value(metric) for judgment in pair] for pair in pairs], dtype=float)
    lost = np.isnan(values)
    both = np.flatnonzero(~lost.any(axis=1)).tolist()
    names = [clusters[place] for place in both]
    steps = values[both, 1] - values[both, 0]
    steps[np.abs(steps) <= SAME] = 0
    moved = first = second = without_value(NO_PAIR)
    topics = TopicMean(undefined(NO_PAIR), None, 0.0)
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
    return DifferenceOn(
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


def changed_parts(
    first: JudgeFolder, second: JudgeFolder, same: Collection[str]
) -> tuple[int, list[ChangedPart]]:
    """How many parts both runs rated, and those that they rated differently.

    Only parts of the items that are the ``same`` in both: another argument's second sentence is another sentence,
    whatever its number, and another system's document may have the same id.
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
