"""Parquet, a slice of rows at a time."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polars.exceptions import PanicException

from conqret.errors import Fault
from conqret.io import limits
from conqret.io.faults import too_many
from conqret.io.parquet_pages import column_names, largest_page
from conqret.io.rows import Row

BATCH = 64
"""Rows that pyarrow turns into Python objects at a time."""
SLICE = 256
"""Rows of a polars slice. Each slice decodes its part of the row group anew: smaller ones take longer."""
BUFFER = 2**20
"""Bytes that pyarrow reads ahead for each column."""


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """The rows of a Parquet file; the first is line 1.

    pyarrow decodes a row group piece by piece, in flat memory, and is used where it is installed; polars,
    which always is, maps the file and may decode a row group whole.
    """

    path: Path
    name: str
    engine: str = ""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns; ``None`` where the file is damaged, which reading it reports."""
        try:
            return column_names(self.path)
        except ValueError:
            return None

    def __iter__(self) -> Iterator[Row | Fault]:
        installed = importlib.util.find_spec("pyarrow") is not None
        arrow = self.engine == "pyarrow" or (not self.engine and installed)
        line = 0
        if wrong := self._too_much():
            yield wrong
            return
        try:
            records = itertools.chain.from_iterable(self._arrow() if arrow else self._polars())
            for line, record in enumerate(records, start=1):
                yield Row(line, record)
        except (Exception, PanicException) as error:  # noqa: BLE001 - each reader has its own error classes
            reason = " ".join(str(error).split())[:200]
            problem = f"is a damaged Parquet file: {line} rows can be read before the reader says: {reason}"
            yield Fault(self.name, line, "", problem, "Write or fetch the file again")

    def _too_much(self) -> Fault | None:
        """What is wrong with a file that a reader should not be given."""
        if (count := len(self.columns or ())) > limits.COLUMNS.most:
            return Fault(self.name, 0, "", *too_many(count, "columns"))
        try:
            most, column = largest_page(self.path)
        except ValueError as error:
            problem = f"is a damaged Parquet file: 0 rows can be read: {error}"
            return Fault(self.name, 0, "", problem, "Write or fetch the file again")
        if most <= limits.PAGE.most:
            return None
        problem = f"unpacks to {most // 2**20:,} MiB at once; the limit is {limits.PAGE}"
        return Fault(self.name, 0, column, problem, f"Write smaller pages, {limits.PAGE.remedy}")

    def _arrow(self) -> Iterator[list[dict[str, Any]]]:
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=BUFFER) as file:
            for batch in file.iter_batches(BATCH, use_threads=False):
                yield batch.to_pylist()

    def _polars(self) -> Iterator[list[dict[str, Any]]]:
        import polars

        lazy = polars.scan_parquet(self.path)
        count = int(lazy.select(polars.len()).collect().item())
        for start in range(0, count, SLICE):
            yield lazy.slice(start, SLICE).collect().to_dicts()
