"""The reliability diagram of a calibration (Murphy and Winkler, Applied Statistics 1977): what people say where this
much is said, before and after."""

from __future__ import annotations

from conqret.show.charts import Chart, ChartLine, Point
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.calibrate.calibration import Calibration

NAMES = {"mean": "the judge as it is", CALIBRATED: "calibrated, as chosen"}


def reliability_diagram(found: Calibration) -> bytes:
    """As SVG: people's mean over the mean of what is said, in bands of it, over all dimensions; for the judge as it is
    and the calibrated one with intervals, then for the maps that were tried."""
    kinds = [name for name in found.bands if name not in NAMES]
    lines = [
        ChartLine(name, [Point.of(band.said.value or 0.0, band.people) for band in found.bands[kind]])
        for kind, name in NAMES.items()
    ]
    lines += [
        ChartLine(
            f"{kind} throughout",
            [Point(band.said.value or 0.0, band.people.value or 0.0) for band in found.bands[kind]],
        )
        for kind in kinds
    ]
    lines.append(ChartLine("says what people say", [Point(0.0, 0.0), Point(1.0, 1.0)], marked=False))
    title = "Do people say what the judge says?"
    return Chart(title, "says", "people say, on the mean", lines, levels=False).svg().encode()
