"""``scores.parquet`` of ``conqret score``: one row for each system, question and metric, and means over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from conqret.errors import DeclarationError, Fault
from conqret.io.files import file_rows

DIVERSITY, DIVERSITY_MEAN, AWARENESS = "perspective_diversity", "mean_perplexity", "dispute_awareness"
LOWER_IS_BETTER = frozenset({DIVERSITY, DIVERSITY_MEAN})


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric of one answer. ``value`` is None where there is none, and ``reason`` says why.

    ``instrument`` names what measured (the backbone or judge with its settings), ``n`` the partial answers behind.
    """

    system: str
    id: str
    metric: str
    instrument: str
    value: float | None
    n: int = 1
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SystemMean:
    """The mean over the questions that were scored, of all that were asked."""

    system: str
    metric: str
    instrument: str
    mean: float | None
    scored: int
    total: int


def write_table(rows: Sequence[ScoreRow], path: Path) -> None:
    """Write Parquet, whole or not at all."""
    import polars as pl

    from conqret.io.atomic import replacing

    schema = {
        "system": pl.String, "id": pl.String, "metric": pl.String, "instrument": pl.String, "value": pl.Float64,
        "n": pl.Int64, "reason": pl.String, "detail": pl.String,
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        pl.DataFrame([asdict(row) for row in rows], schema=schema).write_parquet(file)


def read_tables(paths: Iterable[str | Path]) -> list[ScoreRow]:
    """Read score tables (Parquet, or any table with these columns), one after the other.

    Raises:
        DeclarationError: a file lacks a column, holds a value that is no number, or nothing.
    """
    found = []
    for path in paths:
        for row in file_rows(path):
            if isinstance(row, Fault):
                raise DeclarationError(str(row))
            record = row.record
            if missing := [name for name in ("system", "id", "metric", "value") if name not in record]:
                raise DeclarationError(
                    f"{path} is no table of conqret score: it lacks {', '.join(missing)}; give a scores.parquet of it"
                )
            try:
                value = None if record["value"] is None else float(str(record["value"]))
                n = int(str(record.get("n") or 1))
            except ValueError:
                raise DeclarationError(f"{path}:{row.line} holds a value that is no number") from None
            texts = {name: str(record.get(name) or "") for name in ("instrument", "reason", "detail")}
            found.append(
                ScoreRow(str(record["system"]), str(record["id"]), str(record["metric"]), texts["instrument"], value, n,
                         texts["reason"], texts["detail"])
            )  # fmt: skip
    if not found:
        raise DeclarationError("the tables hold no row")
    return found


def system_means(rows: Sequence[ScoreRow]) -> list[SystemMean]:
    """The mean of each system, metric and instrument, in the order of first occurrence; unscored rows are counted."""
    groups: dict[tuple[str, str, str], list[ScoreRow]] = {}
    for row in rows:
        groups.setdefault((row.system, row.metric, row.instrument), []).append(row)
    found = []
    for (system, metric, instrument), members in groups.items():
        values = [row.value for row in members if row.value is not None]
        mean = sum(values) / len(values) if values else None
        found.append(SystemMean(system, metric, instrument, mean, len(values), len(members)))
    return found


def means_of(rows: Sequence[ScoreRow], metric: str) -> dict[str, dict[str, float]]:
    """For each instrument that measured ``metric`` the mean of each system.

    Raises:
        DeclarationError: nothing measured it, or a system has no scored question.
    """
    found: dict[str, dict[str, float]] = {}
    for one in system_means(rows):
        if one.metric != metric:
            continue
        if one.mean is None:
            raise DeclarationError(
                f"{one.system} has no scored {metric} by {one.instrument or 'its instrument'}"
            )
        found.setdefault(one.instrument, {})[one.system] = one.mean
    if not found:
        raise DeclarationError(f"the tables hold no {metric}")
    return found


def reasons(rows: Iterable[ScoreRow]) -> Mapping[str, int]:
    """How often each reason stands for a missing value."""
    counts: dict[str, int] = {}
    for row in rows:
        if row.value is None:
            counts[row.reason] = counts.get(row.reason, 0) + 1
    return counts
