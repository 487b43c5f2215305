"""Judgments as rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from conqret.data import Judgment, Version

COLUMNS = (
    "item", "topic", "stance", "original", "perturbation", "level", "seed", "format", "model", "fingerprint", "metric", "part", "status", "value", "raw",
    "label", "flipped", "method", "majority", "reason", "explanation",
)  # fmt: skip
"""The columns of ``scores.parquet``. A row with ``part`` null is the measure itself; the others are its parts."""

_CHUNK = 500
"""Judgments that are turned into a frame at a time: enough for speed, little enough for memory."""


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
            measure.method, measure.majority, reason, measure.explanation,
        )  # fmt: skip
        for part in measure.parts:
            yield (
                *head, metric, part.id, status, part.value, part.raw, part.label, None, None, None, None,
                part.explanation,
            )  # fmt: skip


def wide_row(judgment: Judgment) -> dict[str, Any]:
    """One row for the whole judgment: id, status, reason, and a column for each metric."""
    return {
        "id": judgment.item,
        "status": judgment.status.value,
        "reason": judgment.reason.value if judgment.reason is not None else None,
        **{metric: measure.value for metric, measure in judgment.measures.items()},
    }


def write_scores(judgments: Iterable[Judgment], path: Path) -> None:
    """Write ``scores.parquet``; the rows are kept as columns, a few hundred judgments at a time."""
    import polars as pl

    from conqret.io.atomic import replacing

    numbers = dict.fromkeys(("value", "raw", "majority", "level"), pl.Float64)
    schema = dict.fromkeys(COLUMNS, pl.String) | numbers | {"flipped": pl.Boolean, "seed": pl.Int64}
    frames, source = [pl.DataFrame(schema=schema)], iter(judgments)
    while chunk := list(islice(source, _CHUNK)):
        rows = [row for judgment in chunk for row in _rows(judgment)]
        frames.append(pl.DataFrame(dict(zip(COLUMNS, zip(*rows, strict=True), strict=True)), schema=schema))
    with replacing(path) as file:
        pl.concat(frames).write_parquet(file)
