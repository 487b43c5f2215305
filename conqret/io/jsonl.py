"""Read and write JSON: lines, and whole files that hold a list, or several objects over several lines
each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from conqret.errors import DeclarationError, Fault
from conqret.io import limits
from conqret.io.limits import GZIP_ERRORS, HEAD, UTF8_MARK, Line, byte_lines, decoded, open_bytes, whole_bytes
from conqret.io.rows import Row, Rows, kind, quoted, repeated_in

WRAPPERS = ("samples", "results", "items", "data")
"""Keys under which a JSON object may hold the list of items (RAGChecker writes ``results``, inspect_ai ``samples``)."""


def _unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these fields.

    Raises:
        ValueError: a field occurs twice, of which JSON readers would silently keep the last.
    """
    record = dict(pairs)
    if len(record) < len(pairs):
        repeated = repeated_in(name for name, _ in pairs)
        raise ValueError(f"the field {quoted(repeated)} occurs twice in one object")
    return record


_ENCODER: TypeAdapter[object] = TypeAdapter(object)
_DECODER = json.JSONDecoder(object_pairs_hook=_unrepeated)


def parse(text: str | bytes) -> object:
    """Parse JSON text, or UTF-8 bytes of it.

    Raises:
        ValueError: it is broken, nested too deeply, holds a number of thousands of digits, or names a field twice in
            one object; or it is not UTF-8.
    """
    try:
        return _DECODER.decode(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except RecursionError:
        raise ValueError("the lists or objects are nested too deeply") from None


def object_in(file: Path) -> dict[str, Any]:
    """Return the object in a JSON file that conqret wrote; an empty dictionary if the file is missing,
    cannot be read, or holds something else.
    """
    try:
        record = parse(whole_bytes(file))
    except (OSError, ValueError, DeclarationError):
        return {}
    return record if isinstance(record, dict) else {}


def compact(value: object) -> bytes:
    """Serialize plain data as compact UTF-8 JSON without spaces, with names in their order.

    It is about fifteen times as fast as the standard library for long texts.
    """
    try:
        return _ENCODER.dump_json(value)
    except ValueError:  # half a surrogate pair, or a type of its own
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "backslashreplace")


def json_lines(records: Iterable[object]) -> Iterator[str]:
    """Yield each record as a line of JSON with a line end, without escaping non-ASCII characters."""
    return (json.dumps(record, ensure_ascii=False, default=str) + "\n" for record in records)


def jsonl_rows(path: Path, name: str = "") -> Rows:
    """Return the rows of a JSON Lines file, plain or gzipped; blank lines are skipped."""
    return Rows(name or str(path), partial(_of_lines, path, name or str(path)), folder=path.parent)


def _of_lines(path: Path, name: str) -> Iterator[Row | Fault]:
    whole = 0
    for line in byte_lines(path, name):
        text = line if isinstance(line, Fault) else decoded(line, name)
        if isinstance(text, Fault):
            yield text
        elif isinstance(line, Line) and text.strip():
            row = _of_line(name, line, text, whole)
            whole += isinstance(row, Row)
            yield row


def _of_line(name: str, line: Line, text: str, whole: int) -> Row | Fault:
    try:
        return _row_or_fault(name, line.number, parse(text))
    except ValueError as error:
        problem, remedy = broken(error, text)
        if isinstance(error, json.JSONDecodeError) and not line.ended:
            problem = (
                f"the file looks cut off: its last line breaks off at column {error.colno}; {whole} whole "
                "items precede it"
            )
            remedy = "Write it again, or delete that line"
    return Fault(name, line.number, "", problem, remedy)


def _of_a_list(path: Path, name: str) -> Iterator[Row | Fault]:
    """Yield the records of a small JSON file, which is read whole: a list of objects, an object with such a list, or
    several indented objects. A list of texts is one of topics. A row's line is the record's number in a list, else its
    line.

    A file that is too large, cut off, not UTF-8 or no valid JSON is one fault.
    """
    try:
        data = _small(path)
    except GZIP_ERRORS:
        yield Fault(name, 0, "", "the gzip stream ends early or is corrupt", "Fetch or write it again")
        return
    if data is None:
        problem = f"is one JSON list of more than {limits.FILE}, which would be read whole"
        lines = f"jq -c '.[]' {name}, or jq -c . where it is no list"
        yield Fault(name, 0, "", problem, f"Make it JSON Lines ({lines}), {limits.FILE.remedy}")
        return
    text = decoded(Line(1, 0, data, True), name)
    if isinstance(text, Fault):
        yield text
        return
    try:
        values = list(_values(text.removeprefix("\ufeff")))
    except ValueError as error:
        yield _broken_list(name, error, text)
        return
    alone = len(values) == 1
    records = list(enumerate(unwrapped(values[0][1]), start=1)) if alone else values
    topics = not [record for _, record in records if not isinstance(record, str)]
    for number, record in records:
        yield _row_or_fault(name, number, {"topic": record} if topics else record)


