"""Tables for terminal, page, Markdown and LaTeX, declared once as columns over the rows of a result.

Shown by ``console.print`` (on a narrow terminal cells break between words, and wide tables into several), by the macro
of ``parts.html.j2`` on a page, and by ``conqret/show/markup.py`` as Markdown and LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rich import box
from rich import table as rich_table
from rich.align import Align
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.text import Text

from conqret.show import words
from conqret.show.page import fragment
from conqret.show.visible_text import Alarm as Alarm
from conqret.show.visible_text import visible
from conqret.stats.estimate import NO_INTERVAL, UNVARIED, Estimate

if TYPE_CHECKING:
    from conqret.stats.effects import Effect

Kind = Literal["name", "text", "figure"]
"""The kind of a column's cells: names stand left, figures right, and neither is ever broken; a text is
broken between words.
"""


Cell: TypeAlias = "str | int | float | Estimate | Effect | None"
"""The value of a cell: a float is shown with three decimals, an estimate or effect with its interval, and
None, or an estimate without a value, as a dash.
"""


CellSource: TypeAlias = "str | tuple[str | int, ...] | Callable[[Any], Cell]"
"""The source of a column's cells: an attribute of the row, a path of attributes and keys, or a function of
the row.
"""


@dataclass(frozen=True, slots=True)
class Column:
    """The title of a column, and the kind of its cells."""

    title: str
    kind: Kind = "figure"


NARROW = 46
"""The characters, with two between columns, that fit next to each other on a phone; the rows of a wider
table become blocks there.
"""
NAMED = 18
"""The most characters of a first column on a phone, where it is broken between words."""

MANY = 5
"""The most columns of figures with intervals that fit next to each other on a page."""

FIGURE_SPACE = "\u2007"
"""As wide as a digit."""

_VALUE = re.compile(r"\A(\S++) ([\[({].*)", re.DOTALL)


class Table:
    """A table of plain texts; columns that are empty in every row are left out.

    Attributes:
        title: the title above it; may be empty.
        columns: the columns; if only titles are given, the first holds names and the others figures.
        rows: a list of cells for each row; a row of one cell is a heading for the rows below. If
            ``columns`` are given with cell sources (:data:`CellSource`), rows are objects from which cells
            are computed.
        foot: summary rows, set apart at the end.
        note: a text below the table; may be empty. It includes the reasons for missing values or
            intervals. It also includes the values of the columns titled in ``same`` if all rows share
            them.
    """

    kind = "table"

    def __init__(
        self,
        title: str,
        columns: Iterable[str | Column] | Mapping[str | Column, CellSource],
        rows: Iterable[Any],
        *,
        foot: Iterable[Sequence[Cell]] = (),
        note: str = "",
        same: Collection[str] = (),
    ) -> None:
        self.title = visible(title)
        heads: list[Column] = []
        for column in columns:
            if isinstance(column, str):
                column = Column(column, "figure" if heads else "name")
            heads.append(Column(visible(column.title), column.kind))
        body, sums = list(rows), list(foot)
        if isinstance(columns, Mapping):
            cells = [cell if callable(cell) else partial(_cell_of, cell) for cell in columns.values()]
            heading = [isinstance(row, tuple) and len(row) == 1 for row in body]
            body = [
                row if alone else [cell(row) for cell in cells]
                for row, alone in zip(body, heading, strict=True)
            ]
        estimates = [cell for row in (*body, *sums) for cell in row if isinstance(cell, Estimate)]
        texts = [tuple(map(cell_text, row)) for row in (*body, *sums)]
        whole = [row for row in texts if len(row) == len(heads)]
        stays, notes = [True] * len(heads), dict[str, list[str]]()
        for place, head in enumerate(heads) if whole else ():
            said = [row[place] for row in whole if row[place]]
            stays[place] = len({*said}) > (head.title in same and len(body) > 1)
            if said and not stays[place]:
                notes.setdefault(said[0], []).append(f"“{head.title}”")
        self.columns = tuple(compress(heads, stays))
        kept = [tuple(compress(row, stays)) if len(row) == len(heads) else row for row in texts]
        self.rows, self.foot = tuple(kept[: len(body)]), tuple(kept[len(body) :])
        why = [
            f"In every row {words.listed(names)} {'is' if len(names) == 1 else 'are'} {cell}."
            for cell, names in notes.items()
        ]
        why.append(note)
        if lost := dict.fromkeys([cell.reason for cell in estimates if cell.value is None]):
            why.append(f"A dash means: {'; or '.join(lost)}.")
        bare = [cell.reason for cell in estimates if cell.reason.startswith(NO_INTERVAL)]
        if bare:
            reasons = "; or ".join([reason.removeprefix(NO_INTERVAL) for reason in dict.fromkeys(bare)])
            why.append(f"Where a value has no interval, none can be computed: {reasons}.")
            if UNVARIED in bare and any(cell.value in (0, 1) and cell.low is not None for cell in estimates):
                why.append("If all topics have 0, or all have 1, the interval is the exact binomial one.")
        self.note = visible(" ".join(filter(None, why)))

    @property
    def header(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return tuple(column.title for column in self.columns)

    @property
    def length(self) -> int:
        """The number of rows, without heading rows and summary rows."""
        return sum(len(row) == len(self.columns) for row in self.rows)

    def _cells(self, place: int) -> list[str]:
        return [row[place] for row in (*self.rows, *self.foot) if len(row) > place]

    @property
    def stacks(self) -> bool:
        """True if each row becomes a block of lines on a narrow screen."""
        names, *others = (
            max(map(len, (*re.split(r"[\s-]", column.title), *self._cells(place))))
            for place, column in enumerate(self.columns)
        )
        wide = min(names, NAMED) + sum(2 + other for other in others)
        return wide > NARROW or any(column.kind == "text" for column in self.columns[1:])

    @property
    def dense(self) -> bool:
        """True if the table has many columns with intervals, so that these are shown below the figures."""
        return sum(map(bool, self.ends)) > MANY

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """For each column, the width of its widest figure if some cells have an interval in brackets,
        else 0."""
        columns = [list(map(_split, self._cells(place))) for place in range(len(self.columns))]
        return tuple(
            max(len(cell[0]) for cell in cells) if any(cell[1] for cell in cells) else 0 for cells in columns
        )

    def figure(self, place: int, text: str) -> tuple[str, str, str]:
        """Split a cell's text in the column at ``place`` (from 0) into padding, figure and interval.

        The padding aligns the figures of a column that has intervals.
        """
        value, ends = _split(text)
        return FIGURE_SPACE * (self.ends[place] - len(value)) * bool(text), value, ends

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield title, table and note for a terminal; a table wider than it is split into parts with an empty
        line between."""
        if self.title:
            yield Text(self.title, style="bold")
        for place, part in enumerate(fitted(self, options.max_width)):
            if place:
                yield ""
            yield part
        if self.note:
            yield Text(self.note)

    def _repr_html_(self) -> str:
        """The table as a notebook shows it."""

        return fragment("parts.html.j2", "section", self)


