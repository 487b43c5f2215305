"""What a calibration changes, as tables, as a page, and its reliability diagram (Murphy and Winkler, Applied
Statistics 1977): the mean human label by score, before and after."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Column, Table
from conqret.stats.confidence import FOLDS
from conqret.stats.estimate import undefined
from conqret.studies.agreement.page import NOT_EVERYWHERE, head, trivial_table
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.agreement.trivial_judges import TRIVIAL
from conqret.studies.calibrate.calibration import Calibration
from conqret.studies.calibrate.calibration_maps import AS_IS, KINDS

NAMES = {"mean": "the judge as it is", CALIBRATED: "calibrated, as chosen"}


def calibration_tables(calibration: Calibration) -> Iterator[Table]:
    """What a calibration changes: alpha by kind of map and chosen, baselines, error, and reliability."""
    taken = {maps.dimension: maps.kinds for maps in calibration.maps.values()}
    rows, basis = list(calibration.checked.items()), calibration.basis
    shown = {"mean": "Judge", **{name: name.capitalize() for name in (*KINDS, CALIBRATED) if name != AS_IS}}
    none = undefined("a dimension has none")
    means = (calibration.average.get(name, none) for name in shown)
    yield Table(
        f"Krippendorff's alpha with annotators, cross-fitted, {basis.intervals}",
        {
            "Dimension": lambda row: words.label(row[0]),
            "Units": (1, "units"),
            **{title: (1, "alpha", name) for name, title in shown.items()},
            "Gain": (1, "gain"),
            Column("Map", "text"): lambda row: taken[row[0]],
        },
        rows,
        foot=[("Average", "", *means, calibration.average_gain, "")],
        note=f"Maps are fitted on the labels of other {basis.clustered_by}s than those they are tested on ({FOLDS} "
        "folds). “Calibrated” uses the map where it is better there by more than one standard error, “Map” is what new "
        "items get. The average leaves out overall quality (unless it is the only dimension).",
    )
    yield trivial_table({name: one.alpha for name, one in rows}, calibration.average)
    nowhere = undefined(NOT_EVERYWHERE)
    names = [name for name in (*shown, *TRIVIAL) if any(name in one.error for _, one in rows)]
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
    """The mean human label over the mean score, in bands of it, over all dimensions; for the judge as it is and the
    calibrated one with intervals, then for the maps that were tried."""
    lines = []
    for kind, bands in calibration.bands.items():
        points = [Point.of(band.said.value or 0.0, band.people) for band in bands]
        if kind not in NAMES:
            points = [Point(point.x, point.y) for point in points]
        lines.append(ChartLine(NAMES.get(kind, f"{kind} throughout"), points))
    lines.sort(key=lambda line: line.name not in NAMES.values())
    lines.append(ChartLine("perfect calibration", [Point(0.0, 0.0), Point(1.0, 1.0)], marked=False))
    return Chart("Reliability diagram", "mean score", "mean human label", lines, levels=False)


def calibration_answer(calibration: Calibration) -> list[str]:
    """Whether calibrated scores agree better with annotators, and how many metrics get a map, in sentences."""
    gain, before = calibration.average_gain, calibration.average.get("mean")
    clusters = words.number(calibration.basis.clusters, calibration.basis.clustered_by)
    if gain.value is None or before is None:
        return ["The data do not tell whether calibration helps: no dimension has a cross-validated alpha."]
    said = {
        0: "The data do not show that calibrated scores agree better",
        1: "Calibrated scores agree better",
    }
    shown = said.get(gain.sign, "Calibrated scores agree less")
    before_and_gain = f"before {words.with_interval(before)}, gain {words.with_interval(gain)}"
    whole = words.number(len(calibration.maps), "metric")
    as_is = sum(maps.whole.kind == AS_IS for maps in calibration.maps.values())
    raw = "; the scores of the others stay raw, as no map is better by more than one standard error"
    return [
        f"{shown} with annotators than raw scores do (mean Krippendorff's α {before_and_gain}, {clusters}).",
        f"A calibration map is chosen for {len(calibration.maps) - as_is} of {whole}{raw * bool(as_is)}.",
    ]


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
            "A calibration map turns the judge's scores into the human labels to expect, and is tested on other "
            f"{calibration.basis.clustered_by}s than those that it is fitted on. Points on the diagonal are bins in "
            "which the mean score equals the mean human label."
        ],
        facts=[
            ("Labels", f"{calibration.basis.labels} ({calibration.basis.layout})"),
            ("Fingerprint", calibration.fingerprint),
        ],
    )
