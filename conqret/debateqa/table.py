"""``scores.parquet`` of ``conqret score``: one row for each system, question and metric, and means over them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from conqret.errors import DeclarationError, FaultsError
from conqret.io.checks import cell_text, number, whole_number
from conqret.io.files import file_rows
from conqret.io.rows import columns_of
from conqret.io.schema import Field, Schema, TableReader

DIVERSITY, DIVERSITY_MEAN, AWARENESS = "perspective_diversity", "mean_perplexity", "dispute_awareness"
LOWER_IS_BETTER = frozenset({DIVERSITY, DIVERSITY_MEAN})
EMPTY_ANSWER, NO_PARTIAL_ANSWERS = "the answer is empty", "the question has no partial answers"
NO_QUESTION = "the question has no text"
"""Why an answer has no value, by any metric: a model that is asked about nothing says something all the same."""
_CHUNK = 500
"""Rows that are turned into columns at a time."""


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


@dataclass(frozen=True, slots=True)
class CommonMeans:
    """Means of systems over the questions that were scored of all of them: others would make them unlike.

    ``means`` is empty where no question was. ``questions`` counts those behind each mean, ``left_out`` the scored
    answers to other questions; ``n`` is the mean of the rows' n. ``scored`` and ``unscored`` are the systems with a
    scored answer and those without.
    """

    means: Mapping[str, float]
    questions: int
    left_out: int
    n: float
    scored: tuple[str, ...]
    unscored: tuple[str, ...]


_NEEDED = "Fill it in, or give a scores.parquet of conqret score"
SCORE = Schema(
    "a score",
    {
        "system": Field(("system",), cell_text, needed=_NEEDED),
        "id": Field(("id",), cell_text, needed=_NEEDED),
        "metric": Field(("metric",), cell_text, needed=_NEEDED),
        "value": Field(("value",), number),
        "n": Field(("n",), whole_number, 1),
        "instrument": Field(("instrument",), cell_text, ""),
        "reason": Field(("reason",), cell_text, ""),
        "detail": Field(("detail",), cell_text, ""),
    },
)


def write_table(rows: Iterable[ScoreRow], path: Path) -> None:
    """Write Parquet, whole or not at all; rows are taken as they come and kept as columns, never as objects.

    The file is opened when the last row is there: if ``rows`` raises, an older file stays as it was.
    """
    import polars as pl

    from conqret.io.atomic import replacing

    schema = {
        "system": pl.String, "id": pl.String, "metric": pl.String, "instrument": pl.String, "value": pl.Float64,
        "n": pl.Int64, "reason": pl.String, "detail": pl.String,
    }  # fmt: skip
    frames, source = [pl.DataFrame(schema=schema)], iter(rows)
    while chunk := list(islice(source, _CHUNK)):
        columns = {name: [getattr(row, name) for row in chunk] for name in schema}
        frames.append(pl.DataFrame(columns, schema=schema))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        pl.concat(frames).write_parquet(file)


def read_tables(paths: Iterable[str | Path]) -> list[ScoreRow]:
    """Read score tables (Parquet, or any table with these columns), one after the other.

    Raises:
        FaultsError: a row lacks a system, an id or a metric, or holds a value that is no finite number, or an
            instrument measured the same answer twice; all faults of a file are listed.
        DeclarationError: a file lacks a column, or the files hold nothing.
    """
    found: list[ScoreRow] = []
    seen: dict[tuple[str, str, str, str], str | Path] = {}
    for path in paths:
        rows = file_rows(path)
        if missing := [name for name in ("system", "id", "metric", "value") if name not in columns_of(rows)]:
            raise DeclarationError(
                f"{path} is no table of conqret score: it lacks {', '.join(missing)}; give a scores.parquet of it"
            )
        reader = TableReader(rows, SCORE)
        for values in reader:
            one = ScoreRow(**values)
            key = (one.instrument, one.metric, one.system, one.id)
            if key in seen:
                problem = (
                    f"has the {one.metric} of {one.system}'s answer {one.id} by "
                    f"{one.instrument or 'the instrument without a name'}, which stands in {seen[key]} already"
                )
                remedy = "Give each table once, and each system a name of its own (--system)"
                reader.fault("", problem, remedy)
            seen[key] = path
            found.append(one)
        reader.finish(FaultsError)
    if not found:
        raise DeclarationError("the tables hold no row")
    return found


class Tally:
    """Means and reasons of rows that pass by one after the other; no row is kept."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str], _Sum] = {}
        self._reasons: dict[str, int] = {}

    def add(self, row: ScoreRow) -> ScoreRow:
        """Count a row, and hand it on."""
        group = self._groups.setdefault((row.system, row.metric, row.instrument), _Sum())
        group.total += 1
        if row.value is None:
            self._reasons[row.reason] = self._reasons.get(row.reason, 0) + 1
        else:
            group.add(row.value)
        return row

    @property
    def means(self) -> list[SystemMean]:
        """The mean of each system, metric and instrument, in the order of first occurrence."""
        return [SystemMean(*names, one.mean, one.count, one.total) for names, one in self._groups.items()]

    @property
    def reasons(self) -> Mapping[str, int]:
        """How often each reason stands for a missing value."""
        return self._reasons


@dataclass(slots=True)
class _Sum:
    """A sum whose rounding is carried along (Neumaier 1974): equal values in another order have an equal mean."""

    count: int = 0
    total: int = 0
    value: float = 0.0
    lost: float = 0.0

    def add(self, value: float) -> None:
        together = self.value + value
        larger, smaller = (self.value, value) if abs(self.value) >= abs(value) else (value, self.value)
        self.lost += (larger - together) + smaller
        self.value = together
        self.count += 1

    @property
    def mean(self) -> float | None:
        return (self.value + self.lost) / self.count if self.count else None


def common_means(
    rows: Sequence[ScoreRow], metric: str, among: Collection[str] | None = None
) -> dict[str, CommonMeans]:
    """For each instrument that measured ``metric`` the systems' means over the questions scored of all of them.

    P.D. is a sum over partial answers, of which questions have different numbers: a system that was scored on the
    easy questions alone would look better. ``among`` names the systems that are looked at (None: all).

    Raises:
        DeclarationError: nothing measured it.
    """
    by_instrument: dict[str, dict[str, dict[str, ScoreRow]]] = {}
    for row in rows:
        if row.metric == metric:
            systems = by_instrument.setdefault(row.instrument, {})
            if among is None or row.system in among:
                own = systems.setdefault(row.system, {})
                if row.value is not None:
                    own[row.id] = row
    if not by_instrument:
        raise DeclarationError(f"the tables hold no {metric}")
    return {instrument: _common(systems) for instrument, systems in by_instrument.items()}


def _common(systems: Mapping[str, Mapping[str, ScoreRow]]) -> CommonMeans:
    scored = {name: own for name, own in systems.items() if own}
    common = set.intersection(*(set(own) for own in scored.values())) if scored else set()
    means, n = {}, _Sum()
    for name, own in scored.items():
        values = _Sum()
        for one in sorted(common):
            values.add(own[one].value or 0.0)
            n.add(own[one].n)
        if values.mean is not None:
            means[name] = values.mean
    return CommonMeans(
        means, len(common), sum(len(own) - len(common) for own in scored.values()), n.mean or 0.0,
        tuple(scored), tuple(name for name in systems if name not in scored),
    )  # fmt: skip


def reasons(rows: Iterable[ScoreRow]) -> Mapping[str, int]:
    """How often each reason stands for a missing value."""
    tally = Tally()
    for row in rows:
        tally.add(row)
    return tally.reasons
