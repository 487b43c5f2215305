"""The kinds of map from a judge's scores to human labels, fitted to one dimension, and the choice among them.

``as-is`` leaves the score unchanged, ``isotonic`` is isotonic regression. The kind for a fold of topics is chosen by
alpha on the other folds, of maps fitted without either fold: a topic affects neither its own map nor the choice of its
kind (nested cross-validation: Varma and Simon, BMC Bioinformatics 2006). Scores stay as they are unless another kind is
better by more than one standard error of the difference over topics (one-standard-error rule: Breiman et al.,
Classification and Regression Trees, 1984, section 3.4.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from conqret.data.item import Frozen
from conqret.stats.agreement import alphas
from conqret.stats.confidence import FOLDS, monotone
from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement.label_join import DimensionView, Fit
from conqret.studies.agreement.statistics import CALIBRATED

Out = frozenset[int]
"""Folds that are left out."""
LEFT_OUT: tuple[Out, ...] = tuple(
    frozenset(out) for size in range(3) for out in combinations(range(FOLDS), size)
)
"""None, each fold, and each two of them."""


class MonotoneMap(Frozen):
    """A piecewise linear map from ``scores`` (increasing) to ``labels`` in [0, 1] (non-decreasing)."""

    kind: Literal["as-is", "isotonic"]
    scores: tuple[float, ...] = Field(min_length=1)
    labels: tuple[float, ...]

    @model_validator(mode="after")
    def _rises(self) -> Self:
        rising = list(self.scores) == sorted(set(self.scores)) and list(self.labels) == sorted(self.labels)
        inside = all(0 <= value <= 1 for value in (*self.scores, *self.labels))
        if len(self.scores) != len(self.labels) or not inside or not rising:
            raise ValueError("a map must have as many labels as scores, all in [0, 1], and must not decrease")
        return self

    def apply(self, score: float) -> float:
        """Return the calibrated score in [0, 1] for a raw score; beyond the lowest and highest of ``scores``
        it is constant."""
        return float(np.interp(score, self.scores, self.labels))


class CalibrationSample:
    """The data behind the maps of one dimension, as arrays over units.

    ``score`` is the judge's score and ``target`` the aggregated label, both in [0, 1]. ``known`` is True
    where both exist. ``fold`` is the number of the unit's fold (-1: none).
    """

    def __init__(self, view: DimensionView, folds: Mapping[str, int]) -> None:
        self.view = view
        self.known = view.compared
        found = [view.unit_scores.get(unit) for unit in view.units]
        self.score = np.array([None if score is None else score.value for score in found], dtype=float)
        self.target = view.scale.unit(view.target)
        self.fold = np.array([folds.get(str(cluster), -1) for cluster in view.clusters])

    def parts(self, kept: NDArray[np.bool_] | None = None) -> dict[Out, NDArray[np.bool_]]:
        """Return masks of the units to fit on, by the set of folds left out (none, one or two).

        If ``kept`` is given, only its units are included.
        """
        known = self.known if kept is None else self.known & kept
        return {out: known & ~np.isin(self.fold, list(out)) for out in LEFT_OUT}


@dataclass(frozen=True, slots=True)
class FittedMaps:
    """Fitted calibration maps with their cross-fitted predictions.

    ``predictions`` has for each kind of map the prediction of each unit by the map without its fold (NaN: no
    score). ``chosen_maps`` are the map on all labels and those without each fold, each of the kind in
    ``chosen``. ``errors`` has for each of these choices, by kind, the standard error of the gain in alpha
    over raw scores.
    """

    predictions: Mapping[str, NDArray[np.float64]]
    chosen: tuple[str, ...]
    chosen_maps: tuple[MonotoneMap, ...]
    errors: tuple[Mapping[str, float], ...]

    def calibrated(self, fold: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return for each unit the prediction of the chosen map without its ``fold``."""
        return np.stack([self.predictions[kind] for kind in self.chosen])[1 + fold, np.arange(len(fold))]


def fit_maps(
    sample: CalibrationSample,
    kept: NDArray[np.bool_] | None = None,
    errors: Sequence[Mapping[str, float]] | None = None,
) -> FittedMaps:
    """Fit all kinds of maps, and choose a kind by cross-validation: for all labels, and for those without
    each fold.

    Args:
        sample: scores, labels and folds.
        kept: the mask of units to use (default: all).
        errors: standard errors for the choice; None estimates them.
    """
    parts = sample.parts(kept)
    maps = {kind: {out: fit(sample, parts[out]) for out in LEFT_OUT} for kind, fit in KINDS.items()}
    predictions = {kind: _predict(fitted_maps, sample, frozenset()) for kind, fitted_maps in maps.items()}
    choices = [
        _best(maps, sample, out, parts[out], None if errors is None else errors[place])
        for place, out in enumerate(LEFT_OUT[: 1 + FOLDS])
    ]
    chosen = tuple(kind for kind, _ in choices)
    whole = tuple(maps[kind][out] for kind, out in zip(chosen, LEFT_OUT, strict=False))
    return FittedMaps(predictions, chosen, whole, tuple(known for _, known in choices))


