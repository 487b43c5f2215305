"""Line charts over levels with confidence intervals, as SVG without libraries, on a page or in a file of
its own.

Colors and sizes stand as attributes, so that a file shows them anywhere; on a page ``page.css`` sets those of the
theme over them. Plots of matplotlib (:func:`drawn`) are the same bytes for the same data.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from conqret._optional import require
from conqret.show.page import fragment
from conqret.show.visible_text import cut, visible
from conqret.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 360, 242
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 26, 42
"""The margins around the axes in units of the figure, for numbers and titles: the vertical axis's title
stands above it, the other's below.
"""
KEY_LINE = 16
"""The height of a line of the legend, in units of the figure."""
COLOURS = ("#1b6ca8", "#c1440e", "#3a7d44", "#7b4fa3", "#8a6508", "#5c6770", "#a8326b", "#007272")
"""Colors that remain distinct with the common color blindnesses, together with the marks."""
MARKS = (
    "m-3.2,0a3.2,3.2 0 1,0 6.4,0a3.2,3.2 0 1,0 -6.4,0",
    "m-3,-3h6v6h-6z",
    "m0,-4l4,4l-4,4l-4,-4z",
    "m0,-4l4,7h-8z",
)
"""A circle, a square, a diamond and a triangle around the point."""
CLOSEST = 26
"""The smallest distance of two numbers below the axis, in units; of closer ones the second is left out."""
NAME = 56
"""The most characters of a line's name in the legend, and of an axis title."""
UNMARKED = "m-6,-0.8h12v1.6h-12z"
"""The mark in the legend of a line whose points have no marks."""
ROUND = (1, 2, 5)
"""The first digits of round numbers."""
GAPS = 5
"""The most gaps between round numbers at an axis."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a chart at ``x`` and ``y``, with the ends of its confidence interval if it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def from_estimate(cls, x: float, estimate: Estimate) -> Point:
        """Create a point from an estimate and its interval; an estimate without a value is placed at 0."""
        return cls(x, estimate.value or 0.0, estimate.low, estimate.high)


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One line of a chart, with its name in the legend.

    ``place`` selects the color and mark of that index, so that several charts agree; None uses the line's
    own index. ``marked`` is true if its points have marks.
    """

    name: str
    points: Sequence[Point]
    place: int | None = None
    marked: bool = True


