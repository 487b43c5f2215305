"""Results of other tools as plain rows: which of their values are a judge's verdicts, and which are human labels."""

from __future__ import annotations

import csv
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.io.limits import LINE, UNPACKED, UTF8_MARK, whole_bytes, zip_member
from conqret.studies.check.tool_formats import (
    RECORD_READERS,
    Result,
    Verdict,
    inspect_log,
    is_human,
    object_reader,
    topic,
)

_LOOK = 2**18
"""How many bytes are looked at before a whole file is read."""
_MARKS = re.compile(
    rb'"(?:evalId|gradingResult|testCases|testRunData|test_results|eval_id|assessments|feedback_scores|annotator_kind'
    rb"|feedback_source|dataType|data_type|user_input|metric_input|columns|feedback\.[^\"]+|[^\"]+/(?:value|score))\""
)
"""Fields of which a tool's JSON has at least one."""
_CORRUPT = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError)
"""What reading a zip archive that is cut off or corrupt raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRows:
    """The result file of another tool, as rows.

    Attributes:
        tool: the name of the tool.
        rows: one row for each judged output: ``id``, ``input``, ``output``, ``reason``, ``system`` or ``run`` where
            there are several, what else the tool knows of it, a column for each judge, and ``human`` or one column for
            each annotator. A verdict that the judge did not give begins with ``ERROR``.
        judges: the columns that hold a judge's verdicts.
        humans: the columns that hold human labels; empty if the file has none.
        note: one line that says what was read.
    """

    tool: str
    rows: list[dict[str, object]]
    judges: tuple[str, ...]
    humans: tuple[str, ...]
    note: str


def tool_rows(path: Path) -> ToolRows | None:
    """Read the result file of a known tool; None for any other file.

    The beginning of the file decides: of another file no more than that is read.

    Raises:
        DeclarationError: the file is larger than a limit, cannot be unpacked, or lacks the judge's verdicts.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_LOOK)
    start = head.removeprefix(UTF8_MARK).lstrip()
    if start.startswith(b"PK\x03\x04"):
        result = inspect_log(_samples(path)) if path.suffix.lower() == ".eval" else None
    elif start.startswith((b"{", b"[")):
        result = _of_json(_json(path), path) if _MARKS.search(head) else None
    else:
        result = _of_csv(path, start.decode("utf-8", "replace"))
    return _table(result, path) if result and result.verdicts else None


