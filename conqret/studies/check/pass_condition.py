"""``--pass``: pass or fail by a condition on numbers, such as ``>=4``, or by words."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import leading_words, pass_or_fail, word_of
from conqret.studies.check.word_columns import Reading, WordColumn, check_known, two_scales, which_is_a_pass

_CONDITION = re.compile(
    r"(?P<column>.*?)\s*(?P<sign>>=|<=|==|=|>|<|≥|≤)\s*"
    r"(?:(?P<cut>-?\d+(?:[.,]\d+)?)\s*(?P<percent>%?)|(?<==)(?P<word>[^\s=<>][^=<>]*))"
)
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "≥": operator.ge,
    "<=": operator.le,
    "≤": operator.le,
    "==": operator.eq,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}


class PassCondition(NamedTuple):
    """A condition on the numbers of a column, or of all without their own if ``column`` is empty; or its one word."""

    column: str
    sign: str
    cut: float
    word: str = ""

    def fits(self, column: WordColumn) -> bool:
        """Return True if the condition can be on these cells; 0 and 1 keep their meaning next to other scales."""
        if self.word:
            return bool(self.column)
        return column.numeric and (bool(self.column) or not column.binary or 0 <= self.cut <= 1)


def read_by_pass(table: TextTable, columns: Sequence[WordColumn], passing: str) -> Reading:
    """Return pass or fail for each cell, as ``passing`` says it; columns of which it says nothing by their own words.

    Args:
        table: the table, for messages.
        columns: the columns of judges and annotators.
        passing: words separated by commas; or a condition on numbers, or several with the column before each
            (``judge>=7, human=yes``).

    Raises:
        DeclarationError: it fits no column, a column cannot be read without it, or numbers are on several scales.
    """
    reading, applied = Reading("pass_fail"), False
    conditions = _conditions(passing)
    words = {word_of(word) or word.strip().casefold() for word in passing.split(",")}
    inverted = any(pass_or_fail(word) == 0 for word in words) or any(
        not condition.column and condition.sign in "<=≤" for condition in conditions
    )
    names = [column.name for column in columns]
    for condition in conditions:
        if condition.column not in ("", *names):
            raise UnknownNameError("column of verdicts or labels", condition.column, names)
    if len({column.scale for column in columns if _one_for_all(conditions, column)}) > 1:
        raise two_scales(table, [column for column in columns if column.counts])
    for column in columns:
        named = next((condition for condition in conditions if condition.column == column.name), None)
        condition = named or next((condition for condition in conditions if not condition.column), None)
        if condition is not None and condition.fits(column):
            _apply(reading, column, condition)
            applied = True
        elif not conditions and any(words & leading_words(cell) for cell in column.counts):
            reading.take(column, lambda cell: float(bool(words & leading_words(cell))))
            failing = {word_of(cell) for cell in column.counts if not words & leading_words(cell)}
            if len(failing) > 1:
                shown = ", ".join(sorted(failing)[:8])
                reading.notes.append(f"in {column.name!r}, all other words are a fail: {shown}")
            applied = True
        elif inverted and column.counts and column.neutral:
            raise which_is_a_pass(table, columns, inverted=True)
        else:
            known = reading.take(column, pass_or_fail)
            check_known(table, column, known, f"pass or fail, and --pass {passing!r} says nothing of them")
    if not applied:
        there = dict.fromkeys(cell for column in columns for cell, _ in column.counts.most_common(4))
        raise DeclarationError(
            f"{table.source}: --pass {passing!r} fits none of {', '.join(column.name for column in columns)}, which "
            f"hold {', '.join(map(repr, there))}. Give one of these words, or a condition as '>=4'"
        )
    reading.tell_passes(columns)
    if conditions:
        reading.passing = f"{passing.strip()} is a pass"
    return reading


def _conditions(passing: str) -> list[PassCondition]:
    if re.fullmatch(r"[\d.]+", passing.strip()):
        passing = f"={passing.strip()}"
    matches = [_CONDITION.fullmatch(part.strip()) for part in re.split(r",(?!\d)", passing)]
    if not all(matches):
        return []
    conditions = []
    for match in filter(None, matches):
        cut = float((match["cut"] or "0").replace(",", ".")) / (100 if match["percent"] else 1)
        conditions.append(PassCondition(match["column"], match["sign"], cut, match["word"] or ""))
    return conditions


def _one_for_all(conditions: Sequence[PassCondition], column: WordColumn) -> bool:
    own = any(condition.column == column.name for condition in conditions)
    return not own and any(condition.fits(column) for condition in conditions if not condition.column)


def _apply(reading: Reading, column: WordColumn, condition: PassCondition) -> None:
    if condition.word:
        reading.take(column, lambda cell: float(word_of(condition.word) in leading_words(cell)))
        return
    meets = _SIGNS[condition.sign]
    reading.take(column, lambda cell: float(meets(column.numbers[cell].value, condition.cut)))
    if column.scored and not column.human and condition.sign in (">=", ">", "≥"):
        reading.probabilities[column.name] = {cell: parsed.value for cell, parsed in column.numbers.items()}