def _best(
    maps: Mapping[str, Mapping[Out, MonotoneMap]],
    sample: CalibrationSample,
    out: Out,
    part: NDArray[np.bool_],
    errors: Mapping[str, float] | None,
) -> tuple[str, Mapping[str, float]]:
    """Choose a kind of map by cross-validation on the units of ``part``, without the folds in ``out``.

    Each unit is predicted by the map that has seen neither its own fold nor ``out``. The kind with the highest alpha of
    predictions and labels is chosen, unless its gain over the raw score is at most one standard error: then the raw
    score.

    Args:
        maps: by kind of map and left-out folds, the fitted maps.
        sample: scores, labels and folds.
        out: the folds that are left out.
        part: the mask of units to compare on.
        errors: the standard error of each kind's gain; None estimates them over topics.

    Returns:
        The chosen kind, and the standard errors that were used.
    """
    view = sample.view
    predictions = [_predict(fitted_maps, sample, out)[part] for fitted_maps in maps.values()]
    tables = np.stack([np.stack([view.on_labels(values), view.target[part]]) for values in predictions])
    drawn = leave_one_out(view.clusters_of(part)) if errors is None else None
    found = dict(zip(maps, alphas(tables, view.scale.level, drawn), strict=True))
    best = max(found, key=lambda kind: found[kind].value if found[kind].defined else -math.inf)
    if errors is None:
        errors = {kind: alpha.minus(found[AS_IS]).error for kind, alpha in found.items()}
    return best if not found[best].value - found[AS_IS].value <= errors[best] else AS_IS, errors


def refits(sample: CalibrationSample, errors: Sequence[Mapping[str, float]]) -> dict[str, Fit]:
    """Return for each variant the function that refits its predictions on a subset of the units.

    The variants are the kinds of maps and the chosen one. The choice uses the standard ``errors`` estimated
    on all labels.
    """
    known: dict[bytes, dict[str, NDArray[np.float64]]] = {}

    def predictions(kept: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
        key = kept.tobytes()
        if key not in known:
            if all(part.any() for part in sample.parts(kept).values()):
                trial = fit_maps(sample, kept, errors)
                known[key] = {**trial.predictions, CALIBRATED: trial.calibrated(sample.fold)}
            else:
                known[key] = dict.fromkeys((*KINDS, CALIBRATED), np.full(len(sample.score), np.nan))
        return known[key]

    def fit(name: str) -> Fit:
        return lambda kept: predictions(kept)[name]

    return {name: fit(name) for name in (*KINDS, CALIBRATED) if name != AS_IS}


def _predict(maps: Mapping[Out, MonotoneMap], sample: CalibrationSample, out: Out) -> NDArray[np.float64]:
    """Return for each unit the prediction of the map that has seen neither the unit's fold nor the folds in ``out``;
    NaN for a unit without a score."""
    predictions = np.full(len(sample.score), np.nan)
    scored = ~np.isnan(sample.score)
    for fold in np.unique(sample.fold):
        here = scored & (sample.fold == fold)
        fold_map = maps[out | {int(fold)} if fold >= 0 else out]
        predictions[here] = np.interp(sample.score[here], fold_map.scores, fold_map.labels)
    return predictions


def _isotonic(sample: CalibrationSample, part: NDArray[np.bool_]) -> MonotoneMap:
    """Fit the map by isotonic regression of labels on scores over the units in ``part``, with labels bounded to [0, 1].
    Of each stretch of scores with the same label only both ends are kept as knots; the map is the same without the
    others."""
    places, levels = monotone(sample.score[part], sample.target[part])
    levels = levels.clip(0, 1)
    steps = np.diff(levels) > 0
    kept = np.concatenate([[True], steps]) | np.concatenate([steps, [True]])
    return MonotoneMap(
        kind="isotonic", scores=tuple(places[kept].tolist()), labels=tuple(levels[kept].tolist())
    )


AS_IS = "as-is"
KINDS: Mapping[str, Callable[[CalibrationSample, NDArray[np.bool_]], MonotoneMap]] = {
    AS_IS: lambda sample, part: MonotoneMap(kind="as-is", scores=(0.0, 1.0), labels=(0.0, 1.0)),
    "isotonic": _isotonic,
}
"""How each kind of map is fitted; the first wins where errors are equal."""
