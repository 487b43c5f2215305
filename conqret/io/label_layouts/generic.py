"""Long and wide tables: CSV, TSV, JSON Lines and Parquet.

Long: a row for each label, with columns for item, dimension, value and, where there are several people, annotator.
Wide: a row for each item (or item and annotator), with a column for each dimension, or for each dimension and
person as ``clarity@anna``. Both may have columns for a part of the item (a document) and for the topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import DeclarationError, Fault, UnknownNameError
from conqret.io.cells import is_missing
from conqret.io.faults import quoted
from conqret.io.files import file_rows
from conqret.io.label_layouts.raw import RawLabel, RawLabels
from conqret.io.label_scale import dimension_name

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "id"),
    "dimension": ("dimension", "metric", "criterion"),
    "value": ("value", "label", "rating", "score"),
    "annotator": ("annotator", "annotator_id", "rater", "worker", "coder"),
    "part": ("part", "document", "document_id", "docno"),
    "topic": ("topic", "topic_id", "issue"),
}
"""What the columns may be called, in any case; others are named with ``columns``."""
PROSE = frozenset(
    "argument text premise comment comments note notes explanation question stance url title date time "
    "created_at timestamp reason sentence cluster split".split()
)
"""Columns of a wide table that are no dimension; they are left out, and a remark says so."""
MARK = "@"
"""Between dimension and person in the head of a wide table."""


@dataclass(frozen=True, slots=True)
class _Head:
    """Which column holds what; ``dimensions`` are the label columns of a wide table."""

    fields: Mapping[str, str]
    dimensions: tuple[str, ...]
    single: str = ""


def read_generic(
    path: Path, name: str, columns: tuple[str, ...], mapping: Mapping[str, str], dimensions: tuple[str, ...]
) -> RawLabels:
    """Read a long or wide table.

    ``mapping`` names columns by field; ``dimensions`` are the label columns of a wide table, or the one dimension
    of a long table that has no column for it.

    Raises:
        DeclarationError: the columns do not say what is what.
        UnknownNameError: a field of ``mapping``, or a column that it or ``dimensions`` name, does not exist.
    """
    fields = _fields(columns, mapping)
    if "item" not in fields:
        raise DeclarationError(
            f"{name} has no column for the item (columns: {', '.join(columns)}). Name it: --columns item=COLUMN"
        )
    rest = [column for column in columns if column not in fields.values()]
    if "value" in fields and ("dimension" in fields or len(dimensions) == 1):
        head = _Head(fields, (), "" if "dimension" in fields else dimension_name(dimensions[0]))
        left = tuple(column for column in rest if column not in dimensions)
        return RawLabels("long table", lambda: _long(path, name, head), notes=_left_out(left))
    if "value" in fields and not dimensions:
        raise DeclarationError(
            f"{name} has a column for the value ({fields['value']}) and none for the dimension: add one, or say "
            "which dimension it is with --dimension"
        )
    known = {dimension_name(column.partition(MARK)[0]) for column in rest}
    for dimension in dimensions:
        if dimension_name(dimension) not in known:
            raise UnknownNameError("label column", dimension, sorted(known))
    wanted = {dimension_name(dimension) for dimension in dimensions}
    chosen = tuple(
        column
        for column in rest
        if (dimension_name(column.partition(MARK)[0]) in wanted if wanted else column.casefold() not in PROSE)
    )
    if not chosen:
        raise DeclarationError(
            f"{name} has no column with labels (columns: {', '.join(columns)}): name them with --dimension, or give "
            "columns item, dimension, annotator and value"
        )
    if "annotator" in fields and any(MARK in column for column in chosen):
        raise DeclarationError(
            f"{name} names people both in {fields['annotator']!r} and behind {MARK} in the head"
        )
    left = tuple(column for column in rest if column not in chosen)
    return RawLabels("wide table", lambda: _wide(path, name, _Head(fields, chosen)), notes=_left_out(left))


def _fields(columns: tuple[str, ...], mapping: Mapping[str, str]) -> dict[str, str]:
    for field, column in mapping.items():
        if field not in COLUMNS:
            raise UnknownNameError("field of a label", field, COLUMNS)
        if column not in columns:
            raise UnknownNameError("column", column, columns)
    found = dict(mapping)
    for field, names in COLUMNS.items():
        if field in found:
            continue
        near = [column for name in names for column in columns if column.casefold().replace(" ", "_") == name]
        near = [column for column in near if column not in found.values()]
        if near:
            found[field] = near[0]
    return found


def _left_out(columns: tuple[str, ...]) -> tuple[str, ...]:
    return (f"columns left out: {', '.join(columns)}",) if columns else ()


def _long(path: Path, name: str, head: _Head) -> Iterator[RawLabel | Fault]:
    for row in file_rows(path):
        if isinstance(row, Fault):
            yield row
            continue
        cells = {field: _text(row.record.get(column)) for field, column in head.fields.items()}
        item, dimension = cells.get("item"), cells.get("dimension") or head.single
        if not item:
            yield Fault(name, row.line, head.fields["item"], "is missing", "Say which item the label is of")
        elif not dimension:
            yield Fault(name, row.line, head.fields["dimension"], "is missing", "Say what was labelled")
        elif "annotator" in head.fields and not cells["annotator"]:
            yield Fault(name, row.line, head.fields["annotator"], "is missing", "Say who gave the label")
        else:
            yield RawLabel(
                row.line, item, dimension_name(dimension), cells["value"], cells.get("annotator") or "",
                cells.get("part") or "", cells.get("topic") or "",
            )  # fmt: skip


def _wide(path: Path, name: str, head: _Head) -> Iterator[RawLabel | Fault]:
    for row in file_rows(path):
        if isinstance(row, Fault):
            yield row
            continue
        cells = {field: _text(row.record.get(column)) for field, column in head.fields.items()}
        item = cells.get("item")
        if not item:
            yield Fault(name, row.line, head.fields["item"], "is missing", "Say which item the labels are of")
            continue
        if "annotator" in head.fields and not cells["annotator"]:
            yield Fault(name, row.line, head.fields["annotator"], "is missing", "Say who gave the labels")
            continue
        for column in head.dimensions:
            dimension, _, person = column.partition(MARK)
            yield RawLabel(
                row.line, item, dimension_name(dimension), _text(row.record.get(column)),
                person.strip() or cells.get("annotator") or "", cells.get("part") or "", cells.get("topic") or "",
            )  # fmt: skip


def _text(value: object) -> str | None:
    """A cell as text: whole numbers without ``.0``, true and false in words; None where there is nothing."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return quoted(value)[1:-1] if isinstance(value, list | Mapping) else str(value)
