"""The means of several systems, by the judge alone and corrected by the labels, and their paired differences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from conqret.stats.estimate import Estimate, undefined
from conqret.stats.prediction_powered import ProbabilitySample, weighted_difference
from conqret.studies.check.label_view import LabelView, Mask, Values
from conqret.studies.check.result import SystemCheck, SystemDifference

ALL_PAIRS = 10
"""Systems up to which each is compared with each other; with more, each with the highest."""
NO_MEAN = "classes without an order have no mean"
BY_LABEL = "rows were drawn by label: only the rate of all systems together can be corrected"
NO_LABEL = "no row of it is labeled"


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


def system_differences(view: LabelView) -> Iterator[SystemDifference]:
    """Yield the paired differences of systems on the ids that both have."""
    ids = view.table.texts.get("id")
    if view.table.systems is None or ids is None or view.table.kind == "classes":
        return
    places = {
        name: {ids[row]: row for row in np.flatnonzero(rows & ~np.isnan(view.verdicts)).tolist()}
        for name, rows in _rows(view).items()
    }
    names = [system.name for system in system_checks(view)]
    pairs = (
        list(combinations(names, 2)) if len(names) <= ALL_PAIRS else [(names[0], name) for name in names[1:]]
    )
    chances = _label_chances(view)
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
            corrected=view.claimed(lambda found=means.corrected: found)
            if _can(view)
            else undefined(BY_LABEL),
        )


def _scale(view: LabelView) -> str:
    return "plain" if view.table.kind in ("ratings", "scores") else "share"


def _can(view: LabelView) -> bool:
    return view.drawing != "label"


def _rows(view: LabelView) -> dict[str, Mask]:
    systems = np.array(view.table.systems)
    return {name: systems == name for name in dict.fromkeys(view.table.systems or ())}


def _corrected(view: LabelView, rows: Mask) -> Estimate:
    if view.table.kind == "classes":
        return undefined(NO_MEAN)
    if not _can(view):
        return undefined(BY_LABEL)
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
