"""The distinct cells of columns of verdicts, the numbers that they become, and errors for those that become none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, number
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import (
    NEUTRAL,
    CellNumber,
    is_failed,
    is_no_label,
    leading_words,
    number_of,
    ordered_scale,
    pass_or_fail,
    pass_word,
    word_of,
)

TOPS = (1.0, 5.0, 10.0, 100.0)
"""Scales differ if their highest values lie between different ones of these."""

FAULTS = frozenset(
    "hallucination hallucinations hallucinated hallucinates toxic toxicity offensive hateful unsafe harmful harm bias "
    "biased violation violates violated refusal refused refuses error errors issue issues fault problem problems "
    "failed failure wrong incorrect unfaithful unsupported contradiction contradicts contradicted fabricated leak "
    "leaked pii jailbreak jailbroken flagged".split()
)
"""Words in the names of columns in which yes means that an answer is bad."""
NO_FAULT = frozenset("no not non free without".split())


@dataclass(frozen=True, slots=True)
class WordColumn:
    """The distinct cells of one column of verdicts or labels, without those that hold none.

    Attributes:
        name: the column.
        human: whether it holds labels.
        counts: how often each cell occurs.
        numbers: the number of each cell that is one.
        absent: whether -1 was taken for no verdict.
    """

    name: str
    human: bool
    counts: Counter[str]
    numbers: Mapping[str, CellNumber]
    absent: bool = False

    @property
    def neutral(self) -> bool:
        """Whether every cell is yes or no, in any such words: only the question says which is a pass."""
        return all(leading_words(cell) & NEUTRAL for cell in self.counts)

    @property
    def fault(self) -> bool:
        """Whether its name asks for a fault, and its cells may say that it is there (``hallucinated``: yes)."""
        words = set(re.findall(r"[^\W\d_]+", self.name.casefold()))
        return bool(words & FAULTS) and not words & NO_FAULT and (self.neutral or self.scored)

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


def word_column(name: str, texts: Sequence[str], human: bool, labels: Collection[str] = ()) -> WordColumn:
    """Return the distinct cells of a column; -1 next to numbers of which none is negative stands for no verdict.

    Args:
        name: the column.
        texts: its cells.
        human: whether it holds labels.
        labels: the words of labels, which are verdicts even if they read as an error.
    """
    every = Counter(filter(None, texts))
    if ordered_scale(set(map(word_of, every))) is None:
        none = is_no_label if human else is_failed
        every = Counter({cell: n for cell, n in every.items() if not none(cell) or word_of(cell) in labels})
    numbers = {cell: parsed for cell in every if (parsed := number_of(cell)) is not None}
    values = {parsed.value for parsed in numbers.values()}
    absent = -1 in values and len(values) > 2 and min(values - {-1}) >= 0
    if absent:
        for cell in [cell for cell, parsed in numbers.items() if parsed.value == -1]:
            del every[cell], numbers[cell]
    return WordColumn(name, human, every, numbers, absent)


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


def which_is_a_pass(
    table: TextTable, columns: Sequence[WordColumn], *, inverted: bool = False
) -> DeclarationError:
    """Return the error for columns of yes and no that may ask for a fault, with the command that says which is a pass.

    Args:
        table: the table.
        columns: its columns of verdicts and labels.
        inverted: whether no is a pass in all columns, and not only in those that have the name of a fault.
    """
    conditions, faults = [], []
    for column in columns:
        fault = column.fault or (inverted and column.neutral)
        faults += [repr(column.name)] if fault else []
        if column.scored:
            conditions.append(f"{column.name}{'<' if fault else '>='}0.5")
            continue
        cells = [cell for cell in column.counts if pass_or_fail(cell) == (not fault)]
        word = min(leading_words(cells[0]), key=len) if cells else str(int(not fault))
        conditions.append(f"{column.name}={word}")
    return DeclarationError(
        f"{table.source}: {', '.join(faults)} may say that a fault is there. Say which values are a pass, as in "
        f"{table.command('--pass', ', '.join(conditions))}"
    )