def _split(text: str) -> tuple[str, str]:
    """A figure, and what stands in brackets behind it."""
    match = _VALUE.fullmatch(text)
    return (match[1], match[2]) if match else (text, "")


def cell_text(cell: Cell) -> str:
    """Return a cell as text, with hidden characters written out."""
    if isinstance(cell, Alarm):
        return Alarm(visible(cell))
    if isinstance(cell, Estimate) and cell.value is None:
        return words.score(None)
    if isinstance(cell, float) or cell is None:
        return words.score(cell)
    return words.count(cell) if isinstance(cell, int) else visible(str(cell))


def _cell_of(source: str | tuple[str | int, ...], row: Any) -> Any:
    for step in (source,) if isinstance(source, str) else source:
        keyed = isinstance(step, int) or isinstance(row, Mapping)
        row = row[step] if keyed else getattr(row, str(step))
    return row


GAP = 3
"""Characters between two columns: two of padding and one of the rule."""

TEXT = 12
"""The fewest characters to which a longer text column is narrowed."""

INDENT = 2
"""Characters by which the rows under a heading are indented."""


def fitted(declared: Table, width: int) -> Iterator[rich_table.Table]:
    """Yield the table as Rich tables of at most ``width`` characters, split by columns if necessary.

    Each part repeats the row names. A table that does not fit is transposed first if that makes it
    narrower.
    """
    least = _least(declared)
    if sum(least) + GAP * len(least) - GAP > width and all(len(row) > 1 for row in declared.rows):
        header, *rows = zip(declared.header, *declared.rows, *declared.foot, strict=True)
        turned = type(declared)("", header, rows)
        by_column = _least(turned)
        if sum(by_column) + GAP * len(by_column) < sum(least) + GAP * len(least):
            declared, least = turned, by_column
    for places in _blocks(declared.columns, least, width):
        yield _block(declared, places, least, width)


