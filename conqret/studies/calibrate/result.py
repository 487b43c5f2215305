"""What ``conqret judges calibrate`` leaves: maps from a judge's scores to the labels' scale, how they are applied, and
their tables and page with the reliability diagram (Murphy and Winkler, Applied Statistics 1977).

An item of a topic that the maps were fitted on gets the map that was fitted without the topic's fold, so that no label
has a part in what it is compared with; every other item gets the map of all labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from operator import itemgetter
from statistics import fmean
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.io.safe_files import write_whole
from conqret.judging.judge_folder import COLUMNS, JudgeFolder, score_cells, write_scores
from conqret.judging.summary import Summary
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Column, Table
from conqret.stats.confidence import FOLDS, Band
from conqret.stats.estimate import Estimate, undefined
from conqret.studies.agreement.agreement_settings import AgreementSettings, Basis, FittedFile
from conqret.studies.agreement.judge_agreement import NOT_EVERYWHERE, baselines_table, head
from conqret.studies.agreement.judge_baselines import BASELINES, baseline_sentences
from conqret.studies.agreement.label_join import DimensionView, Fit, JoinedLabels
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.calibrate.calibration_maps import (
    AS_IS,
    ISOTONIC,
    CalibrationSample,
    MonotoneMap,
    fit_maps,
    refits,
)


class CalibrationMaps(Frozen):
    """The calibration maps of one metric onto the ``scale`` of a labeled dimension.

    ``whole`` is fitted on all labels, ``without`` are the maps without each fold. ``parts`` is True if they
    apply to single documents.
    """

    dimension: str
    scale: str
    parts: bool
    whole: MonotoneMap
    without: tuple[MonotoneMap, ...]

    @property
    def kinds(self) -> str:
        """The kind of the map of all labels in words, with the kinds of the folds' maps that differ."""
        other = Counter(fold_map.kind for fold_map in self.without if fold_map.kind != self.whole.kind)
        rest = ", ".join(f"{kind} in {count} of {len(self.without)} folds" for kind, count in other.items())
        return f"{self.whole.kind} ({rest})" if rest else self.whole.kind


class CalibrationRow(Frozen):
    """The cross-fitted effect of calibration on one dimension, over the same ``units`` for all variants.

    ``alpha`` and ``error`` (mean absolute error in [0, 1]) are by variant: raw score (``mean``),
    ``isotonic``, ``calibrated``, and the baselines ``length`` and ``constant``. ``gain`` is alpha of
    calibrated minus raw scores, ``over`` that of calibrated scores minus each baseline.
    """

    units: int
    alpha: Mapping[str, Estimate]
    error: Mapping[str, Estimate]
    gain: Estimate
    over: Mapping[str, Estimate]


