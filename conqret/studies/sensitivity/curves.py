"""The curves over levels of damage, and the cells of a grid."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conqret.data import Item, Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.data.topic_keys import TopicKeys
from conqret.judging.judge_folder import trial_key
from conqret.judging.setup import Setup
from conqret.perturb import Direction
from conqret.stats.correlation import pearson
from conqret.stats.curve_tests import FEWEST_LEVELS, MARGIN, CurveStep, Response, respond, strictly_falls
from conqret.stats.resampling import mean_interval
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels, SensitivityPlan, Stack
from conqret.studies.sensitivity.verdict import Verdict, alarms, judge_response, moved


class MeasuredCurve(Frozen):
    """What was measured: a metric of a judge."""

    format: str
    model: str
    metric: str


class PerturbationCurve(MeasuredCurve):
    """The same under a perturbation."""

    perturbation: str


class CurvePoint(Frozen):
    """The mean at one level with its 95% interval (over topics)."""

    level: float
    mean: float
    low: float | None
    high: float | None


class Curve(PerturbationCurve):
    """One metric of one judge (of this ``fingerprint``) under one perturbation.

    ``n`` of ``total`` items have a value at every level, and the curve is over those; ``missing`` counts the
    reasons of the others. ``verdict`` says whether the curve is as ``expected``, and ``words`` why; both are None where
    nothing is expected (of a criterion of one's own), and ``words`` say how far it moved. ``falls`` is the strict
    monotone decrease of the means (ConQRet, Table 17). What should stand still has to stay within ``margin``, and
    ``alarms`` are levels at which it is shown to have moved further.
    """

    fingerprint: str
    unit: str
    expected: Direction | None
    points: tuple[CurvePoint, ...]
    n: int
    total: int
    topics: int
    missing: Mapping[str, int]
    falls: bool
    pearson: float | None
    spearman: float | None
    fell: float
    rose: float
    neighbours: tuple[CurveStep, ...]
    alarms: tuple[float, ...]
    margin: float = MARGIN
    verdict: Verdict | None
    words: str

    @property
    def means(self) -> tuple[float, ...]:
        """The mean at each level."""
        return tuple(point.mean for point in self.points)

    @property
    def told_apart(self) -> int:
        """How many neighbouring levels differ significantly."""
        return sum(step.significant for step in self.neighbours)


class EmptyCurve(PerturbationCurve):
    """A curve that could not be drawn: no item has a value at every level, and why not."""

    missing: Mapping[str, int]


class StanceCurve(PerturbationCurve):
    """The means of one metric over the items of one stance (ConQRet, Table 15)."""

    stance: str
    levels: tuple[float, ...]
    means: tuple[float, ...]
    n: int
    falls: bool
    pearson: float | None


class CurveCell(MeasuredCurve):
    """One combination of two perturbations: the mean of a metric with its interval, over n items."""

    levels: Mapping[str, float]
    mean: float
    low: float | None
    high: float | None
    n: int


NOT_JUDGED = "not_judged"
"""The reason of a version that the judge says nothing of."""


@dataclass(frozen=True)
class Drawing:
    """What one judge of a plan said, among the judgments by their keys."""

    plan: SensitivityPlan
    setup: Setup
    judgments: Mapping[str, Judgment]

    def _measured(self, metric: str) -> dict[str, Any]:
        """What a :class:`MeasuredCurve` of this judge says."""
        return {"format": self.setup.judge.name, "model": self.setup.client.model, "metric": metric}

    def value(self, version: str, metric: str) -> float | None:
        """The value of a metric for a version; None where it has none."""
        judgment = self._judgment(version)
        return judgment.value(metric) if judgment is not None else None

    def _judgment(self, version: str) -> Judgment | None:
        return self.judgments.get(trial_key(self.setup.fingerprint, version))

    def respond(self, damage: PerturbationLevels, metric: str) -> tuple[Response | None, Counter[str]]:
        """How ``metric`` answers to a damage (None: no item is scored throughout), and the reasons of what has no value
        at every level."""
        rows, lost = self._rows(damage, metric)
        keys = TopicKeys.of(item for item, _ in rows)
        topics = [keys[item.topic] for item, _ in rows]
        return (respond([row for _, row in rows], damage.levels, topics) if rows else None), lost

    def curves(
        self,
        damage: PerturbationLevels,
        metric: str,
        response: Response | None,
        lost: Counter[str],
        p_values: Sequence[float],
    ) -> Iterator[Curve | EmptyCurve | StanceCurve]:
        """The curve of a response, or why there is none, and those of each stance where it should fall;
        ``p_values`` are those of its shifts, where it should stand still."""
        perturbation = damage.perturbation
        expected = perturbation.expected(metric)
        missing = dict(sorted(lost.items()))
        if response is None:
            yield EmptyCurve(**self._measured(metric), perturbation=perturbation.name, missing=missing)
            return
        ends = zip(response.levels, response.means, response.intervals, strict=True)
        judged = None if expected is None else judge_response(response, expected, p_values, self.plan.margin)
        yield Curve(
            **self._measured(metric),
            fingerprint=self.setup.fingerprint,
            perturbation=perturbation.name,
            unit=perturbation.unit,
            expected=expected,
            points=tuple(
                CurvePoint(level=at, mean=mean, low=one.low, high=one.high) for at, mean, one in ends
            ),
            n=response.n,
            total=response.n + lost.total(),
            topics=response.clusters,
            missing=missing,
            falls=response.falls,
            pearson=response.pearson,
            spearman=response.spearman,
            fell=response.fell,
            rose=response.rose,
            neighbours=response.neighbours,
            alarms=tuple(response.levels[place + 1] for place in alarms(p_values)),
            margin=self.plan.margin,
            verdict=None if judged is None else judged.verdict,
            words=moved(response) if judged is None else judged.words,
        )
        if expected is Direction.FALL:
            yield from self.stances(damage, metric)

    def stances(self, damage: PerturbationLevels, metric: str) -> list[StanceCurve]:
        """The curve of each stance that the items have; none where there is only one."""
        by_stance = gathered((item.stance, row) for item, row in self._rows(damage, metric)[0])
        curves, levels = [], damage.levels
        for stance, rows in sorted(by_stance.items()) if len(by_stance) > 1 else ():
            means = tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))
            curves.append(
                StanceCurve(
                    **self._measured(metric),
                    perturbation=damage.perturbation.name,
                    stance=stance,
                    levels=levels,
                    means=means,
                    n=len(rows),
                    falls=strictly_falls(means),
                    pearson=pearson(levels, means).value if len(levels) >= FEWEST_LEVELS else None,
                )
            )
        return curves

    def cell(self, stack: Stack, metric: str) -> CurveCell | None:
        """The cell of the grid (ConQRet, Figure 4) for one stack of changes; None where nothing is scored."""
        items = self.plan.versions[stack].values()
        keys = TopicKeys.of(items)
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
        self, damage: PerturbationLevels, metric: str
    ) -> tuple[list[tuple[Item, list[float]]], Counter[str]]:
        """The values at all levels of each item that has them, and the reasons of the others."""
        rows, lost = [], Counter[str]()
        name = damage.perturbation.name
        versions = [self.plan.versions[((name, level),) if level else ()] for level in damage.levels]
        for item in self.plan.able(name):
            ids = [items[item.id].id for items in versions]
            values = [self.value(identifier, metric) for identifier in ids]
            row = [value for value in values if value is not None]
            if len(row) == len(values):
                rows.append((item, row))
            else:
                lost[self._reason(ids[values.index(None)], metric)] += 1
        return rows, lost

    def _reason(self, version: str, metric: str) -> str:
        judgment = self._judgment(version)
        return NOT_JUDGED if judgment is None else judgment.reasons.get(metric, NOT_JUDGED)