def _broken_list(name: str, error: ValueError, text: str) -> Fault:
    remedy = "Write it again, best as JSON Lines"
    if not isinstance(error, json.JSONDecodeError):
        return Fault(name, 0, "", f"is JSON that cannot be used: {error}", remedy)
    what = "a JSON list" if text.lstrip("\ufeff \n\r\t").startswith("[") else "JSON"
    problem = f"is {what} that breaks at column {error.colno}: {error.msg}"
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        problem = f"is {what} that looks cut off: its end is missing"
    return Fault(name, error.lineno, "", problem, remedy)


def _values(text: str) -> Iterator[tuple[int, object]]:
    """Yield each JSON value of a text that has several one after the other, with the number of its line (from
    1).

    Raises:
        ValueError: a value is not valid JSON; see :func:`parse`.
    """
    end, line = 0, 1
    while (filled := _FILLED.search(text, end)) is not None:
        start = filled.start()
        line += text.count("\n", end, start)
        try:
            value, end = _DECODER.raw_decode(text, start)
        except RecursionError:
            raise ValueError("the lists or objects are nested too deeply") from None
        yield line, value
        line += text.count("\n", start, end)


_FILLED = re.compile(r"\S")


def json_rows(path: Path, name: str) -> Rows:
    """Return the rows of a JSON file, detecting JSON Lines, a list, a wrapped list, or indented objects."""
    try:
        with open_bytes(path) as file:
            first = b""
            while not first and (line := file.readline(limits.LINE.most)):
                first = line.removeprefix(UTF8_MARK).strip()
            alone = not file.read(HEAD).strip()
    except GZIP_ERRORS:
        return jsonl_rows(path, name)
    printed = alone or first.endswith((b"{", b"[", b","))
    if first.startswith(b"[") or first == b"{" or (printed and _is_indented(path)):
        return Rows(name, partial(_of_a_list, path, name), folder=path.parent)
    return jsonl_rows(path, name)


def unwrapped(value: object) -> list[object]:
    """Return the records in a JSON value: the list that it is or wraps, or the rows of a pandas frame by
    columns.

    Any other object is itself the only record.
    """
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and "topic" not in value:
        for key in WRAPPERS:
            inner = value.get(key)
            if isinstance(inner, list):
                return inner
    columns = list(value.values()) if isinstance(value, dict) else []
    if isinstance(value, dict) and columns and isinstance(columns[0], dict):
        places = columns[0].keys()
        alike = all(isinstance(column, dict) and column.keys() == places for column in columns)
        if alike and all(map(str.isdecimal, places)):  # a frame by its columns, as pandas writes it
            return [{name: column[place] for name, column in value.items()} for place in places]
    return [value]


def broken(error: ValueError, text: str) -> tuple[str, str]:
    """Return the problem and the remedy for a line of ``text`` that is not valid JSON."""
    if not isinstance(error, json.JSONDecodeError):
        return f"is JSON that cannot be used: {error}", "Correct the line"
    problem = f"is not valid JSON: {error.msg} at column {error.colno}"
    if text.lstrip().startswith("{'"):
        return problem, "It looks like a printed Python dict: write it with json.dumps"
    return problem, "Correct the line: each line must be one JSON object"


def _row_or_fault(name: str, number: int, record: object) -> Row | Fault:
    if isinstance(record, dict):
        return Row(number, record)
    return Fault(
        name,
        number,
        "",
        f"is {kind(record)}, not an object",
        'Each item is a JSON object such as {"topic": "…", "documents": […]}',
    )


def _small(path: Path) -> bytes | None:
    """Return a file's bytes, or ``None`` if they are more than a list may have."""
    most = limits.FILE.most
    with open_bytes(path) as file:
        data = file.read(most + 1)
    return data if len(data) <= most else None


def _is_indented(path: Path) -> bool:
    """Return True if a file as a whole is JSON objects, each over one line or several; also if it is too
    large to tell.
    """
    try:
        for _, value in _values((_small(path) or b"").decode("utf-8-sig")):
            if not isinstance(value, dict):
                return False
    except (ValueError, *GZIP_ERRORS):
        return False
    return True
