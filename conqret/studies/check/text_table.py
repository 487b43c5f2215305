"""A table of texts: any file, frame or list of dictionaries as columns of texts with the line of each row."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conqret.errors import DeclarationError, FaultsError, ItemsError
from conqret.io.cell_values import is_missing
from conqret.io.files import file_rows
from conqret.io.label_layouts.annotation_tools import SUBMITTED, TASK_ITEM, argilla_responses
from conqret.io.label_set import PROBABILITY
from conqret.io.rows import FaultList, Row, Rows, frame_kind, frame_rows, object_rows, only_split
from conqret.studies.check.checked_table import IN_MEMORY
from conqret.studies.check.tool_results import tool_records, tool_rows
from conqret.studies.check.tool_verdicts import ToolRows, opened
from conqret.studies.check.verdict_words import NAMES, named

LINES = (".csv", ".tsv", ".jsonl", ".ndjson")
"""Endings of files in which a row has a line; of others it has a number."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """Columns of texts of the same length; an empty text is a missing value.

    Attributes:
        source: the file, or "the rows".
        columns: the texts of each column by its name.
        lines: the line or number of each row in the source.
        unit: "line" or "row", which ``lines`` count.
        judges, humans: the columns of judges and annotators, where the result of a known tool says it.
        note: what was read of the result of a known tool.
        options: the options of the command line that the user gave for the table, with their values.
    """

    source: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    unit: str = "line"
    judges: tuple[str, ...] = ()
    humans: tuple[str, ...] = ()
    note: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.lines)

    def command(self, *options: str) -> str:
        """Return a command line that a user can copy: with the options for this table, and further ones."""
        return command_line("check", self.source, self.options, *options)

    def error(self, problem: str, *ways: Sequence[str], row: int | None = None) -> DeclarationError:
        """Return an error that ends with commands ready to be copied, one with each of several ``ways`` of options; the
        last word of a way may be a comment."""
        place = (
            "" if row is None else f":{self.lines[row]}" if self.unit == "line" else f", {self.place(row)}"
        )
        start = ": " if len(ways) == 1 else ":\n  " if ways else ""
        commands = "\n  ".join(map(self._commented, ways))
        return DeclarationError(f"{self.source}{place}: {problem}{start}{commands}")

    def _commented(self, way: Sequence[str]) -> str:
        comment = way[-1] if way[-1].startswith("# ") else ""
        return f"{self.command(*way[:-1])}  {comment}" if comment else self.command(*way)

    def rows(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the texts of some columns, row by row."""
        columns = [self.columns[name] for name in names]
        return list(zip(*columns, strict=True)) if columns else [()] * len(self)

    def place(self, row: int) -> str:
        """Return where row ``row`` (from 0) stands, such as "line 7"."""
        return f"{self.unit} {self.lines[row]}"


def command_line(command: str, source: str, options: Sequence[tuple[str, str]], *more: str) -> str:
    """Return the command line of ``command`` on a table with ``options`` and their values, and ``more``, which replace
    those of the same name."""
    kept = [part for pair in options if pair[0] not in more for part in pair]
    file = "FILE" if source == IN_MEMORY else source
    return shlex.join(["conqret", *command.split(), file, *kept, *more])


