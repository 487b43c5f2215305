"""Judgments as rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from conqret.data import Judgment

COLUMNS = (
    "item", "topic", "stance", "format", "model", "fingerprint", "metric", "part", "status", "value", "raw",
    "label", "flipped", "method", "majority", "reason", "explanation",
)  # fmt: skip
"""The columns of ``scores.parquet``. A row with ``part`` null is the measure itself; the others are its parts."""

_CHUNK = 500
"""Judgments that are turned into a frame at a time: enough for speed, little enough for memory."""


def score_rows(judgment: Judgment) -> Iterator[dict[str, Any]]:
    """One row for each measure, and one for each of its parts, in the columns of :data:`COLUMNS`."""
    for metric, measure in judgment.measures.items():
        row = dict.fromkeys(COLUMNS) | {
            "item": judgment.item,
            "topic": judgment.topic,
            "stance": judgment.stance,
            "format": judgment.format,
            "model": judgment.model,
            "fingerprint": judgment.fingerprint,
            "metric": metric,
            "status": measure.status.value,
        }
        yield row | {
            "value": measure.value,
            "raw": measure.raw,
            "label": measure.label,
            "flipped": measure.flipped,
            "method": measure.method,
            "majority": measure.majority,
            "reason": measure.reason.value if measure.reason is not None else None,
            "explanation": measure.explanation,
        }
        for part in measure.parts:
            yield row | {
                "part": part.id,
                "value": part.value,
                "raw": part.raw,
                "label": part.label,
                "explanation": part.explanation,
            }


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

    numbers = dict.fromkeys(("value", "raw", "majority"), pl.Float64)
    schema = dict.fromkeys(COLUMNS, pl.String) | numbers | {"flipped": pl.Boolean}
    frames, source = [pl.DataFrame(schema=schema)], iter(judgments)
    while chunk := list(islice(source, _CHUNK)):
        rows = [row for judgment in chunk for row in score_rows(judgment)]
        frames.append(pl.DataFrame({name: [row[name] for row in rows] for name in COLUMNS}, schema=schema))
    with replacing(path) as file:
        pl.concat(frames).write_parquet(file)
