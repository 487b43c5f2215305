"""Parquet, a group of rows at a time."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.errors import Fault
from conqret.io import limits
from conqret.io.faults import too_many
from conqret.io.rows import Row

BATCH = 8
"""Rows that become Python objects at a time."""


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """The rows of a Parquet file; the first is line 1. One row group is unpacked at a time."""

    path: Path
    name: str

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns; ``None`` where the file is damaged, which reading it reports."""
        import polars

        try:
            return tuple(polars.read_parquet_schema(self.path))
        except (Exception, polars.exceptions.PanicException):  # noqa: BLE001 - polars raises errors of many classes
            return None

    def __iter__(self) -> Iterator[Row | Fault]:
        import polars

        line = 0
        if (count := len(self.columns or ())) > limits.MAX_COLUMNS:
            yield Fault(self.name, 0, "", *too_many(count, "columns"))
            return
        try:
            lazy = polars.scan_parquet(self.path, glob=False)
            for rows, unpacked in _row_groups(self.path):
                if unpacked > limits.LINE.most * rows:
                    problem = f"its rows {line + 1} to {line + rows} unpack to more than {limits.LINE} each"
                    yield Fault(self.name, line + 1, "", problem, f"Split the items, {limits.LINE.remedy}")
                    return
                for batch in lazy.slice(line, rows).collect().iter_slices(BATCH):
                    for record in batch.to_dicts():
                        line += 1
                        yield Row(line, record)
        except (Exception, polars.exceptions.PanicException) as error:  # noqa: BLE001 - likewise
            reason = " ".join(str(error).split())[:200]
            problem = f"is a corrupt Parquet file: {line} rows can be read before the reader says: {reason}"
            yield Fault(self.name, line, "", problem, "Write or fetch the file again")


_ROW_GROUPS, _UNPACKED_SIZE, _ROW_COUNT = 4, 2, 3
_DEEPEST = 20


def _row_groups(path: Path) -> list[tuple[int, int]]:
    """The rows of each row group, and the bytes that they take unpacked, as the footer has them.

    Source: the Parquet format's ``parquet.thrift``, and Thrift's compact protocol.

    Raises:
        ValueError: the footer is damaged.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - 8, 0))
        length, magic = struct.unpack("<I4s", file.read(8))
        if magic != b"PAR1" or length > min(size, limits.FILE.most):
            raise ValueError("it has no footer")
        file.seek(size - 8 - length)
        footer = file.read(length)
    try:
        groups = _Footer(footer).structure(0)[_ROW_GROUPS]
        return [(group[_ROW_COUNT], group[_UNPACKED_SIZE]) for group in groups]
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"its footer is corrupt ({error!r})") from None


class _Footer:
    """Reads values one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def structure(self, depth: int) -> dict[int, Any]:
        """The fields of a struct by their numbers."""
        if depth > _DEEPEST:
            raise ValueError("its footer is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while first := self._byte():
            number = number + (first >> 4) if first >> 4 else self._integer()
            kind = first & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            self._at += 8
            return None
        if kind == 8:
            length = self._varint()
            self._at += length
            return None
        if kind in (9, 10):
            first = self._byte()
            count = first >> 4 if first >> 4 < 15 else self._varint()
            if count > len(self._data):
                raise ValueError("its footer names more values than it has")
            return [self._value(first & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.structure(depth + 1)
        raise ValueError(f"its footer contains an unknown type ({kind})")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("its footer contains a number of more than 64 bits")
