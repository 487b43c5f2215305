"""Maps from a judge's scores to human labels, fitted to one dimension by isotonic regression.

Scores may also stay as they are. For a fold of topics, this is chosen by alpha on the other folds, of maps fitted
without either fold: a topic affects neither its own map nor the choice of its kind (nested cross-validation: Varma and
Simon, BMC Bioinformatics 2006). Scores stay as they are unless the map is better by more than one standard error of
the difference over topics (one-standard-error rule: Breiman et al., Classification and Regression Trees, 1984, section
3.4.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

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


AS_IS: Final = "as-is"
ISOTONIC: Final = "isotonic"


class MonotoneMap(Frozen):
    """A piecewise linear map from ``scores`` (increasing) to ``labels`` in [0, 1] (non-decreasing)."""

    kind: Literal["as-is", "isotonic"]
    scores: tuple[float, ...] = Field(min_length=1)
    labels: tuple[float, ...]

    def apply(self, score: float) -> float:
        """Return the calibrated score in [0, 1] for a raw score; beyond the lowest and highest of ``scores``
        it is constant."""
        return float(np.interp(score, self.scores, self.labels))


UNCHANGED = MonotoneMap(kind=AS_IS, scores=(0.0, 1.0), labels=(0.0, 1.0))


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

    ``isotonic`` has for each unit the prediction of the isotonic map without its fold (NaN: no score), ``calibrated``
    that of the chosen map. ``chosen_maps`` are the chosen maps on all labels and without each fold. ``errors`` has for
    each of these choices the standard error of the gain in alpha over raw scores.
    """

    isotonic: NDArray[np.float64]
    calibrated: NDArray[np.float64]
    chosen_maps: tuple[MonotoneMap, ...]
    errors: tuple[float, ...]


def fit_maps(
    sample: CalibrationSample,
    kept: NDArray[np.bool_] | None = None,
    errors: Sequence[float] | None = None,
) -> FittedMaps:
    """Fit isotonic maps, and choose by cross-validation between them and raw scores: for all labels, and for those
    without each fold.

    Args:
        sample: scores, labels and folds.
        kept: the mask of units to use (default: all).
        errors: standard errors for the choice; None estimates them.
    """
    parts = sample.parts(kept)
    maps = {out: _isotonic(sample, part) for out, part in parts.items()}
    choices = [
        _gains(maps, sample, out, parts[out], None if errors is None else errors[place])
        for place, out in enumerate(LEFT_OUT[: 1 + FOLDS])
    ]
    isotonic = _predict(maps, sample, frozenset())
    gains = np.array([gain for gain, _ in choices])
    return FittedMaps(
        isotonic,
        np.where(gains[1 + sample.fold], isotonic, sample.score),
        tuple(maps[out] if gain else UNCHANGED for (gain, _), out in zip(choices, LEFT_OUT, strict=False)),
        tuple(error for _, error in choices),
    )


def _gains(
    maps: Mapping[Out, MonotoneMap],
    sample: CalibrationSample,
    out: Out,
    part: NDArray[np.bool_],
    error: float | None,
) -> tuple[bool, float]:
    """Return whether isotonic maps are better than raw scores on the units of ``part``, and the standard error of their
    gain.

    Each unit is predicted by the map that has seen neither its own fold nor the folds in ``out``. The gain in alpha of
    predictions and labels has to be more than one standard error: ``error``, or, if it is None, that over topics.
    """
    view = sample.view
    series = (sample.score[part], _predict(maps, sample, out)[part])
    tables = np.stack([np.stack([view.on_labels(values), view.target[part]]) for values in series])
    raw, mapped = alphas(
        tables, view.scale.level, leave_one_out(view.clusters_of(part)) if error is None else None
    )
    if error is None:
        error = mapped.minus(raw).error
    if not mapped.defined or (raw.defined and mapped.value <= raw.value):
        return False, error
    return not mapped.value - raw.value <= error, error  # of an error that is not known, too


def refits(sample: CalibrationSample, errors: Sequence[float]) -> dict[str, Fit]:
    """Return for the isotonic and the chosen maps the function that refits their predictions on a subset of the units.

    The choice uses the standard ``errors`` estimated on all labels. Predictions are NaN for all units if the subset
    leaves too few folds to fit on.
    """
    known: dict[bytes, dict[str, NDArray[np.float64]]] = {}

    def predictions(kept: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
        key = kept.tobytes()
        if key not in known:
            isotonic = calibrated = np.full(len(sample.score), np.nan)
            if all(part.any() for part in sample.parts(kept).values()):
                trial = fit_maps(sample, kept, errors)
                isotonic, calibrated = trial.isotonic, trial.calibrated
            known[key] = {ISOTONIC: isotonic, CALIBRATED: calibrated}
        return known[key]

    def fit(name: str) -> Fit:
        return lambda kept: predictions(kept)[name]

    return {name: fit(name) for name in (ISOTONIC, CALIBRATED)}


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
        kind=ISOTONIC, scores=tuple(places[kept].tolist()), labels=tuple(levels[kept].tolist())
    )
