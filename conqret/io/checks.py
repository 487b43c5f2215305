"""Checks of single values for :mod:`conqret.io.schema`. Each takes the value, its place in the row for
messages (``where``), and the reader, which collects notes and faults; it returns the converted value,
or raises ``InvalidCell`` with the problem and the remedy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from conqret.io.cell_values import MAX_BITS, as_list, as_text, list_in_text, plain, sound, sound_id
from conqret.io.jsonl import parse
from conqret.io.rows import InvalidCell, kind, quoted
from conqret.io.schema import Check, Schema, TableReader, schema_of
from conqret.text.numbers import number_in

_OBJECT = 'Write an object such as {"source": "…"}'


def text(value: object, where: str, reader: TableReader) -> str:
    """Return ``value`` if it is a text without forbidden control characters.

    Raises:
        InvalidCell: it is no text, too long, or has forbidden characters.
    """
    if not isinstance(value, str):
        raise InvalidCell(f"is {kind(value)}, and a text is expected", f"Write one text{_dots(value, where)}")
    return sound(value)


def _dots(value: object, where: str) -> str:
    """Return advice on naming a field inside a value that is an object or a list of objects; empty for any
    other value.
    """
    listed_here = as_list(value)
    first = listed_here[0] if isinstance(listed_here, list) and listed_here else value
    if not isinstance(first, Mapping) or not first:
        return ""
    way = re.sub(r"\[\d+\]", "", where)
    named = ", ".join(f"{way}.{name}" for name in list(first)[:3])
    return f", or name a field inside it with dots, such as {named} (--columns FIELD=COLUMN.FIELD)"


def filled(value: object, where: str, reader: TableReader) -> str:
    """Return ``value`` if it is a text that is not blank. Raises InvalidCell."""
    content = text(value, where, reader)
    if not content.strip():
        raise InvalidCell("is blank", "Write its text, or remove the row")
    return content


def one_line(value: object, where: str, reader: TableReader) -> str:
    """Return a text that is not blank, with all whitespace collapsed to single spaces. Raises
    InvalidCell."""
    return " ".join(filled(value, where, reader).split())


def identifier(value: object, where: str, reader: TableReader) -> str:
    """Return ``value`` as an identifier of 1 to 200 visible characters; whole numbers become text. Raises
    InvalidCell."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidCell(f"is {kind(value)}, and a text is expected", "Write it as a text")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise InvalidCell("is a number of hundreds of digits", "Write a shorter id, as a text")
    return sound_id(str(value).strip(" "))


def trec_id(value: object, where: str, reader: TableReader) -> str:
    """Return ``value`` as an identifier without whitespace. Raises InvalidCell."""
    name = identifier(value, where, reader)
    if any(mark.isspace() for mark in name):
        raise InvalidCell("contains white space", "Write an id without spaces, as TREC files need")
    return name


def number(value: object, where: str, reader: TableReader) -> float:
    """Convert ``value`` (a number, or a text with one) to a finite float; true and false, also as words,
    become 1 and 0.

    Raises:
        InvalidCell: it is not a finite number.
    """
    word = str(value).strip().lower()
    try:
        return number_in({"true": "1", "false": "0"}.get(word, word))
    except ValueError:
        raise InvalidCell(f"is {quoted(value)}, and a finite number is expected", "Write a number") from None


def whole_number(value: object, where: str, reader: TableReader) -> int:
    """Convert ``value`` to an integer; ``3.0`` is 3.

    Raises:
        InvalidCell: it is no finite number or has a fraction.
    """
    parsed = number(value, where, reader)
    if not parsed.is_integer():
        raise InvalidCell(f"is {quoted(value)}, and a whole number is expected", "Write a whole number")
    return int(parsed)


def between(low: int, high: int, remedy: str) -> Check:
    """Return a check that accepts integers from ``low`` to ``high`` (both included); for another, its
    ``InvalidCell`` has the ``remedy``.
    """

    def check(value: object, where: str, reader: TableReader) -> int:
        figure = whole_number(value, where, reader)
        if not low <= figure <= high:
            raise InvalidCell(f"is {figure}", remedy)
        return figure

    return check


def one_of(words: Mapping[str, object] | Sequence[str], called: str) -> Check:
    """Return a check that accepts one of ``words``, which must be in lower case, in any case.

    The check returns what the word maps to, or the word itself if ``words`` is a sequence; it raises InvalidCell for
    anything else. ``called`` names the kind of value in the message.
    """
    meanings = words if isinstance(words, Mapping) else dict(zip(words, words, strict=True))

    def check(value: object, where: str, reader: TableReader) -> object:
        word = meanings.get(as_text(value).casefold())
        if word is None:
            raise InvalidCell(
                f"is {quoted(value)}, which is not a valid {called}", f"Write one of {', '.join(words)}"
            )
        return word

    return check


def cell_text(value: object, where: str, reader: TableReader) -> str:
    """Convert any cell value to text, without surrounding whitespace; whole numbers have no ``.0``."""
    return as_text(value)


Text = Annotated[str, text]
Filled = Annotated[str, filled]
OneLine = Annotated[str, one_line]
Identifier = Annotated[str, identifier]
TrecId = Annotated[str, trec_id]
Cell = Annotated[str, cell_text]
Number = Annotated[float, number]


def a_list(value: object, what: str, remedy: str, fits: Callable[[object], bool] | None = None) -> list[Any]:
    """Return ``value`` as a list, also if it is a list written in a text cell.

    Raises:
        InvalidCell: it is no list, or ``fits`` rejects an element. The message says that ``what`` is
            expected.
    """
    items = list_in_text(value) if isinstance(value, str) else as_list(value)
    if not isinstance(items, list) or not (fits is None or all(map(fits, items))):
        raise InvalidCell(f"is {kind(value)}, and {what} is expected", remedy)
    return items


def each(build: Any, declared: Schema | None = None) -> Check:
    """Return a check that accepts a list of objects and builds a tuple from it.

    ``build`` is called with the fields of each object: a row class, or any callable if ``declared`` gives
    the schema.
    """

    def check(value: object, where: str, reader: TableReader) -> tuple[Any, ...]:
        schema = declared or schema_of(build)
        remedy = f"Write [{{{', '.join(schema.fields)}}}]"
        listed = a_list(value, "a list of objects", remedy, lambda element: isinstance(element, Mapping))
        read = [reader.read(element, schema, f"{where}[{n}].") for n, element in enumerate(listed, start=1)]
        return tuple(build(**values) for values in read if values is not None)

    return check


def json_object(value: object, where: str, reader: TableReader) -> dict[str, Any]:
    """Return ``value`` as a dictionary of JSON types; it may be an object or JSON in a text. Raises
    InvalidCell."""
    if isinstance(value, str):
        try:
            value = parse(value)
        except ValueError as error:
            raise InvalidCell(f"is not a valid JSON object: {error}", _OBJECT) from None
    record = plain(value) if isinstance(value, Mapping) else None
    if not isinstance(record, dict):
        raise InvalidCell(f"is {kind(value)}, and an object is expected", _OBJECT)
    return record


def absent_if_blank(value: object, where: str, reader: TableReader) -> str | None:
    """Return the value if it is a text that is not blank; return None and record a note if it is blank.

    Raises:
        InvalidCell: it is no text.
    """
    content = text(value, where, reader)
    if not content.strip():
        reader.note(f"an empty {where} counts as absent")
        return None
    return content
