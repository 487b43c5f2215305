"""The distinct cells of columns of verdicts, the numbers that they become, and errors for those that become none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, number
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import (
    CellNumber,
    is_failed,
    is_no_label,
    number_of,
    pass_or_fail,
    pass_word,
    word_of,
)

TOPS = (1.0, 5.0, 10.0, 100.0)
"""Scales differ if their highest values lie between different ones of these."""


@dataclass(frozen=True, slots=True)
class WordColumn:
    """The distinct cells of one column of verdicts or labels, without those that hold none.

    Attributes:
        name: the column.
        human: whether it holds labels.
        counts: how often each cell occurs.
        numbers: the number of each cell that is one.
    """

    name: str
    human: bool
    counts: Counter[str]
    numbers: Mapping[str, CellNumber]

    @property
    def numeric(self) -> bool:
        """Whether every cell is a number."""
        return bool(self.counts) and len(self.numbers) == len(self.counts)

    @property
    def binary(self) -> bool:
        """Whether every cell is a word for pass or fail, or 1 or 0."""
        return all(pass_or_fail(cell) is not None for cell in self.counts)

    @property
    def low(self) -> float:
        """The lowest of its numbers."""
        return min((cell.value for cell in self.numbers.values()), default=0.0)

    @property
    def high(self) -> float:
        """The highest value of its scale, as far as the cells say it."""
        return max((max(cell.top, cell.value) for cell in self.numbers.values()), default=0.0)

    @property
    def scale(self) -> float:
        """The usual highest value next to that of its scale."""
        return next((top for top in TOPS if self.high <= top), np.inf)

    @property
    def scored(self) -> bool:
        """Whether it holds scores in [0, 1] that are not only 0 and 1."""
        return self.numeric and self.low >= 0 and self.high <= 1 and not self.binary


def word_column(name: str, texts: Sequence[str], human: bool) -> WordColumn:
    """Return the distinct cells of a column; -1 next to numbers of which none is negative stands for no verdict."""
    absent = is_no_label if human else is_failed
    counts = Counter({cell: count for cell, count in Counter(texts).items() if not absent(cell)})
    numbers = {cell: parsed for cell in counts if (parsed := number_of(cell)) is not None}
    values = {parsed.value for parsed in numbers.values()}
    if -1 in values and len(values) > 2 and min(values - {-1}) >= 0:
        for cell in [cell for cell, parsed in numbers.items() if parsed.value == -1]:
            del counts[cell], numbers[cell]
    return WordColumn(name, human, counts, numbers)


@dataclass(slots=True)
class Reading:
    """How the cells of each column become numbers.

    Attributes:
        kind: what verdicts and labels are.
        mappings: the number of each cell by column; a cell without one is none.
        passing: how a pass is told.
        scale: the ends of the scale.
        classes: the names of classes.
        levels: the words of ratings, from the lowest.
        probabilities: for columns of scores that were cut, the probability of a pass of each cell.
        notes: what was decided without the user.
    """

    kind: Kind
    mappings: dict[str, dict[str, float]] = field(default_factory=dict)
    passing: str = ""
    scale: tuple[float, float] = (0.0, 1.0)
    classes: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    probabilities: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take(self, column: WordColumn, value: Callable[[str], float | None]) -> dict[str, float]:
        """Map each cell of a column to its value, and return the mapping; cells without one are left out."""
        mapping = {cell: parsed for cell in column.counts if (parsed := value(cell)) is not None}
        self.mappings[column.name] = mapping
        return mapping

    def numbers(self, column: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the number of each cell of a column; NaN where there is none."""
        mapping = self.mappings[column]
        return np.array([mapping.get(text, np.nan) for text in texts], dtype=np.float64)

    def probability(self, column: str, texts: Sequence[str]) -> NDArray[np.float64] | None:
        """Return the probabilities that a column of scores states; None if it was not cut."""
        mapping = self.probabilities.get(column)
        return None if mapping is None else np.array([mapping.get(text, np.nan) for text in texts])

    def passes(self, columns: Sequence[WordColumn]) -> list[str]:
        """Return the cells that are a pass, the most frequent first, one of those that differ only in their case."""
        cells: dict[str, str] = {}
        for column in columns:
            for cell, _ in column.counts.most_common():
                if self.mappings[column.name].get(cell) == 1:
                    word = pass_word(cell)
                    cells.setdefault(word_of(word) or word, word if len(word) <= 20 else f"{word[:19]}…")
        return list(cells.values())

    def tell_passes(self, columns: Sequence[WordColumn]) -> None:
        """Set ``passing`` to a sentence on the words of ``columns`` that are a pass."""
        shown = [f'"{cell}"' for cell in self.passes(columns)[:3]]
        self.passing = f"{' and '.join(shown)} {'are passes' if len(shown) > 1 else 'is a pass'}"


def check_known(table: TextTable, column: WordColumn, known: Mapping[str, float], what: str) -> None:
    """Check that all cells of a column are known.

    Raises:
        DeclarationError: some are not; the message lists them with their lines.
    """
    unknown = [cell for cell in column.counts if cell not in known]
    if not unknown:
        return
    texts = table.columns[column.name]
    shown = [f"{table.place(texts.index(cell))}: {_short(cell)!r}" for cell in unknown[:5]]
    shown += [f"and {len(unknown) - 5} more"] if len(unknown) > 5 else []
    count = number(sum(column.counts[cell] for cell in unknown), "cell")
    passes = [cell for cell in column.counts if pass_or_fail(cell) == 1 and len(cell) <= 20]
    raise DeclarationError(
        f"{table.source}: in {column.name!r}, {count} cannot be read as {what} ({', '.join(shown)}). Correct or empty "
        f"them, or say which words are a pass: {table.command('--pass', passes[0] if passes else 'WORD')}"
    )


def _short(cell: str) -> str:
    return cell if len(cell) <= 40 else f"{cell[:39]}…"


def two_scales(table: TextTable, columns: Sequence[WordColumn]) -> DeclarationError:
    """Return the error for columns on different scales, with the command that makes pass or fail of them."""
    shown, conditions = [], []
    for column in columns:
        if not column.numeric:
            shown.append(f"{column.name!r} in words")
            continue
        shown.append(f"{column.name!r} from {column.low:g} to {column.high:g}")
        if not column.binary:
            cut = column.low + 0.7 * (column.high - column.low)
            conditions.append(f"{column.name}>={round(cut, 0 if column.high > 2 else 2):g}")
    if len(conditions) == 1:
        conditions = [conditions[0].removeprefix(next(c.name for c in columns if c.numeric and not c.binary))]
    ready = table.command("--pass", ", ".join(conditions))
    return DeclarationError(
        f"{table.source}: verdicts and labels are on different scales ({'; '.join(shown)}). Say which values are a "
        f"pass, as in {ready}, or write all on one scale (4/5 where 5 is the highest)"
    )
