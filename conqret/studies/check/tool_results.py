"""Results of other tools as plain rows: which of their values are a judge's verdicts, and which are human labels."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.limits import LINE, UNPACKED, UTF8_MARK, whole_bytes
from conqret.io.zip_files import BadZipFile, ZipFile, zip_member
from conqret.studies.check.eval_formats import (
    deepeval,
    inspect_log,
    promptfoo,
    promptfoo_csv,
    promptfoo_table,
    ragas,
    ragas_annotated,
)
from conqret.studies.check.tool_verdicts import Record, Result, ToolRows, verdict_table
from conqret.studies.check.trace_formats import (
    langfuse,
    langsmith,
    mlflow,
    mlflow_table,
    opik,
    phoenix,
    prefixed,
)

Reader = Callable[[list[Record]], Result]

_LOOK = 2**18
"""How many bytes are looked at before a whole file is read."""
_MARKS = re.compile(
    rb'"(?:evalId|gradingResult|testCases|testRunData|test_results|eval_id|assessments|feedback_scores|annotator_kind'
    rb"|feedback_source|dataType|data_type|user_input|metric_input|columns|feedback\.[^\"]+|[^\"]+/(?:value|score))\""
)
"""Fields of which a tool's JSON has at least one."""
_CORRUPT = (BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError)
"""What reading a zip archive that is cut off or corrupt raises."""
_OTHER_CONTENT = (AttributeError, IndexError, KeyError, TypeError, UnicodeDecodeError, csv.Error)
"""What a table raises that has the names of a tool's fields and another content: the general reader reads it."""


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
    return _table(lambda: _read(path, start), str(path))


def tool_records(records: Sequence[Mapping[str, object]], source: str) -> ToolRows | None:
    """Read the rows of a table in memory that a tool returned; None for any other table.

    Args:
        records: the rows.
        source: what the table is called in errors.

    Raises:
        DeclarationError: the table lacks the judge's verdicts.
    """
    return _table(lambda: _of_json(list(records)), source)


def _table(read: Callable[[], Result | None], source: str) -> ToolRows | None:
    try:
        result = read()
    except _OTHER_CONTENT:
        return None
    if result is not None and not result.verdicts and result.warning:
        raise DeclarationError(f"{source}: {result.warning}")
    return verdict_table(result, source) if result and result.verdicts else None


def _read(path: Path, start: bytes) -> Result | None:
    if start.startswith(b"PK\x03\x04"):
        return inspect_log(_samples(path)) if path.suffix.lower() == ".eval" else None
    if start.startswith((b"{", b"[")):
        return _of_json(_json(path, start)) if _MARKS.search(start) else None
    return _of_csv(path, start.decode("utf-8", "replace"))


def _samples(path: Path) -> Iterator[Record]:
    """Yield the samples in a log of inspect_ai in its zip format, in their order there."""
    try:
        with ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.startswith("samples/")]
            if sum(entry.file_size for entry in entries) > UNPACKED.most:
                raise DeclarationError(
                    f"{path} unpacks to more than {UNPACKED}: split the log, {UNPACKED.remedy}"
                )
            for entry in entries:
                yield json.loads(zip_member(archive, entry))
    except _CORRUPT as error:
        raise DeclarationError(
            f"{path} cannot be unpacked ({error}): write it as JSON with inspect log convert --to json"
        ) from error


def _json(path: Path, start: bytes) -> object:
    """Return the content of a JSON file, or the list of records in a JSONL file; None if it is neither."""
    try:
        json.loads(start.partition(b"\n")[0])
    except (ValueError, RecursionError):
        lines = False
    else:
        lines = True
    try:
        if not lines:
            return json.loads(whole_bytes(path))
        records = [json.loads(line) for line in whole_bytes(path, UNPACKED).splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    return records[0] if len(records) == 1 else records


def _of_json(content: object) -> Result | None:
    if isinstance(content, dict):
        whole = _of_object(content)
        if whole is not None:
            return whole
        content = _records_in(content)
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        return None
    fields = {name for record in content[:50] for name in record}
    reader = _reader_of(fields)
    return reader(content) if reader else None


def _records_in(content: Record) -> object:
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
    text = whole_bytes(path, UNPACKED).decode("utf-8-sig")
    csv.field_size_limit(LINE.most)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = [
        f"{name}#{header[:place].count(name)}" if name in header[:place] else name
        for place, name in enumerate(header)
    ]
    next(lines)
    return reader([dict(zip(names, cells, strict=False)) for cells in lines if cells])


def _reader_of(fields: set[str]) -> Reader | None:
    for known, reader in _RECORD_READERS:
        if known(fields):
            return reader
    return None


def _of_object(content: Record) -> Result | None:
    """Read a file that is one object, as a tool writes it; None for an object of records."""
    results, run = content.get("results"), content.get("testRunData") or content
    if isinstance(results, dict) and isinstance(results.get("results"), list):
        return promptfoo(results["results"])
    if isinstance(content.get("body"), list) and isinstance(content.get("head"), dict):
        return promptfoo_table(content)
    for name in ("testCases", "test_results"):
        if isinstance(run, dict) and isinstance(run.get(name), list):
            return deepeval([*run[name], *(run.get("conversationalTestCases") or [])])
    if isinstance(content.get("samples"), list) and isinstance(content.get("eval"), dict):
        return inspect_log(content["samples"])
    annotations = [part for value in content.values() if isinstance(value, list) for part in value[:1]]
    if annotations and all(isinstance(part, dict) and "metric_output" in part for part in annotations):
        return ragas_annotated(content)
    return None


def _has(*names: str) -> Callable[[set[str]], bool]:
    return lambda fields: fields.issuperset(names)


_RECORD_READERS: tuple[tuple[Callable[[set[str]], bool], Reader], ...] = (
    (_has("gradingResult"), promptfoo),
    (_has("metricsData"), deepeval),
    (_has("metrics_data"), deepeval),
    (_has("assessments"), mlflow),
    (lambda fields: "info" in fields and "data" in fields, mlflow),
    (_has("feedback_scores"), opik),
    (_has("annotator_kind"), phoenix),
    (_has("key", "feedback_source"), langsmith),
    (_has("source", "name", "value", "dataType"), langfuse),
    (_has("source", "name", "value", "data_type"), langfuse),
    (
        lambda fields: any(name.startswith("feedback_scores.") for name in fields),
        prefixed("Opik", "traces", "feedback_scores."),
    ),
    (
        lambda fields: any(name.startswith("feedback.") for name in fields),
        prefixed("LangSmith", "runs", "feedback."),
    ),
    (lambda fields: any(re.search(r"\w/(?:value|score)\Z", name) for name in fields), mlflow_table),
    (_has("user_input", "response"), ragas),
    (_has("Status", "Score", "Named Scores", "Grader Reason"), promptfoo_csv),
)
"""By which fields the records of a tool are known, the first that fits, and who reads them."""
