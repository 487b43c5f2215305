"""What ``conqret calibrate`` leaves: monotone maps from a judge's scores to people's scale, and how they are applied.

An item of a topic that the maps were fitted on gets the map that was fitted without the topic's fold, so that no label
has a part in what it is compared with; every other item gets the map of all labels.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import Field, ValidationError, model_validator

from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.labels import Unit
from conqret.reliability.validation.dimension_view import View
from conqret.reliability.validation.label_join import Joined, Scored
from conqret.reliability.validation.settings import Basis, Settings
from conqret.stats.estimate import Estimate
from conqret.stats.isotonic import cross_fitted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.reliability.validation.label_join import Fit

SCHEMA = "conqret.calibration/1"
CALIBRATED = "calibrated"
"""The variant of a judge's scores that a calibration makes."""


class MonotoneMap(Frozen):
    """Straight lines between the knots: ``scores`` rise, ``labels`` (people's scale put onto [0, 1]) never fall."""

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

    def of(self, score: float) -> float:
        """What people say where the judge says ``score``."""
        place = bisect_left(self.scores, score)
        if place in (0, len(self.scores)):
            return self.labels[min(place, len(self.scores) - 1)]
        left, right = self.scores[place - 1], self.scores[place]
        low, high = self.labels[place - 1], self.labels[place]
        return low + (high - low) * (score - left) / (right - left)


class Band(Frozen):
    """Units in which the judge says much the same: its mean score, and people's and the calibrated mean, in [0, 1]."""

    units: int
    judge: Estimate
    calibrated: Estimate
    people: Estimate


class Maps(Frozen):
    """The maps of one metric onto the ``scale`` of a dimension: from all labels, and for each fold from the others."""

    dimension: str
    scale: str
    whole: MonotoneMap
    without: tuple[MonotoneMap, ...]


class CalibratedOn(Frozen):
    """What the maps of one dimension change, cross-fitted, on the same ``units``.

    ``alpha`` and ``error`` (the mean distance from people's one label in [0, 1]) stand by what says it: the judge as it
    is (``mean``), ``calibrated``, and what costs nothing: ``length``, ``constant``, ``floor``. ``gain`` is the alpha of
    the calibrated judge minus that of the judge as it is, ``over`` that minus the alpha of each that costs nothing.
    """

    units: int
    alpha: Mapping[str, Estimate]
    error: Mapping[str, Estimate]
    gain: Estimate
    over: Mapping[str, Estimate]
    bands: tuple[Band, ...]


class Calibration(Frozen):
    """The maps of one instrument, by metric, and what they change, by dimension.

    ``folds`` says which topic (or item) was in which fold, and ``left_out`` why a labelled dimension has no map.
    ``average`` is that of the alphas without overall quality, ``average_gain`` that of the gains,
    ``bands`` those of all dimensions together.
    """

    schema_name: str = SCHEMA
    format: str
    model: str
    fingerprint: str
    basis: Basis
    folds: Mapping[str, int]
    maps: Mapping[str, Maps]
    left_out: Mapping[str, str]
    checked: Mapping[str, CalibratedOn] = Field(default_factory=dict)
    average: Mapping[str, Estimate] = Field(default_factory=dict)
    average_gain: Estimate = Estimate(None)
    bands: tuple[Band, ...] = ()

    @model_validator(mode="after")
    def _has_every_map(self) -> Self:
        if any(
            not 0 <= fold < len(one.without) for one in self.maps.values() for fold in self.folds.values()
        ):
            raise ValueError("a fold has no map")
        return self

    def check(self, format_name: str, model: str, fingerprint: str) -> None:
        """Raises DeclarationError where the maps are those of another instrument."""
        if fingerprint != self.fingerprint:
            raise DeclarationError(
                f"the calibration is one of {self.format} with {self.model} (fingerprint {self.fingerprint}), and the "
                f"judgments are of {format_name} with {model} ({fingerprint}): make one for this judge with "
                "conqret calibrate"
            )

    def applied(self, joined: Joined, settings: Settings) -> Joined:
        """The same join, in which each score has a calibrated one beside it. Where the maps are those that the labels
        of the join give, intervals of what is calibrated fit them again without each topic."""
        clusters = dict(zip(joined.units, map(str, joined.clusters), strict=True))
        scores, fitted = dict(joined.scores), {name: dict(fits) for name, fits in joined.fitted.items()}
        for dimension, metric in joined.metrics.items():
            maps = self.maps.get(metric)
            if maps is None:
                continue
            found = {
                unit: _beside(one, self._map(maps, clusters[unit]))
                for unit, one in joined.scores[dimension].items()
            }
            fit = self._fit(View(joined, dimension, settings), found)
            if fit is not None:
                fitted.setdefault(dimension, {})[CALIBRATED] = fit
            scores[dimension] = found
        return replace(joined, scores=scores, fitted=fitted)

    def _fit(self, view: View, found: Mapping[Unit, Scored]) -> Fit | None:
        """How the calibrated scores of a dimension come of its labels; None where they are from other labels."""
        import numpy as np

        if not view.scale.bounded or view.verdicts:
            return None
        low, high = view.scale.ends()
        fold = np.array([self.folds.get(str(cluster), -1) for cluster in view.clusters])
        target = (view.target - low) / (high - low)
        score, made = (
            np.array(
                [one.variants.get(name) if (one := found.get(unit)) else None for unit in view.units],
                dtype=float,
            )
            for name in ("mean", CALIBRATED)
        )

        def fit(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
            return cross_fitted(score, np.where(kept, target, np.nan), fold, rising=True)

        same = np.allclose(fit(view.compared)[view.compared], made[view.compared], rtol=0, atol=1e-9)
        return fit if same else None

    def _map(self, maps: Maps, cluster: str) -> MonotoneMap:
        return maps.without[self.folds[cluster]] if cluster in self.folds else maps.whole


def read_calibration(file: Path) -> Calibration:
    """A file of ``conqret calibrate``.

    Raises:
        DeclarationError: there is no such file, or it holds something else.
    """
    try:
        found = Calibration.model_validate_json(file.read_bytes())
    except OSError as error:
        raise DeclarationError(f"{file} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise DeclarationError(
            f"{file} is no calibration ({where + ': ' if where else ''}{first['msg']}); conqret calibrate makes one"
        ) from None
    if found.schema_name != SCHEMA:
        raise DeclarationError(f"{file} is a {found.schema_name}, not a {SCHEMA}: calibrate again")
    return found


def _beside(one: Scored, mapped: MonotoneMap) -> Scored:
    value = one.value
    found = None if value is None else mapped.of(value)
    return replace(one, variants={**one.variants, CALIBRATED: found})
