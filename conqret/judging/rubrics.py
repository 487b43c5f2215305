"""A rubric as a judge: its criteria are asked as criteria are, and put together by weight, by axis and by importance.

How a score comes about, as ResearchRubrics and HealthBench define it: the sum of weight times value over all criteria
that have a value, divided by the sum of the weights above 0 among them. A statement has the value 1 where it is met and
0 where it is not, a rating its place on its scale. Where faults outweigh what is met, the score counts as 0, and
``raw`` holds it as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from conqret.data import Item, Measure, Part, Reason, Status
from conqret.errors import DeclarationError, number
from conqret.judging.criteria import (
    MOST_IN_ONE_CALL,
    Numbered,
    criteria_ask,
    declared_size,
    in_parts,
    size_declared,
)
from conqret.judging.criterion import AXIS, OVERALL, VITAL, Criterion, criteria_of
from conqret.judging.judge_options import CRITERIA, RUBRIC
from conqret.judging.judge_parts import CombinedMetrics, Judge, digest
from conqret.judging.rubric_files import Rubrics, rubrics_of
from conqret.judging.scales import majority, mean_confidence, mean_of

DECLARED = "rubric"
"""The part of an identity that says from what such a judge was made."""
FORMULA = (
    "sum of weight × value over all criteria / sum of the weights above 0; a statement has the value 1 (met) or 0, a "
    "rating (rating - lowest) / (highest - lowest); below 0 counts as 0. Criteria without a value are left out of both "
    "sums. vital_score: the same over vital criteria; axis scores: over those of the axis"
)
NO_RUBRIC = "there is no rubric for this item"
MOST_TOLD = 50
"""Rubrics that are told one by one."""
POSITION = "criterion_"
"""Where items have rubrics of their own, the asked metrics are called by the place of the criterion in it."""


def rubric_judge(rubrics: Rubrics, *, in_one_call: int = MOST_IN_ONE_CALL) -> Judge:
    """The judge of these rubrics: one request an item for so many criteria, as many again for the next.

    Where one rubric is for all items, each criterion is a metric, too; otherwise criteria are rows behind the scores.

    Raises:
        DeclarationError: a criterion has the name of a score, or two axes are told apart by signs alone.
    """
    axes = _axes(rubrics)
    vital = any(criterion.importance == "vital" for each in rubrics.each for criterion in each)
    scores = (OVERALL, *((VITAL,) if vital else ()), *axes)
    if clashing := [criterion.name for criterion in rubrics.shared if criterion.name in scores]:
        raise DeclarationError(
            f"a criterion has the name {clashing[0]}, which a score of the rubric has: give it another name"
        )
    most = max(map(len, rubrics.each), default=0)
    names = [criterion.name for criterion in rubrics.shared] or [
        f"{POSITION}{place}" for place in range(1, most + 1)
    ]
    chunks = [names[start : start + in_one_call] for start in range(0, len(names), in_one_call)]
    asks = tuple(
        criteria_ask(
            RUBRIC,
            tuple(chunk),
            partial(_numbered, rubrics, tuple(names)),
            shown=frozenset().union(*(criterion.fields for each in rubrics.each for criterion in each)),
            given=_numbered(rubrics, tuple(names), None) if rubrics.shared else None,
        )
        for chunk in chunks
    )
    return Judge(
        name=RUBRIC,
        summary=_summary(rubrics, axes),
        scale="yes or no, or from the lowest to the highest rating that a criterion names",
        score=FORMULA,
        source="the user's own, or the benchmark's; put together as by ResearchRubrics and HealthBench",
        asks=asks,
        declared={DECLARED: rubrics.plain(), **size_declared(in_one_call)},
        combined=CombinedMetrics(
            made_of={
                score: frozenset(
                    criterion.name for criterion in rubrics.shared if _counts(score, criterion, axes)
                )
                if rubrics.shared
                else frozenset(names)
                for score in scores
            },
            score=_Scoring(rubrics, axes, tuple(names), scores),
            rows=not rubrics.shared,
            check=rubrics.check,
            columns=rubrics.columns,
        ),
    )


def recorded_rubric(identity: Mapping[str, Any]) -> Judge:
    """The judge whose identity a record holds.

    Raises:
        DeclarationError: the record holds no rubric, or a faulty one.
    """
    return rubric_judge(rubrics_of(identity.get(DECLARED) or ()), in_one_call=declared_size(identity))


def identity_in_words(identity: Mapping[str, Any]) -> dict[str, Any]:
    """An identity in which each of its criteria, if it has any, is a part of its own, in words; where there are rubrics
    for topics or items, each of these, if they are not too many."""
    if criteria := criteria_of(identity.get(CRITERIA) or ()):
        return {**identity, CRITERIA: ", ".join(one.name for one in criteria), **in_parts(criteria)}
    if not identity.get(DECLARED):
        return dict(identity)
    rubrics = rubrics_of(identity[DECLARED])
    if rubrics.shared:
        named = ", ".join(criterion.name for criterion in rubrics.shared)
        return {**identity, DECLARED: named, **in_parts(rubrics.shared)}
    whole = f"{number(len(rubrics.by_key), 'rubric')}, {digest(identity[DECLARED])}"
    parts = {
        f"rubric for {key}": f"{len(each)} criteria, {digest([criterion.plain() for criterion in each])}"
        for key, each in rubrics.by_key.items()
    }
    return {**identity, DECLARED: whole, **(parts if len(parts) <= MOST_TOLD else {})}


def looked_at(judge: Judge) -> dict[str, tuple[str, ...]]:
    """What each metric of criteria or of a rubric looks at; empty for any other judge."""
    own = {one["name"]: tuple(one["looks_at"]) for one in judge.declared.get(CRITERIA, ())}
    if judge.combined is None or DECLARED not in judge.declared:
        return own
    rubrics = rubrics_of(judge.declared[DECLARED])
    own = {criterion.name: criterion.shows for criterion in rubrics.shared}
    every = dict.fromkeys(name for each in rubrics.each for one in each for name in one.shows)
    return own | dict.fromkeys(judge.combined.made_of, tuple(every))


def _axes(rubrics: Rubrics) -> dict[str, str]:
    """Each axis by the name of its metric, in the order in which they come.

    Raises:
        DeclarationError: two axes would have the same name.
    """
    axes: dict[str, str] = {}
    for criterion in (criterion for each in rubrics.each for criterion in each if criterion.axis):
        name = AXIS + ("_".join(re.findall(r"[^\W_]+", criterion.axis.casefold())) or "unnamed")
        if axes.setdefault(name, criterion.axis).casefold() != criterion.axis.casefold():
            raise DeclarationError(
                f"the axes {axes[name]!r} and {criterion.axis!r} both give the metric {name}: give "
                "one of them another name"
            )
    return axes


def _summary(rubrics: Rubrics, axes: Mapping[str, str]) -> str:
    if rubrics.shared:
        return f"a rubric of weighted criteria: {'; '.join(map(_in_words, rubrics.shared))}"
    total = sum(map(len, rubrics.each))
    about = f"; axes: {', '.join(axes.values())}" if axes else ""
    return f"a rubric for each topic or item: {len(rubrics.by_key)} with {total} weighted criteria{about}"


def _in_words(criterion: Criterion) -> str:
    """A criterion as reports and cards say it."""
    kind = ", yes or no" if criterion.scale is None else ""
    more = "".join(f", {part}" for part in (criterion.importance, criterion.axis) if part)
    return f"{criterion.name} (“{criterion}”{kind}, {_weight(criterion)}{more})"


def _weight(criterion: Criterion) -> str:
    """The weight of a criterion in words; of a fault with what is better."""
    return f"weight {criterion.points:g}{' (a fault: lower is better)' if criterion.points < 0 else ''}"


def _counts(score: str, criterion: Criterion, axes: Mapping[str, str]) -> bool:
    """Whether a criterion counts in a score."""
    if score == OVERALL:
        return True
    if score == VITAL:
        return criterion.importance == "vital"
    return criterion.axis.casefold() == axes[score].casefold()


def _numbered(rubrics: Rubrics, names: tuple[str, ...], item: Item | None) -> tuple[Numbered, ...]:
    """The criteria of an item (None: of all) with their numbers and the metrics that they are asked as."""
    criteria = rubrics.shared if item is None else rubrics.of(item)
    return tuple(
        Numbered(place, criterion, metric)
        for place, (criterion, metric) in enumerate(zip(criteria, names, strict=False), 1)
    )


@dataclass(frozen=True)
class _Scoring:
    """Puts the values of criteria together."""

    rubrics: Rubrics
    axes: Mapping[str, str]
    names: tuple[str, ...]
    scores: tuple[str, ...]

    def __call__(self, item: Item, measures: Mapping[str, Measure]) -> dict[str, Measure]:
        judged = [
            (entry.criterion, measures[entry.metric])
            for entry in _numbered(self.rubrics, self.names, item)
            if entry.metric in measures
        ]
        if not judged:
            return {OVERALL: Measure.missing(Reason.NOTHING_TO_JUDGE, NO_RUBRIC)}
        found = {}
        for score in self.scores:
            counted = [pair for pair in judged if _counts(score, pair[0], self.axes)]
            if score == OVERALL or any(criterion.points > 0 for criterion, _ in counted):
                found[score] = together(counted, rows=score == OVERALL)
        return found


def together(judged: Sequence[tuple[Criterion, Measure]], *, rows: bool = False) -> Measure:
    """The score of criteria with what was found of each; ``rows``: with a part for each of them.

    A criterion of which no answer came makes the whole a failure, so that it is asked again; one that has no value for
    another reason is left out, and counted in the detail.
    """
    parts = tuple(_parts(judged)) if rows else ()
    lost = [measure for _, measure in judged if measure.value is None]
    failed = [measure for measure in lost if measure.status is Status.FAILED]
    valued = [(criterion, measure.value) for criterion, measure in judged if measure.value is not None]
    possible = sum(criterion.points for criterion, _ in valued if criterion.points > 0)
    without = _without(lost, len(judged))
    if failed or (not possible and lost):
        first = (failed or lost)[0]
        reasons = {(measure.reason, measure.detail) for measure in lost}
        detail = first.detail if len(lost) == len(judged) and len(reasons) == 1 else without
        reason = first.reason or Reason.INVALID_ANSWER
        return Measure(status=reason.status, reason=reason, detail=detail, parts=parts)
    if not possible:
        why = "no criterion of the rubric has a weight above 0"
        return Measure(status=Status.UNSCORED, reason=Reason.NOTHING_TO_JUDGE, detail=why, parts=parts)
    gained = sum(criterion.points * value for criterion, value in valued if criterion.points > 0)
    taken = sum(-criterion.points * value for criterion, value in valued if criterion.points < 0)
    faults = any(criterion.points < 0 for criterion, _ in valued)
    away = f", {taken:g} taken away for faults" if faults else ""
    scores = [_score(sample) for sample in _samples(judged)]
    within = [None if score is None else min(max(score, 0.0), 1.0) for score in scores]
    there = [score for score in within if score is not None]
    below = scores != within
    several = len(scores) > 1
    return Measure(
        status=Status.SCORED,
        value=fmean(there),
        raw=mean_of(scores) if below else None,
        majority=majority(there) if several else None,
        samples=tuple(within) if several else (),
        confidence=mean_confidence([measure for _, measure in judged if measure.value is not None]),
        explanation=f"{gained:g} of {possible:g} points{away}{'; below 0 counts as 0' if below else ''}",
        parts=parts,
        detail=without,
    )


def _samples(judged: Sequence[tuple[Criterion, Measure]]) -> list[list[tuple[Criterion, float]]]:
    """The criteria that have a value, with it: once, or in each of several samples."""
    valued = [(criterion, measure) for criterion, measure in judged if measure.value is not None]
    count = min(len(measure.samples) for _, measure in valued)
    if count < 2:
        return [[(criterion, measure.value) for criterion, measure in valued if measure.value is not None]]
    return [
        [
            (criterion, value)
            for criterion, measure in valued
            if (value := measure.samples[number]) is not None
        ]
        for number in range(count)
    ]


def _score(valued: Sequence[tuple[Criterion, float]]) -> float | None:
    """Points over those that were possible, as they are; None where none were."""
    possible = sum(criterion.points for criterion, _ in valued if criterion.points > 0)
    return sum(criterion.points * value for criterion, value in valued) / possible if possible else None


def _without(lost: Sequence[Measure], total: int) -> str:
    """Which criteria have no value, by reason; empty where all have one."""
    if not lost:
        return ""
    reasons = Counter(str(measure.reason) for measure in lost)
    told = ", ".join(f"{name} {count}" for name, count in reasons.items())
    return f"{len(lost)} of {total:,} criteria left out ({told})"


def _parts(judged: Sequence[tuple[Criterion, Measure]]) -> Iterator[Part]:
    """The rows of criteria; where a rubric says the same twice, the second is told apart by its number."""
    seen = Counter[str]()
    for criterion, measure in judged:
        seen[criterion.question] += 1
        times = seen[criterion.question]
        yield _part(
            criterion, measure, f"{criterion.question} ({times})" if times > 1 else criterion.question
        )


def _part(criterion: Criterion, measure: Measure, name: str) -> Part:
    """The row of a criterion: met or not, or its rating, with its weight; ``raw`` are the points that it brings."""
    value = measure.value
    if value is None:
        label = f"no value: {measure.reason}"
    elif criterion.scale is None:
        label = {1.0: "met", 0.0: "not met"}.get(value, f"met in {value:.0%}")
    else:
        low, high = criterion.scale
        label = f"{low + value * (high - low):g} on {low} to {high}"
    importance = f", {criterion.importance}" if criterion.importance else ""
    return Part(
        id=name,
        value=value,
        raw=None if value is None else criterion.points * value + 0.0,  # no -0
        label=f"{label}, {_weight(criterion)}{importance}",
        explanation=measure.explanation or measure.detail,
    )
