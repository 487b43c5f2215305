"""Curves of scores over levels of damage, and whether each is as it should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conqret.data.item import Frozen, Item
from conqret.evaluation.sensitivity_plan import Damage, Plan, Stack
from conqret.perturb import Direction
from conqret.perturb.base import versioned
from conqret.stats.sensitivity import Response, Step, pearson, respond, strictly_falls

if TYPE_CHECKING:
    import numpy as np


class Score(Frozen):
    """What one judgment came to: a value in [0, 1] or a reason for each metric, and what it took."""

    fingerprint: str
    item: str
    values: Mapping[str, float]
    reasons: Mapping[str, str] = {}
    calls: int = 0
    recorded: int = 0
    cost_usd: float | None = 0.0


class Point(Frozen):
    """The mean at one level with its 95 % interval (topics resampled whole)."""

    level: float
    mean: float
    low: float
    high: float


class Comparison(Frozen):
    """Two levels: the difference of their means, and the p-value of a paired t-test over topics after Holm."""

    start: float
    to: float
    difference: float
    p: float | None


class Curve(Frozen):
    """One metric of one judge under one perturbation.

    ``n`` of ``total`` items have a value at every level, and the curve is over those; ``missing`` counts the
    reasons of the others. ``verdict`` says whether the curve is as ``expected`` (None: nothing is), and
    ``words`` why. ``alarms`` are levels at which a score moved that should not have.
    """

    format: str
    model: str
    metric: str
    perturbation: str
    unit: str
    expected: Direction | None
    points: tuple[Point, ...]
    n: int
    total: int
    topics: int
    missing: Mapping[str, int]
    falls: bool
    pearson: float | None
    spearman: float | None
    fell: float
    rose: float
    neighbours: tuple[Comparison, ...]
    alarms: tuple[float, ...]
    within: bool
    verdict: bool | None
    words: str

    @property
    def means(self) -> tuple[float, ...]:
        """The mean at each level."""
        return tuple(point.mean for point in self.points)

    @property
    def told_apart(self) -> int:
        """How many neighbouring levels differ significantly."""
        return sum(one.p is not None and one.p < 0.05 for one in self.neighbours)


class Unscored(Frozen):
    """A curve that could not be drawn: no item has a value at every level, and why not."""

    format: str
    model: str
    metric: str
    perturbation: str
    missing: Mapping[str, int]


class StanceCurve(Frozen):
    """The means of one metric over the items of one stance (ConQRet, Table 15)."""

    format: str
    model: str
    metric: str
    perturbation: str
    stance: str
    levels: tuple[float, ...]
    means: tuple[float, ...]
    n: int
    falls: bool
    pearson: float | None


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
        alarms=tuple(step.to for step in _alarms(response, expected)),
        within=response.within,
        verdict=verdict,
        words=words,
    )


def judge_response(response: Response, expected: Direction | None) -> tuple[bool | None, str]:
    """Whether ``response`` is as expected, and in words why.

    A fall is strict, from level to level, takes more items down than up, and is significant from the first
    level to the last (where there are topics enough to test it). What should stand still raises no alarm.
    """
    if expected is None:
        return None, "nothing is expected"
    if expected in (Direction.FALL, Direction.RISE):
        fall = expected is Direction.FALL
        steady = response.falls if fall else response.rises
        right, wrong = (response.fell, response.rose) if fall else (response.rose, response.fell)
        last = response.from_first[-1]
        faults = []
        if not steady:
            faults.append(_first_fault(response, fall))
        if right <= wrong:
            faults.append(f"{right:.0%} of the items {expected}, and {wrong:.0%} go the other way")
        if last.p_holm is not None and not last.significant:
            faults.append(f"first and last level cannot be told apart (p = {last.p_holm:.2g})")
        way = "falls" if fall else "rises"
        return not faults, "; ".join(faults) or f"{way} strictly, for {right:.0%} of the items"
    alarms = _alarms(response, expected)
    if not alarms:
        return True, "stands still" if expected is Direction.UNCHANGED else "does not rise"
    worst = max(alarms, key=lambda step: abs(step.difference))
    return False, f"moves by {worst.difference:+.3f} at level {worst.to:g} (p = {worst.p_holm:.2g})"


def metrics_of(plan: Plan, place: int, damage: Damage) -> Sequence[str]:
    """The metrics of a judge that a perturbation says something about, in the judge's order."""
    setup = plan.setups[place]
    wanted = setup.options.metrics or setup.judge.metrics
    return [
        metric
        for metric in setup.judge.metrics
        if metric in wanted and damage.perturbation.expected(metric) is not None
    ]


class Cell(Frozen):
    """One combination of two perturbations: the mean of a metric with its interval, over n items."""

    format: str
    model: str
    metric: str
    levels: Mapping[str, float]
    mean: float
    low: float
    high: float
    n: int


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


def _alarms(response: Response, expected: Direction | None) -> tuple[Step, ...]:
    if expected not in (Direction.UNCHANGED, Direction.NO_RISE):
        return ()
    return response.alarms(upwards_only=expected is Direction.NO_RISE)


def _first_fault(response: Response, fall: bool) -> str:
    pairs = zip(response.levels, response.levels[1:], response.means, response.means[1:], strict=False)
    for level, following, mean, later in pairs:
        if (later >= mean) if fall else (later <= mean):
            moved = "stays at" if later == mean else "rises to" if later > mean else "falls to"
            return f"from level {level:g} to {following:g} the mean {moved} {later:.3f} (from {mean:.3f})"
    return ""


def _comparison(step: Step) -> Comparison:
    return Comparison(start=step.start, to=step.to, difference=step.difference, p=step.p_holm)
