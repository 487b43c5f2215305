"""The kinds of map from a judge's scores to people's labels, fitted to one dimension, and the choice among them.

``as-is`` leaves the score where it is. ``isotonic`` and ``ordinal`` read the metric itself: any map that never falls,
or the label to be expected where odds are proportional. ``joint`` reads all metrics that the judge gives, by ridge
regression. Which kind maps a fold of topics is said by alpha, as it is reported, on the other folds, of maps that were
fitted without either fold: a topic has no part in its own map, nor in the choice of its kind (nested cross-validation:
Varma and Simon, BMC Bioinformatics 2006). A judge stays as it is unless another kind is better by more than one
standard error of the difference over topics (the rule of one standard error: Breiman et al., Classification and
Regression Trees, 1984, section 3.4.3), so a judge whose scores agree with the labels is not made worse.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from conqret.data.item import Frozen
from conqret.stats.agreement import alphas
from conqret.stats.isotonic import FOLDS, monotone
from conqret.stats.ordinal import expected_label
from conqret.stats.resampling import leave_one_out
from conqret.stats.ridge import ridge
from conqret.studies.agreement.dimension_view import View
from conqret.studies.agreement.label_join import JoinedLabels
from conqret.studies.agreement.statistics import CALIBRATED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.studies.agreement.label_join import Fit

Out = frozenset[int]
"""Folds that are left out."""
LEFT_OUT: tuple[Out, ...] = tuple(
    frozenset(out) for size in range(3) for out in combinations(range(FOLDS), size)
)
"""None, each fold, and each two of them."""
STEP = 0.05
"""The distance of the knots by which a curve of an ordinal regression is kept."""


class MonotoneMap(Frozen):
    """From one ``metric``: straight lines between the knots. ``scores`` rise, ``labels`` (people's scale put onto [0,
    1]) never fall."""

    kind: Literal["as-is", "isotonic", "ordinal"]
    metric: str
    scores: tuple[float, ...] = Field(min_length=1)
    labels: tuple[float, ...]

    @model_validator(mode="after")
    def _rises(self) -> Self:
        steps = zip(self.scores, self.scores[1:], strict=False)
        levels = zip(self.labels, self.labels[1:], strict=False)
        inside = all(0 <= value <= 1 for value in (*self.scores, *self.labels))
        if (
            len(self.scores) != len(self.labels)
            or not inside
            or any(a >= b for a, b in steps)
            or any(a > b for a, b in levels)
        ):
            raise ValueError("a map must have as many labels as scores, all in [0, 1], and must not decrease")
        return self

    def of(self, scores: Mapping[str, float]) -> float:
        """What people say of what the judge gives these scores, by metric."""
        score = scores[self.metric]
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
            raise ValueError(
                "a joint map must have a finite weight and a usual score for each of its metrics"
            )
        return self

    def of(self, scores: Mapping[str, float]) -> float:
        """What people say of what the judge gives these scores, by metric."""
        prediction = self.level
        for name, weight in self.weights.items():
            prediction += weight * (scores.get(name, self.usual[name]) - self.usual[name])
        return min(max(prediction, 0.0), 1.0)


Map = Annotated[MonotoneMap | JointMap, Field(discriminator="kind")]


class CalibrationSample:
    """What the maps of one dimension are fitted on, by unit: the judge's ``score`` and people's one label (``target``),
    both in [0, 1], whether both are ``known``, the ``fold`` (-1: in none), and all that the judge ``said``: as it is,
    and as ``columns`` (units by ``names``, NaN for none) of the metrics that have a score in whatever is fitted on."""

    def __init__(self, view: View, joined: JoinedLabels, metric: str, folds: Mapping[str, int]) -> None:
        import numpy as np

        self.view, self.metric = view, metric
        self.known = view.compared
        self.said = [joined.said[unit] for unit in view.units]
        self.score = np.array([unit_scores.get(metric, np.nan) for unit_scores in self.said])
        self.target = view.scale.unit(view.target)
        self.fold = np.array([folds.get(str(cluster), -1) for cluster in view.clusters])
        names = sorted({name for unit_scores in self.said for name in unit_scores})
        columns = np.array([[unit_scores.get(name, np.nan) for name in names] for unit_scores in self.said])
        there = [(~np.isnan(columns[part])).any(axis=0) for part in self.parts().values()]
        kept = np.flatnonzero(np.all(there, axis=0))
        self.names, self.columns = [names[place] for place in kept], columns[:, kept]

    def parts(self, kept: NDArray[np.bool_] | None = None) -> dict[Out, NDArray[np.bool_]]:
        """What the maps are fitted on, by the folds that are left out: all that is known (and ``kept``), what is not in
        one of the folds, and what is not in one of two."""
        import numpy as np

        known = self.known if kept is None else self.known & kept
        return {out: known & ~np.isin(self.fold, list(out)) for out in LEFT_OUT}


@dataclass(frozen=True, slots=True)
class MapTrial:
    """``said`` has by kind what the map without its fold says of each unit (NaN where there is no score).
    ``chosen_maps`` are the map of all labels and those without each fold, each of the kind in ``chosen``; ``errors``
    has for each of these choices by kind the standard error of what its alpha is above that of the score as it is."""

    said: Mapping[str, NDArray[np.float64]]
    chosen: tuple[str, ...]
    chosen_maps: tuple[Map, ...]
    errors: tuple[Mapping[str, float], ...]

    def calibrated(self, fold: NDArray[np.intp]) -> NDArray[np.float64]:
        """What is said of each unit by the chosen map without its ``fold``."""
        return chosen_columns(self.said, self.chosen, fold)


def tried(
    seen: CalibrationSample,
    kept: NDArray[np.bool_] | None = None,
    errors: Sequence[Mapping[str, float]] | None = None,
) -> MapTrial:
    """Fit all kinds of map that can be had on the labels of the units that are ``kept``, and choose one for all labels
    and for those without each fold, by a cross-validation among these labels; ``errors`` are those by which is chosen,
    where they are known."""
    parts = seen.parts(kept)
    kinds = [kind for kind in KINDS if not why_not(kind, seen)]
    maps = {kind: {out: KINDS[kind](seen, parts[out]) for out in LEFT_OUT} for kind in kinds}
    predictions = {kind: _said(fitted_maps, seen, frozenset()) for kind, fitted_maps in maps.items()}
    taken = [
        _best(maps, seen, out, parts[out], None if errors is None else errors[place])
        for place, out in enumerate(LEFT_OUT[: 1 + FOLDS])
    ]
    chosen = tuple(kind for kind, _ in taken)
    whole = tuple(maps[kind][out] for kind, out in zip(chosen, LEFT_OUT, strict=False))
    return MapTrial(predictions, chosen, whole, tuple(known for _, known in taken))


def _best(
    maps: Mapping[str, Mapping[Out, Map]],
    seen: CalibrationSample,
    out: Out,
    part: NDArray[np.bool_],
    errors: Mapping[str, float] | None,
) -> tuple[str, Mapping[str, float]]:
    """The kind of the highest alpha on a ``part``, each of its folds by the maps without it and ``out``; the score as
    it is, unless that is lower by more than one standard error. Beside it the ``errors``, over topics if not given."""
    import numpy as np

    view = seen.view
    said = [_said(fitted_maps, seen, out)[part] for fitted_maps in maps.values()]
    tables = np.stack([np.stack([view.on_labels(values), view.target[part]]) for values in said])
    drawn = leave_one_out(view.clusters_of(part)) if errors is None else None
    found = dict(zip(maps, alphas(tables, view.scale.level, drawn), strict=True))
    best = max(found, key=lambda kind: found[kind].value if found[kind].defined else -math.inf)
    if errors is None:
        errors = {kind: alpha.minus(found[AS_IS]).error for kind, alpha in found.items()}
    return best if not found[best].value - found[AS_IS].value <= errors[best] else AS_IS, errors


def refits(seen: CalibrationSample, errors: Sequence[Mapping[str, float]]) -> dict[str, Fit]:
    """By variant how its scores come of the labels of some units: of each kind of map, and of those that these labels
    choose, by the ``errors`` of the choice from all."""
    known: dict[bytes, dict[str, NDArray[np.float64]]] = {}

    def said(kept: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
        key = kept.tobytes()
        if key not in known:
            known[key] = _again(seen, kept, errors)
        return known[key]

    def fit(name: str) -> Fit:
        return lambda kept: said(kept)[name]

    kinds = [kind for kind in KINDS if kind != AS_IS and not why_not(kind, seen)]
    return {name: fit(name) for name in (*kinds, CALIBRATED)}


def _again(
    seen: CalibrationSample, kept: NDArray[np.bool_], errors: Sequence[Mapping[str, float]]
) -> dict[str, NDArray[np.float64]]:
    import numpy as np

    if not all(part.any() for part in seen.parts(kept).values()):
        nothing = np.full(len(seen.score), np.nan)
        return dict.fromkeys((*KINDS, CALIBRATED), nothing)
    trial = tried(seen, kept, errors)
    return {**trial.said, CALIBRATED: trial.calibrated(seen.fold)}


def chosen_columns(
    said: Mapping[str, NDArray[np.float64]], chosen: Sequence[str], fold: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Of each unit what is said by the kind of map that is chosen for its fold."""
    import numpy as np

    return np.stack([said[kind] for kind in chosen])[1 + fold, np.arange(len(fold))]


