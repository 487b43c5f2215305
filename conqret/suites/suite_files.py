"""Read the files of a suite: rows by their published columns, with all faults at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io.checks import filled
from conqret.io.files import file_rows
from conqret.io.rows import InvalidCell, Rows, quoted
from conqret.io.schema import Check, Field, Schema, TableReader
from conqret.options import fault_text
from conqret.suites.suite import SuiteData

MOVED = "Fetch the file again; if its layout has changed, tell the maintainers"
"""The remedy where a published file lacks a column."""
_CONTROLS = dict.fromkeys([*range(0x09), *range(0x0E, 0x20), 0x7F])


def copy_of(folder: Path, name: str) -> Path | None:
    """Return the path of a file in a suite's folder, or of its compressed copy (``.gz``); None if neither
    exists.
    """
    return next(filter(Path.is_file, (folder / name, folder / f"{name}.gz")), None)


def suite_file(folder: Path, name: str) -> Path:
    """Return the path of a file in a suite's folder, or of its compressed copy (``.gz``).

    Raises:
        DeclarationError: neither exists.
    """
    place = copy_of(folder, name)
    if place is None:
        raise DeclarationError(f"{folder / name} is missing: fetch the suite, or put the file there")
    return place


def published(**columns: Field | tuple[str, Check]) -> Schema:
    """Build a schema of required columns: for each field the published column's name and its check."""
    fields = {
        name: column if isinstance(column, Field) else Field((column[0],), column[1], needed=MOVED)
        for name, column in columns.items()
    }
    return Schema(fields)


def published_rows(
    folder: Path,
    name: str,
    schema: Schema,
    rows: Callable[[Path, str], Rows] = file_rows,
    *,
    unique: Sequence[str] | str = (),
    check: Callable[[dict[str, Any]], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Read the rows of a suite's file by ``schema`` and return an iterator over them.

    Args:
        folder: the suite's folder.
        name: the file in it; a compressed copy is also accepted.
        schema: the columns of the published file.
        rows: the function that splits the file into rows, by default chosen by name and content.
        unique: the field or fields whose values (taken together) must not repeat.
        check: a check of each row; raises :class:`~conqret.io.rows.InvalidCell` for a faulty one.

    Raises:
        DeclarationError: the file is missing or empty.
        ItemsError: the file is corrupt or has faulty rows; all are listed with their lines.
    """
    path = suite_file(folder, name)
    fields = (unique,) if isinstance(unique, str) else tuple(unique)
    reader = TableReader(rows(path, str(path)), schema)
    kept = []
    for values in reader:
        if fields:
            whole = " ".join(str(values[field]) for field in fields)
            reader.once(fields[-1], whole, "Fetch the file again: no two rows are of one thing")
        if check is not None:
            reader.checked(lambda row, where, reader: check(row), values, name)
        kept.append(values)
    reader.finish(wanted="rows")
    return iter(kept)


def data_of_rows(rows: Iterable[Mapping[str, Any]], *metrics: str, **more: Any) -> SuiteData:
    """Build a suite's data from rows, one item per row.

    A row's keys are the fields of :class:`conqret.Item`, the metrics (gold labels; NaN for none), and
    optionally ``cluster`` and ``group``. ``more`` are other fields of the data.
    """
    items = []
    gold: dict[str, dict[str, float]] = {metric: {} for metric in metrics}
    clusters, groups = {}, {}
    for row in rows:
        item = Item(**{name: row[name] for name in Item.model_fields if name in row})
        items.append(item)
        for metric in metrics:
            if not math.isnan(row[metric]):
                gold[metric][item.id] = row[metric]
        if "cluster" in row:
            clusters[item.id] = row["cluster"]
        if "group" in row:
            groups[item.id] = row["group"]
    return SuiteData(tuple(items), gold, clusters, groups, **more)


def files_present(folder: Path, names: tuple[str, ...], what: str) -> list[str]:
    """Return those of the files ``names`` that exist in the folder, compressed or not.

    Raises:
        DeclarationError: none of them exists; the message says that the folder has no ``what``.
    """
    there = [name for name in names if is_there(folder, name)]
    if not there:
        raise DeclarationError(f"{folder} contains no {what}: fetch the suite, or put {names[0]} there")
    return there


def is_there(folder: Path, name: str) -> bool:
    """Return True if a file or its compressed copy exists in the suite's folder."""
    return copy_of(folder, name) is not None


def published_text(value: object, where: str, reader: TableReader) -> str:
    """Check that a value is a non-blank text, and return it without control characters.

    Removed control characters are noted, since the published file cannot be corrected.
    """
    if isinstance(value, str) and (without := value.translate(_CONTROLS)) != value:
        reader.note("control characters are left out of a text", where)
        value = without
    return filled(value, where, reader)


def typed(kind: Any) -> Check:
    """Return a check that a value has a type that pydantic validates, without converting texts; numbers are finite. The
    check raises ``InvalidCell`` for another value."""
    adapter = TypeAdapter[Any](kind, config=ConfigDict(strict=True, allow_inf_nan=False))

    def check(value: object, where: str, reader: TableReader) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise InvalidCell(f"cannot be used: {fault_text(first)} ({place})", MOVED) from None

    return check


def word(words: Mapping[str, float]) -> Callable[[object, str, TableReader], float]:
    """Return a check that a value is one of these words; the check returns the word's number, and raises
    ``InvalidCell`` for another value.
    """

    def check(value: object, where: str, reader: TableReader) -> float:
        if not isinstance(value, str) or value not in words:
            raise InvalidCell(f"is {quoted(value)}, but must be one of {', '.join(words)}", MOVED)
        return words[value]

    return check
