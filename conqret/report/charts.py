"""Lines over levels with their intervals, as SVG that needs no library: the same on a page and in a file of its own.

Colours and sizes stand as attributes, so that a file shows them anywhere; on a page ``page.css`` sets those of the
theme over them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conqret.report.page import fragment
from conqret.report.texts import cut, visible

WIDTH, HEIGHT = 360, 220
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 8, 36
"""Units around the axes, for numbers and names."""
KEY_LINE = 16
"""Units of a line of the key below the plot."""
COLOURS = ("#1b6ca8", "#c1440e", "#3a7d44", "#7b4fa3", "#8a6508", "#5c6770", "#a8326b", "#007272")
"""Told apart with the common colour blindnesses together with the marks."""
MARKS = (
    "m-3.2,0a3.2,3.2 0 1,0 6.4,0a3.2,3.2 0 1,0 -6.4,0",
    "m-3,-3h6v6h-6z",
    "m0,-4l4,4l-4,4l-4,-4z",
    "m0,-4l4,7h-8z",
)
"""A circle, a square, a diamond and a triangle around the point."""
CLOSEST = 26
"""Units between two numbers below the axis; of closer ones the second is left out."""
BELOW = 3
"""How many times smaller than the least positive level 0 is drawn on a logarithmic axis."""
NAME = 56
"""Characters of a line's name in the key."""


@dataclass(frozen=True, slots=True)
class Point:
    """A value at ``x``, and the ends of its interval where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart, with the name that the key gives it."""

    name: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line in units of the figure: its name, colour, mark, path, the outline of its intervals, and its points."""

    name: str
    place: int
    colour: str
    mark: str
    path: str
    band: str
    dots: tuple[str, ...]
    y: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A number at an axis, and where it stands."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """Lines over levels in [0, 1] (from -1, where a value or the end of an interval is below 0), or between ``ends`` of
    their own, with 95 % intervals; ``x`` and ``y`` say what the axes hold. A line of one point is drawn as that point
    over its interval. Where ``logarithmic``, 0 stands left of the least positive level."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    logarithmic: bool = False
    ends: tuple[float, float] | None = None

    kind = "chart"

    @property
    def height(self) -> int:
        """Units of the whole figure, with the key where there are several lines."""
        return HEIGHT + KEY_LINE * (len(self.lines) if len(self.lines) > 1 else 0)

    @property
    def description(self) -> str:
        """The chart in words, for those who do not see it."""
        said = (
            f"{line.name}: {', '.join(f'{one.y:.3f} at {one.x:g}' for one in line.points)}"
            for line in self.lines
        )
        return cut(visible(f"{self.y} by {self.x}. {'; '.join(said)}."), 2000)

    def drawn(self) -> Iterator[Drawn]:
        """The lines in units of the figure."""
        for place, line in enumerate(self.lines):
            points = sorted(line.points, key=lambda one: one.x)
            upper = [self._at(one.x, one.y if one.high is None else one.high) for one in points]
            lower = [self._at(one.x, one.y if one.low is None else one.low) for one in points]
            yield Drawn(
                name=cut(visible(line.name), NAME),
                place=place % len(COLOURS),
                colour=COLOURS[place % len(COLOURS)],
                mark=MARKS[place % len(MARKS)],
                path=" ".join(
                    upper + lower if len(points) == 1 else [self._at(one.x, one.y) for one in points]
                ),
                band=" ".join([*upper, *reversed(lower)]),
                dots=tuple(f"M{self._at(one.x, one.y)}{MARKS[place % len(MARKS)]}" for one in points),
                y=HEIGHT + KEY_LINE * (place + 0.5),
            )

    def across(self) -> Iterator[Tick]:
        """The levels below the axis, as far as there is room."""
        last = -math.inf
        for x in sorted({one.x for line in self.lines for one in line.points}):
            at = self._x(x)
            if at - last >= CLOSEST:
                last = at
                yield Tick(at, f"{x:.3g}" if abs(x) < 1000 else f"{x:g}")

    def up(self) -> Iterator[Tick]:
        """The numbers beside the axis."""
        bottom, top = self._ends()
        for step in range(5):
            value = bottom + (top - bottom) * step / 4
            yield Tick(self._y(value), f"{value:.3g}")

    def svg(self) -> str:
        """The chart as a file of its own."""
        return fragment("chart.html.j2", "drawing", self).strip() + "\n"

    def _at(self, x: float, y: float) -> str:
        return f"{self._x(x):g},{self._y(y):g}"

    def _x(self, x: float) -> float:
        found = [one.x for line in self.lines for one in line.points]
        if self.logarithmic:
            least = min((one for one in found if one > 0), default=1.0) / BELOW
            x, *found = (math.log(max(one, least)) for one in (x, *found))
        low, high = min(found), max(found)
        share = (x - low) / (high - low) if high > low else 0.5
        return round(LEFT + 6 + share * (WIDTH - LEFT - RIGHT - 16), 2)

    def _y(self, y: float) -> float:
        bottom, top = self._ends()
        share = (top - min(max(y, bottom), top)) / (top - bottom)
        return round(TOP + share * (HEIGHT - TOP - BOTTOM), 2)

    def _ends(self) -> tuple[float, float]:
        """Both ends of the upright axis."""
        if self.ends is not None:
            return self.ends
        ends = (one.y if one.low is None else one.low for line in self.lines for one in line.points)
        return (-1.0 if min(ends, default=0.0) < 0 else 0.0), 1.0
