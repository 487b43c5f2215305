"""CSV and TSV. Lists of documents stand in a cell as JSON."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import Fault
from conqret.io import limits
from conqret.io.decoding import byte_lines, decoded
from conqret.io.faults import quoted, repeated_in, too_many
from conqret.io.rows import Row


class _Lines:
    """The lines of a file for :mod:`csv`, which wants their ends kept. Faults are put aside; ``skipped`` says that a
    line is not there for one."""

    def __init__(self, path: Path, name: str, published_in: str) -> None:
        self._lines, self._name, self._published_in = byte_lines(path, name), name, published_in
        self.faults: list[Fault] = []
        self.ended = True
        self.skipped = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        while isinstance(line, Fault):
            self.skipped = True
            self.faults.append(line)
            line = next(self._lines)
        text = decoded(line, self._name)
        if isinstance(text, Fault):
            if not self._published_in:
                self.faults.append(text)
            text = line.data.decode(self._published_in or "utf-8", "replace")
        self.ended = line.ended
        return text


@dataclass(frozen=True, slots=True)
class CsvRows:
    """The rows of a CSV file with a head. An empty cell is nothing; a row's line is the one it starts on.

    Cells are parted by commas; by tabs or semicolons where the head has these and no comma, or by what a line
    ``sep=;`` before the head says, as Excel writes it. A first column without a name is the index of a frame, and is
    left out. ``published_in`` is the encoding of a corpus that is not in UTF-8; quotes inside its cells are taken as
    they come. ``quoted`` is false where a file quotes no cell, so that a quotation mark belongs to the text even where
    a cell begins with one.
    """

    path: Path
    name: str
    published_in: str = ""
    quoted: bool = True

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names in the head, or ``None`` where it cannot be read (which iterating reports)."""
        lines = _Lines(self.path, self.name, self.published_in)
        try:
            head = self._head(lines)[0]
        except (csv.Error, StopIteration):
            return None
        return None if lines.skipped or _head_problem(head) else tuple(filter(None, head))

    def __iter__(self) -> Iterator[Row | Fault]:
        lines = _Lines(self.path, self.name, self.published_in)
        for row in self._rows(lines):
            yield from lines.faults
            lines.faults.clear()
            yield row
        yield from lines.faults

    def _rows(self, lines: _Lines) -> Iterator[Row | Fault]:
        try:
            head, delimiter, before = self._head(lines)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"the head is not valid CSV: {error}"
            yield Fault(self.name, 1, "", problem, "End lines with \\n or \\r\\n")
            return
        if lines.skipped:  # the head itself: what follows is none
            return
        if wrong := _head_problem(head):
            yield Fault(self.name, 1, "", *wrong)
            return
        reader = csv.reader(
            lines,
            delimiter=delimiter,
            strict=not self.published_in,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
        )
        whole = 0
        while True:
            start = reader.line_num + before + 1
            try:
                cells = _next(reader)
            except csv.Error as error:
                yield Fault(self.name, start, "", *_broken(str(error), whole))
                return
            if cells is None:
                return
            if len(cells) == len(head):
                whole += 1
                yield Row(
                    start,
                    {name: cell if cell else None for name, cell in zip(head, cells, strict=True) if name},
                )
            elif cells:
                yield self._ragged(start, len(cells), len(head), lines.ended)

    def _head(self, lines: _Lines) -> tuple[list[str], str, int]:
        """The names of the columns, what parts cells, and how many lines that takes."""
        first, before = next(lines), 1
        said = _SEPARATOR.fullmatch(first)
        if said is not None:
            first, before = next(lines), 2
        delimiter = said[1] if said else next((mark for mark in ",\t;" if mark in first), ",")
        return [name.strip() for name in next(csv.reader([first], delimiter=delimiter))], delimiter, before

    def _ragged(self, line: int, cells: int, columns: int, ended: bool) -> Fault:
        problem = f"has {cells} cells where the head has {columns}"
        if cells < columns and not ended:
            return Fault(
                self.name,
                line,
                "",
                f"{problem}, and no line break follows: the file looks cut off",
                "Write the file again",
            )
        return Fault(self.name, line, "", problem, "Quote cells that contain commas or line breaks")


_SEPARATOR = re.compile(r"sep=(\S|\t)\r?\n?", re.IGNORECASE)


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    """Read one row under our limit for a cell; the limit is the whole process's, so it is put back."""
    before = csv.field_size_limit(limits.LINE.most)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(before)


def _head_problem(head: list[str]) -> tuple[str, str] | None:
    if len(head) > limits.MAX_COLUMNS:
        return too_many(len(head), "columns")
    if not any(head):
        return "the head names no column", "Begin with a line of column names"
    if "" in head[1:]:
        return f"column {head.index('', 1) + 1} of the head has no name", "Name it, or delete the column"
    repeated = repeated_in(head)
    return (f"the head names {quoted(repeated)} twice", "Rename one of the columns") if repeated else None


def _broken(error: str, whole: int) -> tuple[str, str]:
    if "field larger" in error:
        return (
            f"has a cell of more than {limits.LINE}",
            f"Close an open quote, or use JSON Lines, {limits.LINE.remedy}",
        )
    if "unexpected end" in error:
        return (
            f"the file looks cut off: a quoted cell never ends; {whole} whole items precede it",
            "Write the file again, or close the quote",
        )
    return f"is not valid CSV: {error}", 'Write a double quote inside a quoted cell as ""'
