"""Which of several judges is the best, and how several systems differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from conqret.stats.estimate import Estimate, Scale, undefined
from conqret.stats.jackknife import JackknifedEstimate, without_value
from conqret.stats.prediction_powered import ProbabilitySample, weighted_difference
from conqret.stats.resampling import leave_one_out
from conqret.studies.check.answers import unmeasured
from conqret.studies.check.label_view import LabelView, Mask, Values
from conqret.studies.check.result import JudgeCheck, JudgeDifference, SystemCheck, SystemDifference, Usable

ALL_PAIRS = 10
"""Systems up to which each is compared with each other; with more, each with the highest."""
NO_MEAN = "classes without an order have no mean"
NO_LABEL = "no row of it is labeled"
RANKS: tuple[Usable, ...] = ("not claimed", "not usable", "not shown", "usable")
MEASURES = {"pass_fail": "mean of TNR and TPR", "ratings": "absolute error", "scores": "absolute error"}
"""By what judges are compared; where verdicts are pairs or classes, by their agreement."""


def best_place(checks: Sequence[JudgeCheck], comparisons: Sequence[JudgeDifference]) -> int:
    """Return the place, from 0, of the best judge: by its rates against the bar, then by how many others it
    is ahead of."""

    def rank(place: int) -> tuple[bool, int, int]:
        name, usable = checks[place].name, checks[place].usable or "not claimed"
        ahead = sum((pair.first == name) * ((pair.difference.value or 0) > 0) for pair in comparisons)
        ahead += sum((pair.second == name) * ((pair.difference.value or 0) < 0) for pair in comparisons)
        return not unmeasured(checks[place]), RANKS.index(usable), ahead

    return max(range(len(checks)), key=rank)


def system_checks(view: LabelView) -> tuple[SystemCheck, ...]:
    """Return the mean of each system, those with the highest corrected means first; none without systems."""
    if view.table.systems is None:
        return ()
    scale = _scale(view)
    systems = []
    for name, rows in _rows(view).items():
        judged = np.where(rows, view.verdicts, np.nan)
        systems.append(
            SystemCheck(
                name=name,
                rows=int(rows.sum()),
                labeled=int((rows & view.both).sum()),
                judge=undefined(NO_MEAN)
                if view.table.kind == "classes"
                else view.everywhere(judged, scale, "it has no verdict"),
                corrected=_corrected(view, rows),
            )
        )

    def height(system: SystemCheck) -> float:
        mean = system.judge.value if system.corrected.value is None else system.corrected.value
        return -1e9 if mean is None else mean

    return tuple(sorted(systems, key=height, reverse=True))


def system_differences(view: LabelView, systems: Sequence[SystemCheck]) -> Iterator[SystemDifference]:
    """Yield the paired differences, first minus second, of ``systems`` on the ids that both have a verdict for. With
    more than :data:`ALL_PAIRS` systems only the first is compared with the others. None without ids, without systems
    and for classes; pairs without a common id are left out."""
    ids = view.table.texts.get("id")
    if view.table.systems is None or ids is None or view.table.kind == "classes":
        return
    places = {
        name: {ids[row]: row for row in np.flatnonzero(rows & ~np.isnan(view.verdicts)).tolist()}
        for name, rows in _rows(view).items()
    }
    names = [system.name for system in systems]
    pairs = (
        list(combinations(names, 2)) if len(names) <= ALL_PAIRS else [(names[0], name) for name in names[1:]]
    )
    chances, refusal = _label_chances(view), view.refusal()
    for first, second in pairs:
        shared = [name for name in places[first] if name in places[second]]
        if not shared:
            continue
        left, right = (np.array([places[system][name] for name in shared]) for system in (first, second))
        clusters = view.clusters[left].tolist()
        later, earlier = (
            ProbabilitySample(view.target[rows], view.verdicts[rows], chances[rows]) for rows in (left, right)
        )
        means = weighted_difference(earlier, later, clusters, confidence=view.confidence)
        yield SystemDifference(
            first=first,
            second=second,
            pairs=len(shared),
            judge=means.naive,
            corrected=undefined(refusal) if refusal else means.corrected,
        )


def _scale(view: LabelView) -> Scale:
    return "plain" if view.table.kind in ("ratings", "scores") else "share"


def _rows(view: LabelView) -> dict[str, Mask]:
    systems = np.array(view.table.systems)
    return {name: systems == name for name in dict.fromkeys(view.table.systems or ())}


def _corrected(view: LabelView, rows: Mask) -> Estimate:
    if view.table.kind == "classes":
        return undefined(NO_MEAN)
    if not (rows & view.both).any():
        return undefined(NO_LABEL)
    return view.claimed(lambda: view.corrected(rows, _scale(view)).corrected)


def _label_chances(view: LabelView) -> Values:
    """The chance of each row to be labeled: as known, else the labeled share of its system."""
    if view.chances is not None:
        return view.chances
    chances = np.full(len(view.target), np.nan)
    for rows in _rows(view).values():
        judged = rows & ~np.isnan(view.verdicts)
        chances[rows] = (rows & view.both).sum() / max(int(judged.sum()), 1)
    return chances


def judge_differences(views: Sequence[LabelView]) -> Iterator[JudgeDifference]:
    """Yield how much closer to the labels the first of each two judges is, on the rows that both judged.

    The judge that is ``better`` is shown to be so by an interval that is corrected for the number of pairs
    (Bonferroni).
    """
    every = list(combinations(views, 2))
    for first, second in every:
        both = first.both & second.both
        closer = _closer(first, second, both)
        refusal, sign = first.refusal(by_label=True), 0
        difference = undefined(refusal) if refusal else closer.estimate(first.confidence)
        if difference.value is not None:
            sign = closer.estimate(1 - (1 - first.confidence) / len(every)).sign
        yield JudgeDifference(
            first=first.judge.name,
            second=second.judge.name,
            measure=MEASURES.get(first.table.kind, "agreement"),
            rows=int(both.sum()),
            difference=difference,
            better={1: first.judge.name, -1: second.judge.name}.get(sign, ""),
        )


def _closer(first: LabelView, second: LabelView, both: Mask) -> JackknifedEstimate:
    if not both.any():
        return without_value("no labeled row has verdicts of both")
    human = first.target[both]
    weights = np.ones(len(human)) if first.chances is None else 1 / first.chances[both]
    closer = _closeness(first, both) - _closeness(second, both)
    groups = [human == 0, human == 1] if first.table.kind == "pass_fail" else [np.ones(len(human))]
    columns = [column for group in groups for column in (weights * group * closer, weights * group)]
    drawn = leave_one_out(first.clusters[both])
    sums = drawn.sums(np.column_stack(columns))

    def of_weights(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = rows @ sums
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((totals[:, ::2] / totals[:, 1::2]).mean(axis=1))

    missing = "both passes and failures must be labeled"
    return drawn.sampled(of_weights, len(human), width=len(columns), reason=missing)


def _closeness(view: LabelView, rows: Mask) -> Values:
    """How close each verdict is to its label; a flip counts half."""
    judge, human, orders = view.verdicts[rows], view.target[rows], view.judge.orders
    if view.table.kind in ("ratings", "scores"):
        return -np.abs(judge - human)
    flips = False if orders is None else np.abs(orders[rows, 0] - orders[rows, 1]) > 0
    return np.where(flips, 0.5, judge == human)
