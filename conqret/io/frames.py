"""Frames in and frames out: polars, pandas and pyarrow, of which none is imported unless it is in use."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from conqret._optional import require
from conqret.errors import DeclarationError, Fault
from conqret.io.rows import Row, Rows, quoted, repeated_in

FrameKind = Literal["polars", "pandas", "pyarrow"]
SLICE = 64
"""Rows of a frame that become Python objects at a time."""
_FRAMES: Mapping[tuple[str, str], FrameKind] = {
    ("polars", "DataFrame"): "polars",
    ("pandas", "DataFrame"): "pandas",
    ("pyarrow", "Table"): "pyarrow",
}


def frame_kind(value: object) -> FrameKind | None:
    """Return which library's frame ``value`` is, or ``None`` if it is no frame.

    Raises:
        DeclarationError: it is a lazy frame or a single column.
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
    """The dataset of a ``DatasetDict`` of the library datasets that has one split, as ``load_dataset`` gives it; what
    is no such dictionary, as it is.

    Raises:
        DeclarationError: it has several splits.
    """
    if type(value).__module__.split(".")[0] != "datasets" or not isinstance(value, Mapping):
        return value
    if len(value) != 1:
        splits = ", ".join(map(repr, value)) or "none"
        raise DeclarationError(
            f"a {type(value).__name__} has several splits ({splits}): give one of them, such as datasets['test']"
        )
    return next(iter(value.values()))


@dataclass(frozen=True, slots=True)
class FrameRows:
    """The rows of a frame; the first is line 1."""

    frame: Any
    kind: FrameKind

    @property
    def name(self) -> str:
        """How messages call the input."""
        return f"{self.kind} {'table' if self.kind == 'pyarrow' else 'frame'}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, as texts."""
        names = self.frame.column_names if self.kind == "pyarrow" else self.frame.columns
        return tuple(str(name) for name in names)

    def __iter__(self) -> Iterator[Row | Fault]:
        names = self.columns
        if len(set(names)) < len(names):
            repeated = repeated_in(names)
            yield Fault(
                self.name, 0, quoted(repeated)[1:-1], "is the name of two columns", "Rename one of them"
            )
            return
        records = (record for start in range(0, len(self.frame), SLICE) for record in self._slice(start))
        for line, record in enumerate(records, start=1):
            yield Row(line, {str(key): value for key, value in record.items()})

    def _slice(self, start: int) -> list[dict[str, object]]:
        if self.kind == "pandas":
            records = self.frame.iloc[start : start + SLICE].to_dict("records")
        else:
            piece = self.frame.slice(start, SLICE)
            records = piece.to_dicts() if self.kind == "polars" else piece.to_pylist()
        return cast("list[dict[str, object]]", records)


def with_columns(rows: Rows, places: Sequence[int | None], records: Sequence[Mapping[str, object]]) -> Any:
    """The frame that ``rows`` were read from, with the fields of ``records`` as further columns.

    ``places`` says for each row which record is its own, if any. A name that a column has already gets ``judge_``
    before it; a pandas frame keeps its index.
    """
    if not isinstance(rows, FrameRows):
        raise DeclarationError(f"{rows.name} is not a frame")
    names = dict.fromkeys(key for record in records for key in record)
    columns = {
        f"judge_{name}" if name in rows.columns else name: [
            None if place is None else records[place].get(name) for place in places
        ]
        for name in names
    }
    if rows.kind == "pandas":
        return rows.frame.assign(**columns)
    if rows.kind == "polars":
        return rows.frame.hstack(to_frame_of(columns, "polars"))
    table = rows.frame
    for name, values in columns.items():
        table = table.append_column(name, [values])
    return table


def to_frame(records: Sequence[Mapping[str, object]], kind: FrameKind) -> Any:
    """Return records as a frame of the library that the input came from.

    Columns are those of all records, in the order of first occurrence; what a record lacks is null.
    """
    names = list(dict.fromkeys(key for record in records for key in record))
    return to_frame_of({name: [record.get(name) for record in records] for name in names}, kind)


def to_frame_of(table: Mapping[str, Sequence[object]], kind: FrameKind) -> Any:
    """Columns as a frame."""
    if kind == "polars":
        import polars

        return polars.DataFrame(dict(table), strict=False)
    if kind == "pandas":
        return require("pandas", extra="pandas").DataFrame(table)
    import pyarrow

    return pyarrow.table(table)
