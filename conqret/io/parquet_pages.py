"""The columns and the largest page of a Parquet file, by its headers alone: what a reader would unpack at once.

A page of a few kilobytes can unpack to gigabytes, and a reader makes room for it before anybody sees it. Source: the
Parquet format's ``parquet.thrift`` and Thrift's compact protocol; only what leads to the pages is looked at.
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_DEEPEST = 20
_SCHEMA, _NAME, _CHILDREN = 2, 4, 5
_ROW_GROUPS, _COLUMNS, _META_DATA, _ROWS = 4, 1, 3, 3
_PATH, _VALUES, _COMPRESSED, _DATA, _DICTIONARY = 3, 5, 7, 9, 11
_UNPACKED_SIZE, _PACKED_SIZE, _HEADERS, _PAGE_VALUES = 2, 3, (5, 7, 8), 1
_TRUE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = 1, 3, (4, 5, 6), 7, 8, (9, 10), 12


def largest_page(path: Path) -> tuple[int, str]:
    """Bytes of the largest page, unpacked, and the name of its column; 0 where there is none.

    Raises:
        ValueError: the headers are damaged.
    """
    with _headers(path) as data:
        return max(((size, name) for size, name, _ in _pages(data)), default=(0, ""))


def held_at_once(path: Path, *, dictionaries: bool = True) -> int:
    """Bytes of the largest pages of all columns together, unpacked, of which a reader holds one each; without the
    ``dictionaries``, it is the most that the values of one row may take that no other row shares.

    Raises:
        ValueError: the headers are damaged.
    """
    largest = dict[str, int]()
    with _headers(path) as data:
        for size, name, dictionary in _pages(data):
            if dictionaries or not dictionary:
                largest[name] = max(size, largest.get(name, 0))
    return sum(largest.values())


def most_in_lists(path: Path) -> tuple[int, str]:
    """The values that the lists of a column hold in one row group, beyond one a row, and the name of that column.

    Raises:
        ValueError: the headers are damaged.
    """
    with _headers(path) as data:
        return max(
            (
                (column[_VALUES] - group.get(_ROWS, 0), _name(column))
                for group in _footer(data).get(_ROW_GROUPS, [])
                for chunk in group[_COLUMNS]
                if (column := chunk.get(_META_DATA)) is not None
            ),
            default=(0, ""),
        )


def column_names(path: Path) -> tuple[str, ...]:
    """The names of the columns, each once however much is nested in it.

    Raises:
        ValueError: the headers are damaged.
    """
    with _headers(path) as data:
        root, *elements = _footer(data)[_SCHEMA]
        names, place = [], 0
        for _ in range(root.get(_CHILDREN, 0)):
            names.append(elements[place][_NAME].decode())
            inside = 1
            while inside:
                inside += elements[place].get(_CHILDREN, 0) - 1
                place += 1
        return tuple(names)


@contextlib.contextmanager
def _headers(path: Path) -> Iterator[mmap.mmap]:
    """The bytes of a file, in which what is not as it should be is a ValueError."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            yield data
        except (IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"its headers are damaged ({error!r})") from None


def _footer(data: mmap.mmap) -> dict[int, Any]:
    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    if start < 4:
        raise ValueError("its footer is longer than the file")
    return _struct(data, start, 0)[0]


def _pages(data: mmap.mmap) -> Iterator[tuple[int, str, bool]]:
    """Size and column of each page, and whether it is a dictionary."""
    for group in _footer(data).get(_ROW_GROUPS, []):
        for chunk in group[_COLUMNS]:
            column = chunk.get(_META_DATA)
            if column is not None:
                yield from _chunk(data, column)


def _name(column: dict[int, Any]) -> str:
    return b".".join(column.get(_PATH, [])).decode("utf-8", "replace")


def _chunk(data: mmap.mmap, column: dict[int, Any]) -> Iterator[tuple[int, str, bool]]:
    name = _name(column)
    at = min(column[_DATA], column.get(_DICTIONARY) or column[_DATA])
    left = column[_VALUES]
    end = at + column[_COMPRESSED]
    while at < end and left > 0:
        header, at = _struct(data, at, 0)
        yield header[_UNPACKED_SIZE], name, 7 in header
        counts = [header[place][_PAGE_VALUES] for place in _HEADERS if place in header]
        if 7 not in header:  # a dictionary's values are no rows
            left -= sum(counts)
        if header[_PACKED_SIZE] < 0:
            raise ValueError("a page has a negative size")
        at += header[_PACKED_SIZE]


def _struct(data: mmap.mmap, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by their numbers, and the place after it."""
    fields: dict[int, Any] = {}
    number = 0
    while True:
        first = data[at]
        at += 1
        if not first:
            return fields, at
        kind = first & 15
        if first >> 4:
            number += first >> 4
        else:
            number, at = _integer(data, at)
        fields[number], at = (kind == _TRUE, at) if kind <= 2 else _value(data, at, kind, depth)


def _value(data: mmap.mmap, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise ValueError("its headers are nested too deeply")
    if kind in _INTEGERS:
        return _integer(data, at)
    if kind in (1, 2, _BYTE):  # a truth in a list has a byte
        return data[at], at + 1
    if kind == _DOUBLE:
        return None, at + 8
    if kind == _BINARY:
        length, at = _varint(data, at)
        return data[at : at + length], at + length
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    if kind not in _LISTS:
        raise ValueError(f"its headers hold an unknown type ({kind})")
    count, inner, at = data[at] >> 4, data[at] & 15, at + 1
    if count == 15:
        count, at = _varint(data, at)
    values = []
    for _ in range(count):
        if at >= len(data):
            raise ValueError("its headers hold a list that is longer than the file")
        value, at = _value(data, at, inner, depth + 1)
        values.append(value)
    return values, at


def _integer(data: mmap.mmap, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        value, at = value | (byte & 127) << shift, at + 1
        if byte < 128:
            return value, at
    raise ValueError("its headers hold a number of more than 64 bits")
