"""Markdown that nothing from outside can act in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conqret.show.table import Alarm, Table
from conqret.show.visible_text import visible

_ESCAPED = "\\`*[|#!~"
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def safe(text: str) -> str:
    """Text from outside on one line, with what Markdown or HTML would act on escaped."""
    line = " ".join(visible(text).split())
    return "".join(f"\\{char}" if char in _ESCAPED else _ENTITIES.get(char, char) for char in line)


def tables_markdown(tables: Iterable[Table], heading: str = "###") -> str:
    """Each table under its title, ending in a line break; ``heading`` says of which level the titles are (empty: no
    titles)."""
    return "\n\n".join(block for table in tables for block in _blocks(table, heading)) + "\n"


def _blocks(table: Table, heading: str) -> Iterator[str]:
    if table.title and heading:
        yield f"{heading} {safe(table.title)}"
    marks = ["---:" if column.kind == "figure" else "---" for column in table.columns]
    rows = [table.header, *table.rows, *table.foot]
    header, *lines = (_line(row, len(marks)) for row in rows)
    yield "\n".join([header, f"| {' | '.join(marks)} |", *lines])
    if table.note:
        yield safe(table.note)


def _line(row: Sequence[str], columns: int) -> str:
    """A row; a heading, and a cell that must not be missed, in bold."""
    cells = [
        f"**{safe(cell)}**" if cell and (len(row) < columns or isinstance(cell, Alarm)) else safe(cell)
        for cell in row
    ]
    return f"| {' | '.join([*cells, *[''] * (columns - len(row))])} |"
