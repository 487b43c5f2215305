"""Which kind of file a path is, by its content first and its name second."""

from __future__ import annotations

import csv
import difflib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

from conqret.errors import Fault, ItemsError
from conqret.io import limits
from conqret.io.jsonl import json_rows, parse
from conqret.io.limits import LINE, UTF8_MARK, byte_lines, decoded, head_of
from conqret.io.rows import FileRows, Row, Rows, quoted, repeated_in


def csv_rows(path: Path, name: str, published_in: str = "", quoted: bool = True) -> FileRows:
    """The rows of a CSV file with a head. An empty cell is nothing; a row's line is the one it starts on.

    Cells are parted by commas; by tabs or semicolons where the head has these and no comma, or by what a line
    ``sep=;`` before the head says, as Excel writes it. A first column without a name is the index of a frame, and is
    left out. ``published_in`` is the encoding of a corpus that is not in UTF-8; quotes inside its cells are taken as
    they come. ``quoted`` is false where a file quotes no cell, so that a quotation mark belongs to the text even where
    a cell begins with one.
    """

    try:
        head = _head(_texts(path, name, published_in, []))[0]
    except (csv.Error, StopIteration):  # iterating reports it
        head = []
    columns = None if _head_problem(head) else tuple(filter(None, head))
    return FileRows(path, name, partial(_csv_records, published_in=published_in, quoted=quoted), columns)


def _texts(path: Path, name: str, published_in: str, faults: list[Fault]) -> Iterator[str]:
    """The lines of a file for :mod:`csv`, which wants their ends kept; faults are put aside."""
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
    try:
        for cells in reader:
            if len(cells) == len(head):
                whole += 1
                yield Row(start, {of: cell or None for of, cell in zip(head, cells, strict=True) if of})
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
    """The names of the columns, what parts cells, and how many lines that takes."""
    first, before = next(lines), 1
    said = _SEPARATOR.fullmatch(first)
    if said is not None:
        first, before = next(lines), 2
    delimiter = said[1] if said else next((mark for mark in ",\t;" if mark in first), ",")
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter))], delimiter, before


_SEPARATOR = re.compile(r"sep=(\S|\t)\r?\n?", re.IGNORECASE)


def _head_problem(head: list[str]) -> tuple[str, str] | None:
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


BATCH = 8
"""Rows that become Python objects at a time."""


def parquet_rows(path: Path, name: str) -> FileRows:
    """The rows of a Parquet file; the first is line 1. One row group is unpacked at a time."""
    import polars

    try:
        columns = tuple(polars.read_parquet_schema(path))
    except (Exception, polars.exceptions.PanicException):  # noqa: BLE001 - polars raises errors of many classes
        return FileRows(path, name, _of_row_groups)  # reading it reports the damage
    return FileRows(path, name, _of_row_groups, columns)


def _of_row_groups(path: Path, name: str) -> Iterator[Row | Fault]:
    import polars

    line = 0
    try:
        lazy = polars.scan_parquet(path, glob=False)
        for rows, unpacked in _row_groups(path):
            if unpacked > limits.LINE.most * rows:
                problem = f"its rows {line + 1} to {line + rows} unpack to more than {limits.LINE} each"
                yield Fault(name, line + 1, "", problem, f"Split the items, {limits.LINE.remedy}")
                return
            for batch in lazy.slice(line, rows).collect().iter_slices(BATCH):
                for record in batch.to_dicts():
                    line += 1
                    yield Row(line, record)
    except (Exception, polars.exceptions.PanicException) as error:  # noqa: BLE001 - likewise
        reason = " ".join(str(error).split())[:200]
        problem = f"is a corrupt Parquet file: {line} rows can be read before the reader says: {reason}"
        yield Fault(name, line, "", problem, "Write or fetch the file again")


_ROW_GROUPS, _UNPACKED_SIZE, _ROW_COUNT = 4, 2, 3
_DEEPEST = 20