def _said(maps: Mapping[Out, Map], seen: CalibrationSample, out: Out) -> NDArray[np.float64]:
    """What is said of each unit by the map without its fold and those that are ``out``."""
    import numpy as np

    predictions = np.full(len(seen.score), np.nan)
    scored = ~np.isnan(seen.score)
    for fold in np.unique(seen.fold):
        here = scored & (seen.fold == fold)
        predictions[here] = _read(maps[out | {int(fold)} if fold >= 0 else out], seen, here)
    return predictions


def _read(fitted_map: Map, seen: CalibrationSample, here: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What a map says of these units: ``of`` for all of them at once."""
    import numpy as np

    if isinstance(fitted_map, MonotoneMap):
        return np.asarray(np.interp(seen.score[here], fitted_map.scores, fitted_map.labels))
    usual, weights = (
        np.array([by_name[name] for name in seen.names]) for by_name in (fitted_map.usual, fitted_map.weights)
    )
    moved = np.nan_to_num(seen.columns[here] - usual)
    return np.asarray(np.clip(fitted_map.level + moved @ weights, 0, 1))


def _as_is(seen: CalibrationSample, part: NDArray[np.bool_]) -> Map:
    return MonotoneMap(kind="as-is", metric=seen.metric, scores=(0.0, 1.0), labels=(0.0, 1.0))


def _isotonic(seen: CalibrationSample, part: NDArray[np.bool_]) -> Map:
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


def _ordinal(seen: CalibrationSample, part: NDArray[np.bool_]) -> Map:
    """From each person's label, each unit weighing the same."""
    import numpy as np

    low, high = seen.view.scale.ends()
    steps = low + np.arange(round(high - low) + 1)
    table = seen.view.table[:, part]
    label_counts = (table[:, :, None] == steps).sum(axis=0)
    scores, which = np.unique(seen.score[part], return_inverse=True)
    counts = np.zeros((len(scores), len(steps)))
    np.add.at(counts, which, label_counts / label_counts.sum(axis=1, keepdims=True))
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


def _joint(seen: CalibrationSample, part: NDArray[np.bool_]) -> Map:
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


AS_IS = "as-is"
KINDS: Mapping[str, Callable[[CalibrationSample, NDArray[np.bool_]], Map]] = {
    AS_IS: _as_is,
    "isotonic": _isotonic,
    "ordinal": _ordinal,
    "joint": _joint,
}
"""How each kind of map is fitted; the first wins where errors are equal."""


def why_not(kind: str, seen: CalibrationSample) -> str:
    """Why there is no map of this kind; empty where there is one."""
    if kind == "ordinal" and not seen.view.steps:
        return "the labels are no few whole steps"
    if kind == "joint" and len(seen.names) < 2:
        return "the judge gives one metric only"
    return ""
