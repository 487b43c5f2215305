"""Convert and check single cell values: lists written into a cell, missing values, and the types of numpy
and pandas.
"""

from __future__ import annotations

import ast
import datetime
import io
import itertools
import math
import re
import tokenize
import unicodedata
from collections.abc import Mapping
from decimal import Decimal

from pydantic import TypeAdapter

from conqret.io.jsonl import parse
from conqret.io.rows import InvalidCell, quoted

MAX_ID = 200
"""The most characters of an identifier (as :data:`conqret.data.item.Identifier`)."""
MAX_TEXT = 10_000_000
"""The most characters of one text."""

_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def sound(text: str) -> str:
    """Return ``text`` unchanged if it is acceptable input.

    Raises:
        InvalidCell: it holds NUL, lone surrogates or control characters other than tab, line breaks, vertical tab and
            form feed, or is longer than :data:`MAX_TEXT`.
    """
    if len(text) > MAX_TEXT:
        raise InvalidCell(f"has {len(text):,} characters, and {MAX_TEXT:,} is the most", "Shorten it")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise InvalidCell(
            f"contains half of a character (a lone surrogate, U+{code:04X}) at position {error.start}",
            "Write the text again from its source: it was probably cut inside an emoji",
        ) from None
    if len(data.translate(None, _CONTROLS)) < len(data):
        place = next(match.start() for match in _FORBIDDEN.finditer(text))
        called = "NUL character" if text[place] == "\0" else "control character"
        raise InvalidCell(f"contains the {called} U+{ord(text[place]):04X} at position {place}", "Remove it")
    return text


def sound_id(text: str) -> str:
    """Return ``text`` unchanged if it can be an identifier.

    Slashes and dots are allowed, since an identifier is never used as a file name.

    Raises:
        InvalidCell: the text is empty, longer than :data:`MAX_ID`, or has invisible characters.
    """
    if not text:
        raise InvalidCell("is empty", "Give it a value, or leave the field out")
    if len(text) > MAX_ID:
        raise InvalidCell(f"has {len(text)} characters, and {MAX_ID} is the most", "Shorten it")
    if text.isprintable():  # then none of its characters is one of those below
        return text
    for place, character in enumerate(text):
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _DIRECTION:
            raise InvalidCell(
                f"contains the character U+{ord(character):04X} at position {place}", "Remove it"
            )
    return text


MAX_DEPTH = 32
"""The most levels that metadata may be nested."""
MAX_BITS = 1024
"""The most bits of an integer in metadata."""
MAX_LITERAL = 10_000_000
"""The most characters of a printed Python list that is parsed."""
_JSON = TypeAdapter[object](object)
_AS_TEXT = "Leave it out, or write it as a text"


def is_missing(value: object) -> bool:
    """Return True if ``value`` is missing: ``None``, NaN, or pandas' NA or NaT."""
    if value is None or isinstance(value, str):
        return value is None
    if isinstance(value, float):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def as_list(value: object) -> object:
    """Convert a numpy array, a pandas or polars Series, or a tuple to a list; return any other value
    unchanged."""
    if isinstance(value, tuple):
        return list(value)
    for method in ("tolist", "to_list"):
        if not isinstance(value, str | Mapping) and callable(getattr(value, method, None)):
            return getattr(value, method)()
    return value


