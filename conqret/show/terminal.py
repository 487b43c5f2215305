"""Tables that stay readable on a narrow terminal: cells break between words, and wide tables into several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from rich import box, table
from rich.align import Align
from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from conqret.show.visible_text import Alarm

if TYPE_CHECKING:
    from conqret.show.table import Column, Table

GAP = 3
"""Characters between two columns: two of padding and one of the rule."""

TEXT = 12
"""Characters below which a text is not squeezed, if it is as long."""

INDENT = 2
"""Characters by which the rows under a heading stand to the right."""


def shown(declared: Table, width: int) -> Iterator[RenderableType]:
    """Title, table and note, with an empty line between the parts of a table that does not fit."""
    if declared.title:
        yield Text(declared.title, style="bold")
    for place, part in enumerate(fitted(declared, width)):
        if place:
            yield ""
        yield part
    if declared.note:
        yield Text(declared.note)


def fitted(declared: Table, width: int) -> Iterator[table.Table]:
    """The table, or several that show its columns in turn, each with the names of the rows and at most ``width`` wide.

    A table that does not fit is turned first if that makes it narrower: its rows become columns.
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
    """The places of the columns of each block; those that name the rows are in all of them, if they leave room."""
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
    """The least width of each column: the longest word of its title, and its longest cell; of texts a stretch, and no
    less than their longest word."""
    least = []
    for place, column in enumerate(declared.columns):
        cells = [row[place] for row in (*declared.rows, *declared.foot) if place < len(row)]
        longest = max(map(cell_len, cells), default=0)
        if column.kind == "text":
            longest = max([min(longest, TEXT), *map(cell_len, " ".join(cells).split())])
        least.append(max([longest, *map(cell_len, column.title.split())]))
    least[0] += INDENT * (1 in map(len, declared.rows))
    return least


def _block(declared: Table, places: Sequence[int], least: Sequence[int], width: int) -> table.Table:
    """Some of the columns: as wide as titles in one line make them, else as their longest words do. Cells are Text, so
    that no markup is read from what came from outside."""
    columns = [(declared.columns[place], least[place]) for place in places]
    room = width - GAP * (len(columns) - 1)
    fits: list[int | None] = [max(wide, cell_len(column.title)) for column, wide in columns]
    if sum(filter(None, fits)) > room:
        fits = [wide for _, wide in columns]
    if sum(filter(None, fits)) > room:
        fits = [None] * len(columns)
    grid = table.Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for (column, _), wide in zip(columns, fits, strict=True):
        side: Literal["left", "right"] = "right" if column.kind == "figure" else "left"
        title = Align(Text(column.title, justify=side), side, vertical="bottom")
        grid.add_column(title, overflow="fold", justify=side, width=None if column.kind == "text" else wide)
    indent = INDENT * (1 in map(len, declared.rows))
    for rows, left in ((declared.rows, indent), (declared.foot, 0)):
        for row in rows:
            if len(row) == 1:
                grid.add_row(Text(row[0], style="bold"))
                continue
            first, *cells = [Text(row[at], style="red" * isinstance(row[at], Alarm)) for at in places]
            grid.add_row(Padding(first, (0, 0, 0, left), expand=False), *cells)
        grid.add_section()
    return grid
