"""Plots of a sensitivity run: one figure a perturbation and metric, a line for each judge (ConQRet, Figure 13)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from conqret.data.gathering import gathered
from conqret.reliability.sensitivity.curves import Curve
from conqret.reliability.sensitivity.results import SensitivityResults
from conqret.report import words
from conqret.report.plots import Kind, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#1b6ca8", "#c1440e", "#3a7d44", "#7b4fa3", "#b8860b", "#5c6770", "#a8326b", "#008b8b")
"""Told apart with the common colour blindnesses together with the markers."""

MARKERS = "osD^vPX*"


def plots(results: SensitivityResults, kind: Kind = "svg") -> dict[str, bytes]:
    """By file name (without ending) the plot of each perturbation and metric that should fall, or alarms.

    The same results give the same bytes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    groups = gathered(((curve.perturbation, curve.metric), curve) for curve in results.curves)
    return {
        slug(f"{perturbation}-{metric}"): plot(curves, kind)
        for (perturbation, metric), curves in groups.items()
        if any(curve.expected in ("fall", "rise") or curve.alarms for curve in curves)
    }


def plot(curves: Sequence[Curve], kind: Kind = "svg") -> bytes:
    """Means over levels with their intervals, a line for each curve; all share perturbation and metric."""
    return drawn(lambda figure: _draw(figure, curves), (5.2, 3.3), kind)


def _draw(figure: Figure, curves: Sequence[Curve]) -> None:
    axes = figure.add_subplot()
    several = len({curve.model for curve in curves}) > 1
    for curve, colour, marker in zip(curves, cycle(COLOURS), cycle(MARKERS), strict=False):
        levels, lows, highs = zip(
            *(
                (
                    one.level,
                    one.mean if one.low is None else one.low,
                    one.mean if one.high is None else one.high,
                )
                for one in curve.points
            ),
            strict=True,
        )
        name = f"{curve.format} ({curve.model})" if several else curve.format
        axes.fill_between(levels, lows, highs, color=colour, alpha=0.12, lw=0)
        axes.plot(levels, curve.means, color=colour, marker=marker, ms=4, lw=1.4, label=name)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(f"{curves[0].perturbation}: {curves[0].unit}")
    axes.set_ylabel(words.label(curves[0].metric))
    axes.grid(alpha=0.25, lw=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=7, frameon=False, loc="best")


def slug(text: str) -> str:
    """A name that is safe as a file's."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "plot"