def _row_groups(path: Path) -> list[tuple[int, int]]:
    """The rows of each row group, and the bytes that they take unpacked, as the footer has them.

    Source: the Parquet format's ``parquet.thrift``, and Thrift's compact protocol.

    Raises:
        ValueError: the footer is damaged.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - 8, 0))
        length, magic = struct.unpack("<I4s", file.read(8))
        if magic != b"PAR1" or length > min(size, limits.FILE.most):
            raise ValueError("it has no footer")
        file.seek(size - 8 - length)
        footer = file.read(length)
    try:
        groups = _Footer(footer).structure(0)[_ROW_GROUPS]
        return [(group[_ROW_COUNT], group[_UNPACKED_SIZE]) for group in groups]
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"its footer is corrupt ({error!r})") from None


class _Footer:
    """Reads values one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def structure(self, depth: int) -> dict[int, Any]:
        """The fields of a struct by their numbers."""
        if depth > _DEEPEST:
            raise ValueError("its footer is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while first := self._byte():
            number = number + (first >> 4) if first >> 4 else self._varint() >> 1
            kind = first & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            value = self._varint()
            return value >> 1 ^ -(value & 1)
        if kind in (7, 8):
            length = 8 if kind == 7 else self._varint()
            self._at += length
            return None
        if kind in (9, 10):
            first = self._byte()
            count = first >> 4 if first >> 4 < 15 else self._varint()
            if count > len(self._data):
                raise ValueError("its footer names more values than it has")
            return [self._value(first & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.structure(depth + 1)
        raise ValueError(f"its footer contains an unknown type ({kind})")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("its footer contains a number of more than 64 bits")


ACCEPTED = (
    "JSON Lines (.jsonl, also .gz), a small JSON list (.json), CSV (.csv, .tsv), Parquet (.parquet), logs of "
    "inspect_ai (.eval)"
)
"""The kinds of file that are read, in words."""
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
_OF_A_LOG = frozenset({"header.json", "_journal/start.json"})
"""Files in a log of inspect_ai, of which the first is there when it has ended."""


def file_rows(path: str | Path, name: str = "") -> Rows:
    """Return the records of a file; ``name`` is what messages call it, where that is not its path.

    Raises:
        ItemsError: it is missing, a directory, empty, not UTF-8, or of a kind that is not read.
    """
    name, file = name or str(path), Path(path)
    try:
        if not file.exists():
            raise _error(name, "does not exist", _look_alike(file))
        if file.is_dir():
            raise _error(name, "is a directory", "Name one file of items")
        if not file.is_file():
            raise _error(
                name,
                "is not a regular file (perhaps a pipe), and items are read twice",
                "Save the stream to a file first",
            )
        if file.stat().st_size == 0:
            raise _error(name, "is empty", "Give at least one item")
        head = head_of(file)
    except OSError as error:
        raise _error(name, f"cannot be read: {error.strerror or error}", "Check the permissions") from error
    return _by_content(file, name, head)


def _by_content(file: Path, name: str, head: bytes) -> Rows:
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if head.startswith(_PARQUET):
        return parquet_rows(file, name)
    if suffix in (".parquet", ".pq"):
        raise _error(
            name,
            "is not a Parquet file, or is corrupt: it does not begin with PAR1",
            "Write it again, or give it the extension of its real format",
        )
    if head.startswith(_ZIP):
        if is_inspect_log(file):
            return FileRows(file, name, _of_a_log)
        raise _error(
            name, "is an Excel workbook or a zip archive", f"Save it as CSV. Readable formats: {ACCEPTED}"
        )
    if b"\0\0" in head or b"\0" in head[:2]:
        raise _error(name, "is not UTF-8: it contains bytes of zeros", "Save it as UTF-8")
    start = head.removeprefix(UTF8_MARK).lstrip()
    if suffix in (".csv", ".tsv"):
        return csv_rows(file, name)
    if suffix in (".jsonl", ".ndjson", ".json") or start.startswith((b"{", b"[")):
        return json_rows(file, name)
    ending = f"has the unknown extension {suffix!r}" if suffix else "has no extension"
    raise _error(name, f"{ending}, and does not begin like JSON", f"Readable formats: {ACCEPTED}")


def _of_a_log(path: Path, name: str) -> Iterator[Row | Fault]:
    """The samples in a log of inspect_ai as it writes them (``.eval``): files of JSON in a zip archive, in their order
    there. A row's line is the number of its sample."""
    with zipfile.ZipFile(path) as archive:
        files = [file for file in archive.infolist() if file.filename.startswith("samples/")]
        for number, file in enumerate(files, start=1):
            try:
                with archive.open(file) as sample:
                    content = sample.read(LINE.most + 1)
                if len(content) > LINE.most:
                    problem = f"holds {file.filename}, which is longer than {LINE}"
                    yield Fault(name, number, "", problem, f"Shorten the sample, {LINE.remedy}")
                    continue
                record = parse(content)
            except (ValueError, RuntimeError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
                problem = f"holds {file.filename}, which cannot be read: {error}"
                yield Fault(name, number, "", problem, "Write it as JSON: inspect log convert --to json")
                continue
            if isinstance(record, dict):
                yield Row(number, record)
            else:
                problem = f"holds {file.filename}, which is no object"
                yield Fault(name, number, "", problem, "Write the log again")


def is_inspect_log(file: Path) -> bool:
    """Whether a zip archive is a log of inspect_ai."""
    try:
        with zipfile.ZipFile(file) as archive:
            return bool(_OF_A_LOG.intersection(archive.namelist()))
    except (OSError, zipfile.BadZipFile):
        return False


def _look_alike(file: Path) -> str:
    """Name a file beside the missing one that has nearly the same name."""
    try:
        names = [path.name for path in file.parent.iterdir()] if file.parent.is_dir() else []
    except OSError:
        names = []
    near = difflib.get_close_matches(file.name, names, n=1, cutoff=0.75)
    return f"Did you mean {str(file.with_name(near[0]))!r}" if near else "Check the path"


def _error(name: str, problem: str, remedy: str) -> ItemsError:
    return ItemsError([Fault(name, 0, "", problem, remedy)])