class Calibration(FittedFile):
    """The calibration maps of one judge configuration, by metric, and their effect, by dimension
    (``checked``).

    ``folds`` has the fold of each topic (or item), and ``left_out`` says why a labeled dimension has no map.
    ``average`` has the mean alphas and ``average_gain`` the mean gain, without overall quality. ``bands`` are
    the bins of the reliability diagram over all dimensions, by variant.
    """

    WHAT: ClassVar[str] = "calibration"
    COMMAND: ClassVar[str] = "conqret judges calibrate"

    schema_name: Literal["conqret.calibration/4"] = "conqret.calibration/4"
    basis: Basis
    folds: Mapping[str, int]
    maps: Mapping[str, CalibrationMaps]
    left_out: Mapping[str, str]
    checked: Mapping[str, CalibrationRow] = Field(default_factory=dict)
    average: Mapping[str, Estimate] = Field(default_factory=dict)
    average_gain: Estimate = Estimate(None)
    bands: Mapping[str, tuple[Band, ...]] = Field(default_factory=dict)

    @property
    def baseline_sentences(self) -> Iterator[str]:
        """Sentences that say which baselines the judge beats, and to which it is inferior."""
        return baseline_sentences({name: row.over for name, row in self.checked.items()})

    def apply_to(self, joined: JoinedLabels, settings: AgreementSettings) -> JoinedLabels:
        """Return the join with calibrated scores as a further variant.

        A unit of a labeled topic is scored by the map fitted without the topic's fold, any other by the map of all
        labels.
        If the maps were fitted on the labels of the join, jackknife intervals refit them without each topic.
        """
        for dimension, metric in joined.metrics.items():
            maps, scored = self.maps.get(metric), joined.scores[dimension]
            if maps is None:
                continue
            made = np.full(len(joined.units), np.nan)
            for place, (unit, cluster) in enumerate(zip(joined.units, joined.clusters, strict=True)):
                if unit in scored and (score := scored[unit].value) is not None:
                    made[place] = self._map(maps, str(cluster)).apply(score)
            fitted = self._fitted(DimensionView(joined, dimension, settings), made)
            joined = joined.with_variants(dimension, {CALIBRATED: made}, fitted)
        return joined

    def _fitted(self, view: DimensionView, made: NDArray[np.float64]) -> dict[str, Fit]:
        """Return the function that refits the calibrated scores of a dimension, by the variant's name; empty if
        ``made``, the scores of this calibration, are from other labels than those of the view."""
        if not view.scale.bounded or view.verdicts:
            return {}
        sample = CalibrationSample(view, self.folds)
        if not all(part.any() for part in sample.parts().values()):
            return {}
        fit = refits(sample, fit_maps(sample).errors)[CALIBRATED]
        same = np.allclose(fit(sample.known)[sample.known], made[sample.known], rtol=0, atol=1e-9)
        return {CALIBRATED: fit} if same else {}

    def calibrated(self, judgment: Judgment) -> dict[tuple[str, str | None], float]:
        """Return the calibrated scores of one judgment in [0, 1], by metric and part (None: the measure
        itself).

        Maps are chosen as in :meth:`apply_to`. Scores without a value or a map are left out.
        """
        cluster = judgment.topic if self.basis.clustered_by == "topic" else judgment.item
        calibrated = {}
        for metric, measure in judgment.measures.items():
            if (maps := self.maps.get(metric)) is None:
                continue
            parts: list[tuple[str | None, float | None]] = [(part.id, part.value) for part in measure.parts]
            for part, score in parts if maps.parts else [(None, measure.value)]:
                if score is not None:
                    calibrated[metric, part] = self._map(maps, cluster).apply(score)
        return calibrated

    def _map(self, maps: CalibrationMaps, cluster: str) -> MonotoneMap:
        return maps.without[self.folds[cluster]] if cluster in self.folds else maps.whole


def calibrate_run(run: JudgeFolder, calibration: Calibration) -> Summary:
    """Add calibrated scores to a run's ``scores.parquet`` (if it exists) and their means to its summary;
    return the summary.

    Raises:
        DeclarationError: the calibration is of another judge, or the folder is no run.
    """
    record = run.record()
    calibration.check(record.format, record.model, record.fingerprints)
    calibrated = {
        (judgment.item, *place): score
        for judgment in run.judgments()
        for place, score in calibration.calibrated(judgment).items()
    }
    if run.scores_file.exists():
        place = itemgetter(*map(COLUMNS.index, ("item", "metric", "part")))
        rows = (
            (*row, calibrated.get(place(row)))
            for judgment in run.judgments()
            for row in score_cells(judgment)
        )
        write_scores(run.scores_file, rows, further=("calibrated",))
    whole = gathered((metric, score) for (_, metric, part), score in calibrated.items() if part is None)
    summary = run.so_far().with_calibrated({metric: fmean(scores) for metric, scores in whole.items()})
    if run.summary_file.exists():
        write_whole(run.summary_file, summary.model_dump_json(indent=1).encode())
    return summary


NAMES = {"mean": "the judge as it is", CALIBRATED: "calibrated, as chosen", ISOTONIC: "isotonic throughout"}


