"""The distinct cells of columns of verdicts, the numbers that they become, and errors for those that become none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, number, shortened
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
    says,
    word_of,
)

TOPS = (1.0, 5.0, 10.0, 100.0)
"""Scales differ if their highest values lie between different ones of these."""
FEW = 0.05
"""The share of a column's numbers up to which those beyond the scale of the others are mistakes."""


@dataclass(frozen=True, slots=True)
class WordColumn:
    """The distinct cells of one column of verdicts or labels, without those that hold none.

    Attributes:
        name: the column.
        human: whether it holds labels.
        counts: how often each cell occurs.
        numbers: the number of each cell that is one.
        absent: whether -1 was taken for no verdict.
        none: how often each cell occurs that says that there is no label.
    """

    name: str
    human: bool
    counts: Counter[str]
    numbers: Mapping[str, CellNumber]
    absent: bool = False
    none: Counter[str] = field(default_factory=Counter)

    @property
    def neutral(self) -> bool:
        """Whether every cell is yes or no, in any such words: only the question says which is a pass."""
        return all(leading_words(cell) & NEUTRAL for cell in self.counts)

    @property
    def fault(self) -> bool:
        """Whether its name is that of a fault, and its cells may say that it is there (``hallucinated``: yes)."""
        fault = says(self.name, "fault") and not says(self.name, "no_fault")
        return fault and (self.neutral or self.scored)

    @property
    def values(self) -> set[float]:
        """Its distinct numbers."""
        return {parsed.value for parsed in self.numbers.values()}

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
        return min(self.values, default=0.0)

    @property
    def high(self) -> float:
        """The highest value of its scale, as far as the cells say it."""
        return max((max(cell.top, cell.value) for cell in self.numbers.values()), default=0.0)

    @property
    def scale(self) -> float:
        """The lowest of the usual highest values (:data:`TOPS`) that is at least :attr:`high`; infinite
        without one."""
        return next((top for top in TOPS if self.high <= top), np.inf)

    @property
    def scored(self) -> bool:
        """Whether it holds scores in [0, 1] that are not only 0 and 1."""
        return self.numeric and self.low >= 0 and self.high <= 1 and not self.binary


def word_column(
    name: str, texts: Sequence[str], human: bool, labels: Collection[str] = (), *, paired: bool = False
) -> WordColumn:
    """Return the distinct cells of a column; -1 next to numbers of which none is negative stands for no verdict, unless
    two answers are compared (``paired``).

    The words of ``labels`` are verdicts even if they read as an error.
    """
    every, lost = Counter(filter(None, texts)), Counter[str]()
    if ordered_scale(set(map(word_of, every))) is None:
        none = is_no_label if human else is_failed
        kept = Counter({cell: n for cell, n in every.items() if not none(cell) or word_of(cell) in labels})
        every, lost = kept, every - kept
    numbers = {cell: parsed for cell in every if (parsed := number_of(cell)) is not None}
    values = {parsed.value for parsed in numbers.values()}
    absent = not paired and -1 in values and len(values) > 2 and min(values - {-1}) >= 0
    if absent:
        for cell in [cell for cell, parsed in numbers.items() if parsed.value == -1]:
            del every[cell], numbers[cell]
    return WordColumn(name, human, every, numbers, absent, lost)


