"""Forest plots: values with their intervals below each other, as SVG (Lewis and Clarke, BMJ 2001).

What was concluded stands in words, and in the mark: color is never alone in saying it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

from conqret.show import words
from conqret.show.charts import COLOURS, KEY_LINE, Tick
from conqret.show.charts import MARKS as SMALL_MARKS
from conqret.show.page import fragment
from conqret.show.visible_text import cut, visible
from conqret.stats.estimate import Estimate

WIDTH, LEFT, RIGHT = 360, 20, 20
ROW, ABOVE, STRIP, FOOT = 38, 18, 16, 40
"""Units of a row, of the words in it above the strip with the interval, of that strip, and of the axis below."""
WIDER = 1.25
"""The factor by which the axis extends beyond the shaded range, at least."""
LINE, NAME, WORD = 60, 34, 18
"""The most characters of a row's name and figures together, of a name in the legend, and of the word of a row."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
NONE: Mapping[str, Mapping[str, Estimate]] = {}
"""No comparisons."""
TICKS = 8
"""The most numbers below the axis."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The drawing style of a verdict: the SVG path of its shape, whether it is filled, the dashes of the
    interval, the index of its color on a page, and its color in a file.
    """

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
"""The style of each verdict: a full disc, a full square, a ring, and an empty diamond over a broken line."""


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One row of a forest plot: a value with its interval (None: it has none) and a verdict, one of
    :data:`MARKS`.

    ``word`` is shown next to the row. The range of ``within`` around 0 is shaded, as the region of small
    effects. ``others`` are values to compare with, by name, which are drawn as small marks without an
    interval.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    verdict: str = ""
    word: str = ""
    within: float = 0.0
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Forest:
    """A forest plot: rows of values with intervals; ``x`` is the title of the axis."""

    title: str
    x: str
    rows: Sequence[ForestRow]

    kind = "forest"

    @property
    def height(self) -> int:
        """The height of the figure in its units."""
        return ROW * len(self.rows) + FOOT + KEY_LINE * len(self.compared)

    @property
    def compared(self) -> list[str]:
        """The names of the values that rows are compared with."""
        return list(dict.fromkeys(name for row in self.rows for name in row.others))

    def key(self) -> Iterator[tuple[SimpleNamespace, float]]:
        """Yield for each legend entry (the names in ``compared``) its mark and its vertical position, in
        figure units.
        """
        for place, name in enumerate(self.compared):
            y = ROW * len(self.rows) + FOOT + KEY_LINE * (place + 0.5)
            yield self._small(name, 12, y), y

    @property
    def bottom(self) -> int:
        """The vertical position of the axis."""
        return ROW * len(self.rows) + 4

    @property
    def description(self) -> str:
        """A description of the figure as text, for screen readers."""
        descriptions = (
            f"{row.name}: {_said(row)}{f', {row.verdict}' * bool(row.verdict)}"
            + "".join(f", {name} {words.score(value)}" for name, value in row.others.items())
            for row in self.rows
        )
        return cut(visible(f"{self.x}. {'; '.join(descriptions)}."), 2000)

    def drawn(self) -> Iterator[SimpleNamespace]:
        """Yield the drawing data of each row in figure units: ``name``, ``said`` (the text next to it),
        ``text`` (the height of both), the paths ``shade`` (empty if nothing is shaded), ``line`` (the
        interval) and ``dot``, ``mark``, and ``others`` (the small marks)."""
        for place, row in enumerate(self.rows):
            strip = ROW * place + ABOVE
            middle = strip + STRIP // 2
            at = self._x(row.value)
            low, high = (at if end is None else self._x(end) for end in (row.low, row.high))
            left, right = self._x(-row.within), self._x(row.within)
            mark = MARKS[row.verdict]
            word = f"{cut(row.word, WORD)} " * bool(row.word)
            said = f"{visible(word)}{_said(row)}"
            yield SimpleNamespace(
                name=cut(visible(row.name), LINE - len(said)),
                said=said,
                text=ROW * place + 13,
                shade=f"M{left:g},{strip}H{right:g}v{STRIP}H{left:g}z" if row.within else "",
                line=f"M{low:g},{middle}H{high:g}",
                dot=f"M{at:g},{middle}{mark.path}",
                mark=mark,
                others=[self._small(name, self._x(value), middle) for name, value in row.others.items()],
            )

    def across(self) -> Iterator[Tick]:
        """Yield the ticks of the axis."""
        low, high, step = self._axis()
        for place in range(round((high - low) / step) + 1):
            value = low + place * step
            yield Tick(self._x(value), f"{value:z.10g}")

    @property
    def zero(self) -> str:
        """The SVG path of the vertical line at 0, with a gap at the words of each row."""
        x = self._x(0.0)
        parts = (f"M{x:g},{ROW * place + ABOVE}v{ROW - ABOVE}" for place in range(len(self.rows)))
        return f"{''.join(parts)}V{self.bottom}"

    def svg(self) -> str:
        """Return the figure as the text of an SVG file."""
        return fragment("parts.html.j2", "forest", self).strip() + "\n"

    def _small(self, name: str, x: float, y: float) -> SimpleNamespace:
        """The mark of a value that rows are compared with, with its name for the key."""
        place = self.compared.index(name) + 1
        path = f"M{x:g},{y:g}{SMALL_MARKS[place % len(SMALL_MARKS)]}"
        place %= len(COLOURS)
        return SimpleNamespace(path=path, place=place, colour=COLOURS[place], name=cut(visible(name), NAME))

    def _axis(self) -> tuple[float, float, float]:
        """Return the low and the high end of the axis, which covers 0, all values and what is shaded, and the
        step between its numbers."""
        wide = [WIDER * row.within for row in self.rows]
        known = [end for row in self.rows for end in (row.value, row.low, row.high)]
        known += [*wide, *(-width for width in wide), *(v for row in self.rows for v in row.others.values())]
        ends = [0.0, STEPS[0], *(end for end in known if end is not None)]
        low, high = min(ends), max(ends)
        step = next((step for step in STEPS if (high - low) / step <= TICKS - 2), STEPS[-1])
        return math.floor(low / step) * step, math.ceil(high / step) * step, step

    def _x(self, value: float) -> float:
        low, high, _ = self._axis()
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 2)


def forests(
    title: str,
    x: str,
    found: Iterable[tuple[str, Estimate | None]],
    others: Mapping[str, Mapping[str, Estimate]] = NONE,
    confidence: float | None = None,
) -> list[Forest]:
    """Return a list with one forest plot of the named estimates that have a value; an empty list if none
    has.

    ``found`` are names with estimates, and ``others`` maps a name to the estimates that it is compared with.
    ``title`` and ``x`` are the titles of the plot and of its axis, which names the ``confidence`` of intervals if there
    are any.
    """
    rows = []
    for name, one in found:
        if one is not None and one.value is not None:
            compared = {other: beside.value for other, beside in others.get(name, {}).items()}
            known = {other: value for other, value in compared.items() if value is not None}
            rows.append(ForestRow(name, one.value, one.low, one.high, others=known))
    if confidence and any(row.low is not None for row in rows):
        x += f", {confidence:.0%} confidence intervals"
    return [Forest(title, x, rows)] if rows else []


def _said(row: ForestRow) -> str:
    return words.with_interval(Estimate(row.value, row.low, row.high))
