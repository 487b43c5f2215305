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
    if _needed(declared) > width and all(len(row) > 1 for row in declared.rows):
        header, *rows = zip(declared.header, *declared.rows, *declared.foot, strict=True)
        turned = type(declared)("", header, rows)
        declared = min(declared, turned, key=_needed)
    least = _widths(declared)
    for places in _blocks(declared.columns, least, width):
        yield _block(declared, places, [least[place] for place in places], width)


def _blocks(columns: Sequence[Column], least: Sequence[int], width: int) -> Iterator[list[int]]:
    """The places of the columns of each block; those that name the rows are in all of them, if they leave room."""
    names = [place for place, column in enumerate(columns) if not place or column.kind == "name"]
    taken = sum(least[place] + GAP for place in names)
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


def _needed(declared: Table) -> int:
    return sum(_widths(declared)) + GAP * (len(declared.columns) - 1)


def _widths(declared: Table) -> list[int]:
    """The least of each column: the longest word of its title, and its longest cell, or a stretch of its texts."""
    rows = [*declared.rows, *declared.foot]
    widths = [
        _least(column, [row[place] for row in rows if place < len(row)])
        for place, column in enumerate(declared.columns)
    ]
    return [widths[0] + _indent(declared), *widths[1:]]


def _indent(declared: Table) -> int:
    return INDENT * any(len(row) == 1 for row in declared.rows)


def _least(column: Column, cells: Sequence[str]) -> int:
    """The longest word of the title, or the longest cell; of texts a stretch, and no less than their longest word."""
    longest = max(map(cell_len, cells), default=0)
    if column.kind == "text":
        longest = max([min(longest, TEXT), *map(cell_len, " ".join(cells).split())])
    return max(longest, 0, *map(cell_len, column.title.split()))


def _block(declared: Table, places: Sequence[int], least: Sequence[int], width: int) -> table.Table:
    """Some of the columns: as wide as titles in one line make them, else as their longest words do."""
    columns = [declared.columns[place] for place in places]
    room = width - GAP * (len(columns) - 1)
    in_one_line = [max(wide, cell_len(column.title)) for wide, column in zip(least, columns, strict=True)]
    fits = next((widths for widths in (in_one_line, least) if sum(widths) <= room), [None] * len(least))
    grid = table.Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, wide in zip(columns, fits, strict=True):
        side: Literal["left", "right"] = "right" if column.kind == "figure" else "left"
        title = Align(Text(column.title, justify=side), side, vertical="bottom")
        grid.add_column(title, overflow="fold", justify=side, width=None if column.kind == "text" else wide)
    for row in declared.rows:
        grid.add_row(*_cells(row, places, _indent(declared)))
    grid.add_section()
    for row in declared.foot:
        grid.add_row(*_cells(row, places, 0))
    return grid


def _cells(row: Sequence[str], places: Sequence[int], indent: int) -> Iterator[RenderableType]:
    """The cells of a row, or a heading; Text, so that no markup is read from what came from outside."""
    if len(row) == 1:
        yield Text(row[0], style="bold")
        return
    for place in places:
        text = Text(row[place], style="red" if isinstance(row[place], Alarm) else "")
        yield text if place else Padding(text, (0, 0, 0, indent), expand=False)