def calibration_tables(calibration: Calibration) -> Iterator[Table]:
    """Yield the tables of a calibration: alpha by kind of map, baselines, error, and reliability."""
    choices = {maps.dimension: maps.kinds for maps in calibration.maps.values()}
    rows, basis = list(calibration.checked.items()), calibration.basis
    shown = {"mean": "Judge", ISOTONIC: "Isotonic", CALIBRATED: "Calibrated"}
    none = undefined("a dimension has none")
    means = (calibration.average.get(name, none) for name in shown)
    yield Table(
        f"Krippendorff's alpha with annotators, cross-fitted, {basis.intervals}",
        {
            "Dimension": lambda row: words.label(row[0]),
            "Units": (1, "units"),
            **{title: (1, "alpha", name) for name, title in shown.items()},
            "Gain": (1, "gain"),
            Column("Map", "text"): lambda row: choices[row[0]],
        },
        rows,
        foot=[("Average", "", *means, calibration.average_gain, "")],
        note=f"Maps are fitted on the labels of other {basis.clustered_by}s than those they are tested on ({FOLDS} "
        "folds). “Calibrated” uses the map where it is better there by more than one standard error, “Map” is what new "
        "items get. The average leaves out overall quality (unless it is the only dimension).",
    )
    yield baselines_table({name: one.alpha for name, one in rows}, calibration.average)
    nowhere = undefined(NOT_EVERYWHERE)
    names = [name for name in (*shown, *BASELINES) if any(name in one.error for _, one in rows)]
    yield Table(
        "Mean absolute error from the human label, in [0, 1]",
        ("Dimension", *map(head, names)),
        [(words.label(name), *(one.error.get(kind, nowhere).value for kind in names)) for name, one in rows],
        note="The confidence intervals of these errors are in the calibration file.",
    )
    yield Table(
        "Reliability: mean score and mean human label in bins of the score, over all dimensions",
        {
            "": lambda pair: head(pair[0]),
            "Units": (1, "units"),
            "Mean score": (1, "said"),
            "Mean human label": (1, "people"),
        },
        [(name, band) for name in ("mean", CALIBRATED) for band in calibration.bands[name]],
        note="Scores and labels are in [0, 1]. Where both means are equal, a score is the human label to expect.",
    )


def reliability_diagram(calibration: Calibration) -> Chart:
    """Return the reliability diagram: mean human label over mean score, by bin of the score, over all
    dimensions.

    Raw and calibrated scores have intervals; isotonic maps follow without.
    """
    lines = []
    for kind, name in NAMES.items():
        bands = calibration.bands.get(kind, ())
        points = [Point.from_estimate(band.said.value or 0.0, band.people) for band in bands]
        if kind == ISOTONIC:
            points = [Point(point.x, point.y) for point in points]
        lines.append(ChartLine(name, points))
    lines.append(ChartLine("perfect calibration", [Point(0.0, 0.0), Point(1.0, 1.0)], marked=False))
    return Chart("Reliability diagram", "mean score", "mean human label", lines, levels=False)


def calibration_answer(calibration: Calibration) -> list[str]:
    """Return sentences on whether calibrated scores agree better with annotators, and how many metrics get a
    map.
    """
    gain, before = calibration.average_gain, calibration.average.get("mean")
    clusters = words.number(calibration.basis.clusters, calibration.basis.clustered_by)
    if gain.value is None or before is None:
        return ["The data do not tell whether calibration helps: no dimension has a cross-validated alpha."]
    shown = {
        0: "The data do not show that calibrated scores agree better",
        1: "Calibrated scores agree better",
        -1: "Calibrated scores agree less",
    }[gain.sign]
    before_and_gain = f"before {words.with_interval(before)}, gain {words.with_interval(gain)}"
    whole = words.number(len(calibration.maps), "metric")
    as_is = sum(maps.whole.kind == AS_IS for maps in calibration.maps.values())
    raw = "; the scores of the others stay raw, as no map is better by more than one standard error"
    return [
        f"{shown} with annotators than raw scores do (mean Krippendorff's α {before_and_gain}, {clusters}).",
        f"A calibration map is chosen for {len(calibration.maps) - as_is} of {whole}{raw * bool(as_is)}.",
    ]


def calibration_page(calibration: Calibration) -> ReportPage:
    """Return the report page of a calibration: the finding, the reliability diagram, and the tables."""
    return ReportPage(
        "calibration",
        f"Does calibration help {calibration.format} with {calibration.model}?",
        list(map(section, calibration_tables(calibration))),
        answer=calibration_answer(calibration),
        picture=[reliability_diagram(calibration)],
        lede=[f"{words.capitalised(name)} has no map: {why}." for name, why in calibration.left_out.items()],
        how_to_read=[
            "A calibration map turns the judge's scores into the human labels to expect, and is tested on other "
            f"{calibration.basis.clustered_by}s than those that it is fitted on. Points on the diagonal are bins in "
            "which the mean score equals the mean human label."
        ],
        facts=[
            ("Labels", f"{calibration.basis.labels} ({calibration.basis.layout})"),
            ("Fingerprint", calibration.fingerprint),
        ],
    )
