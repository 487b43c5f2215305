"""Recordings as JSON lines: the form in which they are shared."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.llm.completions import completion_from_json, completion_to_json

COLUMNS = ("key", "completion", "ask", "item", "model", "params", "sample", "created")
"""The fields of a recording, in the order of the store's columns; completion and params are JSON there."""

MAX_LISTED = 20
"""So many faulty lines are listed."""


def write_jsonl(target: Path, rows: Iterable[tuple[Any, ...]]) -> int:
    """Write a line for each row, to a file that appears whole or not at all; returns how many."""
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = 0
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False
    ) as file:
        try:
            for row in rows:
                file.write(dumps(_to_record(row)) + "\n")
                lines += 1
        except BaseException:
            Path(file.name).unlink()
            raise
    Path(file.name).chmod(0o644)
    Path(file.name).replace(target)
    return lines


def read_jsonl(path: Path) -> Iterator[tuple[Any, ...]]:
    """The rows of an export.

    Raises:
        DeclarationError: at the end, if there were faulty lines; each is named with its number.
    """
    faults: list[str] = []
    for number, line in _lines(path):
        try:
            row = _from_record(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            faults.append(f"  {path}:{number} {_fault(error)}")
            continue
        yield row
    if faults:
        more = f"\n  and {len(faults) - MAX_LISTED} more" if len(faults) > MAX_LISTED else ""
        listed = "\n".join(faults[:MAX_LISTED]) + more
        count = "1 line" if len(faults) == 1 else f"{len(faults)} lines"
        raise DeclarationError(f"{count} of {path} cannot be read as recordings:\n{listed}")


def dumps(value: Any) -> str:
    """Compact JSON with sorted keys, readable in every language; half a surrogate pair is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), sort_keys=True)
    return text


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as error:
        raise DeclarationError(
            f"{path}: not UTF-8 ({error.reason}); it is no export of recordings"
        ) from error
    except OSError as error:
        raise DeclarationError(f"{path}: cannot be read: {error.strerror}") from error


def _to_record(row: tuple[Any, ...]) -> dict[str, Any]:
    record = dict(zip(COLUMNS, row, strict=True))
    return record | {"completion": json.loads(record["completion"]), "params": json.loads(record["params"])}


def _from_record(record: Any) -> tuple[Any, ...]:
    if not isinstance(record, dict):
        raise ValueError("is no JSON object")
    completion = completion_to_json(completion_from_json(dumps(record["completion"])))
    texts = [record[name] for name in ("key", "ask", "item", "model", "created")]
    if not all(isinstance(text, str) for text in texts) or not isinstance(record["sample"], int):
        raise ValueError("has a field of the wrong type")
    key, ask, item, model, created = texts
    return (key, completion, ask, item, model, dumps(record["params"]), record["sample"], created)


def _fault(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is no JSON ({error.msg} at column {error.colno})"
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)[:200]
