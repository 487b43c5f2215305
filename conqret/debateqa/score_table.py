"""``scores.parquet`` of ``conqret debateqa score``: a row for each system, question and metric, and means over them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.errors import DeclarationError, FaultsError
from conqret.io.checks import Cell, number, whole_number
from conqret.io.files import file_rows
from conqret.io.rows import readable_columns
from conqret.io.safe_files import replacing
from conqret.io.schema import TableReader, in_columns
from conqret.show.words import reason
from conqret.stats.estimate import mean_of_sums

if TYPE_CHECKING:
    import polars as pl


DIVERSITY, DIVERSITY_MEAN, AWARENESS = "perspective_diversity", "mean_perplexity", "dispute_awareness"
LOWER_IS_BETTER = frozenset({DIVERSITY, DIVERSITY_MEAN})
EMPTY_ANSWER, NO_PARTIAL_ANSWERS = "the answer is empty", "the question has no partial answers"
NO_QUESTION = "the question has no text"
"""Why an answer has no value, by any metric: a model answers an empty request, too."""


_NEEDED = "Fill it in, or give a scores.parquet of conqret debateqa score"


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The value of one metric for one answer.

    ``value`` is None where it is missing, and ``reason`` says why. ``instrument`` names the measuring model
    (backbone or judge) with its settings. ``n`` is the number of partial answers.
    """

    system: Annotated[Cell, in_columns(needed=_NEEDED)]
    id: Annotated[Cell, in_columns(needed=_NEEDED)]
    metric: Annotated[Cell, in_columns(needed=_NEEDED)]
    instrument: Cell = ""
    value: Annotated[float | None, number] = None
    n: Annotated[int, whole_number] = 1
    reason: Cell = ""
    detail: Cell = ""


@dataclass(frozen=True, slots=True)
class SystemMean:
    """The mean of a system by one metric and measuring model, over the scored questions.

    Dispute Awareness has a 95% interval over questions (``low``, ``high``); other metrics have none.
    """

    system: str
    metric: str
    instrument: str
    mean: float | None
    scored: int
    total: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class CommonMeans:
    """The means of systems over the questions that are scored for all of them, so that the means are
    comparable.

    ``means`` maps each system with a scored answer to its mean; it is empty where no question is scored for
    all. ``questions`` is the number of these questions, and ``left_out`` counts the scored answers to others.
    ``scored`` and ``unscored`` are the systems with and without a scored answer.
    """

    means: Mapping[str, float]
    questions: int
    left_out: int
    scored: tuple[str, ...]
    unscored: tuple[str, ...]


def frame_of(rows: Iterable[ScoreRow]) -> pl.DataFrame:
    """Return score rows as a polars data frame."""
    import polars as pl

    numbers = {"value": pl.Float64(), "n": pl.Int64()}
    types = {name: numbers.get(name, pl.String()) for name in ScoreRow.__dataclass_fields__}
    there = list(rows)
    return pl.DataFrame({name: [getattr(row, name) for row in there] for name in types}, schema=types)


def write_table(rows: Iterable[ScoreRow], path: Path) -> pl.DataFrame:
    """Write score rows to a Parquet file, completely or not at all, and return them as a data frame.

    If ``rows`` raises an error, an older file is unchanged.
    """
    frame = frame_of(rows)
    with replacing(path) as file:
        frame.write_parquet(file)
    return frame