def as_text(value: object) -> str:
    """Convert a cell to text: whole numbers without ``.0``; a list or an object as a short description of
    its type."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return quoted(str(value))[1:-1] if isinstance(value, list | Mapping) else str(value).strip()


_WRITE_A_LIST = 'Write a list (in CSV as JSON: ["first text", "second text"])'
_LIKE_A_LIST = re.compile(r"""\s*\[\s*(?:["'{]|\w+\(|\[\s*\[|\Z)""")


def list_in_text(text: str) -> list[object]:
    """Parse a list that is written in a text cell, as JSON or as Python or numpy prints it.

    Raises:
        InvalidCell: it cannot be read.
    """
    try:
        value = structure_in_text(text)
    except ValueError as error:
        if text.lstrip().startswith("["):
            problem = f"begins like a list but is not valid JSON ({error})"
            raise InvalidCell(problem, _WRITE_A_LIST) from None
        value = None
    if not isinstance(value, list):
        raise InvalidCell("is a text, and a list is expected", _WRITE_A_LIST)
    return value


def list_in_cell(text: str) -> list[object] | None:
    """Return the list that a text cell contains; None if the cell is plain text.

    A single object becomes a list of one. A list of numbers only, such as the citation mark ``[1]``, is
    plain text.

    Raises:
        InvalidCell: it begins like a list of texts or objects, and cannot be read.
    """
    if text.lstrip().startswith("{"):
        value = structure_or_none(text)
        return [value] if isinstance(value, Mapping) else None
    if not text.lstrip().startswith("["):
        return None
    try:
        values = list_in_text(text)
    except InvalidCell:
        if _LIKE_A_LIST.match(text):
            raise
        return None
    return None if values and all(isinstance(value, int | float | list) for value in values) else values


def structure_or_none(text: str) -> object:
    """Parse the list or object in a text; return None if the text is not one."""
    try:
        return structure_in_text(text) if text.lstrip()[:1] in ("[", "{") else None
    except ValueError:
        return None


def structure_in_text(text: str) -> object:
    """Parse JSON, or the printed form of a Python list, dictionary or numpy array.

    The printed form is tried only for texts that begin with ``[`` or ``{`` and have at most :data:`MAX_LITERAL`
    characters. An object with named fields, ``Document(page_content='…')``, is read inside of these, and never alone.

    Raises:
        ValueError: the text is neither; the message is that of the JSON parser.
    """
    try:
        return parse(text)
    except ValueError as error:
        if len(text) > MAX_LITERAL or text.lstrip()[:1] not in ("[", "{"):
            raise
        try:
            return _printed(ast.parse(_with_commas(text.strip()), mode="eval").body)
        except (ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError):
            raise error from None


def _with_commas(text: str) -> str:
    """Return a printed text with a comma between neighboring texts, where numpy writes none and Python would
    join them.
    """
    if not _NEIGHBORS.search(text):
        return text
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in (tokenize.NL, tokenize.COMMENT)
    ]
    pairs = itertools.pairwise([*tokens, tokens[-1]])
    return " ".join(
        f"{first.string}," if first.type == second.type == tokenize.STRING else first.string
        for first, second in pairs
    )


_NEIGHBORS = re.compile(r"""["']\s+["']""")


def _printed(node: ast.expr) -> object:
    """Return the value of a printed expression without calling anything: ``Document(page_content='…')`` becomes a
    dictionary of its fields, ``array([…])`` its list, ``nan`` None. Keys of dictionaries become texts.

    Raises:
        ValueError: it contains another call, a name or an operator.
    """
    match node:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_printed(element) for element in elements]
        case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
            return {
                str(_printed(key)): _printed(value) for key, value in zip(keys, values, strict=True) if key
            }
        case ast.Call(func=ast.Name(id="array"), args=[ast.List() as elements]):
            return _printed(elements)
        case ast.Call(func=ast.Name(), args=[], keywords=fields) if fields:
            return {str(field.arg): _printed(field.value) for field in fields}
        case ast.Name(id="nan"):
            return None
        case _:
            return ast.literal_eval(node)


def plain(value: object, depth: int = 0) -> object:
    """Convert a metadata value to JSON types; missing values inside objects are dropped.

    Raises:
        InvalidCell: it has a type that JSON has no equal of, is nested over :data:`MAX_DEPTH` levels, or holds a text
            that may not enter.
    """
    if depth > MAX_DEPTH:
        raise InvalidCell(f"is nested more than {MAX_DEPTH} levels deep", _AS_TEXT)
    if is_missing(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        raise InvalidCell("contains an infinite number", _AS_TEXT)
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise InvalidCell("contains a number of hundreds of digits", _AS_TEXT)
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Mapping):
        pairs = ((sound(str(key)), plain(inner, depth + 1)) for key, inner in value.items())
        return {key: inner for key, inner in pairs if inner is not None}
    listed = as_list(value)
    if isinstance(listed, list):
        return [plain(inner, depth + 1) for inner in listed]
    if listed is not value:
        return plain(listed, depth + 1)
    raise InvalidCell(f"contains a {type(value).__name__}, which JSON does not support", _AS_TEXT)


def canonical(record: Mapping[str, object]) -> bytes:
    """Serialize a record as JSON bytes that are equal for equal records, whatever file format they come
    from.

    Keys are sorted, and a whole number is written the same as an integer or a float (``1`` and ``1.0``).
    """
    return _JSON.dump_json(_sorted(record))


def _sorted(value: object) -> object:
    if isinstance(value, str):  # nearly every value is one
        return value
    if isinstance(value, list):
        return list(map(_sorted, value))
    if isinstance(value, Mapping):
        keys = sorted(value)
        return dict(zip(keys, map(_sorted, map(value.__getitem__, keys)), strict=True))
    return int(value) if isinstance(value, float) and value.is_integer() else value
