"""Heat maps of how far instruments agree by pairs, one panel a metric (DebateQA, Figures 9 to 11)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conqret.debateqa.stability import PairMatrix
from conqret.show import words
from conqret.show.plots import Kind, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALES = {"tau": (-1.0, 1.0, "RdBu"), "agreement": (0.0, 1.0, "Blues")}
"""Both ends and the colours of each statistic: fixed, so that two plots can be laid side by side."""
SAYS = {"tau": "Kendall's tau-b", "agreement": "share of equal verdicts"}
CELL, LABEL, MARGIN = 0.46, 0.064, 1.5
"""Inches of a cell's side, of a character of a label, and around a panel for scale and title."""
WRAP = 34
"""Characters of a label's line."""
NO_VALUE = "#d9d9d9"


def heat_maps(matrices: Sequence[PairMatrix], kind: Kind = "png") -> bytes:
    """One panel a matrix, below each other, with the value in each cell; the same matrices give the same bytes.

    Instruments are numbered, with their names beside the rows. A pair without a value is grey and says "none".

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    names = [labels(matrix.names) for matrix in matrices]
    widest = max(len(line) for panel in names for name in panel for line in name.split("\n"))
    heights = [max(2.0, CELL * len(matrix.names)) + 0.9 for matrix in matrices]
    width = max(CELL * max(len(matrix.names) for matrix in matrices), 2.0) + LABEL * widest + MARGIN

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(matrices), 1, squeeze=False, height_ratios=heights)
        for (axes,), matrix, shown in zip(panels, matrices, names, strict=True):
            _panel(figure, axes, matrix, shown)

    return drawn(draw, (width, sum(heights)), kind)


def labels(names: Sequence[str]) -> list[str]:
    """The instruments' names, numbered from 1; fingerprints are left out where the names differ without them."""
    bare = [re.sub(r" \([0-9a-f]{8}\)$", "", name) for name in names]
    kept = bare if len(set(bare)) == len(bare) else names
    return ["\n".join(textwrap.wrap(f"{name}  {place}", WRAP)) for place, name in enumerate(kept, start=1)]


def _panel(figure: Figure, axes: Any, matrix: PairMatrix, shown: Sequence[str]) -> None:
    from matplotlib import colormaps

    low, high, colours = SCALES[matrix.statistic]
    scale = colormaps[colours].with_extremes(bad=NO_VALUE)
    values = matrix.rows()
    grid = [[float("nan") if value is None else value for value in row] for row in values]
    image = axes.imshow(grid, cmap=scale, vmin=low, vmax=high)
    for down, row in enumerate(values):
        for across, value in enumerate(row):
            # dark cells lie at both ends of a scale from -1 to 1, and at the upper end of one from 0 to 1
            dark = value is not None and abs(value) > 0.62
            text = "none" if value is None else f"{value:.2f}"
            colour = "white" if dark else "black"
            axes.text(across, down, text, ha="center", va="center", fontsize=8, color=colour)
    places = range(len(shown))
    axes.set_xticks(places, [str(place + 1) for place in places])
    axes.set_yticks(places, shown)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    ticks = [low + (high - low) * step / 4 for step in range(5)]
    bar = figure.colorbar(image, ax=axes, label=SAYS[matrix.statistic], shrink=0.9, ticks=ticks)
    bar.outline.set_visible(False)
    axes.set_title(title(matrix), fontsize=10, loc="left")


def title(matrix: PairMatrix) -> str:
    """The metric, and what was compared, in short."""
    items = f"{matrix.answers:,} answers"
    what = f"{_systems(matrix)}, {items}" if matrix.over == "systems" else f"{items}, {_systems(matrix)}"
    return f"{words.label(matrix.metric)}\n{what}"


def compared(matrix: PairMatrix) -> str:
    """What a cell holds: ``Kendall's tau-b of the rankings of 5 systems by their means (500 answers)``."""
    if matrix.statistic == "agreement":
        return f"share of equal verdicts on {matrix.items:,} answers of {_systems(matrix)}"
    if matrix.over == "systems":
        return f"Kendall's tau-b of the rankings of {_systems(matrix)} by their means ({matrix.answers:,} answers)"
    return f"Kendall's tau-b of the rankings of {matrix.items:,} answers of {_systems(matrix)}"


def _systems(matrix: PairMatrix) -> str:
    return f"{len(matrix.systems)} system{'' if len(matrix.systems) == 1 else 's'}"
