"""Tables of labels: one label a row, or a column for each annotator or dimension.

A form of ``conqret labels sample`` that came back is a wide table whose ids may carry the apostrophe of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conqret.errors import DeclarationError, UnknownNameError, check_known, number
from conqret.io.cell_values import as_text, is_missing
from conqret.io.checks import cell_text
from conqret.io.label_files import WIDE, LabelFile, LabelLayout, RawLabel, form_scales
from conqret.io.label_layouts.annotation_tools import answer_in_cell
from conqret.io.label_set import COLUMNS, FOR_ESTIMATION, INSTRUCTION, PROBABILITY, SCALE, LabelScale, Scales
from conqret.io.rows import Row, near
from conqret.io.safe_files import unguarded
from conqret.io.schema import Field, Schema, TableReader, table_schema
from conqret.text.words import dimension_name


def _label_text(value: object, where: str, reader: TableReader) -> str:
    return cell_text(answer_in_cell(value), where, reader)


LABEL_FIELDS = table_schema(
    item=Field(("item", "item_id", "id"), cell_text, needed="Name the item of the label"),
    dimension=Field(("dimension", "metric", "criterion"), cell_text, needed="Name what was labeled"),
    value=Field(("value", "label", "rating", "score"), _label_text),
    annotator=Field(
        tuple(
            "annotator annotator_id rater rater_id worker worker_id coder coder_id completed_by user_id".split()
        ),
        cell_text,
        needed="Name the annotator of the label",
    ),
    part=Field(("part", "document", "document_id", "docno"), cell_text, ""),
    topic=Field(("topic", "topic_id", "issue"), cell_text, ""),
    **{FOR_ESTIMATION: Field((FOR_ESTIMATION,), cell_text, "")},
    **{PROBABILITY: Field((PROBABILITY,), cell_text, "")},
)
"""The usual columns, in any case; the user names others."""
PROSE = frozenset(
    "argument text premise comment comments note notes explanation question stance url title reason sentence cluster "
    "split status index row".split()
)
"""Columns of a wide table that are no dimension; they are left out, and a remark says so."""
BOOKKEEPING = re.compile(
    r"(.*[_.])?(ids?|uu?id|guid|at|by|e?mail|(date|time|timestamp|duration|elapsed|seconds|minutes|ms)s?)"
    r"|(created|updated|submitted|started|finished|completed)(_.*)?"
    r"|(duration|email|ip|time_(taken|spent|on|to|in))(_.*)?|unnamed.*"
)
"""Names of columns that say which record it is, who made it and when, in small letters: left out like prose."""
NO_LABELS = (INSTRUCTION, SCALE)
"""Columns that say how to label; the scale is that of the annotation form, or in a long table of the row's
dimension.
"""
MARK = "@"
"""The character between dimension and annotator in the header of a wide table."""


def _table_labels(file: LabelFile) -> Iterator[RawLabel]:
    """Return the labels of a table, whose rows are single labels (long) or have a column for each dimension
    (wide).

    Raises:
        DeclarationError: the columns do not say what is what.
        UnknownNameError: the user names a field, a column or a dimension that does not exist.
    """
    named = {
        column: dimension_name(name)
        for name, column in file.mapping.items()
        if name not in LABEL_FIELDS.fields and not near(name, LABEL_FIELDS.fields)
    }
    fields = {name: column for name, column in file.mapping.items() if column not in named}
    schema = LABEL_FIELDS.with_columns(fields, "a label")
    check_known("column", file.columns, *file.mapping.values())
    schema = schema.among(file.columns)
    shown = ", ".join(file.columns)
    if "item" not in schema.fields:
        raise DeclarationError(f"{file.name} has no column for the item ({shown}): --columns item=COLUMN")
    held = {field.columns[0] for field in schema.fields.values()}
    rest = [column for column in file.columns if column in named or column not in held]
    namer = schema.fields["annotator"].columns if "annotator" in schema.fields else ()
    if namer and not _filled(file, namer):  # a column that names no annotator is none
        schema = replace(
            schema, fields={name: field for name, field in schema.fields.items() if name != "annotator"}
        )
    several = "dimension" not in schema.fields and len(file.dimensions) > 1
    if named or several or "value" not in schema.fields:
        asked = [column for column in rest if column not in NO_LABELS]
        return _wide(file, schema, _label_columns(file, schema, asked, named), rest, namer)
    if "dimension" not in schema.fields and not file.dimensions:
        raise DeclarationError(
            f"{file.name} has a column for the value and none for the dimension: name it with --dimension"
        )
    return _long(file, schema, rest)


def _long(file: LabelFile, schema: Schema, rest: Sequence[str]) -> Iterator[RawLabel]:
    file.title = "long table"
    _leave_out(file, [column for column in rest if column not in file.dimensions])
    reader = TableReader(file.table, schema, file.faults)
    scales: dict[str, dict[str, None]] = {}
    for row in reader.rows():
        if not _wanted(file, schema, row):
            continue
        values = reader.read(row.record, schema)
        if values is None:
            continue
        dimension = dimension_name(values.pop("dimension", None) or file.dimensions[0])
        scales.setdefault(dimension, {})[as_text(row.record.get(SCALE) or "")] = None
        yield RawLabel(reader.line, dimension=dimension, text=values.pop("value"), **values)
    label_scales: dict[str, LabelScale] = {}
    for dimension, texts in scales.items():
        if (stated := form_scales(texts)) is not None:
            label_scales[dimension] = stated.default
    file.scales = Scales(own=label_scales) if label_scales else None


def _wide(
    file: LabelFile, schema: Schema, chosen: Mapping[str, str], rest: Sequence[str], namer: Sequence[str]
) -> Iterator[RawLabel]:
    file.title = WIDE
    file.scales = form_scales(as_text(row.get(SCALE) or "") for row in _records(file))
    _leave_out(file, [column for column in rest if column not in chosen])
    fields = {name: field for name, field in schema.fields.items() if name not in ("dimension", "value")}
    schema = replace(schema, fields=fields)
    reader = TableReader(file.table, schema, file.faults)
    blank = 0
    for row in reader.rows():
        if namer and all(row.record.get(column) in (None, "") for column in (*namer, *chosen)):
            blank += 1
            continue
        values = reader.read(row.record, schema)
        if values is None:
            continue
        for column, dimension in chosen.items():
            person = column.partition(MARK)[2]
            cell = row.record.get(column)
            text = None if is_missing(cell) else answer_in_cell(cell)
            who = {"annotator": person.strip()} if person else {}
            yield RawLabel(row.line, dimension=dimension, text=text, **{**values, **who})
    if blank and blank == reader.number:
        raise DeclarationError(
            f"{file.name} is not filled in: write the annotator and a label into each of its {number(blank, 'row')} "
            f"({', '.join((*namer, *chosen))})"
        )
    if blank:
        file.notes.append(f"{number(blank, 'row')} of {reader.number} not filled in")


def _filled(file: LabelFile, columns: Sequence[str]) -> bool:
    """Whether any row has something in one of these columns."""
    cells = (cell for row in _records(file) for cell in map(row.get, columns))
    return any(not is_missing(cell) and as_text(cell).strip() for cell in cells)


def _records(file: LabelFile) -> Iterator[Mapping[str, object]]:
    """The rows of a table that can be read, without a word of the others."""
    return (row.record for row in file.table if isinstance(row, Row))


def _wanted(file: LabelFile, schema: Schema, row: Row) -> bool:
    """Whether a row of a long table is of a dimension that is to be read, or of none, which is a fault of its own."""
    if "dimension" not in schema.fields:
        return True
    cell = next(filter(None, map(row.record.get, schema.fields["dimension"].columns)), None)
    return is_missing(cell) or file.wants(dimension_name(as_text(cell)))


def _label_columns(
    file: LabelFile, schema: Schema, rest: Sequence[str], named: Mapping[str, str]
) -> dict[str, str]:
    """Return the columns of a wide table that hold labels, each with its dimension: as ``named`` by the user, else as
    in its own name before the mark of the annotator. Columns that are no dimension (comments and such) are left out.

    Raises:
        UnknownNameError: a wanted dimension has no column.
        DeclarationError: no column is left, or annotators are named both in a column and in the header.
    """
    dimensions = {column: named.get(column, dimension_name(column.partition(MARK)[0])) for column in rest}
    wanted = {dimension_name(dimension): dimension for dimension in file.dimensions or named.values()}
    for dimension, written in wanted.items():
        if dimension not in dimensions.values():
            raise UnknownNameError("label column", written, sorted(set(dimensions.values())))
    chosen = {
        column: dimension
        for column, dimension in dimensions.items()
        if (dimension in wanted if wanted else not _no_dimension(column))
    }
    if not chosen:
        raise DeclarationError(
            f"{file.name} has no column with labels ({', '.join(file.columns)}): name them with --dimension"
        )
    if "annotator" in schema.fields and any(MARK in column for column in chosen):
        raise DeclarationError(
            f"{file.name} names annotators both in a column and after {MARK} in the header: keep one of them"
        )
    return chosen


def _no_dimension(column: str) -> bool:
    """Whether the name of a column says that it is prose or bookkeeping, also as ``leadTime`` or ``Duration (s)``."""
    head = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", column.partition(MARK)[0])
    name = dimension_name(re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", head))
    return name in PROSE or BOOKKEEPING.fullmatch(name) is not None


def _leave_out(file: LabelFile, columns: Sequence[str]) -> None:
    columns = [column for column in columns if column not in NO_LABELS]
    if columns:
        file.notes.append(f"columns left out: {', '.join(columns)}")


LABEL_TABLE = LabelLayout(
    "table", "table", "a long or wide table", lambda file: True, _table_labels, order=100
)


def _is_sheet(file: LabelFile) -> bool:
    """Whether a table is a form of conqret labels sample; one of items without stances has no such column."""
    columns, wanted = ([name for name in names if name != "stance"] for names in (file.columns, COLUMNS))
    return columns[: len(wanted)] == wanted


def _sheet_labels(file: LabelFile) -> Iterator[RawLabel]:
    for cell in _table_labels(file):
        yield replace(cell, item=unguarded(cell.item), topic=unguarded(cell.topic))
    file.title = LABEL_FORM.title


LABEL_FORM = LabelLayout(
    "sheet",
    "sheet of conqret labels sample",
    "the CSV sheet of conqret labels sample, filled in",
    _is_sheet,
    _sheet_labels,
)


LAYOUTS = (LABEL_FORM, LABEL_TABLE)
