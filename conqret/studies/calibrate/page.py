"""What a calibration changes, as tables, and its reliability diagram (Murphy and Winkler, Applied Statistics 1977):
what annotators say where this much is said, before and after."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import undefined
from conqret.stats.isotonic import FOLDS
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.agreement.trivial_judges import TRIVIAL
from conqret.studies.agreement_tables import NOT_EVERYWHERE, head, trivial_table
from conqret.studies.calibrate.calibration import Calibration
from conqret.studies.calibrate.calibration_maps import KINDS

NAMES = {"mean": "the judge as it is", CALIBRATED: "calibrated, as chosen"}


def calibration_tables(calibration: Calibration) -> Iterator[Table]:
    """What a calibration changes: alpha by kind of map and chosen, what costs nothing, error, and whether what is said
    means what people mean."""
    kinds = [name for name in KINDS if any(name in one.alpha for one in calibration.checked.values())]
    taken = {maps.dimension: maps.kinds for maps in calibration.maps.values()}
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            one.units,
            one.alpha["mean"],
            *(one.alpha.get(kind, undefined(one.missed.get(kind, ""))) for kind in kinds),
            one.alpha[CALIBRATED],
            one.gain,
            taken[name],
        )
        for name, one in calibration.checked.items()
    ]
    none = undefined("a dimension has none")
    means = (calibration.average.get(name, none) for name in ("mean", *kinds, CALIBRATED))
    yield Table(
        f"Alpha with people, cross-fitted, {calibration.basis.intervals}",
        ("Dimension", "Units", "Judge", *kinds, "Calibrated", "Gain", Column("Map", "text")),
        rows,
        foot=[("Average", "", *means, calibration.average_gain, "")],
        note=f"Scores are mapped by the labels of other {calibration.basis.clustered_by}s ({FOLDS} folds); "
        "calibrated: by the kind of map with the highest alpha on these, or as it is, where none is better by more "
        "than one standard error. Map: the kind for items to come. The average is without overall quality (that one, "
        "where it is the only one).",
    )
    yield trivial_table({name: one.alpha for name, one in calibration.checked.items()}, calibration.average)
    shown = ("mean", *kinds, CALIBRATED, *TRIVIAL)
    names = [name for name in shown if any(name in one.error for one in calibration.checked.values())]
    yield Table(
        "Mean distance from people's label, in [0, 1]",
        ("Dimension", *map(head, names)),
        [
            (
                dimension,
                *(
                    one.error[name].value
                    if name in one.error
                    else undefined(one.missed.get(name, NOT_EVERYWHERE))
                    for name in names
                ),
            )
            for dimension, one in calibration.checked.items()
        ],
        note="Intervals are in the file.",
    )
    bands: list[tuple[Cell, ...]] = [
        (head(name), band.units, band.said, band.people)
        for name in ("mean", CALIBRATED)
        for band in calibration.bands[name]
    ]
    yield Table(
        "Does what is said mean what people mean? All dimensions, in bands of what is said",
        ("", "Units", "Says", "People say"),
        bands,
        note="All in [0, 1]. Where both agree, a score can be read as people's mean label.",
    )


def reliability_diagram(calibration: Calibration) -> bytes:
    """As SVG: people's mean over the mean of what is said, in bands of it, over all dimensions; for the judge as it is
    and the calibrated one with intervals, then for the maps that were tried."""
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
    lines.append(ChartLine("says what people say", [Point(0.0, 0.0), Point(1.0, 1.0)], marked=False))
    title = "Do people say what the judge says?"
    return Chart(title, "says", "people say, on the mean", lines, levels=False).svg().encode()
