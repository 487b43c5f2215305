"""The reliability diagram of a calibration (Murphy and Winkler, Applied Statistics 1977): what people say where this
much is said, before and after."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from conqret.show.plots import COLOURS, MARKERS, drawn
from conqret.stats.confidence_scores import Band
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.calibrate.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def reliability_diagram(found: Calibration) -> bytes:
    """As SVG: people's mean over the mean of what is said, in bands of it, over all dimensions; a panel each for the
    judge as it is and the calibrated one, with the maps that were tried, thin, beside the latter.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """

    def draw(figure: Figure) -> None:
        before, after = figure.subplots(1, 2, sharex=True, sharey=True)
        _line(before, found.bands["mean"], "the judge as it is", COLOURS[0], MARKERS[0])
        kinds = [name for name in found.bands if name not in ("mean", CALIBRATED)]
        for name, colour, marker in zip(kinds, cycle(COLOURS[2:]), cycle(MARKERS[2:]), strict=False):
            _line(after, found.bands[name], f"{name} throughout", colour, marker, thin=True)
        _line(after, found.bands[CALIBRATED], "calibrated, as chosen", COLOURS[1], MARKERS[1])
        for axes in (before, after):
            axes.plot([0, 1], [0, 1], color="#999999", lw=0.8, ls=":")
            axes.set_xlabel("says")
            axes.set_aspect("equal")
            axes.set_xlim(-0.02, 1.02)
            axes.set_ylim(-0.02, 1.02)
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(fontsize=7, frameon=False, loc="upper left")
        before.set_ylabel("people say, on the mean")

    return drawn(draw, (7.2, 3.7), "svg")


def _line(
    axes: Axes, bands: Sequence[Band], name: str, colour: str, marker: str, *, thin: bool = False
) -> None:
    points = [(one.said.value or 0.0, one.people.value or 0.0) for one in bands]
    axes.plot(
        *zip(*points, strict=True),
        color=colour,
        marker=marker,
        ms=3 if thin else 5,
        lw=0.6 if thin else 1.4,
        alpha=0.7 if thin else 1.0,
        label=name,
    )
    for (said, _), one in zip(points, bands, strict=True):
        if one.people.low is not None and one.people.high is not None and not thin:
            axes.plot([said, said], [one.people.low, one.people.high], color=colour, lw=1.0)
