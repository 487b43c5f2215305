"""Parquet, a slice of rows at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.errors import Fault
from conqret.io import limits
from conqret.io.faults import too_many
from conqret.io.parquet_pages import column_names, held_at_once, largest_page, most_in_lists
from conqret.io.rows import Row

BATCH = 64
"""Rows that pyarrow turns into Python objects at a time."""
BUFFER = 2**20
"""Bytes that pyarrow reads ahead for each column."""


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """The rows of a Parquet file; the first is line 1.

    pyarrow decodes a row group piece by piece, in flat memory.
    """

    path: Path
    name: str

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns; ``None`` where the file is damaged, which reading it reports."""
        try:
            return column_names(self.path)
        except ValueError:
            return None

    def __iter__(self) -> Iterator[Row | Fault]:
        line = 0
        if wrong := self._too_much():
            yield wrong
            return
        try:
            records = itertools.chain.from_iterable(self._batches())
            for line, record in enumerate(records, start=1):
                yield Row(line, record) if record is not None else self._too_large(line)
        except Exception as error:  # noqa: BLE001 - pyarrow raises errors of many classes
            reason = " ".join(str(error).split())[:200]
            problem = f"is a corrupt Parquet file: {line} rows can be read before the reader says: {reason}"
            yield Fault(self.name, line, "", problem, "Write or fetch the file again")

    def _too_much(self) -> Fault | None:
        """What is wrong with a file that a reader should not be given."""
        if (count := len(self.columns or ())) > limits.COLUMNS.most:
            return Fault(self.name, 0, "", *too_many(count, "columns"))
        try:
            most, column = largest_page(self.path)
            together = held_at_once(self.path)
            values, in_lists = most_in_lists(self.path)
        except ValueError as error:
            problem = f"is a corrupt Parquet file: 0 rows can be read: {error}"
            return Fault(self.name, 0, "", problem, "Write or fetch the file again")
        if most > limits.PAGE.most:
            problem = f"unpacks to {most // 2**20:,} MiB at once; the limit is {limits.PAGE}"
            return Fault(self.name, 0, column, problem, f"Write smaller pages, {limits.PAGE.remedy}")
        if together > limits.PAGES.most:
            problem = (
                f"has columns that unpack to {together // 2**20:,} MiB at once; the limit is {limits.PAGES}"
            )
            return Fault(self.name, 0, "", problem, f"Write smaller pages, {limits.PAGES.remedy}")
        if values > limits.VALUES.most:
            problem = f"holds {values:,} values in its lists; the limit is {limits.VALUES} in a row group"
            return Fault(self.name, 0, in_lists, problem, f"Write smaller row groups, {limits.VALUES.remedy}")
        return None

    def _too_large(self, line: int) -> Fault:
        problem = f"the row unpacks to more than {limits.LINE}"
        return Fault(self.name, line, "", problem, f"Split the item, {limits.LINE.remedy}")

    def _rows_at_once(self) -> int:
        """Fewer rows where pages are so large that the values of the usual number may fill the memory."""
        return max(1, min(BATCH, limits.PAGE.most // max(1, held_at_once(self.path, dictionaries=False))))

    def _batches(self) -> Iterator[list[dict[str, Any] | None]]:
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(self.path) as file:
            leaves = [file.schema.column(place) for place in range(len(file.schema))]
        # A text that many cells name is held once, until its cells are known to be few enough.
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        with pyarrow.parquet.ParquetFile(
            self.path, pre_buffer=False, buffer_size=BUFFER, read_dictionary=texts
        ) as file:
            for batch in file.iter_batches(self._rows_at_once(), use_threads=False):
                yield from _within(batch)


def _within(batch: Any) -> Iterator[list[dict[str, Any] | None]]:
    """The records of a batch; None for a row that is larger than a line may be."""
    rows = batch.num_rows
    if sum(map(_bytes_of, batch.columns)) <= limits.LINE.most:
        yield [*batch.to_pylist()]
    elif rows == 1:
        yield [None]
    else:
        for start, end in ((0, rows // 2), (rows // 2, rows)):
            yield from _within(batch.slice(start, end - start))


def _bytes_of(array: Any) -> int:
    """The bytes of an array where each cell has its own text; those of a slice alone."""
    import pyarrow
    import pyarrow.compute

    kind = array.type
    if pyarrow.types.is_dictionary(kind):
        lengths = pyarrow.compute.binary_length(array.dictionary)
        return int(pyarrow.compute.sum(lengths.take(array.indices)).as_py() or 0)
    if pyarrow.types.is_struct(kind):
        return sum(map(_bytes_of, array.flatten()))
    if pyarrow.types.is_map(kind):
        first, last = array.offsets[0].as_py(), array.offsets[-1].as_py()
        return sum(_bytes_of(part[first:last]) for part in (array.keys, array.items))
    if pyarrow.types.is_nested(kind):
        return _bytes_of(array.flatten())
    return int(array.nbytes)
