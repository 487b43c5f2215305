"""Read leaderboards: scores of systems (runs) by topic and measure, as evaluation tools write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Annotated

from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.io.checks import Cell, Identifier
from conqret.io.rows import listed, quoted
from conqret.io.schema import in_columns, read_table
from conqret.io.trec import parsed_lines
from conqret.text.numbers import is_number, number_in

ALL = "all"
"""The topic of a system's score over all topics."""
SHAPES: Mapping[str, tuple[str, ...]] = {
    "ir_measures": ("run", "topic", "measure", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "rag4reports": ("topic", "run", "measure", "value"),
    "trec_eval": ("measure", "topic", "value"),
    "ranking": ("topic", "Q0", "run", "rank", "value", "measure"),
    "jsonl": ("run_id", "topic_id", "measure", "value"),
}
"""The columns of each form, by the names that TREC AutoJudge gives them. ``trec_eval`` has no run: it is
the file's name.
"""

_needed = "Write run_id, topic_id, measure and value"


@dataclass(frozen=True, slots=True)
class _Score:
    run: Annotated[Identifier, in_columns("run_id", needed=_needed)]
    topic: Annotated[Identifier, in_columns("topic_id", needed=_needed)]
    measure: Annotated[Identifier, in_columns(needed=_needed)]
    value: Annotated[Cell, in_columns(needed=_needed)]


@dataclass(frozen=True)
class SystemLeaderboard:
    """The scores of systems by measure and topic.

    ``scores`` maps measure, then topic (including :data:`ALL`), then run to a value, in the order of the
    file. ``notes`` describe what was left out.
    """

    name: str
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    notes: tuple[str, ...] = field(default=())

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of all measures, sorted."""
        return tuple(sorted(self.scores))

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of all runs, in the order of the file."""
        return tuple(dict.fromkeys(run for _, run, _, _ in self.cells()))

    @property
    def topics(self) -> tuple[str, ...]:
        """The ids of all topics except :data:`ALL`, sorted."""
        return tuple(sorted({topic for by_topic in self.scores.values() for topic in by_topic} - {ALL}))

    def cells(self) -> Iterator[tuple[str, str, str, float]]:
        """Yield measure, run, topic and value of each score."""
        for measure, by_topic in self.scores.items():
            for topic, by_run in by_topic.items():
                for run, value in by_run.items():
                    yield measure, run, topic, value

    def on(self, measure: str, topic: str = ALL) -> Mapping[str, float]:
        """Return the score of each run for a measure on one topic, or the overall scores in the file
        (:data:`ALL`); empty if there are none.
        """
        return self.scores.get(measure, {}).get(topic, {})

    def of_runs(self, runs: Iterable[str]) -> SystemLeaderboard:
        """Return a copy with only these runs; the overall scores are not recomputed."""
        wanted = set(runs)
        return leaderboard(self.name, (cell for cell in self.cells() if cell[1] in wanted), self.notes)

    def recomputed(self, topics: Iterable[str] | None = None) -> SystemLeaderboard:
        """Return a copy with only these topics (all if None), whose overall scores are the means over
        them."""
        wanted = set(self.topics if topics is None else topics)
        cells = [cell for cell in self.cells() if cell[2] in wanted]
        values = gathered(((measure, run), value) for measure, run, _, value in cells)
        means = [(measure, run, ALL, mean(topic_values)) for (measure, run), topic_values in values.items()]
        return leaderboard(self.name, [*cells, *means], self.notes)

    def gaps(self) -> list[str]:
        """Return a message for each measure and run whose scores are missing on topics that others have."""
        topics = {topic for by_topic in self.scores.values() for topic in by_topic}
        return [
            f"{self.name}: {run} has no {measure} for {listed(lost, 3)}"
            for measure in self.measures
            for run in self.runs
            if (lost := sorted(topic for topic in topics if run not in self.on(measure, topic)))
        ]


def leaderboard(
    name: str, cells: Iterable[tuple[str, str, str, float]], notes: tuple[str, ...] = ()
) -> SystemLeaderboard:
    """Build a leaderboard from cells of measure, run, topic and value; ``name`` is its name in messages.

    Raises:
        DeclarationError: a measure, run and topic occurs twice.
    """
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for measure, run, topic, value in cells:
        topic_scores = scores.setdefault(measure, {}).setdefault(topic, {})
        if run in topic_scores:
            raise DeclarationError(f"{name} has {measure} of {run} for {topic} twice: remove one")
        topic_scores[run] = value
    return SystemLeaderboard(name, scores, notes)


def read_leaderboard(path: str | Path, shape: str = "ir_measures") -> SystemLeaderboard:
    """Read a leaderboard from a file, or from all files of a folder; ``shape`` is one of :data:`SHAPES`.

    A first line whose value is not a number is a header. A measure with any value that is not a finite
    number is left out, with a note.

    Raises:
        DeclarationError: the file does not exist, or contains no leaderboard.
    """
    place = Path(path)
    files = (
        sorted(entry for entry in place.iterdir() if entry.is_file() and entry.name[0] != ".")
        if place.is_dir()
        else [place]
    )
    rows = [row for file in files for row in _rows(file, shape)]
    if not rows:
        raise DeclarationError(f"{path} contains no scores")
    words = {measure: value for measure, _, _, value in rows if not is_number(value)}
    cells = [
        (measure, run, topic, number_in(value)) for measure, run, topic, value in rows if measure not in words
    ]
    if not cells:
        raise DeclarationError(f"{path} contains no numbers, read as {shape}: {' '.join(SHAPES[shape])}")
    notes = [
        f"{measure} is left out: it is {quoted(value)} somewhere, no number"
        for measure, value in words.items()
    ]
    return leaderboard(place.name.replace(".txt", ""), cells, tuple(notes))


def _rows(file: Path, shape: str) -> list[tuple[str, str, str, str]]:
    """Return measure, run, topic and value of each line, all as texts. A first line whose value is no number is left
    out as a head. Lines without a run get the file's name.

    Raises:
        DeclarationError: the file is missing or empty, or a line cannot be read.
    """
    if shape == "jsonl":
        scores = read_table(file, _Score, wanted="scores")
        return [(score.measure, score.run, score.topic, score.value) for score in scores]
    columns = SHAPES[shape]

    def row(parts: list[str]) -> tuple[str, str, str, str]:
        if len(parts) != len(columns):
            raise ValueError(parts)
        named = dict(zip(columns, parts, strict=True))
        return named["measure"], named.get("run", file.name), named["topic"], named["value"]

    rows = [parsed for _, parsed in parsed_lines(file, row, " ".join(columns))]
    return rows if not rows or is_number(rows[0][3]) else rows[1:]