def read_text_table(source: Any) -> TextTable:
    """Read a file, a frame or a list of dictionaries as a table of texts.

    Objects in cells become columns with dots in their names. An object of lists, one with a list of objects, and one of
    objects by their ids is the table that it holds.

    Raises:
        DeclarationError: there is no such file, it has no rows, or it cannot be read.
    """
    in_file = isinstance(source, str | Path)
    if in_file and Path(source).is_file() and (result := tool_rows(Path(source))) is not None:
        return _of_tool(str(source), result)
    name, faults = str(source) if in_file else IN_MEMORY, FaultList()
    records: list[Mapping[str, object]] = []
    lines: list[int] = []
    for row in _rows_of(source):
        if not isinstance(row, Row):
            faults.add(row)
        elif not all(cell is None or cell == "" for cell in row.record.values()):
            records.append(row.record)
            lines.append(row.line)
    faults.raise_any(FaultsError)
    if len(records) == 1 and (table := _table_in(records[0])) is not None:
        records, lines = table, list(range(1, len(table) + 1))
    if not records:
        none = "there are no rows" if name == IN_MEMORY else f"{name} has no rows"
        raise DeclarationError(f"{none}: give a table with at least one row below the column names")
    if (result := tool_records(records, name)) is not None:
        return _of_tool(name, result)
    by_line = name.lower().removesuffix(".gz").endswith(LINES)
    return TextTable(name, _columns(annotated_rows(records)), lines, "line" if by_line else "row")


def _of_tool(name: str, result: ToolRows) -> TextTable:
    lines, columns = list(range(1, len(result.rows) + 1)), _columns(result.rows)
    return TextTable(name, columns, lines, "row", result.judges, result.humans, result.note)


def _rows_of(source: Any) -> Rows:
    source = only_split(source)
    kind = frame_kind(source)
    if kind is not None:
        return frame_rows(source, kind)
    if not isinstance(source, str | Path):
        return object_rows([source] if isinstance(source, Mapping) else source, IN_MEMORY)
    try:
        return file_rows(source)
    except ItemsError as error:
        raise FaultsError(error.faults) from None


def _table_in(record: Mapping[str, Any]) -> list[Mapping[str, object]] | None:
    """The rows in an object of lists of one length, in its only list of objects, in lists of cells below a list of
    names, or in objects by their ids; None if there are none."""
    values = list(record.values())
    names, cells = record.get("columns"), record.get("rows") or record.get("data")
    if isinstance(names, list) and isinstance(cells, list) and all(isinstance(row, list) for row in cells):
        return [dict(zip(names, row, strict=False)) for row in cells]
    if values and all(isinstance(value, list | tuple) for value in values):
        plain = not any(isinstance(cell, Mapping) for value in values for cell in value[:1])
        if plain and len({len(value) for value in values}) == 1:
            return [dict(zip(record, cells, strict=True)) for cells in zip(*values, strict=True)]
    lists = [value for value in values if isinstance(value, list) and value and isinstance(value[0], Mapping)]
    if len(lists) == 1 and all(isinstance(row, Mapping) for row in lists[0]):
        return lists[0]
    inner = [value for value in values if isinstance(value, Mapping)]
    if len(inner) == len(values) > len({name for row in inner for name in row}):
        return [{"id": name, **row} for name, row in record.items()]
    return _table_in(inner[0]) if not lists and len(inner) == 1 and len(values) == 1 else None


def annotated_rows(records: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, object]]:
    """Return the records of Label Studio and Argilla as rows with labels and predictions as fields; others as they
    stand. There must be at least one record, and the first decides. Canceled annotations and drafts are left out; the
    id of a form of ``conqret labels sample`` takes precedence over the task's own."""
    if {"data", "annotations"} <= records[0].keys():
        sides = (("human", "annotations"), ("judge", "predictions"))
        return [
            {"id": task["data"].get(TASK_ITEM, task.get("id")), **task["data"]}
            | {name: values for side, field in sides for name, values in _results(side, task.get(field))}
            for task in records
        ]
    if (
        any(name.endswith(".suggestion") for name in records[0])
        or {"responses", "suggestions"} <= records[0].keys()
    ):
        return list(map(_argilla_row, records))
    return records


