"""The columns and the largest page of a Parquet file, by its headers alone: what a reader would unpack at once.

A page of a few kilobytes can unpack to gigabytes, and a reader makes room for it before anybody sees it. pyarrow reads
the footer, which says where the pages of a column begin. How large each is stands in its own header, which pyarrow does
not show. Source: the Parquet format's ``parquet.thrift`` and Thrift's compact protocol.
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_DEEPEST = 20
_UNPACKED_SIZE, _PACKED_SIZE, _DATA_HEADERS, _DICTIONARY, _PAGE_VALUES = 2, 3, (5, 8), 7, 1
_TRUE, _BYTE, _INTEGERS, _BINARY, _STRUCT = 1, 3, (4, 5, 6), 8, 12


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Inside, headers that cannot be read are a ValueError."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - pyarrow raises errors of many classes
        raise ValueError(f"its headers are corrupt ({error!r})") from None


@_readable()
def largest_page(path: Path) -> tuple[int, str]:
    """Bytes of the largest page, unpacked, and the name of its column; 0 where there is none.

    Raises:
        ValueError: the headers are damaged.
    """
    return max(((size, name) for size, name, _ in _pages(path)), default=(0, ""))


@_readable()
def held_at_once(path: Path, *, dictionaries: bool = True) -> int:
    """Bytes of the largest pages of all columns together, unpacked, of which a reader holds one each; without the
    ``dictionaries``, it is the most that the values of one row may take that no other row shares.

    Raises:
        ValueError: the headers are damaged.
    """
    largest = dict[str, int]()
    for size, name, dictionary in _pages(path):
        if dictionaries or not dictionary:
            largest[name] = max(size, largest.get(name, 0))
    return sum(largest.values())


@_readable()
def most_in_lists(path: Path) -> tuple[int, str]:
    """The values that the lists of a column hold in one row group, beyond one a row, and the name of that column.

    Raises:
        ValueError: the headers are damaged.
    """
    values = ((one.num_values - rows, one.path_in_schema) for rows, one in _chunks(path))
    return max(values, default=(0, ""))


@_readable()
def column_names(path: Path) -> tuple[str, ...]:
    """The names of the columns, each once however much is nested in it.

    Raises:
        ValueError: the headers are damaged.
    """
    import pyarrow.parquet

    return tuple(pyarrow.parquet.read_schema(path).names)


def _chunks(path: Path) -> Iterator[tuple[int, Any]]:
    """The rows of each row group with what the footer says of each column in it."""
    import pyarrow.parquet

    footer = pyarrow.parquet.read_metadata(path)
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for place in range(group.num_columns):
            yield group.num_rows, group.column(place)


def _pages(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Size and column of each page, and whether it is a dictionary."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for _, column in _chunks(path):
            begins = (column.data_page_offset, column.dictionary_page_offset or column.data_page_offset)
            at, left = min(begins), column.num_values
            end = at + column.total_compressed_size
            while at < end and left > 0:
                header, at = _struct(data, at, 0)
                yield header[_UNPACKED_SIZE], column.path_in_schema, _DICTIONARY in header
                # a dictionary's values are no rows
                left -= sum(header[place][_PAGE_VALUES] for place in _DATA_HEADERS if place in header)
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
    if kind == _BYTE:
        return data[at], at + 1
    if kind == _BINARY:
        length, at = _varint(data, at)
        return data[at : at + length], at + length
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    raise ValueError(f"its headers contain an unknown type ({kind})")


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
    raise ValueError("its headers contain a number of more than 64 bits")
