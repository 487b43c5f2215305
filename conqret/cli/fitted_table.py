"""Tables that stay readable on a narrow terminal: cells break between words, and wide tables into several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

GAP = 3
"""Characters between two columns: two of padding and one of the rule."""


def fitted(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[Table]:
    """The table, or several that show its columns in turn, each with the first column and at most ``width`` wide.

    A table that does not fit is turned first if that makes it narrower: its rows become columns.
    """
    if _needed(header, rows) > width:
        turned = list(zip(header, *rows, strict=True))
        if _needed(turned[0], turned[1:]) < _needed(header, rows):
            header, rows = turned[0], turned[1:]
    for places in _blocks(_widths(header, rows), width):
        yield _table(
            [header[place] for place in places], [[row[place] for place in places] for row in rows], width
        )


def _blocks(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """The places of the columns of each block; the first column is in all of them."""
    block, used = [0], widths[0]
    for place in range(1, len(widths)):
        if len(block) > 1 and used + GAP + widths[place] > width:
            yield block
            block, used = [0], widths[0]
        block.append(place)
        used += GAP + widths[place]
    yield block


def _needed(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    return sum(_widths(header, rows)) + GAP * (len(header) - 1)


def _widths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Of each column: its longest cell, and the longest word of its title."""
    from rich.cells import cell_len

    return [
        max(max(map(cell_len, title.split()), default=0), *(cell_len(row[place]) for row in rows), 0)
        for place, title in enumerate(header)
    ]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Table:
    """The columns are as wide as titles in one line make them, else as their longest words do."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    least = _widths(header, rows)
    room = width - GAP * (len(header) - 1)
    in_one_line = [max(wide, len(title)) for wide, title in zip(least, header, strict=True)]
    widths: Sequence[int | None] = next(
        (one for one in (in_one_line, least) if sum(one) <= room), [None] * len(least)
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, (title, wide) in enumerate(zip(header, widths, strict=True)):
        table.add_column(
            Text(title), overflow="fold", justify="right" if place else "left", width=wide, vertical="bottom"
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