def read_tables(paths: Iterable[str | Path]) -> pl.DataFrame:
    """Read score tables (Parquet, or any table with these columns), and return them as one data frame.

    Raises:
        FaultsError: a row lacks a system, an id or a metric, has a value that is not a finite number, or
            repeats a measurement; all faults of a file are listed.
        DeclarationError: a file lacks a column, or the files have no rows.
    """
    score_rows: list[ScoreRow] = []
    seen: dict[tuple[str, str, str, str], str | Path] = {}
    for path in paths:
        rows = file_rows(path)
        if missing := [
            name for name in ("system", "id", "metric", "value") if name not in readable_columns(rows)
        ]:
            raise DeclarationError(
                f"{path} is not a table of conqret debateqa score, as it lacks {', '.join(missing)}; give a "
                f"scores.parquet that it wrote"
            )
        reader = TableReader(rows)
        for row in reader.read_as(ScoreRow):
            key = (row.instrument, row.metric, row.system, row.id)
            if key in seen:
                problem = (
                    f"has the {row.metric} of {row.system}'s answer {row.id} by "
                    f"{row.instrument or 'the measuring model without a name'}, which is already in {seen[key]}"
                )
                remedy = "Give each table once, and each system a name of its own (--system)"
                reader.fault("", problem, remedy)
                continue
            seen[key] = path
            score_rows.append(row)
        reader.finish(FaultsError)
    return frame_of(score_rows)


def system_means(table: pl.DataFrame) -> list[SystemMean]:
    """Return the mean of each system, metric and measuring model, in the order of first occurrence.

    Missing values are left out of a mean, so those of two systems may be over different questions: see
    :func:`common_means`.
    """
    means = []
    for names, rows in table.group_by("system", "metric", "instrument", maintain_order=True):
        system, metric, instrument = map(str, names)
        low = high = None
        if metric == AWARENESS:  # each question is one cluster
            values = rows["value"].drop_nulls().to_list()
            estimate = mean_of_sums(values, [1.0] * len(values))
            low, high = estimate.low, estimate.high
        count = rows["value"].count()
        means.append(SystemMean(system, metric, instrument, _mean(rows), count, len(rows), low, high))
    return means


def reasons(table: pl.DataFrame) -> Mapping[str, int]:
    """Return how many values are missing for each reason."""
    missing = table.filter(table["value"].is_null()).group_by("reason", maintain_order=True).len()
    return dict(missing.iter_rows())


def missing_lines(missing: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for each reason why scores are missing, with the number of these scores."""
    for name, count in missing.items():
        yield f"{count} {'score is' if count == 1 else 'scores are'} missing: {reason(name)}"


def instruments_of(table: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return a mapping from each metric to its measuring models, both in the order of first occurrence."""
    groups = table.group_by("metric", maintain_order=True)
    return {str(metric): in_order(rows, "instrument") for (metric,), rows in groups}


def common_means(
    table: pl.DataFrame, metric: str, among: Collection[str] | None = None
) -> dict[str, CommonMeans]:
    """Return for each measuring model of ``metric`` the systems' means over the questions scored for all of
    them.

    Perspective Diversity is a sum over a question's partial answers, so means over different questions are
    not comparable. ``among`` names the systems to include (None: all).

    Raises:
        DeclarationError: the table has no such metric.
    """
    measured = table.filter(metric=metric)
    if measured.is_empty():
        raise DeclarationError(f"the tables contain no {metric}")
    looked_at = in_order(measured, "system") if among is None else among
    groups = measured.group_by("instrument", maintain_order=True)
    return {
        str(instrument): _common(rows.filter(rows["system"].is_in(list(looked_at))))
        for (instrument,), rows in groups
    }


def in_order(table: pl.DataFrame, column: str) -> tuple[str, ...]:
    """Return the distinct values of a column, in the order of first occurrence."""
    return tuple(table[column].unique(maintain_order=True))


def _common(rows: pl.DataFrame) -> CommonMeans:
    import polars as pl

    known = rows.drop_nulls("value")
    scored = in_order(known, "system")
    common = known.filter(pl.col("system").n_unique().over("id") == len(scored))
    means = {str(name): _mean(rows) for (name,), rows in common.group_by("system", maintain_order=True)}
    return CommonMeans(
        {name: mean for name, mean in means.items() if mean is not None},
        common["id"].n_unique(),
        len(known) - len(common),
        scored,
        tuple(name for name in in_order(rows, "system") if name not in scored),
    )


def _mean(rows: pl.DataFrame) -> float | None:
    """The mean of the values that are there; their sum is exact, so that no order of rows changes it."""
    values = rows["value"].drop_nulls()
    return math.fsum(values) / len(values) if len(values) else None