def _results(side: str, given: Any) -> Iterator[tuple[str, list[object]]]:
    """Yield for each control of the page its field (``human_NAME`` or ``judge_NAME``, by ``side``) and the values that
    annotations or predictions of a task have. Canceled ones, and results that are no choice, rating or number, are left
    out."""
    values: dict[str, list[object]] = {}
    parts = [part for one in given or () if not one.get("was_cancelled") for part in one.get("result") or ()]
    for part in parts:
        if part.get("type") in ("choices", "rating", "number"):
            value = part["value"][part["type"]]
            text = value[0] if isinstance(value, list) and len(value) == 1 else value
            values.setdefault(f"{side}_{part.get('from_name')}", []).append(text)
    yield from values.items()


def _argilla_row(record: Mapping[str, Any]) -> dict[str, object]:
    row = {
        name: value for name, value in record.items() if not re.search(r"\.(responses|suggestion)\b", name)
    }
    row |= row.pop("fields", None) or {}
    metadata = row.get("metadata")
    if isinstance(metadata, Mapping) and PROBABILITY in metadata:
        row[PROBABILITY] = metadata[PROBABILITY]
    responses, suggestions = row.pop("responses", None), row.pop("suggestions", None) or {}
    suggestions |= {name[:-11]: value for name, value in record.items() if name.endswith(".suggestion")}
    for question, value in suggestions.items():
        row[f"{question}.judge"] = value.get("value") if isinstance(value, Mapping) else value
        row[f"{question}.human"] = []
    for response in argilla_responses({"responses": responses} if responses else record):
        if response.status in ("", SUBMITTED):
            row.setdefault(f"{response.question}.human", []).append(response.value)
    return row


def _columns(records: Sequence[Mapping[str, object]]) -> dict[str, Sequence[str]]:
    columns: dict[str, Sequence[str]] = {}
    for name in dict.fromkeys(name for record in records for name in record):
        columns |= _flat(str(name), [record.get(name) for record in records])
    return columns


def _flat(name: str, cells: list[Any]) -> dict[str, Sequence[str]]:
    """Return the texts of a column by name. Objects in cells, also as JSON in texts, become a column ``NAME.FIELD`` for
    each field, and short lists a column for each place from 1, again and again until no cell is an object."""
    if set(map(type, cells)) <= {str, type(None)}:
        texts = [cell.strip() if isinstance(cell, str) else "" for cell in cells]
        if not next(filter(None, texts), "").startswith(("{", "[")):
            return {name: texts}
        cells = [value if isinstance(value := opened(text), Mapping | list) else text for text in texts]
    if _are_short_lists([cell for cell in cells if cell]):
        cells = [dict(enumerate(map(_valued, cell or ()), start=1)) for cell in cells]
        if max(map(len, cells)) == 1:
            return _flat(name, [cell.get(1) for cell in cells])
    keys = dict.fromkeys(key for cell in cells if isinstance(cell, Mapping) for key in cell)
    if not keys:
        return {name: list(map(_text, cells))}
    flat: dict[str, Sequence[str]] = {}
    for key in keys:
        inner = [cell.get(key) if isinstance(cell, Mapping) else cell for cell in cells]
        flat |= _flat(f"{name}.{key}", inner)
    return flat


def _are_short_lists(cells: list[Any]) -> bool:
    """Whether cells may hold the labels of several annotators: lists of short texts, numbers or objects, not all the
    same."""
    if {type(cell) for cell in cells} != {list} or all(cell == cells[0] for cell in cells):
        return False
    parts = [part for cell in cells for part in cell]
    if max(map(len, cells)) > 10 or any(isinstance(part, list) for part in parts):
        return False
    return all(isinstance(part, Mapping) or len(str(part)) <= 40 for part in parts)


def _valued(part: Any) -> object:
    """The value of an object that has one label or score next to other fields; any other part as it stands."""
    name = named(part, NAMES["value"]) if isinstance(part, Mapping) else None
    return part if name is None else part[name]


def _text(cell: object) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return str(cell)
    if is_missing(cell):
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(float(cell))
    if isinstance(cell, list | tuple | dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return _text(cell.item()) if isinstance(cell, np.generic) else str(cell)
