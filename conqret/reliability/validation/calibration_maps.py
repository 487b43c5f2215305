"""The kinds of map from a judge's scores to people's labels, fitted to one dimension, and the choice among them.

``isotonic`` and ``ordinal`` read the metric itself: any map that never falls, or the label to be expected where odds
are proportional. ``joint`` reads all metrics that the judge gives, by ridge regression. Which kind maps a fold of
topics is said by the squared errors on the other folds: how well a topic is mapped has no say in the choice of its own
map (the maps that are chosen by were fitted on it, though).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from conqret.data.item import Frozen
from conqret.reliability.validation.dimension_view import View
from conqret.reliability.validation.label_join import Joined
from conqret.reliability.validation.variants import CALIBRATED
from conqret.stats.isotonic import FOLDS, monotone
from conqret.stats.ordinal import expected_label
from conqret.stats.ridge import ridge

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.reliability.validation.label_join import Fit

STEP = 0.05
"""The distance of the knots by which a curve of an ordinal regression is kept."""


class MonotoneMap(Frozen):
    """From one ``metric``: straight lines between the knots. ``scores`` rise, ``labels`` (people's scale put onto [0,
    1]) never fall."""

    kind: Literal["isotonic", "ordinal"]
    metric: str
    scores: tuple[float, ...] = Field(min_length=1)
    labels: tuple[float, ...]

    @model_validator(mode="after")
    def _rises(self) -> Self:
        steps = zip(self.scores, self.scores[1:], strict=False)
        levels = zip(self.labels, self.labels[1:], strict=False)
        inside = all(0 <= one <= 1 for one in (*self.scores, *self.labels))
        if (
            len(self.scores) != len(self.labels)
            or not inside
            or any(a >= b for a, b in steps)
            or any(a > b for a, b in levels)
        ):
            raise ValueError("a map has as many labels as scores, all in [0, 1], and rises")
        return self

    def of(self, said: Mapping[str, float]) -> float:
        """What people say of what the judge gives these scores, by metric."""
        score = said[self.metric]
        place = bisect_left(self.scores, score)
        if place in (0, len(self.scores)):
            return self.labels[min(place, len(self.scores) - 1)]
        left, right = self.scores[place - 1], self.scores[place]
        low, high = self.labels[place - 1], self.labels[place]
        return low + (high - low) * (score - left) / (right - left)


class JointMap(Frozen):
    """From several metrics: ``level`` plus the ``weights`` times what each score lies above its ``usual`` one, cut to
    [0, 1]. A metric without a score counts as usual."""

    kind: Literal["joint"]
    level: float
    weights: Mapping[str, float] = Field(min_length=1)
    usual: Mapping[str, float]

    @model_validator(mode="after")
    def _belongs_together(self) -> Self:
        numbers = (self.level, *self.weights.values(), *self.usual.values())
        if set(self.weights) != set(self.usual) or not all(map(math.isfinite, numbers)):
            raise ValueError("a joint map has a finite weight and a usual score for each of its metrics")
        return self

    def of(self, said: Mapping[str, float]) -> float:
        """What people say of what the judge gives these scores, by metric."""
        found = self.level
        for name, weight in self.weights.items():
            found += weight * (said.get(name, self.usual[name]) - self.usual[name])
        return min(max(found, 0.0), 1.0)


Map = Annotated[MonotoneMap | JointMap, Field(discriminator="kind")]


class Seen:
    """What the maps of one dimension are fitted on, by unit: the judge's ``score`` and people's one label (``target``),
    both in [0, 1], whether both are ``known``, the ``fold`` (-1: in none), and all that the judge ``said``: as it is,
    and as ``columns`` (units by ``names``, NaN for none) of the metrics that have a score in whatever is fitted on."""

    def __init__(self, view: View, joined: Joined, metric: str, folds: Mapping[str, int]) -> None:
        import numpy as np

        low, high = view.scale.ends()
        self.view, self.metric = view, metric
        self.known = view.compared
        self.said = [joined.said[unit] for unit in view.units]
        self.score = np.array([said.get(metric, np.nan) for said in self.said])
        self.target = (view.target - low) / (high - low)
        self.fold = np.array([folds.get(str(cluster), -1) for cluster in view.clusters])
        names = sorted({name for said in self.said for name in said})
        columns = np.array([[said.get(name, np.nan) for name in names] for said in self.said])
        there = [(~np.isnan(columns[part])).any(axis=0) for part in self.parts()]
        kept = np.flatnonzero(np.all(there, axis=0))
        self.names, self.columns = [names[place] for place in kept], columns[:, kept]

    def parts(self, kept: NDArray[np.bool_] | None = None) -> list[NDArray[np.bool_]]:
        """What the maps are fitted on: all that is known (and ``kept``), and for each fold the others."""
        known = self.known if kept is None else self.known & kept
        return [known, *(known & (self.fold != one) for one in range(FOLDS))]


@dataclass(frozen=True, slots=True)
class Tried:
    """``maps`` of each kind (of all labels, then without each fold), and what each says of the units (NaN where there
    is no score), cross-fitted. ``chosen`` are the kinds in the same order: each has the least squared error on the
    units that it was fitted on."""

    maps: Mapping[str, tuple[Map, ...]]
    said: Mapping[str, NDArray[np.float64]]
    chosen: tuple[str, ...]

    @property
    def chosen_maps(self) -> tuple[Map, ...]:
        """The map of all labels and those without each fold."""
        return tuple(self.maps[kind][place] for place, kind in enumerate(self.chosen))


def tried(seen: Seen, kept: NDArray[np.bool_] | None = None) -> Tried:
    """Fit all kinds of map that can be had, whole and without each fold, on the labels of the units that are
    ``kept``."""
    parts = seen.parts(kept)
    maps = {
        kind: tuple(fit(seen, part) for part in parts)
        for kind, fit in KINDS.items()
        if not why_not(kind, seen)
    }
    said = {kind: _said(found, seen) for kind, found in maps.items()}

    def error(kind: str, part: NDArray[np.bool_]) -> float:
        return float(((said[kind] - seen.target)[part] ** 2).mean())

    chosen = [min(said, key=lambda kind: error(kind, part)) for part in parts]
    return Tried(maps, said, tuple(chosen))


def refits(seen: Seen) -> dict[str, Fit]:
    """By variant how its scores come of the labels of some units: of each kind of map, and of the chosen ones."""
    known: dict[bytes, dict[str, NDArray[np.float64]]] = {}

    def said(kept: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
        key = kept.tobytes()
        if key not in known:
            known[key] = _again(seen, kept)
        return known[key]

    def fit(name: str) -> Fit:
        return lambda kept: said(kept)[name]

    return {name: fit(name) for name in (*(one for one in KINDS if not why_not(one, seen)), CALIBRATED)}


def _again(seen: Seen, kept: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    import numpy as np

    if not all(part.any() for part in seen.parts(kept)):
        nothing = np.full(len(seen.score), np.nan)
        return dict.fromkeys((*KINDS, CALIBRATED), nothing)
    found = tried(seen, kept)
    columns = np.stack([found.said[kind] for kind in found.chosen])
    return {**found.said, CALIBRATED: columns[1 + seen.fold, np.arange(len(seen.fold))]}


def _said(maps: tuple[Map, ...], seen: Seen) -> NDArray[np.float64]:
    import numpy as np

    found = np.full(len(seen.score), np.nan)
    for place in np.flatnonzero(~np.isnan(seen.score)):
        found[place] = maps[1 + seen.fold[place]].of(seen.said[place])
    return found


def _isotonic(seen: Seen, part: NDArray[np.bool_]) -> Map:
    """The map without the knots that lie within a level stretch."""
    import numpy as np

    places, levels = monotone(seen.score[part], seen.target[part])
    levels = levels.clip(0, 1)
    steps = np.diff(levels) > 0
    kept = np.concatenate([[True], steps]) | np.concatenate([steps, [True]])
    return MonotoneMap(
        kind="isotonic",
        metric=seen.metric,
        scores=tuple(places[kept].tolist()),
        labels=tuple(levels[kept].tolist()),
    )


def _ordinal(seen: Seen, part: NDArray[np.bool_]) -> Map:
    """From each person's label, each unit weighing the same."""
    import numpy as np

    low, high = seen.view.scale.ends()
    steps = low + np.arange(round(high - low) + 1)
    table = seen.view.table[:, part]
    given = (table[:, :, None] == steps).sum(axis=0)
    scores, which = np.unique(seen.score[part], return_inverse=True)
    counts = np.zeros((len(scores), len(steps)))
    np.add.at(counts, which, given / given.sum(axis=1, keepdims=True))
    places = np.arange(round(1 / STEP) + 1) * STEP
    levels = (steps - low) / (high - low)
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        curve = np.full(len(places), seen.target[part].mean())
    else:
        curve = np.maximum.accumulate(expected_label(scores, counts, levels, places)).clip(0, 1)
    return MonotoneMap(
        kind="ordinal",
        metric=seen.metric,
        scores=tuple(places.clip(0, 1).tolist()),
        labels=tuple(curve.tolist()),
    )


def _joint(seen: Seen, part: NDArray[np.bool_]) -> Map:
    import numpy as np

    columns = seen.columns[part]
    there = ~np.isnan(columns)
    usual = np.where(there, columns, 0).sum(axis=0) / there.sum(axis=0).clip(1)
    weights = ridge(np.where(there, columns, usual), seen.target[part])
    return JointMap(
        kind="joint",
        level=float(seen.target[part].mean()),
        weights=dict(zip(seen.names, weights.tolist(), strict=True)),
        usual=dict(zip(seen.names, usual.tolist(), strict=True)),
    )


KINDS: Mapping[str, Callable[[Seen, NDArray[np.bool_]], Map]] = {
    "isotonic": _isotonic,
    "ordinal": _ordinal,
    "joint": _joint,
}
"""How each kind of map is fitted; the first wins where errors are equal."""


def why_not(kind: str, seen: Seen) -> str:
    """Why there is no map of this kind; empty where there is one."""
    if kind == "ordinal" and not seen.view.steps:
        return "the labels are no few whole steps"
    if kind == "joint" and len(seen.names) < 2:
        return "the judge gives one metric only"
    return ""
