"""Judges that are made of criteria: each rated by itself, or as a rubric put together by weight, axis and importance.

How a score of a rubric comes about, as ResearchRubrics and HealthBench define it: the sum of weight times value over
all criteria that have a value, divided by the sum of the weights above 0 among them. A statement has the value 1 where
it is met and 0 where it is not, a rating its place on its scale. Where faults outweigh what is met, the score counts as
0, and ``raw`` holds it as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from statistics import fmean
from typing import Any

from conqret.data import Item, Measure, Part, Reason, Status
from conqret.data.criterion import Criterion, criteria_of
from conqret.errors import DeclarationError
from conqret.io.rubric_files import rubrics_of
from conqret.io.rubric_set import Rubrics
from conqret.judging.computed_metrics import CombinedMetrics
from conqret.judging.criteria import criteria_prompts
from conqret.judging.deciding import METHOD
from conqret.judging.judge_options import AXIS, CRITERIA, GIVE, OVERALL, RUBRIC, VITAL
from conqret.judging.judge_parts import Judge
from conqret.judging.scales import majority, mean_confidence, mean_of

ONE_EACH, IN_ONE_CALL = "one call each", "criteria in one call"
"""The parts of an identity that say how many criteria stand in one call, where it is not the usual number."""
MAX_IN_ONE_CALL = 12
FORMULA = (
    "sum of weight × value over all criteria / sum of the weights above 0; a statement has the value 1 (met) or 0, a "
    "rating (rating - lowest) / (highest - lowest); below 0 counts as 0. Criteria without a value are left out of both "
    "sums. vital_score: the same over vital criteria; axis scores: over those of the axis"
)
RATINGS = "yes or no, or from the lowest to the highest rating that a criterion names"
NO_RUBRIC = "there is no rubric for this item"


def criteria_judge(criteria: Sequence[Criterion], *, in_one_call: int = MAX_IN_ONE_CALL) -> Judge:
    """Return the judge that rates items by these criteria, at most ``in_one_call`` of them in one request.

    Raises:
        DeclarationError: there are no criteria.
    """
    if not criteria:
        raise DeclarationError("no criterion is given: give at least one (--criterion)")
    names = tuple(criterion.name for criterion in criteria)
    return Judge(
        name=CRITERIA,
        summary=f"criteria in a sentence each: {'; '.join(map(_in_words, criteria))}",
        scale=RATINGS,
        score="yes 1, no 0; (rating - lowest) / (highest - lowest)",
        source="the user's own",
        judge_prompts=criteria_prompts(CRITERIA, Rubrics(tuple(criteria)), names, in_one_call),
        declared={CRITERIA: [criterion.plain() for criterion in criteria], **_size_declared(in_one_call)},
    )


def rubric_judge(rubrics: Rubrics, *, in_one_call: int = MAX_IN_ONE_CALL) -> Judge:
    """Return the judge that rates items by these rubrics, at most ``in_one_call`` criteria in one request.

    If one rubric applies to all items, each of its criteria is also a metric. Otherwise criteria are only
    rows of the scores, named by their place in the item's rubric.

    Raises:
        DeclarationError: there is no rubric, a criterion has the name of a score, or two axes give the same
            metric name.
    """
    if not rubrics.each:
        raise DeclarationError(GIVE[RUBRIC])
    shared, every = rubrics.shared, list(chain(*rubrics.each))
    axes = _axes(every)
    vital = any(criterion.importance == "vital" for criterion in every)
    scores = (OVERALL, *((VITAL,) if vital else ()), *axes)
    if clashing := [criterion.name for criterion in shared if criterion.name in scores]:
        raise DeclarationError(
            f"a criterion has the name {clashing[0]}, which a score of the rubric has: give it another name"
        )
    if shared:
        names = tuple(criterion.name for criterion in shared)
        made_of = {
            score: frozenset(one.name for one in shared if score in _scores_of(one)) for score in scores
        }
        weighed = (_in_words(one, (_weight(one), one.importance, one.axis)) for one in shared)
        summary = f"a rubric of weighted criteria: {'; '.join(weighed)}"
    else:
        most = max(map(len, rubrics.each), default=0)
        names = tuple(f"criterion_{place}" for place in range(1, most + 1))
        made_of = dict.fromkeys(scores, frozenset(names))
        about = f"; axes: {', '.join(axes.values())}" if axes else ""
        each = f"{len(rubrics.by_key)} with {len(every)} weighted criteria"
        summary = f"a rubric for each topic or item: {each}{about}"
    return Judge(
        name=RUBRIC,
        summary=summary,
        scale=RATINGS,
        score=FORMULA,
        source="the user's own, or the benchmark's; put together as by ResearchRubrics and HealthBench",
        judge_prompts=criteria_prompts(RUBRIC, rubrics, names, in_one_call),
        declared={RUBRIC: rubrics.plain(), **_size_declared(in_one_call)},
        combined=CombinedMetrics(
            made_of=made_of,
            score=partial(_all_scores, rubrics, names, scores),
            rows=not shared,
            check=rubrics.check,
            columns=rubrics.columns,
        ),
    )


def _size_declared(in_one_call: int) -> dict[str, Any]:
    if in_one_call == MAX_IN_ONE_CALL:
        return {}
    return {ONE_EACH: True} if in_one_call == 1 else {IN_ONE_CALL: in_one_call}


def judge_of_record(name: str, identity: Mapping[str, Any]) -> Judge:
    """Rebuild the judge of criteria or of a rubric from the format's ``name`` and the identity in a run
    record.

    Raises:
        DeclarationError: the identity has no criteria, or invalid ones.
    """
    given = identity.get(name) or ()
    in_one_call = 1 if identity.get(ONE_EACH) else identity.get(IN_ONE_CALL, MAX_IN_ONE_CALL)
    if name == CRITERIA:
        return criteria_judge(criteria_of(given), in_one_call=in_one_call)
    return rubric_judge(rubrics_of(given), in_one_call=in_one_call)


def _axes(criteria: Iterable[Criterion]) -> dict[str, str]:
    """Return the axes by the names of their metrics, in the order of the criteria.

    Raises:
        DeclarationError: two axes would have the same name.
    """
    axes: dict[str, str] = {}
    for axis in (criterion.axis for criterion in criteria if criterion.axis):
        name = _axis_metric(axis)
        if axes.setdefault(name, axis).casefold() != axis.casefold():
            raise DeclarationError(
                f"the axes {axes[name]!r} and {axis!r} both give the metric {name}: give "
                "one of them another name"
            )
    return axes


def _axis_metric(axis: str) -> str:
    return AXIS + ("_".join(re.findall(r"[^\W_]+", axis.casefold())) or "unnamed")


def _scores_of(criterion: Criterion) -> tuple[str, ...]:
    """The scores in which a criterion counts."""
    vital = (VITAL,) if criterion.importance == "vital" else ()
    return (OVERALL, *vital, *((_axis_metric(criterion.axis),) if criterion.axis else ()))


def _in_words(criterion: Criterion, more: Iterable[str | None] = ()) -> str:
    """A criterion as reports and cards say it."""
    said = ["yes or no" if criterion.scale is None else None, *more]
    return f"{criterion.name} (“{criterion}”{''.join(f', {part}' for part in said if part)})"


def _weight(criterion: Criterion) -> str:
    """The weight of a criterion in words; of a fault with what is better."""
    return f"weight {criterion.points:g}{' (a fault: lower is better)' if criterion.points < 0 else ''}"


def _all_scores(
    rubrics: Rubrics, names: Sequence[str], scores: Sequence[str], item: Item, measures: Mapping[str, Measure]
) -> dict[str, Measure]:
    """Return the scores of an item from the measures of its criteria. A score other than the overall one is left out if
    none of its criteria brings points. Without any criterion the overall score is missing, with the reason."""
    criteria = zip(rubrics.for_item(item), names, strict=False)
    judged = [(criterion, measures[name]) for criterion, name in criteria if name in measures]
    if not judged:
        return {OVERALL: Measure.missing(Reason.NOTHING_TO_JUDGE, NO_RUBRIC)}
    found = {}
    for score in scores:
        counted = [pair for pair in judged if score in _scores_of(pair[0])]
        if score == OVERALL or any(criterion.points > 0 for criterion, _ in counted):
            found[score] = combined_score(counted, rows=score == OVERALL)
    return found


def combined_score(judged: Sequence[tuple[Criterion, Measure]], *, rows: bool = False) -> Measure:
    """Combine the measures of criteria into one score; with ``rows`` it has a part for each criterion.

    The score is the sum of points times values over the sum of the points above 0, limited to [0, 1].

    If a criterion has no response, the score fails, so that it is requested again. A criterion without a
    value for another reason is left out, and counted in the detail.
    """
    parts = tuple(_parts(judged)) if rows else ()
    lost = [measure for _, measure in judged if measure.value is None]
    reasons = Counter(str(measure.reason) for measure in lost)
    counts = ", ".join(f"{name} {count}" for name, count in reasons.items())
    without = f"{len(lost)} of {len(judged):,} criteria left out ({counts})" if lost else ""
    failed = [measure for measure in lost if measure.status is Status.FAILED]
    valued = [(criterion.points, measure) for criterion, measure in judged if measure.value is not None]
    possible = sum(points for points, _ in valued if points > 0)
    if failed or (not possible and lost):
        first = (failed or lost)[0]
        alike = len(lost) == len(judged) and len({(measure.reason, measure.detail) for measure in lost}) == 1
        reason = first.reason or Reason.INVALID_ANSWER
        detail = first.detail if alike else without
        return Measure(status=reason.status, reason=reason, detail=detail, parts=parts)
    if not possible:
        why = "no criterion of the rubric has a weight above 0"
        return Measure(status=Status.INAPPLICABLE, reason=Reason.NOTHING_TO_JUDGE, detail=why, parts=parts)
    brought = [points * (measure.value or 0.0) for points, measure in valued]
    gained = sum(one for one in brought if one > 0)
    taken = -sum(one for one in brought if one < 0)
    faults = any(points < 0 for points, _ in valued)
    away = f", {taken + 0.0:g} taken away for faults" if faults else ""
    scores = _scores(valued)
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
        confidence=mean_confidence([measure for _, measure in valued]),
        explanation=f"{gained:g} of {possible:g} points{away}{'; below 0 counts as 0' if below else ''}",
        parts=parts,
        detail=without,
    )


def _scores(valued: Sequence[tuple[float, Measure]]) -> list[float | None]:
    """Return points over possible points: one value, or one for each sample if all measures have several. Criteria
    without a value are left out of both; None if no points were possible."""
    several = min(len(measure.samples) for _, measure in valued) > 1
    samples = zip(*(measure.samples if several else (measure.value,) for _, measure in valued), strict=False)
    scores = list[float | None]()
    for values in samples:
        there = [
            (points, value) for (points, _), value in zip(valued, values, strict=True) if value is not None
        ]
        possible = sum(points for points, _ in there if points > 0)
        scores.append(sum(points * value for points, value in there) / possible if possible else None)
    return scores


def _parts(judged: Sequence[tuple[Criterion, Measure]]) -> Iterator[Part]:
    """Yield a part for each criterion: met or not, or its rating, with its weight; ``raw`` are the points
    that it brings.

    If a rubric has the same question twice, a number is added to the second one's id.
    """
    seen = Counter[str]()
    for criterion, measure in judged:
        question, value = criterion.question, measure.value
        seen[question] += 1
        if value is None:
            label = f"no value: {measure.reason}"
        elif criterion.scale is None and measure.method == METHOD:
            label = f"met with P = {value:.2f}"
        elif criterion.scale is None:
            label = {1.0: "met", 0.0: "not met"}.get(value, f"met in {value:.0%}")
        else:
            low, high = criterion.scale
            label = f"{low + value * (high - low):g} on {low} to {high}"
        importance = f", {criterion.importance}" if criterion.importance else ""
        yield Part(
            id=f"{question} ({seen[question]})" if seen[question] > 1 else question,
            value=value,
            raw=None if value is None else criterion.points * value + 0.0,  # no -0
            label=f"{label}, {_weight(criterion)}{importance}",
            explanation=measure.explanation or measure.detail,
        )
