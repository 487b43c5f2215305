"""Frames in and frames out: polars, pandas and pyarrow, of which none is imported unless it is in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError
from conqret.io.rows import FrameKind, FrameRows, Rows


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
