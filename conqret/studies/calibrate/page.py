"""What a calibration changes, as tables, as a page, and its reliability diagram (Murphy and Winkler, Applied
Statistics 1977): the mean human label by score, before and after."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import undefined
from conqret.stats.isotonic import FOLDS
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.agreement.trivial_judges import TRIVIAL
from conqret.studies.agreement_tables import NOT_EVERYWHERE, head, trivial_table
from conqret.studies.calibrate.calibration import Calibration
from conqret.studies.calibrate.calibration_maps import AS_IS, KINDS

NAMES = {"mean": "the judge as it is", CALIBRATED: "calibrated, as chosen"}


def calibration_tables(calibration: Calibration) -> Iterator[Table]:
    """What a calibration changes: alpha by kind of map and chosen, baselines, error, and reliability."""
    kinds = [name for name in KINDS if name != AS_IS]
    taken = {maps.dimension: maps.kinds for maps in calibration.maps.values()}
    rows: list[tuple[Cell, ...]] = [
        (
            words.label(name),
            one.units,
            one.alpha["mean"],
            *(one.alpha[kind] for kind in kinds),
            one.alpha[CALIBRATED],
            one.gain,
            taken[name],
        )
        for name, one in calibration.checked.items()
    ]
    none = undefined("a dimension has none")
    means = (calibration.average.get(name, none) for name in ("mean", *kinds, CALIBRATED))
    yield Table(
        f"Krippendorff's alpha with annotators, cross-fitted, {calibration.basis.intervals}",
        (
            "Dimension",
            "Units",
            "Judge",
            *map(str.capitalize, kinds),
            "Calibrated",
            "Gain",
            Column("Map", "text"),
        ),
        rows,
        foot=[("Average", "", *means, calibration.average_gain, "")],
        note=f"All alphas of calibration maps are cross-validated: a map is fitted on the labels of other "
        f"{calibration.basis.clustered_by}s than those that it is tested on ({FOLDS} folds). “Calibrated” uses the "
        "map if it is better on those labels by more than one standard error, or else the score as it is. “Map” names "
        "what the calibration file applies to new items. The average leaves out "
        "overall quality (unless it is the only dimension).",
    )
    yield trivial_table({name: one.alpha for name, one in calibration.checked.items()}, calibration.average)
    shown = ("mean", *kinds, CALIBRATED, *TRIVIAL)
    names = [name for name in shown if any(name in one.error for one in calibration.checked.values())]
    yield Table(
        "Mean absolute error from the human label, in [0, 1]",
        ("Dimension", *map(head, names)),
        [
            (
                words.label(dimension),
                *(
                    one.error[name].value if name in one.error else undefined(NOT_EVERYWHERE)
                    for name in names
                ),
            )
            for dimension, one in calibration.checked.items()
        ],
        note="The confidence intervals of these errors are in the calibration file.",
    )
    bands: list[tuple[Cell, ...]] = [
        (head(name), band.units, band.said, band.people)
        for name in ("mean", CALIBRATED)
        for band in calibration.bands[name]
    ]
    yield Table(
        "Reliability: mean score and mean human label in bins of the score, over all dimensions",
        ("", "Units", "Mean score", "Mean human label"),
        bands,
        note="Scores and labels are in [0, 1]. Where mean score and mean human label are equal, a score is the human "
        "label to expect.",
    )


def reliability_diagram(calibration: Calibration) -> Chart:
    """The mean human label over the mean score, in bands of it, over all dimensions; for the judge as it is and the
    calibrated one with intervals, then for the maps that were tried."""
    kinds = [name for name in calibration.bands if name not in NAMES]
    lines = [
        ChartLine(name, [Point.of(band.said.value or 0.0, band.people) for band in calibration.bands[kind]])
        for kind, name in NAMES.items()
    ]
    lines += [
        ChartLine(
            f"{kind} throughout",
            [Point(band.said.value or 0.0, band.people.value or 0.0) for band in calibration.bands[kind]],
        )
        for kind in kinds
    ]
    lines.append(ChartLine("perfect calibration", [Point(0.0, 0.0), Point(1.0, 1.0)], marked=False))
    return Chart("Reliability diagram", "mean score", "mean human label", lines, levels=False)


def calibration_answer(calibration: Calibration) -> list[str]:
    """Whether calibrated scores agree better with annotators, and how many metrics get a map, in sentences."""
    gain, before = calibration.average_gain, calibration.average.get("mean")
    clusters = words.number(calibration.basis.clusters, calibration.basis.clustered_by)
    if gain.value is None or before is None:
        return ["The data do not tell whether calibration helps: no dimension has a cross-validated alpha."]
    by = f"mean Krippendorff's α before {words.with_interval(before)}, gain {words.with_interval(gain)}, {clusters}"
    if gain.low is not None and gain.low > 0:
        first = f"Calibrated scores agree better with annotators than raw scores do ({by})."
    elif gain.high is not None and gain.high < 0:
        first = f"Calibrated scores agree less with annotators than raw scores do ({by})."
    else:
        first = f"The data do not show that calibrated scores agree better with annotators than raw scores do ({by})."
    as_is = sum(maps.whole.kind == AS_IS for maps in calibration.maps.values())
    second = (
        f"A calibration map is chosen for {len(calibration.maps) - as_is} of "
        f"{words.number(len(calibration.maps), 'metric')}"
    )
    if as_is:
        second += "; the scores of the others stay raw, as no map is better by more than one standard error"
    return [first, f"{second}."]


def calibration_sheet(calibration: Calibration) -> ReportPage:
    """The page: whether calibration helps, the reliability diagram, and the tables."""
    return ReportPage(
        "calibration",
        f"Does calibration help {calibration.format} with {calibration.model}?",
        list(map(section, calibration_tables(calibration))),
        answer=calibration_answer(calibration),
        picture=[reliability_diagram(calibration)],
        lede=[f"{words.capitalised(name)} has no map: {why}." for name, why in calibration.left_out.items()],
        how_to_read=[
            "A calibration map turns the judge's scores into the human labels to expect. All figures are "
            "cross-validated: each map is fitted on the labels of other "
            f"{calibration.basis.clustered_by}s than those that it is tested on. Points on the diagonal of the diagram "
            "are bins in which the mean score equals the mean human label."
        ],
        facts=[
            ("Labels", f"{calibration.basis.labels} ({calibration.basis.layout})"),
            ("Fingerprint", calibration.fingerprint),
        ],
    )
