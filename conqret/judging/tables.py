"""Judgments as rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from conqret.data import Judgment, Version
from conqret.io.safe_files import replacing

COLUMNS = (
    "item", "topic", "stance", "original", "perturbation", "level", "seed", "format", "model", "fingerprint",
    "metric", "part", "status", "value", "raw",
    "label", "flipped", "method", "majority", "reason", "explanation",
)  # fmt: skip
"""The columns of ``scores.parquet``. A row with ``part`` null is the measure itself; the others are its parts.
Where there is no value, ``explanation`` says what came instead of an answer."""

_ITEM, _METRIC, _PART = (COLUMNS.index(name) for name in ("item", "metric", "part"))
Place = tuple[str, str, str | None]
"""A row of the table: item, metric and part (None: the measure itself)."""
_CHUNK = 15_000
"""Rows that are turned into a frame at a time: enough for speed, little enough for memory."""


def score_rows(judgment: Judgment) -> Iterator[dict[str, Any]]:
    """One row for each measure, and one for each of its parts, in the columns of :data:`COLUMNS`."""
    for row in _rows(judgment):
        yield dict(zip(COLUMNS, row, strict=True))


def _rows(judgment: Judgment) -> Iterator[tuple[Any, ...]]:
    """The same as tuples: a run has some thirty rows an item."""
    head = (
        judgment.item,
        judgment.topic,
        judgment.stance,
        *(getattr(judgment.version, name, None) for name in Version.model_fields),
        judgment.format,
        judgment.model,
        judgment.fingerprint,
    )
    for metric, measure in judgment.measures.items():
        status, reason = measure.status.value, measure.reason.value if measure.reason is not None else None
        yield (
            *head, metric, None, status, measure.value, measure.raw, measure.label, measure.flipped,
            measure.method, measure.majority, reason, measure.explanation or measure.detail,
        )  # fmt: skip
        for part in measure.parts:
            yield (
                *head, metric, part.id, status, part.value, part.raw, part.label, None, None, None, None,
                part.explanation,
            )  # fmt: skip


def wide_row(judgment: Judgment) -> dict[str, Any]:
    """One row for the whole judgment: id, topic, stance, and what :func:`verdict_row` says."""
    return {"id": judgment.item, "topic": judgment.topic, "stance": judgment.stance, **verdict_row(judgment)}


def verdict_row(judgment: Judgment) -> dict[str, Any]:
    """Status and reason, the value of each metric, and its explanation (``clarity_explanation``)."""
    values = {name: measure.value for name, measure in judgment.measures.items()}
    explained = {f"{name}_explanation": measure.explanation for name, measure in judgment.measures.items()}
    reason = judgment.reason.value if judgment.reason is not None else None
    return {"status": judgment.status.value, "reason": reason, **values, **explained}


def skipped_row(why: str) -> dict[str, Any]:
    """The same of an item that was left out because of its faults."""
    return {"status": "skipped", "reason": why}


class ScoreTable(AbstractContextManager["ScoreTable"]):
    """``scores.parquet`` in the making: judgments come one by one, and the file appears whole when all is well.

    The rows are kept as columns, a few hundred judgments at a time. ``leading`` names columns of text that stand
    before :data:`COLUMNS`: whose the judgment is, where a table is one of several systems. ``beside`` has further
    columns of numbers behind the others, by name: their values by item, metric and part.
    """

    def __init__(
        self,
        path: Path,
        leading: Sequence[str] = (),
        beside: Mapping[str, Mapping[Place, float]] | None = None,
    ) -> None:
        import polars as pl

        self._path, self._beside = path, beside or {}
        numbers = dict.fromkeys(("value", "raw", "majority", "level"), pl.Float64)
        others = {"flipped": pl.Boolean, "seed": pl.Int64}
        self._schema = dict.fromkeys((*leading, *COLUMNS), pl.String) | numbers | others
        self._schema |= dict.fromkeys(self._beside, pl.Float64)
        self._frames = [pl.DataFrame(schema=self._schema)]
        self._rows: list[tuple[Any, ...]] = []

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._gather()
            import polars as pl

            with replacing(self._path) as file:
                pl.concat(self._frames).write_parquet(file)

    def add(self, judgment: Judgment, *leading: str) -> None:
        """Take in the rows of a judgment, ``leading`` before each."""
        rows = _rows(judgment)
        if columns := tuple(self._beside.values()):
            rows = (
                (*row, *(column.get((row[_ITEM], row[_METRIC], row[_PART])) for column in columns))
                for row in rows
            )
        self._rows += [(*leading, *row) for row in rows]
        if len(self._rows) >= _CHUNK:
            self._gather()

    def add_missing(self, **cells: str | None) -> None:
        """Take in a row for what could not be judged; all cells that are not named stay empty."""
        self._rows.append(tuple(cells.get(name) for name in self._schema))

    def _gather(self) -> None:
        import polars as pl

        if self._rows:
            columns = dict(zip(self._schema, zip(*self._rows, strict=True), strict=True))
            self._frames.append(pl.DataFrame(columns, schema=self._schema))
            self._rows = []
