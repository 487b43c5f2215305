"""From judgments to curves over levels of perturbation, with a verdict for each, and the cells of a grid.

Every verdict is of means over items, tested over topics, and there is none below six of them. What should fall has to
fall in trend (one-sided), with no step that rises significantly. What should not change has to do so within a margin
(equivalence), and moves where a shift is shown to be beyond that margin, corrected for all shifts of the run that
should be within it (Holm). So a shift inside the margin is never called a move, however many topics show it.
Each verdict errs in at most 5% of the cases where the topics' effects are symmetric about their mean.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conqret.data import Item, Judgment
from conqret.data.digest import gathered
from conqret.data.judgment import TopicKeys
from conqret.errors import number
from conqret.judging.judge_folder import trial_key
from conqret.judging.setup import Setup
from conqret.perturb import Direction
from conqret.stats.correlation import pearson
from conqret.stats.curve_tests import MARGIN, MIN_LEVELS, Response, respond, strictly_falls
from conqret.stats.effects import ALPHA, holm, p_words
from conqret.stats.estimate import MIN_TOPICS
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import mean_interval
from conqret.studies.sensitivity.result import (
    INVARIANT,
    Curve,
    CurveCell,
    CurvePoint,
    EmptyCurve,
    StanceCurve,
    Verdict,
)
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels, SensitivityPlan, Stack


def corrected(
    responses: Sequence[Response], expected: Sequence[Direction], margin: float = MARGIN
) -> list[list[float]]:
    """Return for each response the p-values of "this shift from the first level is within ``margin``", one
    for each shift.

    A small p-value shows a change beyond ``margin`` (only upwards for what should not rise). P-values are
    corrected (Holm) over all shifts of all responses.
    """
    raw = [
        _beyond(shift, direction, margin)
        for response, direction in zip(responses, expected, strict=True)
        for shift in response.shifts
    ]
    p_values = iter([1.0 if p is None else p for p in holm(raw)])
    return [[next(p_values) for _ in response.shifts] for response in responses]


def _beyond(shift: JackknifedEstimate, direction: Direction, margin: float) -> float | None:
    above, not_below = shift.above(margin), shift.above(-margin)
    if above is None or not_below is None or direction is Direction.NO_RISE:
        return above
    return min(1.0, 2 * min(above, 1 - not_below))


def alarms(p_values: Sequence[float]) -> list[int]:
    """Return the numbers, from 0, of the shifts at which a score that should not change is shown to have
    changed."""
    return [place for place, p in enumerate(p_values) if p < ALPHA]


def judge_response(
    response: Response, expected: Direction, p_values: Sequence[float] = (), margin: float = MARGIN
) -> tuple[Verdict, str]:
    """Return the verdict on a response (as expected or not), and the reason in words.

    ``p_values`` are those of :func:`corrected`, for a score that should not change; changes within ``margin``
    are negligible.
    """
    if response.clusters < MIN_TOPICS:
        topics = number(response.clusters, "topic")
        return "inconclusive", f"{topics}: at least {MIN_TOPICS} are needed for a verdict"
    if expected in INVARIANT:
        return _judge_invariance(response, expected, p_values, margin)
    return _judge_trend(response, 1 if expected is Direction.RISE else -1, margin)


def _judge_trend(response: Response, sign: int, margin: float) -> tuple[Verdict, str]:
    right, wrong = ("rises", "falls") if sign > 0 else ("falls", "rises")
    for against in response.neighbours:
        if against.significant and sign * against.difference < 0:
            between = f"from level {against.start:g} to {against.to:g}"
            return "no", f"it {wrong} by {abs(against.difference):.3f} {between}"
    upwards = response.trend.above()
    there = None if upwards is None else upwards if sign > 0 else 1 - upwards
    if there is None:
        return "inconclusive", "the trend cannot be tested"
    far = f"{_distance_words(response)} from first to last (trend, "
    if there < ALPHA:
        return "yes", f"{right} by {far}{p_words(there)})"
    if 1 - there < ALPHA:
        return "no", f"it {wrong} by {far}{p_words(1 - there)})"
    if (response.trend.equivalent(margin) or 0.0) < ALPHA:
        return "no", f"it does not change (within {margin:g})"
    shift = response.shifts[-1].value
    return ("inconclusive", f"{shift:+.3f} from first to last is not told apart from none ({p_words(there)})")


def moved(response: Response) -> str:
    """Return in words how far a score moved from the first level to the last, with sign and interval."""
    found = response.shifts[-1].estimate()
    interval = "" if found.low is None or found.high is None else f" [{found.low:+.3f}, {found.high:+.3f}]"
    return f"moves by {response.shifts[-1].value:+.3f}{interval} from first to last"


def _distance_words(response: Response) -> str:
    """How far the score moved from the first level to the last, without its sign, and the interval of that."""
    shift, interval = response.shifts[-1].value, response.shifts[-1].estimate()
    if interval.low is None or interval.high is None:
        return f"{abs(shift):.3f}"
    near, far = (-interval.high, -interval.low) if shift < 0 else (interval.low, interval.high)
    return f"{abs(shift):.3f} [{near:.3f}, {far:.3f}]"


def _judge_invariance(
    response: Response, expected: Direction, p_values: Sequence[float], margin: float
) -> tuple[Verdict, str]:
    shifts, levels = response.shifts, response.levels[1:]
    both = expected is Direction.UNCHANGED
    if raised := alarms(p_values):
        worst = max(raised, key=lambda place: abs(shifts[place].value))
        shift = shifts[worst]
        return (
            "no",
            f"moves by {shift.value:+.3f} at level {levels[worst]:g}, more than {margin:g} "
            f"({p_words(p_values[worst])})",
        )
    if all(shift.outside(margin, rising=not both) < ALPHA for shift in shifts):
        return (
            "yes",
            f"does not change (within {margin:g})" if both else f"does not rise (by {margin:g} or more)",
        )
    ends = [shift.estimate(1 - 2 * ALPHA) for shift in shifts]
    reach = max(max(end.high or 0.0, -(end.low or 0.0) if both else 0.0) for end in ends)
    found = f"may have {'moved' if both else 'risen'} by up to {reach:.3f}"
    # found in 80% of such runs, by the least exact of the levels and before the correction for several
    distances = [shift.smallest_detectable(alpha=ALPHA * (1 if both else 2)) for shift in shifts]
    known = [distance for distance in distances if distance is not None]
    if known:
        found += f"; a move of {margin + max(known):.3f} would be found"
    return "inconclusive", found


_COPIED = ("n", "falls", "pearson", "spearman", "fell", "rose", "neighbours")
"""The fields of a response that a curve has, too."""
NOT_JUDGED = "not_judged"
"""The reason of a version that the judge says nothing of."""


@dataclass(frozen=True)
class JudgeCurves:
    """The judgments of one judge of a sensitivity plan, from which its curves are computed."""

    plan: SensitivityPlan
    setup: Setup
    judgments: Mapping[str, Judgment]

    def _measured(self, metric: str) -> dict[str, Any]:
        """What a :class:`MeasuredCurve` of this judge says."""
        return {"format": self.setup.judge.name, "model": self.setup.client.model, "metric": metric}

    def value(self, version: str, metric: str) -> float | None:
        """Return the value of a metric for a version of an item; None if it has none."""
        judgment = self._judgment(version)
        return judgment.value(metric) if judgment is not None else None

    def _judgment(self, version: str) -> Judgment | None:
        return self.judgments.get(trial_key(self.setup.fingerprint, version))

    def respond(self, entry: PerturbationLevels, metric: str) -> tuple[Response | None, Counter[str]]:
        """Return the response of ``metric`` to a perturbation, and the reasons of items without a value at
        every level.

        The response is None if no item has a value at every level.
        """
        rows, lost = self._rows(entry, metric)
        keys = TopicKeys.from_judged(item for item, _ in rows)
        topics = [keys[item.topic] for item, _ in rows]
        return (respond([row for _, row in rows], entry.levels, topics) if rows else None), lost

    def curves(
        self,
        entry: PerturbationLevels,
        metric: str,
        response: Response | None,
        lost: Counter[str],
        p_values: Sequence[float],
    ) -> Iterator[Curve | EmptyCurve | StanceCurve]:
        """Yield the curve of a response, or an empty curve with the reasons; then the curves by stance, if
        it should fall.

        ``p_values`` are those of its shifts, if it should not change; ``lost`` counts the reasons of items that
        lack a score.
        """
        perturbation = entry.perturbation
        expected = perturbation.expected(metric)
        missing = dict(sorted(lost.items()))
        if response is None:
            yield EmptyCurve(**self._measured(metric), perturbation=perturbation.name, missing=missing)
            return
        ends = zip(response.levels, response.means, response.intervals, strict=True)
        verdict: Verdict | None = None
        words = moved(response)
        if expected is not None:
            verdict, words = judge_response(response, expected, p_values)
        yield Curve(
            **self._measured(metric),
            fingerprint=self.setup.fingerprint,
            perturbation=perturbation.name,
            unit=perturbation.unit,
            expected=expected,
            points=tuple(
                CurvePoint(level=at, mean=mean, low=one.low, high=one.high) for at, mean, one in ends
            ),
            total=response.n + lost.total(),
            topics=response.clusters,
            missing=missing,
            **{name: getattr(response, name) for name in _COPIED},
            alarms=tuple(response.levels[place + 1] for place in alarms(p_values)),
            verdict=verdict,
            words=words,
        )
        if expected is Direction.FALL:
            yield from self.stances(entry, metric)

    def stances(self, entry: PerturbationLevels, metric: str) -> list[StanceCurve]:
        """Return the curve of each stance of the items; empty if there is only one stance."""
        by_stance = gathered((item.stance, row) for item, row in self._rows(entry, metric)[0])
        curves, levels = [], entry.levels
        for stance, rows in sorted(by_stance.items()) if len(by_stance) > 1 else ():
            means = tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))
            curves.append(
                StanceCurve(
                    **self._measured(metric),
                    perturbation=entry.perturbation.name,
                    stance=stance,
                    levels=levels,
                    means=means,
                    n=len(rows),
                    falls=strictly_falls(means),
                    pearson=pearson(levels, means).value if len(levels) >= MIN_LEVELS else None,
                )
            )
        return curves

    def cell(self, stack: Stack, metric: str) -> CurveCell | None:
        """Return the grid cell (ConQRet, Figure 4) for one combination of changes; None if nothing is
        scored.
        """
        items = self.plan.cells[stack]
        keys = TopicKeys.from_judged(items)
        scored = [
            (value, keys[item.topic]) for item in items if (value := self.value(item.id, metric)) is not None
        ]
        if not scored:
            return None
        values, topics = zip(*scored, strict=True)
        interval = mean_interval(values, topics, scale="share")
        return CurveCell(
            **self._measured(metric),
            levels=dict(stack),
            mean=math.fsum(values) / len(values),
            low=interval.low,
            high=interval.high,
            n=len(scored),
        )

    def _rows(
        self, entry: PerturbationLevels, metric: str
    ) -> tuple[list[tuple[Item, list[float]]], Counter[str]]:
        """Return the items that have a score at all levels, each with its scores in the order of the levels, and for
        the others how often each reason occurs (that of the first missing score)."""
        rows, lost = [], Counter[str]()
        name = entry.perturbation.name
        versions = [self.plan.versions[((name, level),) if level else ()] for level in entry.levels]
        for item in self.plan.perturbable(name):
            ids = [items[item.id].id for items in versions]
            values = [self.value(identifier, metric) for identifier in ids]
            row = [value for value in values if value is not None]
            if len(row) == len(values):
                rows.append((item, row))
            else:
                judgment = self._judgment(ids[values.index(None)])
                reasons = {} if judgment is None else judgment.reasons
                lost[reasons.get(metric, NOT_JUDGED)] += 1
        return rows, lost


def judged_curves(judges: Sequence[JudgeCurves]) -> list[Curve | EmptyCurve | StanceCurve]:
    """Return the curves of all judges with an expected change, and those of user-defined criteria. Tests of curves that
    should not change are corrected together, over all judges."""
    asked = [
        (judge, entry, metric, *judge.respond(entry, metric))
        for judge in judges
        for entry in judge.plan.perturbations
        for metric in judge.setup.metrics
        if entry.perturbation.expected(metric) is not None or judge.setup.judge.declared
    ]
    still = {
        place: (response, expected)
        for place, (_, entry, metric, response, _) in enumerate(asked)
        if response is not None and (expected := entry.perturbation.expected(metric)) in INVARIANT
    }
    shifts = corrected([one for one, _ in still.values()], [one for _, one in still.values()])
    p_values = dict(zip(still, shifts, strict=True))
    return [
        curve
        for place, (judge, entry, metric, response, lost) in enumerate(asked)
        for curve in judge.curves(entry, metric, response, lost, p_values.get(place, ()))
    ]
