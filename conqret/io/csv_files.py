"""Read CSV as spreadsheets and frames save it: other separators, an index without a name, quotation marks
that are part of a text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from conqret.errors import Fault
from conqret.io import limits
from conqret.io.limits import byte_lines, decoded
from conqret.io.rows import Row, Rows, quoted, repeated_in


def csv_rows(path: Path, name: str, published_in: str = "", quoted: bool = True) -> Rows:
    """Return the rows of a CSV file with a header; an empty cell is None, and a row's line is where it
    starts.

    Cells are separated by commas, or by tabs or semicolons if the header has these and no comma. A first
    line ``sep=;``, as Excel writes it, sets the separator. A first column without a name is a data frame's
    index and is dropped. ``published_in`` is the encoding of a corpus that is not UTF-8; quotation marks
    inside its cells are kept. If ``quoted`` is false, quotation marks are always part of the text.
    """

    try:
        head = _head(_texts(path, name, published_in, []))[0]
    except (csv.Error, StopIteration):  # iterating reports it
        head = []
    columns = None if _head_problem(head) else tuple(filter(None, head))
    records = partial(_csv_records, path, name, published_in=published_in, quoted=quoted)
    return Rows(name, records, columns, path.parent)


def _texts(path: Path, name: str, published_in: str, faults: list[Fault]) -> Iterator[str]:
    """Yield the lines of a file with their ends, as :mod:`csv` expects them. Faults of lines go into ``faults``: a line
    that cannot be read is left out, one that is not UTF-8 comes with replacement characters. With ``published_in``,
    such lines are decoded by that encoding without a fault."""
    for line in byte_lines(path, name):
        if isinstance(line, Fault):
            faults.append(line)
            continue
        text = decoded(line, name)
        if isinstance(text, Fault):
            if not published_in:
                faults.append(text)
            text = line.data.decode(published_in or "utf-8", "replace")
        yield text


def _csv_records(path: Path, name: str, *, published_in: str, quoted: bool) -> Iterator[Row | Fault]:
    faults: list[Fault] = []
    for row in _cells(_texts(path, name, published_in, faults), name, not published_in, quoted):
        yield from faults
        faults.clear()
        yield row
    yield from faults


def _cells(lines: Iterator[str], name: str, strict: bool, quoted: bool) -> Iterator[Row | Fault]:
    try:
        head, delimiter, before = _head(lines)
    except StopIteration:
        return
    except csv.Error as error:
        yield Fault(name, 1, "", f"the head is not valid CSV: {error}", "End lines with \\n or \\r\\n")
        return
    if wrong := _head_problem(head):
        yield Fault(name, 1, "", *wrong)
        return
    csv.field_size_limit(limits.LINE.most)  # of the whole process
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, strict=strict, quoting=quoting)
    whole, start = 0, before + 1
    nameless = [place for place, name in enumerate(head) if place and not name]
    try:
        for cells in reader:
            if len(cells) == len(head) and any(cells[place] for place in nameless):
                place = next(place for place in nameless if cells[place])
                problem = f"column {place + 1} of the head has no name, and here it has a cell"
                yield Fault(name, start, "", problem, "Name it, or delete the column")
                return
            if len(cells) == len(head):
                whole += 1
                yield Row(start, {name: cell or None for name, cell in zip(head, cells, strict=True) if name})
            elif cells:
                problem = f"has {len(cells)} cells where the head has {len(head)}"
                remedy = "Quote cells that contain commas or line breaks"
                if len(cells) < len(head):
                    remedy += "; where the file ends here it looks cut off: write it again"
                yield Fault(name, start, "", problem, remedy)
            start = reader.line_num + before + 1
    except csv.Error as error:
        yield Fault(name, start, "", *_broken(str(error), whole))


def _head(lines: Iterator[str]) -> tuple[list[str], str, int]:
    """Read the head: return the names of the columns, the delimiter (as a first line ``sep=;`` declares it, else
    guessed), and the number of lines that were read.

    Raises:
        StopIteration: the file has no line.
    """
    first, before = next(lines), 1
    declared = _SEPARATOR.fullmatch(first)
    if declared is not None:
        first, before = next(lines), 2
    delimiter = (
        declared[1] if declared else max(",\t;", key=lambda mark: len(re.findall(f"{mark}(?! )", first)))
    )
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter))], delimiter, before


_SEPARATOR = re.compile(r"sep=(\S|\t)\r?\n?", re.IGNORECASE)


def _head_problem(head: list[str]) -> tuple[str, str] | None:
    if not any(head):
        return "the head names no column", "Begin with a line of column names"
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
