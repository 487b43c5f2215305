"""What ``conqret judges calibrate`` leaves: maps from a judge's scores to people's scale, and how they are applied.

An item of a topic that the maps were fitted on gets the map that was fitted without the topic's fold, so that no label
has a part in what it is compared with; every other item gets the map of all labels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from statistics import fmean
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.io.safe_files import write_whole
from conqret.judging.judge_folder import JudgeFolder, ScoreTable
from conqret.judging.summary import Summary
from conqret.stats.confidence import Band
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import AgreementSettings, Basis, FittedFile
from conqret.studies.agreement.dimension_view import View
from conqret.studies.agreement.label_join import Fit, JoinedLabels
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.calibrate.calibration_maps import CalibrationSample, MonotoneMap, refits, tried


class CalibrationMaps(Frozen):
    """The maps of one metric onto the ``scale`` of a dimension: from all labels, and for each fold from the others.
    ``parts`` says that they are for the documents of an item, one by one."""

    dimension: str
    scale: str
    parts: bool
    whole: MonotoneMap
    without: tuple[MonotoneMap, ...]

    @property
    def kinds(self) -> str:
        """The kind of the map of all labels, and of the folds' where they differ."""
        other = Counter(fold_map.kind for fold_map in self.without if fold_map.kind != self.whole.kind)
        rest = ", ".join(f"{kind} in {count} of {len(self.without)} folds" for kind, count in other.items())
        return f"{self.whole.kind} ({rest})" if rest else self.whole.kind


class CalibratedOn(Frozen):
    """What the maps of one dimension change, cross-fitted, on the same ``units``.

    ``alpha`` and ``error`` (the mean distance from people's one label in [0, 1]) stand by what says it: the judge as it
    is (``mean``), the ``isotonic`` map, ``calibrated``, and what costs nothing: ``length``, ``constant``.
    ``gain`` is the alpha of the calibrated judge minus that of the judge as it is, ``over`` that minus the alpha of
    each that costs nothing.
    """

    units: int
    alpha: Mapping[str, Estimate]
    error: Mapping[str, Estimate]
    gain: Estimate
    over: Mapping[str, Estimate]


class Calibration(FittedFile):
    """The maps of one instrument, by metric, and what they change, by dimension.

    ``folds`` says which topic (or item) was in which fold, and ``left_out`` why a labelled dimension has no map.
    ``average`` is that of the alphas without overall quality, ``average_gain`` that of the gains,
    ``bands`` are units of all dimensions together, from the lowest that is said up, by what says it.
    """

    WHAT: ClassVar[str] = "calibration"
    COMMAND: ClassVar[str] = "conqret judges calibrate"

    schema_name: str = "conqret.calibration/4"
    basis: Basis
    folds: Mapping[str, int]
    maps: Mapping[str, CalibrationMaps]
    left_out: Mapping[str, str]
    checked: Mapping[str, CalibratedOn] = Field(default_factory=dict)
    average: Mapping[str, Estimate] = Field(default_factory=dict)
    average_gain: Estimate = Estimate(None)
    bands: Mapping[str, tuple[Band, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_every_map(self) -> Self:
        fewest = min((len(maps.without) for maps in self.maps.values()), default=math.inf)
        if not all(0 <= fold < fewest for fold in self.folds.values()):
            raise ValueError("a fold has no map")
        return self

    def applied(self, joined: JoinedLabels, settings: AgreementSettings) -> JoinedLabels:
        """The same join, in which each score has a calibrated one beside it. Where the maps are those that the labels
        of the join give, intervals of what is calibrated fit them again without each topic."""
        for dimension, metric in joined.metrics.items():
            maps, scored = self.maps.get(metric), joined.scores[dimension]
            if maps is None:
                continue
            made = np.full(len(joined.units), np.nan)
            for place, (unit, cluster) in enumerate(zip(joined.units, joined.clusters, strict=True)):
                if unit in scored and (score := scored[unit].value) is not None:
                    made[place] = self._map(maps, str(cluster)).of(score)
            fitted = self._fitted(View(joined, dimension, settings), made)
            joined = joined.beside(dimension, {CALIBRATED: made}, fitted)
        return joined

    def _fitted(self, view: View, made: NDArray[np.float64]) -> dict[str, Fit]:
        """How the calibrated scores of a dimension come of its labels; empty where they are from other labels."""
        if not view.scale.bounded or view.verdicts:
            return {}
        seen = CalibrationSample(view, self.folds)
        if not all(part.any() for part in seen.parts().values()):
            return {}
        fit = refits(seen, tried(seen).errors)[CALIBRATED]
        same = np.allclose(fit(seen.known)[seen.known], made[seen.known], rtol=0, atol=1e-9)
        return {CALIBRATED: fit} if same else {}

    def calibrated(self, judgment: Judgment) -> dict[tuple[str, str | None], float]:
        """What becomes of the scores of one judgment, by metric and part (None: the measure itself), in [0, 1] of
        people's scale. What has no score, and what has no map, is not in it."""
        cluster = judgment.topic if self.basis.clustered_by == "topic" else judgment.item
        calibrated = {}
        for metric, measure in judgment.measures.items():
            if (maps := self.maps.get(metric)) is None:
                continue
            parts: list[tuple[str | None, float | None]] = [(part.id, part.value) for part in measure.parts]
            for part, score in parts if maps.parts else [(None, measure.value)]:
                if score is not None:
                    calibrated[metric, part] = self._map(maps, cluster).of(score)
        return calibrated

    def _map(self, maps: CalibrationMaps, cluster: str) -> MonotoneMap:
        return maps.without[self.folds[cluster]] if cluster in self.folds else maps.whole


def calibrate_run(run: JudgeFolder, calibration: Calibration) -> Summary:
    """Add the calibrated scores to the run's ``scores.parquet`` (a column beside ``value``, where there is such a
    table) and their means to its summary, which is returned.

    Raises:
        DeclarationError: the calibration is another judge's, or this is no run.
    """
    record = run.record()
    calibration.check(record.format, record.model, record.fingerprint)
    calibrated = {
        (judgment.item, *place): score
        for judgment in run.judgments()
        for place, score in calibration.calibrated(judgment).items()
    }
    if run.scores_file.exists():
        with ScoreTable(run.scores_file, beside={"calibrated": calibrated}) as table:
            for judgment in run.judgments():
                table.add(judgment)
    whole = gathered((metric, score) for (_, metric, part), score in calibrated.items() if part is None)
    summary = run.so_far().with_calibrated({metric: fmean(scores) for metric, scores in whole.items()})
    if run.summary_file.exists():
        write_whole(run.summary_file, summary.model_dump_json(indent=1).encode())
    return summary
