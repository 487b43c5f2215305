"""Values with their intervals below each other, as SVG (a forest plot: Lewis and Clarke, BMJ 2001).

What was concluded stands in words, and in the mark: colour is never alone in saying it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conqret.show.charts import Tick
from conqret.show.page import fragment
from conqret.show.visible_text import cut, visible
from conqret.stats.estimate import Estimate

WIDTH, LEFT, RIGHT = 360, 20, 20
ROW, ABOVE, STRIP, FOOT = 38, 18, 16, 40
"""Units of a row, of the words in it above the strip with the interval, of that strip, and of the axis below."""
SIDE, LETTER = 4, 7.2
"""Units between the figure's sides and its words, and of a letter at most."""
WIDER = 1.25
"""How far the axis reaches beyond what is shaded, at least."""
NAME, WORD = 34, 18
"""Characters of a row's name, and of the word beside it."""
PLACES = 2
"""Decimals of the numbers beside the rows."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
TICKS = 8
"""Numbers that stand below the axis at most."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How a conclusion is drawn: the path around the value, whether it is filled, the dashes of the interval, and the
    place of its colour on a page (``page.css``) beside that colour in a file."""

    path: str
    filled: bool
    dashes: str
    place: int
    colour: str


MARKS: Mapping[str, Mark] = {
    "": Mark("m-3.6,0a3.6,3.6 0 1,0 7.2,0a3.6,3.6 0 1,0 -7.2,0", True, "none", 0, "#1b6ca8"),
    "alarm": Mark("m-4.4,-4.4h8.8v8.8h-8.8z", True, "none", 1, "#c1440e"),
    "clear": Mark("m-3.6,0a3.6,3.6 0 1,0 7.2,0a3.6,3.6 0 1,0 -7.2,0", False, "none", 2, "#3a7d44"),
    "inconclusive": Mark("m0,-5l5,5l-5,5l-5,-5z", False, "4 3", 5, "#5c6770"),
}
"""By what was concluded: a full disc, a full square, a ring, and an empty diamond over a broken line."""


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A value between the ends of its interval (None: it has none), with what was concluded, one of :data:`MARKS`, and
    a word for it. What lies ``within`` so much of 0 is shaded: what is small."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    verdict: str = ""
    word: str = ""
    within: float = 0.0


@dataclass(frozen=True, slots=True)
class ForestDrawing:
    """A row in units of the figure; ``shade`` is empty where nothing is shaded."""

    name: str
    said: str
    text: float
    shade: str
    line: str
    dot: str
    mark: Mark


@dataclass(frozen=True)
class Forest:
    """Rows below each other; ``x`` says what the axis holds."""

    title: str
    x: str
    rows: Sequence[ForestRow]

    kind = "forest"

    @property
    def height(self) -> int:
        """Units of the whole figure."""
        return ROW * len(self.rows) + FOOT

    @property
    def bottom(self) -> int:
        """Where the axis stands."""
        return ROW * len(self.rows) + 4

    @property
    def description(self) -> str:
        """The figure in words, for those who do not see it."""
        descriptions = (
            f"{row.name}: {_said(row, self.places)}{f', {row.verdict}' * bool(row.verdict)}"
            for row in self.rows
        )
        return cut(visible(f"{self.x}. {'; '.join(descriptions)}."), 2000)

    def drawn(self) -> Iterator[ForestDrawing]:
        """The rows in units of the figure."""
        for place, row in enumerate(self.rows):
            strip = ROW * place + ABOVE
            middle = strip + STRIP // 2
            at = self._x(row.value)
            ends = [at if end is None else self._x(end) for end in (row.low, row.high)]
            mark = MARKS[row.verdict]
            small = [self._x(-row.within), self._x(row.within)]
            word = f"{cut(row.word, WORD)} " * bool(row.word)
            yield ForestDrawing(
                name=cut(visible(row.name), NAME),
                said=f"{visible(word)}{_said(row, self.places)}",
                text=ROW * place + 13,
                shade=f"M{small[0]:g},{strip}H{small[1]:g}v{STRIP}H{small[0]:g}z" if row.within else "",
                line=f"M{ends[0]:g},{middle}H{ends[1]:g}",
                dot=f"M{at:g},{middle}{mark.path}",
                mark=mark,
            )

    def across(self) -> Iterator[Tick]:
        """The numbers below the axis."""
        low, high, step = self._axis()
        for place in range(round((high - low) / step) + 1):
            value = low + place * step
            yield Tick(self._x(value), f"{value:z.10g}")

    @property
    def places(self) -> int:
        """Decimals of the numbers beside the rows: one more than usual where values look alike that are not."""
        values = {row.value for row in self.rows}
        return PLACES + (len({round(value, PLACES) for value in values}) < len(values))

    @property
    def zero(self) -> str:
        """The line at 0 down to the axis, with a gap wherever words stand: a line over a minus would hide it."""
        at, top, path = self._x(0.0), float(SIDE), ""
        for row in self.drawn():
            if at < SIDE + LETTER * len(row.name) or at > WIDTH - SIDE - LETTER * len(row.said):
                above, below = row.text - ABOVE + SIDE, row.text + SIDE
                path += f"M{at:g},{top:g}V{above:g}" * (top < above)
                top = below
        return f"{path}M{at:g},{top:g}V{self.bottom}"

    def svg(self) -> str:
        """The figure as a file of its own."""
        return fragment("chart.html.j2", "forest", self).strip() + "\n"

    def _axis(self) -> tuple[float, float, float]:
        """Both ends, which hold 0 and what is shaded, and the step between numbers."""
        wide = [WIDER * row.within for row in self.rows]
        known = [end for row in self.rows for end in (row.value, row.low, row.high)]
        known += [*wide, *(-width for width in wide)]
        ends = [0.0, STEPS[0], *(end for end in known if end is not None)]
        low, high = min(ends), max(ends)
        step = next((step for step in STEPS if (high - low) / step <= TICKS - 2), STEPS[-1])
        return math.floor(low / step) * step, math.ceil(high / step) * step, step

    def _x(self, value: float) -> float:
        low, high, _ = self._axis()
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 2)


def forests(title: str, x: str, found: Iterable[tuple[str, Estimate | None]]) -> list[Forest]:
    """The picture of estimates by their names, of those that have a value; empty where none has."""
    known = [(name, one, one.value) for name, one in found if one is not None]
    rows = [ForestRow(name, value, one.low, one.high) for name, one, value in known if value is not None]
    return [Forest(title, x, rows)] if rows else []


def _said(row: ForestRow, places: int = PLACES) -> str:
    value, low, high = (
        None if end is None else f"{end:z.{places}f}" for end in (row.value, row.low, row.high)
    )
    return f"{value}" if low is None or high is None else f"{value} [{low}, {high}]"