def _samples(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the samples in a log of inspect_ai in its zip format, in their order there."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.startswith("samples/")]
            if sum(entry.file_size for entry in entries) > UNPACKED.most:
                raise DeclarationError(
                    f"{path} unpacks to more than {UNPACKED}: split the log, {UNPACKED.remedy}"
                )
            for entry in entries:
                yield json.loads(zip_member(archive, entry))
    except _CORRUPT as error:
        raise DeclarationError(
            f"{path} cannot be unpacked ({error}): write it as JSON with inspect log convert --to json, "
            f"or raise the limit of one sample: {LINE.remedy.removeprefix('or raise the limit: ')}"
        ) from error


def _json(path: Path) -> object:
    """Return the content of a JSON file, or the list of records in a JSONL file; None if it is neither."""
    text = whole_bytes(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _of_json(content: object, path: Path) -> Result | None:
    if isinstance(content, dict):
        reader = object_reader(content)
        if reader is not None:
            return reader(content)
        content = _records_in(content)
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        return None
    fields = {name for record in content[:50] for name in record}
    found = _reader_of(fields)
    return found(content) if found else None


def _records_in(content: dict[str, Any]) -> object:
    """Return the list of records in an object: a page of an API, a table as pandas or MLflow write it, one trace."""
    if {"columns", "data"} <= content.keys():
        return [dict(zip(content["columns"], cells, strict=False)) for cells in content["data"]]
    for name in ("data", "traces", "items", "annotations", "feedback", "content"):
        if isinstance(content.get(name), list):
            return content[name]
    columns = list(content.values())
    if columns and all(isinstance(column, dict) and column.keys() == columns[0].keys() for column in columns):
        return [{name: content[name][key] for name in content} for key in columns[0]]
    return [content]


def _of_csv(path: Path, start: str) -> Result | None:
    line = start.partition("\n")[0]
    delimiter = max(",;\t", key=line.count)
    header = next(csv.reader([line.rstrip("\r")], delimiter=delimiter), [])
    reader = _reader_of(set(header))
    if reader is None:
        return None
    text = whole_bytes(path).decode("utf-8-sig", "replace")
    csv.field_size_limit(LINE.most)
    lines = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    names = [
        f"{name}#{header[:place].count(name)}" if name in header[:place] else name
        for place, name in enumerate(header)
    ]
    next(lines)
    return reader([dict(zip(names, cells, strict=False)) for cells in lines if cells])


def _reader_of(fields: set[str]) -> Callable[[list[dict[str, Any]]], Result] | None:
    for known, reader in RECORD_READERS:
        if known(fields):
            return reader
    return None


def _table(result: Result, path: Path) -> ToolRows:
    """Turn the verdicts of a result into rows: which judges answer the question that the labels answer, and who labeled."""
    verdicts = [*result.verdicts, *_labels_in_fields(result)]
    kind = "judge" if any(verdict.side == "judge" for verdict in verdicts) else "code"
    judged = [verdict for verdict in verdicts if verdict.side == kind]
    labels = [verdict for verdict in verdicts if verdict.side == "human"]
    if not judged:
        raise DeclarationError(
            f"{path}: this export of {result.tool} has human labels and no verdict of a judge"
        )
    names = list(dict.fromkeys(verdict.name for verdict in judged))
    counts = Counter(topic(verdict.name) for verdict in labels)
    shared = [name for name in counts if any(topic(judge) == name for judge in names)]
    subject = max(shared or counts or [""], key=counts.__getitem__)
    judges = [name for name in names if not shared or topic(name) == subject]
    chosen = {verdict.unit for verdict in judged if verdict.name in judges}
    taken = {name: name if name not in _FIXED else f"judge_{name}" for name in names}
    rows: dict[str, dict[str, object]] = {}
    for unit, fields in result.units.items():
        if unit in chosen:
            rows[unit] = {"id": unit, **fields, "reason": "", **dict.fromkeys(taken.values())}
    for verdict in judged:
        if row := rows.get(verdict.unit):
            row[taken[verdict.name]] = verdict.value
            if verdict.name == judges[0]:
                row["reason"] = verdict.reason
    humans = _put_labels(rows, [verdict for verdict in labels if topic(verdict.name) == subject], "human")
    others = [name for name in counts if name != subject]
    for other in others:
        _put_labels(rows, [verdict for verdict in labels if topic(verdict.name) == other], f"human_{other}")
    columns = tuple(taken[name] for name in judges)
    return ToolRows(
        tool=result.tool,
        rows=list(rows.values()),
        judges=columns,
        humans=humans,
        note=_note(result, list(rows.values()), columns, humans, [f"human_{other}" for other in others]),
    )


_FIXED = {"id", "input", "output", "reason", "system", "run", "human"}
"""Columns that no judge's column may replace."""


def _labels_in_fields(result: Result) -> Iterator[Verdict]:
    """Yield human labels that the user keeps beside the texts, in metadata, where the tool itself has none."""
    if any(verdict.side == "human" for verdict in result.verdicts):
        return
    for unit, fields in result.units.items():
        for name in [name for name in fields if name not in _FIXED and is_human(name)]:
            value = fields.pop(name)
            if value not in (None, ""):
                yield Verdict(unit, "human", "", value, name)


def _put_labels(rows: dict[str, dict[str, object]], labels: list[Verdict], column: str) -> tuple[str, ...]:
    """Put labels into rows and return their columns: one, or one for each annotator if annotators overlap."""
    by_unit: dict[str, dict[str, object]] = {}
    for label in labels:
        by_unit.setdefault(label.unit, {})[label.author] = label.value
    several = any(len(values) > 1 for values in by_unit.values())
    columns = {
        author: f"{column}_{author}" if several else column for label in labels for author in [label.author]
    }
    for unit, row in rows.items():
        row.update(dict.fromkeys(columns.values()))
        row.update({columns[author]: value for author, value in by_unit.get(unit, {}).items()})
    return tuple(dict.fromkeys(columns.values()))


def _note(
    result: Result,
    rows: list[dict[str, object]],
    judges: tuple[str, ...],
    humans: tuple[str, ...],
    others: list[str],
) -> str:
    labeled = sum(any(row[column] is not None for column in humans) for row in rows)
    verb = "is the judge" if len(judges) == 1 else "are the judges"
    labels = (
        f"{result.labels} are the labels ({labeled} of {len(rows)})"
        if humans
        else f"no {result.labels} in it"
    )
    note = f"{result.tool} results: {len(rows)} {result.units_are}, {', '.join(judges)} {verb}, {labels}"
    if others:
        note += f"; also labeled: --human {', --human '.join(others)} with --judge"
    return f"{note}; {result.warning}" if result.warning else note
