"""Values as tables hold them: lists written into a cell, NaN for nothing, numpy's and dates' own types."""

from __future__ import annotations

import ast
import datetime
import io
import itertools
import json
import math
import tokenize
from collections.abc import Mapping
from decimal import Decimal

from conqret.io.jsonl import parse

MAX_DEPTH = 32
"""Levels that metadata may be nested."""
MAX_BITS = 1024
"""Bits of a whole number in metadata."""
MAX_LITERAL = 10_000_000
"""Characters of a printed Python list that is still read."""


def is_missing(value: object) -> bool:
    """Whether a value stands for nothing: ``None``, NaN, and pandas' NA and NaT."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def as_list(value: object) -> object:
    """Return a numpy array, a pandas or polars Series or a tuple as a list; anything else as it is."""
    if isinstance(value, tuple):
        return list(value)
    for method in ("tolist", "to_list"):
        if not isinstance(value, str | Mapping) and callable(getattr(value, method, None)):
            return getattr(value, method)()
    return value


def list_in_text(text: str) -> list[object] | str:
    """Read a list that was written into a text cell: JSON, or a list as Python prints it.

    Returns:
        The list, or in words why it cannot be read.
    """
    try:
        value = parse(text)
    except ValueError as error:
        if not text.lstrip().startswith("["):
            return "is a text, and a list is expected"
        return _printed_list(text, str(error))
    return value if isinstance(value, list) else "is a text, and a list is expected"


def _printed_list(text: str, problem: str) -> list[object] | str:
    """Read ``['a', 'b']``. Python joins neighbouring texts, so numpy's ``['a' 'b']`` must not pass."""
    broken = f"begins like a list but is no valid JSON ({problem})"
    if len(text) > MAX_LITERAL:
        return broken
    try:
        value = ast.literal_eval(text.strip())
        tokens = tokenize.generate_tokens(io.StringIO(text.strip()).readline)
        kinds = [token.type for token in tokens if token.type not in (tokenize.NL, tokenize.COMMENT)]
    except (ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError):
        return broken
    if any(one == two == tokenize.STRING for one, two in itertools.pairwise(kinds)):
        return "is a numpy array as it is printed, without commas: where a document ends is lost"
    return value if isinstance(value, list) else broken


def object_in_text(text: str) -> dict[str, object] | str:
    """Read an object that was written into a text cell as JSON, or return why it cannot be read."""
    try:
        value = parse(text)
    except ValueError as error:
        return f"is no valid JSON object: {error}"
    return value if isinstance(value, dict) else "is a text, and an object is expected"


def plain(value: object, depth: int = 0) -> object:
    """Return a metadata value in the types of JSON; absent ones inside objects are left out.

    Raises:
        TypeError: it has a type that JSON has no equal of, or is nested over :data:`MAX_DEPTH` levels.
    """
    if depth > MAX_DEPTH:
        raise TypeError(f"is nested more than {MAX_DEPTH} levels deep")
    if is_missing(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        raise TypeError("holds an infinite number")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise TypeError("holds a number of hundreds of digits")
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Mapping):
        pairs = ((str(key), plain(inner, depth + 1)) for key, inner in value.items())
        return {key: inner for key, inner in pairs if inner is not None}
    listed = as_list(value)
    if isinstance(listed, list):
        return [plain(inner, depth + 1) for inner in listed]
    if listed is not value:
        return plain(listed, depth + 1)
    raise TypeError(f"holds a value of the type {type(value).__name__}, which JSON cannot hold")


def canonical(record: Mapping[str, object]) -> bytes:
    """Return a record as JSON bytes that are the same wherever the record came from.

    Keys are sorted, and a whole number is the same as an integer or as a float (``1`` and ``1.0``).
    """
    text = json.dumps(_whole(record), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _whole(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
