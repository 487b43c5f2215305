"""Rows: the records of any kind of input, in order, and as often as needed; the list of their faults; and
phrases for messages.
"""

from __future__ import annotations

import difflib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import Any, Literal

from conqret._optional import require
from conqret.data.item import Item
from conqret.errors import DeclarationError, Fault, FaultsError, ItemsError, by_kind

MAX_KEPT = 1000
"""The most faults that stay in memory (and in ``ItemsError.faults``); others are counted."""

MAX_NAME = 100
"""The most characters of a name that may be a misspelling of a known one."""


class InvalidCell(ValueError):  # noqa: N818 - it ends as a fault of its column, never as an error
    """Raised when a value is invalid, with the problem and the remedy.

    It also has the position in the row, if that is not the value that was checked.
    """

    def __init__(self, problem: str, remedy: str, where: str = "") -> None:
        super().__init__(problem)
        self.problem, self.remedy, self.where = problem, remedy, where


@dataclass(slots=True)
class FaultList:
    """Faults in file order. All are counted, but only the first :data:`MAX_KEPT` are stored.

    ``kinds`` counts the faults of each kind, for at most as many kinds.
    """

    kept: list[Fault] = field(default_factory=list)
    total: int = 0
    kinds: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, fault: Fault) -> None:
        """Count a fault, and store it if fewer than :data:`MAX_KEPT` are stored."""
        self.total += 1
        if len(self.kept) < MAX_KEPT:
            self.kept.append(fault)
        if len(self.kinds) < MAX_KEPT or fault.kind in self.kinds:
            self.kinds[fault.kind] += 1

    def lines(self) -> list[str]:
        """Return one line of text for each kind of fault."""
        return [line for _, line in by_kind(self.kept, self.kinds)]

    def raise_any(self, error: type[FaultsError] = ItemsError) -> None:
        """Raise all faults together, if there are any.

        Raises:
            FaultsError: of the class ``error``, with the faults.
        """
        if self.total:
            raise error(self.kept, self.total, self.kinds)


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` is probably a misspelling of, or None.

    A name that only extends a known one (``argument_id``) is no misspelling.
    """
    if len(name) > MAX_NAME:
        return None
    candidates = [candidate for candidate in known if not name.startswith(candidate + "_")]
    matches = difflib.get_close_matches(name.lower(), candidates, n=1, cutoff=0.83)
    return matches[0] if matches and matches[0] != name else None


def listed(names: Iterable[object], most: int) -> str:
    """Return the first ``most`` names in quotes, followed by the number of further ones."""
    every = list(names)
    shown = ", ".join(quoted(name, 30) for name in every[:most])
    return f"{shown} and {len(every) - most} more" if len(every) > most else shown


def repeated_in(names: Iterable[str]) -> str | None:
    """Return the first name that occurs a second time, or None."""
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def quoted(value: object, limit: int = 60) -> str:
    """Return ``value`` in quotes, shortened to ``limit`` characters and escaped for a terminal.

    For a list or an object only its type is returned, since it can be large.
    """
    if isinstance(value, list | tuple | Mapping):
        return kind(value)
    text = value if isinstance(value, str) else str(value)
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"'{short}'" if short.isprintable() else ascii(short)


def kind(value: object) -> str:
    """Describe the type of a value in JSON terms, such as "a list" or "a number"."""
    return next((word for types, word in _KINDS if isinstance(value, types)), f"a {type(value).__name__}")


_KINDS = (
    (NoneType, "null"),
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "a text"),
    (Mapping, "an object"),
    ((list, tuple), "a list"),
)


SAMPLE = 50
"""The records whose fields are the columns where a file has no header."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record with the line it starts on, or its number in arrays, Parquet files and frames.

    ``file`` is the name of the file that holds it, if that differs from the input's name.
    """

    line: int
    record: Mapping[str, object]
    file: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """An input that can be read repeatedly; a record that cannot be read is yielded as a fault.

    Attributes:
        name: the name of the input in messages: its path as given, or "polars frame".
        records: a function that starts reading.
        columns: the column names; None if each record has its own.
        folder: the folder that files named in rows must lie in; None if rows may not name files.
        files: the number of files that hold the records.
        frame: the frame that holds them, or None.
    """

    name: str
    records: Callable[[], Iterable[Row | Fault]]
    columns: tuple[str, ...] | None = None
    folder: Path | None = None
    files: int = 1
    frame: Any = None

    def __iter__(self) -> Iterator[Row | Fault]:
        return iter(self.records())


def object_rows(objects: Iterable[object], name: str = "items") -> Rows:
    """Return items and dictionaries in memory as rows; ``name`` is the input's name in messages."""
    return Rows(name, partial(_of_objects, objects, name))


def _of_objects(objects: Iterable[object], name: str) -> Iterator[Row | Fault]:
    for number, value in enumerate(objects, start=1):
        if isinstance(value, Item):
            yield Row(number, item_record(value))
        elif isinstance(value, Mapping):
            yield Row(number, value)
        else:
            yield Fault(name, number, "", f"is {kind(value)}", "Give conqret.Item objects or dictionaries")


FrameKind = Literal["polars", "pandas", "pyarrow"]
SLICE = 64
"""Rows of a frame that are converted to Python objects at a time."""
_FRAMES: Mapping[tuple[str, str], FrameKind] = {
    ("polars", "DataFrame"): "polars",
    ("pandas", "DataFrame"): "pandas",
    ("pyarrow", "Table"): "pyarrow",
}


def frame_kind(value: object) -> FrameKind | None:
    """Return the library of a frame ("polars", "pandas" or "pyarrow"), or None if ``value`` is not a
    frame.

    Raises:
        DeclarationError: the value is a lazy frame or a single column.
    """
    module, name = type(value).__module__.split(".")[0], type(value).__name__
    if module not in ("polars", "pandas", "pyarrow") or module not in sys.modules:
        return None
    if module == "polars" and name == "LazyFrame":
        raise DeclarationError("a polars LazyFrame has no rows yet: call .collect() on it first")
    if name == "Series":
        raise DeclarationError(f"a {module} Series is one column: give the whole frame")
    return _FRAMES.get((module, name))


def only_split(value: Any) -> Any:
    """Return the only split of a Hugging Face ``DatasetDict``; return any other value unchanged.

    Raises:
        DeclarationError: the dictionary has several splits.
    """
    if type(value).__module__.split(".")[0] != "datasets" or not isinstance(value, Mapping):
        return value
    if len(value) != 1:
        splits = ", ".join(map(repr, value)) or "none"
        raise DeclarationError(f"a {type(value).__name__} has several splits ({splits}): give one of them")
    return next(iter(value.values()))


def frame_rows(frame: Any, kind: FrameKind) -> Rows:
    """Return the rows of a frame; the first is line 1."""
    names = frame.column_names if kind == "pyarrow" else frame.columns
    name, columns = f"{kind} {'table' if kind == 'pyarrow' else 'frame'}", tuple(map(str, names))
    return Rows(name, partial(_of_a_frame, frame, kind, name, columns), columns, frame=frame)


def _of_a_frame(frame: Any, kind: FrameKind, name: str, columns: tuple[str, ...]) -> Iterator[Row | Fault]:
    repeated = repeated_in(columns)
    if repeated is not None:
        yield Fault(name, 0, quoted(repeated)[1:-1], "is the name of two columns", "Rename one of them")
        return
    for start in range(0, len(frame), SLICE):
        if kind == "pandas":
            records = frame.iloc[start : start + SLICE].to_dict("records")
        else:
            piece = frame.slice(start, SLICE)
            records = piece.to_dicts() if kind == "polars" else piece.to_pylist()
        for line, record in enumerate(records, start=start + 1):
            yield Row(line, {str(key): value for key, value in record.items()})


def mapped(
    rows: Iterable[Row | Fault], change: Callable[[Row], Iterable[Row | Fault]]
) -> Iterator[Row | Fault]:
    """Apply ``change`` to each row and yield the rows that it returns; faults are passed on unchanged."""
    for row in rows:
        yield from change(row) if isinstance(row, Row) else (row,)


def columns_of(rows: Rows) -> tuple[str, ...]:
    """Return the column names: those in the header, or the fields of the first :data:`SAMPLE` records."""
    if rows.columns is not None:
        return rows.columns
    names: dict[str, None] = {}
    for row in islice(rows, SAMPLE):
        if isinstance(row, Row):
            names |= dict.fromkeys(map(str, row.record))
    return tuple(names)


def readable_columns(rows: Rows, error: type[FaultsError] = ItemsError) -> tuple[str, ...]:
    """Return the column names as :func:`columns_of` does.

    Raises:
        FaultsError: of the class ``error``, if none of the first rows can be read.
    """
    columns = columns_of(rows)
    faults = () if columns else [row for row in islice(rows, SAMPLE) if isinstance(row, Fault)]
    if faults:
        raise error(faults)
    return columns


def item_record(item: Item) -> dict[str, object]:
    """Return an item as a dictionary in conqret's own layout, as a line of a JSONL file holds it.

    Turns, images, nuggets and language are included only if the item has them.
    """
    documents = []
    for document in item.documents:  # five times as fast as what pydantic makes of it
        held = {"id": document.id, "text": document.text, "title": document.title, "url": document.url}
        documents.append({**held, "image": document.image} if document.image else held)
    record: dict[str, object] = {
        "id": item.id,
        "topic": item.topic,
        "stance": item.stance,
        "documents": documents,
        "argument": item.argument,
        "second_argument": item.second_argument,
        "reference": item.reference,
    }
    if item.messages:
        record["messages"] = [turn.model_dump(exclude_defaults=True) for turn in item.messages]
    if item.images:
        record["images"] = list(item.images)
    record["metadata"] = dict(item.metadata)
    if item.language:
        record["language"] = item.language
    if item.nuggets:
        record["nuggets"] = [nugget.model_dump(exclude_none=True) for nugget in item.nuggets]
    return record


def with_columns(rows: Rows, places: Sequence[int | None], records: Sequence[Mapping[str, object]]) -> Any:
    """Return a new frame: the one that ``rows`` came from, with the fields of ``records`` as additional
    columns.

    ``places`` gives for each row the index of its record, or None. A name that is already a column gets the
    prefix ``judge_``; a pandas frame keeps its index.

    Raises:
        DeclarationError: the rows do not come from a frame.
    """
    kind = frame_kind(rows.frame)
    if kind is None:
        raise DeclarationError(f"{rows.name} is not a frame")
    names = dict.fromkeys(key for record in records for key in record)
    columns = {
        f"judge_{name}" if name in (rows.columns or ()) else name: [
            None if place is None else records[place].get(name) for place in places
        ]
        for name in names
    }
    if kind == "pandas":
        return rows.frame.assign(**columns)
    if kind == "polars":
        return rows.frame.hstack(to_frame_of(columns, "polars"))
    table = rows.frame
    for name, values in columns.items():
        table = table.append_column(name, [values])
    return table


def to_frame(records: Sequence[Mapping[str, object]], kind: FrameKind) -> Any:
    """Return records as a frame of the library ``kind``.

    The columns are the fields of all records in order of first occurrence; missing values are null.
    """
    names = list(dict.fromkeys(key for record in records for key in record))
    return to_frame_of({name: [record.get(name) for record in records] for name in names}, kind)


def to_frame_of(table: Mapping[str, Sequence[object]], kind: FrameKind) -> Any:
    """Return a mapping from column names to values as a frame of the library ``kind`` (with polars, columns of mixed
    types are converted).

    Raises:
        MissingDependencyError: pandas is not installed.
    """
    if kind == "polars":
        import polars

        return polars.DataFrame(dict(table), strict=False)
    if kind == "pandas":
        return require("pandas", extra="pandas").DataFrame(table)
    import pyarrow

    return pyarrow.table(table)