class Tick(NamedTuple):
    """A number on an axis, with its position."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A line chart with 95% confidence intervals.

    The vertical axis covers [0, 1], from -1 if a value or interval is below 0, unless ``ends`` sets it.
    ``x`` and ``y`` are the axis titles. A line with one point is drawn as that point over its interval.
    Values of ``x`` must be positive if the axis is ``logarithmic``. If ``levels`` is true, the horizontal
    axis is labeled with the points' own values of ``x``, else with round numbers.
    """

    title: str
    x: str
    y: str
    lines: Sequence[ChartLine]
    logarithmic: bool = False
    ends: tuple[float, float] | None = None
    levels: bool = True

    kind = "chart"

    @property
    def height(self) -> int:
        """The height of the figure in its units, including the legend if there are several lines."""
        return HEIGHT + KEY_LINE * (len(self.lines) if len(self.lines) > 1 else 0)

    @property
    def description(self) -> str:
        """A description of the chart as text, for screen readers."""
        descriptions = (
            f"{line.name}: {', '.join(f'{point.y:.3f} at {point.x:g}' for point in line.points)}"
            for line in self.lines
        )
        return cut(visible(f"{self.y} (upright) by {self.x} (across). {'; '.join(descriptions)}."), 2000)

    def drawn(self) -> Iterator[SimpleNamespace]:
        """Yield the drawing data of each line in figure units: ``name``, ``place`` (the index of its color),
        ``colour``, ``mark``, ``path``, ``bands`` (outlines of the intervals of neighboring points; points
        without one are in none), ``dots`` (the marks at its points) and ``y`` (the height of its entry in the
        key).
        """
        for place, line in enumerate(self.lines):
            index = place if line.place is None else line.place
            mark = MARKS[index % len(MARKS)]
            points = sorted(line.points, key=lambda point: point.x)
            stretches = groupby(points, lambda point: point.low is not None)
            bands = [self._outline(list(stretch)) for known, stretch in stretches if known]
            middle = [self._at(point.x, point.y) for point in points]
            yield SimpleNamespace(
                name=cut(visible(line.name), NAME),
                place=index % len(COLOURS),
                colour=COLOURS[index % len(COLOURS)],
                mark=mark if line.marked else UNMARKED,
                path=bands[0] if len(points) == 1 and bands else " ".join(middle),
                bands=bands,
                dots=[f"M{point}{mark}" for point in middle if line.marked],
                y=HEIGHT + KEY_LINE * (place + 0.5),
            )

    def across(self) -> Iterator[Tick]:
        """Yield the ticks of the horizontal axis, without those that would overlap."""
        last = -math.inf
        for x in self._numbers():
            at = self._x(x)
            if at - last >= CLOSEST:
                last = at
                yield Tick(at, f"{x:.3g}" if abs(x) < 1000 else f"{x:g}")

    def up(self) -> Iterator[Tick]:
        """Yield the ticks of the vertical axis."""
        for value in round_numbers(*self._ends()):
            yield Tick(self._y(value), f"{value:z.3g}")

    def svg(self) -> str:
        """Return the chart as the text of an SVG file."""
        return fragment("parts.html.j2", "drawing", self).strip() + "\n"

    def _outline(self, points: Sequence[Point]) -> str:
        upper = [self._at(point.x, point.y if point.high is None else point.high) for point in points]
        lower = [self._at(point.x, point.y if point.low is None else point.low) for point in points]
        return " ".join([*upper, *reversed(lower)])

    def _at(self, x: float, y: float) -> str:
        return f"{self._x(x):g},{self._y(y):g}"

    @property
    def names(self) -> tuple[str, str]:
        """The titles of the horizontal and the vertical axis, shortened to fit."""
        return cut(visible(self.x), NAME), cut(visible(self.y), NAME)

    def _numbers(self) -> list[float]:
        """The levels, or round numbers around them."""
        levels = sorted({point.x for line in self.lines for point in line.points})
        return levels if self.levels or not levels else round_numbers(levels[0], levels[-1])

    def _x(self, x: float) -> float:
        numbers = self._numbers()
        if self.logarithmic:
            x, *numbers = map(math.log, (x, *numbers))
        low, high = min(numbers), max(numbers)
        share = (x - low) / (high - low) if high > low else 0.5
        return round(LEFT + 6 + share * (WIDTH - LEFT - RIGHT - 16), 2)

    def _y(self, y: float) -> float:
        bottom, top = self._ends()
        share = (top - min(max(y, bottom), top)) / (top - bottom)
        return round(TOP + share * (HEIGHT - TOP - BOTTOM), 2)

    def _ends(self) -> tuple[float, float]:
        """Both ends of the upright axis, which are round numbers."""
        if self.ends is not None:
            numbers = round_numbers(*self.ends)
            return numbers[0], numbers[-1]
        ends = (point.y if point.low is None else point.low for line in self.lines for point in line.points)
        return (-1.0 if min(ends, default=0.0) < 0 else 0.0), 1.0


def reach(lines: Iterable[ChartLine], *more: float) -> tuple[float, float]:
    """Return the lowest and the highest value in the lines, their intervals and ``more``, as ends of an
    axis.

    If all values are equal, the range is widened by 0.1 on both sides. Without any value it is an error
    (ValueError).
    """
    ends = (end for line in lines for point in line.points for end in (point.low, point.y, point.high))
    known = [*more, *(end for end in ends if end is not None)]
    low, high = min(known), max(known)
    return (low, high) if low < high else (low - 0.1, high + 0.1)


def round_numbers(low: float, high: float) -> list[float]:
    """Return evenly spaced round numbers (in steps of 1, 2 or 5 times a power of ten, about five) that
    cover the range from ``low`` to ``high``; only ``low`` where the range is empty.
    """
    if high <= low:
        return [low]
    least = (high - low) / GAPS
    power = math.floor(math.log10(least))
    step = next(
        number
        for number in (*(first * 10.0**power for first in ROUND), 10.0 ** (power + 1))
        if number >= least
    )
    first, last = math.floor(low / step + _NEAR), math.ceil(high / step - _NEAR)
    return [round(place * step, max(0, -power) + 1) for place in range(first, last + 1)]


_NEAR = 1e-9
"""By so much a number may miss a round one, as floats do."""

PlotKind = Literal["svg", "png"]

_PLOT_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "conqret", "svg.fonttype": "none", "font.size": 9}
_PLOT_METADATA: dict[PlotKind, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
"""What would differ from one drawing to the next, left out."""


def drawn(draw: Callable[[Figure], object], size: tuple[float, float], kind: PlotKind) -> bytes:
    """Draw a matplotlib figure with ``draw``, and return the bytes of its file.

    ``size`` is width and height in inches.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    require("matplotlib", extra="plots")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    buffer = io.BytesIO()
    with rc_context(_PLOT_SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(buffer, format=kind, dpi=150, metadata=_PLOT_METADATA[kind])
    return buffer.getvalue()
