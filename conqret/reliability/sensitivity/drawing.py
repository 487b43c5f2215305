"""From the scores of every version of the items to curves over the levels, and to cells of the grid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conqret.data.item import Item
from conqret.perturb.base import versioned
from conqret.reliability.sensitivity.curves import (
    Cell,
    Comparison,
    Curve,
    Point,
    Score,
    StanceCurve,
    Unscored,
)
from conqret.reliability.sensitivity.plan import Damage, Plan, Stack
from conqret.reliability.sensitivity.verdict import alarms, judge_response
from conqret.stats.sensitivity import Step, pearson, respond, strictly_falls

if TYPE_CHECKING:
    import numpy as np


def metrics_of(plan: Plan, place: int, damage: Damage) -> Sequence[str]:
    """The metrics of a judge that a perturbation says something about, in the judge's order."""
    setup = plan.setups[place]
    wanted = setup.options.metrics or setup.judge.metrics
    return [
        metric
        for metric in setup.judge.metrics
        if metric in wanted and damage.perturbation.expected(metric) is not None
    ]


def make_curve(
    plan: Plan,
    place: int,
    damage: Damage,
    metric: str,
    scores: Mapping[str, Score],
    rng: np.random.Generator,
    *,
    resamples: int,
) -> Curve | Unscored:
    """The curve of ``metric`` for the ``place``-th judge of the plan, or why no item is scored throughout.

    ``scores`` are that judge's, by item id.
    """
    setup, perturbation = plan.setups[place], damage.perturbation
    able = _able(plan, perturbation.name)
    rows, topics, missing = [], [], Counter[str]()
    for item in able:
        row, reason = _row(item, damage, metric, scores)
        if reason:
            missing[reason] += 1
        else:
            rows.append(row)
            topics.append(item.topic)
    if not rows:
        return Unscored(
            format=setup.judge.name,
            model=setup.client.model,
            metric=metric,
            perturbation=perturbation.name,
            missing=dict(sorted(missing.items())),
        )
    response = respond(rows, damage.levels, topics, rng, resamples=resamples)
    expected = perturbation.expected(metric)
    verdict, words = judge_response(response, expected)
    return Curve(
        format=setup.judge.name,
        model=setup.client.model,
        metric=metric,
        perturbation=perturbation.name,
        unit=perturbation.unit,
        expected=expected,
        points=tuple(
            Point(level=level, mean=interval.value, low=interval.low, high=interval.high)
            for level, interval in zip(response.levels, response.intervals, strict=True)
        ),
        n=response.n,
        total=len(able),
        topics=response.clusters,
        missing=dict(sorted(missing.items())),
        falls=response.falls,
        pearson=response.pearson,
        spearman=response.spearman,
        fell=response.fell,
        rose=response.rose,
        neighbours=tuple(map(_comparison, response.neighbours)),
        alarms=tuple(step.to for step in alarms(response, expected)),
        within=response.within,
        verdict=verdict,
        words=words,
    )


def stance_curves(
    plan: Plan, place: int, damage: Damage, metric: str, scores: Mapping[str, Score]
) -> list[StanceCurve]:
    """The curve of each stance that the items have; none where there is only one."""
    setup, found = plan.setups[place], []
    rows: dict[str, list[list[float]]] = {}
    for item in _able(plan, damage.perturbation.name):
        row, reason = _row(item, damage, metric, scores)
        if not reason:
            rows.setdefault(item.stance, []).append(row)
    for stance, values in sorted(rows.items()):
        means = tuple(sum(column) / len(values) for column in zip(*values, strict=True))
        found.append(
            StanceCurve(
                format=setup.judge.name,
                model=setup.client.model,
                metric=metric,
                perturbation=damage.perturbation.name,
                stance=stance,
                levels=damage.levels,
                means=means,
                n=len(values),
                falls=strictly_falls(means),
                pearson=pearson(damage.levels, means),
            )
        )
    return found if len(found) > 1 else []


def make_cell(
    plan: Plan,
    place: int,
    stack: Stack,
    metric: str,
    scores: Mapping[str, Score],
    rng: np.random.Generator,
    *,
    resamples: int,
) -> Cell | None:
    """The cell of the grid (ConQRet, Figure 4) for one stack of changes; None where nothing is scored."""
    from conqret.stats.bootstrap import bootstrap_interval

    found = [(scores.get(item.id), item.topic) for item in plan.versions[stack]]
    values = [
        (score.values[metric], topic)
        for score, topic in found
        if score is not None and metric in score.values
    ]
    if not values:
        return None
    interval = bootstrap_interval(
        [value for value, _ in values], rng, clusters=[topic for _, topic in values], resamples=resamples
    )
    setup = plan.setups[place]
    return Cell(
        format=setup.judge.name,
        model=setup.client.model,
        metric=metric,
        levels=dict(stack),
        mean=interval.value,
        low=interval.low,
        high=interval.high,
        n=len(values),
    )


def _able(plan: Plan, perturbation: str) -> list[Item]:
    unable = {out.item for out in plan.left_out.get(perturbation, ())}
    return [item for item in plan.items if item.id not in unable]


def _row(item: Item, damage: Damage, metric: str, scores: Mapping[str, Score]) -> tuple[list[float], str]:
    row = []
    for level in damage.levels:
        name = versioned(item.id, [(damage.perturbation.name, level)]) if level else item.id
        score = scores.get(name)
        if score is None or metric not in score.values:
            return [], score.reasons.get(metric, "not_judged") if score is not None else "not_judged"
        row.append(score.values[metric])
    return row, ""


def _comparison(step: Step) -> Comparison:
    return Comparison(start=step.start, to=step.to, difference=step.difference, p=step.p_holm)