def _blocks(columns: Sequence[Column], least: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the places of the columns of each block of a table that is too wide. Columns that name the rows are in
    every block; only the first of them if all would take more than half the width."""
    names, taken = [], 0
    for place, column in enumerate(columns):
        if not place or column.kind == "name":
            names.append(place)
            taken += least[place] + GAP
    if taken > width / 2:
        names, taken = names[:1], least[0] + GAP
    block, used = names, taken
    for place in range(len(columns)):
        if place not in names:
            if block != names and used + least[place] > width:
                yield sorted(block)
                block, used = names, taken
            block, used = [*block, place], used + least[place] + GAP
    yield sorted(block)


def _least(declared: Table) -> list[int]:
    """Return the least width of each column: that of the longest word of its title and of its longest cell. A column of
    texts needs only a stretch of :data:`TEXT` characters, or its longest word."""
    least = []
    for place, column in enumerate(declared.columns):
        cells = [row[place] for row in (*declared.rows, *declared.foot) if place < len(row)]
        longest = max(map(cell_len, cells), default=0)
        if column.kind == "text":
            longest = max([min(longest, TEXT), *map(cell_len, " ".join(cells).split())])
        least.append(max([longest, *map(cell_len, column.title.split())]))
    least[0] += INDENT * (1 in map(len, declared.rows))
    return least


def _block(declared: Table, places: Sequence[int], least: Sequence[int], width: int) -> rich_table.Table:
    """Return the columns at ``places`` as a table of Rich: as wide as their titles in one line, else as their longest
    words, else as Rich decides. Cells are never read as markup."""
    room = width - GAP * (len(places) - 1)
    words, titles = [], []
    for place in places:
        words.append(least[place])
        titles.append(max(least[place], cell_len(declared.columns[place].title)))
    widths: Sequence[int | None] = [None] * len(places)
    if sum(titles) <= room:
        widths = titles
    elif sum(words) <= room:
        widths = words
    grid = rich_table.Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, wide in zip(places, widths, strict=True):
        column = declared.columns[place]
        side: Literal["left", "right"] = "right" if column.kind == "figure" else "left"
        title = Align(Text(column.title, justify=side), side, vertical="bottom")
        grid.add_column(title, overflow="fold", justify=side, width=None if column.kind == "text" else wide)
    indent = INDENT * (1 in map(len, declared.rows))
    for rows, left in ((declared.rows, indent), (declared.foot, 0)):
        for row in rows:
            if len(row) == 1:
                grid.add_row(Text(row[0], style="bold"))
                continue
            cells: list[RenderableType] = []
            for place in places:
                cell = Text(row[place], style="red" if isinstance(row[place], Alarm) else "")
                cells.append(cell if cells else Padding(cell, (0, 0, 0, left), expand=False))
            grid.add_row(*cells)
        grid.add_section()
    return grid