@dataclass(slots=True)
class CellValues:
    """The numbers that the cells of each column become.

    Attributes:
        kind: what verdicts and labels are.
        mappings: the number of each cell by column; a cell without one is none.
        passing: how a pass is recognized.
        cut: what ``--pass`` may say of scores up to 100.
        scale: the ends of the scale.
        classes: the names of classes.
        levels: the words of ratings, from the lowest.
        probabilities: for columns of scores that were cut, the probability of a pass of each cell.
        inverted: for columns of preferences, the rows in which they name the place of two swapped answers.
        notes: what was decided without the user.
    """

    kind: Kind
    mappings: dict[str, dict[str, float]] = field(default_factory=dict)
    passing: str = ""
    cut: str = ""
    scale: tuple[float, float] = (0.0, 1.0)
    classes: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    probabilities: dict[str, dict[str, float]] = field(default_factory=dict)
    inverted: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take(self, column: WordColumn, value: Callable[[str], float | None]) -> None:
        """Map each cell of a column to its value; cells without one are left out."""
        mapping = {cell: parsed for cell in column.counts if (parsed := value(cell)) is not None}
        self.mappings[column.name] = mapping

    def keep_scores(self, column: WordColumn) -> None:
        """Keep the scores of a judge that are cut as the probabilities of a pass."""
        if column.scored and not column.human:
            self.probabilities[column.name] = {cell: parsed.value for cell, parsed in column.numbers.items()}

    def numbers(self, column: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the number of each cell of a column; NaN where there is none."""
        numbers = _looked_up(self.mappings[column], texts)
        return np.where(self.inverted[column], 1 - numbers, numbers) if column in self.inverted else numbers

    def probability(self, column: str, texts: Sequence[str]) -> NDArray[np.float64] | None:
        """Return the probabilities that a column of scores states; None if it was not cut."""
        mapping = self.probabilities.get(column)
        return None if mapping is None else _looked_up(mapping, texts)

    def tell_passes(self, columns: Sequence[WordColumn]) -> None:
        """Set ``passing`` to a sentence on the words of ``columns`` that are a pass, the most frequent first."""
        cells: dict[str, str] = {}
        for column in columns:
            for cell, _ in column.counts.most_common():
                if self.mappings[column.name].get(cell) == 1:
                    word = pass_word(cell)
                    cells.setdefault(word_of(word) or word, f'"{shortened(word, 20)}"')
        shown = list(cells.values())[:3]
        self.passing = f"{' and '.join(shown)} {'are passes' if len(shown) > 1 else 'is a pass'}"

    def check_known(self, table: TextTable, column: WordColumn, what: str) -> None:
        """Raise an error that lists the cells of a column without a value, with their lines."""
        unknown = [cell for cell in column.counts if cell not in self.mappings[column.name]]
        if unknown:
            raise unknown_cells(table, column, unknown, what)


def _looked_up(mapping: Mapping[str, float], texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([mapping.get(text, np.nan) for text in texts], dtype=np.float64)


def _places(table: TextTable, column: WordColumn, cells: Sequence[str]) -> list[str]:
    texts = table.columns[column.name]
    return [f"{table.place(texts.index(cell))}: {shortened(cell, 40)!r}" for cell in cells]


def unknown_cells(table: TextTable, column: WordColumn, cells: Sequence[str], what: str) -> DeclarationError:
    """Return the error for cells of a column that cannot be read."""
    shown = _places(table, column, cells[:5])
    shown += [f"and {len(cells) - 5} more"] if len(cells) > 5 else []
    count = number(sum(column.counts[cell] for cell in cells), "cell")
    passes = [cell for cell in column.counts if pass_or_fail(cell) == 1 and len(cell) <= 20]
    return table.error(
        f"in {column.name!r}, {count} cannot be read as {what} ({', '.join(shown)}). Correct or empty them, or say "
        "which words are a pass",
        ["--pass", [*passes, "WORD"][0]],
    )


def two_scales(table: TextTable, columns: Sequence[WordColumn]) -> DeclarationError:
    """Return the error for columns on different scales, with the command that makes pass or fail of them. If a column
    has very few numbers beyond the others' scale, the error is about these numbers."""
    for column in columns:
        top = max((other.high for other in columns if other is not column), default=column.high)
        beyond = [cell for cell, parsed in column.numbers.items() if parsed.value > top]
        if beyond and sum(column.counts[cell] for cell in beyond) <= FEW * column.counts.total():
            places = ", ".join(_places(table, column, beyond[:5]))
            return table.error(
                f"in {column.name!r}, numbers are beyond {top:g}, the highest other ({places}): correct or empty them"
            )
    coded = [column for column in columns if column.numeric and not column.binary]
    if len(coded) == 1 and len(coded[0].values) == 2 and coded[0].high <= 2:
        (column,) = coded
        codes = [f"{value:g}" for value in sorted(column.values)]
        ways = [["--pass", f"{column.name}={code}"] for code in codes]
        return table.error(f"{column.name!r} holds {' and '.join(codes)}. Say which of them is a pass", *ways)
    shown = [
        f"{column.name!r} from {column.low:g} to {column.high:g}"
        if column.numeric
        else f"{column.name!r} in words"
        for column in columns
    ]
    conditions = {}
    for column in columns:
        if column.numeric and not column.binary:
            low, high = (0.0, 100.0) if column.high > 20 else (column.low, column.high)
            bound = low + 0.7 * (high - low)
            conditions[column.name] = f">={round(bound, 0 if column.high > 2 else 2):g}"
    ready = [f"{name if len(conditions) > 1 else ''}{bound}" for name, bound in conditions.items()]
    return table.error(
        f"verdicts and labels are on different scales ({'; '.join(shown)}). Write all as numbers from 0 to 1, or say "
        "which values are a pass (these bounds are examples)",
        ["--pass", ", ".join(ready)],
    )


def which_is_a_pass(
    table: TextTable, columns: Sequence[WordColumn], *, inverted: bool = False
) -> DeclarationError:
    """Return the error for columns of yes and no that may state a fault, with the command that says which is a pass.

    With ``inverted``, no is a pass in all columns, and not only in those that have the name of a fault.
    """
    faults = [column for column in columns if column.fault or (inverted and column.neutral)]
    rest = [column for column in columns if column not in faults]
    return table.error(
        f"{_with_values(faults)} may say that a fault is there. Say which values are a pass",
        [
            "--pass",
            _pass_conditions(columns, faults),
            "# if they state a fault",
        ],
        ["--pass", _pass_conditions(columns, rest), "# if they state that all is well"],
    )


def pass_or_fault(table: TextTable, columns: Sequence[WordColumn]) -> DeclarationError:
    """Return the error for columns of yes and no on something that may be good or a fault."""
    neutral = [column for column in columns if column.neutral]
    return table.error(
        f"{_with_values(neutral)} may say that something good is there, or a fault. Say which values are a pass",
        ["--pass", _pass_conditions(columns, [])],
        ["--pass", _pass_conditions(columns, neutral)],
    )


def _with_values(columns: Sequence[WordColumn]) -> str:
    """The names of columns, each with its commonest values."""
    return ", ".join(
        f"{column.name!r} ({', '.join(cell for cell, _ in column.counts.most_common(3))})"
        for column in columns
    )


def _pass_conditions(columns: Sequence[WordColumn], faults: Sequence[WordColumn]) -> str:
    conditions = []
    for column in columns:
        fault = column in faults
        if column.scored:
            conditions.append(f"{column.name}{'<' if fault else '>='}0.5")
            continue
        cells = [cell for cell in column.counts if pass_or_fail(cell) == (not fault)]
        absent = str(int(not fault)) if column.numeric else "no" if fault else "yes"
        word = min(leading_words(cells[0]), key=len) if cells else absent
        conditions.append(f"{column.name}={word}")
    return ", ".join(conditions)
