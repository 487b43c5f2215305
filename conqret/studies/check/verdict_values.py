"""Verdicts and labels as numbers: which kind they are, and the value of each cell, guessed or as ``--pass`` says."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from conqret.errors import UnknownNameError
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.column_roles import subject
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import (
    NAME_WORDS,
    PASSES,
    leading_words,
    ordered_scale,
    pass_or_fail,
    preference,
    word_of,
)
from conqret.studies.check.word_columns import (
    CellValues,
    WordColumn,
    pass_or_fault,
    two_scales,
    unknown_cells,
    which_is_a_pass,
)

CUT = 0.5
"""Where a score in [0, 1] counts as a pass, unless ``--pass`` says otherwise."""
MAX_CLASSES = 30
_CONDITION = re.compile(
    r"(?P<column>[^=<>≥≤]*+)(?P<sign>>=|<=|==|=|>|<|≥|≤)\s*"
    r"(?:(?P<cut>-?\d+(?:[.,]\d+)?)\s*(?P<percent>%?)|(?<==)(?P<word>[^\s=<>][^=<>]*))"
)
_SIGNS = {">": operator.gt, "<": operator.lt, "=": operator.eq, "==": operator.eq}
_SIGNS |= {">=": operator.ge, "≥": operator.ge, "<=": operator.le, "≤": operator.le}


def read_verdicts(
    table: TextTable, columns: Sequence[WordColumn], *, passing: str, paired: bool
) -> CellValues:
    """Decide what the columns hold, and return the number of each of their cells.

    Args:
        table: the table, for the places of cells in messages.
        columns: the columns of judges, then those of annotators.
        passing: what is a pass: words separated by commas; or a condition on numbers, or several with the column
            before each (``judge>=7, human=yes``); empty if not stated.
        paired: whether names of columns say that two answers were compared.

    Raises:
        DeclarationError: a cell cannot be read, or the columns do not fit one another or ``passing``.
    """
    filled = [column for column in columns if column.counts]
    if all(column.human for column in filled):
        judge = next(column.name for column in columns if not column.human)
        raise table.error(f"{judge!r} holds no verdict: all its cells are empty or errors")
    if passing:
        return _by_pass(table, columns, passing)
    _check_senses(table, filled)
    if _are_preferences(filled, paired):
        return _preferences(table, columns)
    if (order := ordered_scale({word_of(cell) for column in filled for cell in column.counts})) is not None:
        steps = ", ".join(f"{word} {place:g}" for word, place in order.items())
        note = f"the words are read as ratings: {steps}; as pass or fail: --pass WORD"
        values = _all(
            "ratings", columns, lambda _, cell: order[word_of(cell)], (1.0, float(len(order))), note
        )
        values.levels = tuple(order)
        return values
    scored = [column for column in filled if column.scored]
    if all(column.binary or column.scored for column in filled) and len(scored) < len(filled):
        return _pass_fail(table, columns, scored)
    if all(column.numeric for column in filled):
        return _numeric(table, columns, filled)
    if any(column.numeric and not column.binary for column in filled):
        raise two_scales(table, filled)
    return _classes(table, columns, filled)


def _check_senses(table: TextTable, filled: Sequence[WordColumn]) -> None:
    """Raise an error if a column may state a fault, or -1 next to 0 and 1 may be a rating or no verdict.

    Raises:
        DeclarationError: it is so; the message has the commands that say it.
    """
    for column in filled:
        if column.absent and column.values == {0, 1}:
            raise table.error(
                f"-1 in {column.name!r} may be the lowest rating, or no verdict. If it is a rating, write 0, 1 and 2; "
                "if it is none",
                ["--pass", "=1"],
            )
    if all(column.binary or column.scored for column in filled) and any(column.binary for column in filled):
        if any(column.fault for column in filled):
            raise which_is_a_pass(table, filled)
        judged, labeled = (
            {
                word
                for column in filled
                if column.human == human and column.neutral
                for word in subject(column.name)
            }
            for human in (False, True)
        )
        if judged & labeled and not judged & labeled & (NAME_WORDS["good"] | NAME_WORDS["no_fault"] | PASSES):
            raise pass_or_fault(table, filled)


def _all(
    kind: Kind,
    columns: Sequence[WordColumn],
    value: Callable[[WordColumn, str], float | None],
    scale: tuple[float, float] = (0.0, 1.0),
    note: str = "",
) -> CellValues:
    values = CellValues(kind, scale=scale, notes=[note] if note else [])
    for column in columns:
        values.take(column, partial(value, column))
    return values


def _number(column: WordColumn, cell: str) -> float:
    return column.numbers[cell].value


def _are_preferences(filled: Sequence[WordColumn], paired: bool) -> bool:
    cells = sum((column.counts for column in filled), Counter[str]())
    known = {cell for cell in cells if preference(cell) is not None or (paired and cell in ("0", "-1"))}
    if paired:
        return sum(cells[cell] for cell in known) >= 0.8 * cells.total()
    words = set(map(word_of, cells))
    grades = all("grade" in column.name.casefold() for column in filled)
    return known == cells.keys() and not grades and {"a", "b"} <= words and "c" not in words


def _preferences(table: TextTable, columns: Sequence[WordColumn]) -> CellValues:
    def preferred(column: WordColumn, cell: str) -> float | None:
        if cell not in column.numbers:
            return preference(cell)
        signs = {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}
        if column.values & {-1, 0.5}:
            signs = {1.0: 1.0, -1.0: 0.0, 0.0: 0.5} if -1 in column.values else {1.0: 1.0, 0.0: 0.0, 0.5: 0.5}
        return signs.get(_number(column, cell))

    values = _all("pairs", columns, preferred)
    values.passing = "A is the first answer"
    for column in columns:
        if column.numeric and column.values == {0, 1}:
            raise table.error(
                f"in {column.name!r}, 0 and 1 may each mean either answer: write A and B, or 1 and 2"
            )
        values.check_known(table, column, "a preference (A, B or tie)")
    return values


def _pass_fail(table: TextTable, columns: Sequence[WordColumn], scored: Sequence[WordColumn]) -> CellValues:
    """Pass or fail, where one side may have scores in [0, 1]; those of a judge are kept as probabilities of a pass."""

    def passed(column: WordColumn, cell: str) -> float | None:
        return float(_number(column, cell) >= CUT) if column in scored else pass_or_fail(cell)

    values = _all("pass_fail", columns, passed)
    for column in scored:
        ready = table.command("--pass", ">=0.7")
        values.notes.append(
            f"the scores of {column.name!r} count as a pass from {CUT:g} on; another cut: {ready}"
        )
        values.keep_scores(column)
    values.tell_passes([column for column in columns if column not in scored])
    return values


def _numeric(table: TextTable, columns: Sequence[WordColumn], filled: Sequence[WordColumn]) -> CellValues:
    """Return ratings on one scale, or scores if all are in [0, 1]; scores up to 100 are divided by 100. What is assumed
    of the scale is noted.

    Raises:
        DeclarationError: columns are on different scales.
    """
    if all(column.scored for column in filled):
        return _all("scores", columns, _number)
    if len({column.scale for column in filled}) > 1 or any(column.binary for column in filled):
        raise two_scales(table, filled)
    low, highs = min(column.low for column in filled), [column.high for column in filled]
    high, note = max(highs), ""
    if low < 0 or high > 100:
        return _all("ratings", columns, _number, (low, high), f"the scale is taken to be {low:g} to {high:g}")
    if high > 20:
        note = "scores up to 100 were divided by 100"
        values = _all("scores", columns, lambda column, cell: _number(column, cell) / 100, note=note)
        values.cut = ">=70"
        return values
    low = min(low, 1.0)
    if high - min(highs) >= 2:
        shown = ", ".join(f"{column.name} {column.low:g} to {column.high:g}" for column in filled)
        note = f"all ratings are taken to be on one scale of {low:g} to {high:g} (they reach: {shown})"
    return _all("ratings", columns, _number, (low, high), note)


def _passes(column: WordColumn) -> list[str]:
    """The words of a column that may be its passes: the one that says so, else each of two."""
    known = [word_of(cell) for cell in column.counts if pass_or_fail(cell) == 1 and "," not in cell]
    return known[:1] or [
        word_of(cell) for cell in column.counts if len(column.counts) == 2 and "," not in cell
    ]


def _classes(table: TextTable, columns: Sequence[WordColumn], filled: Sequence[WordColumn]) -> CellValues:
    """Classes without an order.

    Raises:
        DeclarationError: a few cells are no words as the others are, two words do not say which is a pass, or there are
            too many.
    """
    judged = {word_of(cell) for column in filled if not column.human for cell in column.counts}
    for column in filled:
        for reader, what in ((pass_or_fail, "pass or fail"), (preference, "A, B or tie")):
            unknown = [cell for cell in column.counts if reader(cell) is None]
            if unknown and sum(column.counts[cell] for cell in unknown) <= 0.1 * column.counts.total():
                raise unknown_cells(table, column, unknown, f"{what}, as the others are")
    for column in filled:
        if judged.isdisjoint(map(word_of, column.counts)):
            ways = [
                ["--pass", f"{judge.name}={word}, {column.name}={passed}"]
                for judge in filled
                if not judge.human
                for word in _passes(judge)
                for passed in _passes(column)
            ]
            raise table.error(
                f"{column.name!r} has no word of the judge's ({_most_common(column)}). Say which words are a pass, or "
                "name another column of labels (--human)",
                *(ways or [["--human", "COLUMN"]]),
            )
    names = {word_of(cell): cell for column in reversed(filled) for cell in column.counts}
    words = sorted(names)
    if len(words) == 2:
        raise table.error(
            f"which of {', '.join(words)} is a pass? Say it", *(["--pass", word] for word in words)
        )
    if len(words) > MAX_CLASSES:
        column = max(filled, key=lambda column: len(column.counts))
        raise table.error(
            f"{column.name!r} holds {len(column.counts)} different texts ({_most_common(column)}, …), which are no "
            "verdicts. Name another",
            ["--human" if column.human else "--judge", "COLUMN"],
        )
    classes = tuple(names[word] for word in words)
    note = f"{len(words)} classes without an order ({', '.join(classes)}); as pass or fail: --pass WORD"
    values = _all("classes", columns, lambda _, cell: float(words.index(word_of(cell))), note=note)
    values.classes = classes
    return values


def _most_common(column: WordColumn) -> str:
    return ", ".join(repr(cell[:40]) for cell, _ in column.counts.most_common(4))


class PassCondition(NamedTuple):
    """What is a pass in one column, or in all without a condition of their own: a bound on numbers, or words."""

    sign: str = ""
    cut: float = 0.0
    words: frozenset[str] = frozenset()

    def fits(self, column: WordColumn, *, own: bool) -> bool:
        """Return True if it can be on these cells; 0 and 1 keep their meaning next to other scales."""
        if self.words:
            there = any(self.words & leading_words(cell) for cell in column.counts)
            known = all(pass_or_fail(word) is not None for word in self.words)
            return there or (own and known and column.binary and not column.numeric)
        return bool(self.sign) and column.numeric and (own or not column.binary or 0 <= self.cut <= 1)

    def met(self, column: WordColumn, cell: str) -> float:
        """Return 1 if a cell is a pass, else 0."""
        if self.words:
            return float(bool(self.words & leading_words(cell)))
        return float(_SIGNS[self.sign](_number(column, cell), self.cut))


def _by_pass(table: TextTable, columns: Sequence[WordColumn], passing: str) -> CellValues:
    """Return pass or fail for each cell as ``passing`` says it (``>=4``, ``label=ok``); columns of which it says
    nothing by their own words. Words that it does not name are a fail, and noted.

    Raises:
        DeclarationError: a column cannot be read, or ``passing`` does not fit.
        UnknownNameError: it names a column that is none of verdicts.
    """
    conditions = _conditions(passing)
    for role in {"judge", "human"} & conditions.keys() - {column.name for column in columns}:
        condition = conditions.pop(role)
        those = [column for column in columns if column.human == (role == "human")]
        conditions |= {column.name: condition for column in those if condition.fits(column, own=False)}
    rest, fitting = conditions.get("", PassCondition()), _fitting(table, columns, conditions, passing)
    inverted = rest.sign in ("<", "<=", "≤", "=") or any(pass_or_fail(word) == 0 for word in rest.words)
    values = CellValues("pass_fail")
    for column in columns:
        condition = fitting.get(column.name, rest)
        if column.name in fitting:
            values.take(column, partial(condition.met, column))
            if condition.sign in (">=", ">", "≥"):
                values.keep_scores(column)
            failing = {
                word_of(cell) for cell in column.counts if condition.words and not condition.met(column, cell)
            }
            if len(failing) > 1:
                shown = ", ".join(sorted(failing)[:8])
                values.notes.append(f"in {column.name!r}, all other words are a fail: {shown}")
        elif inverted and column.counts and column.neutral:
            raise which_is_a_pass(table, columns, inverted=True)
        else:
            values.take(column, pass_or_fail)
            values.check_known(table, column, f"pass or fail, and --pass {passing!r} says nothing of them")
    values.tell_passes(columns)
    if not rest.words:
        values.passing = f"{passing.strip()} is a pass"
    return values


def _fitting(
    table: TextTable, columns: Sequence[WordColumn], conditions: Mapping[str, PassCondition], passing: str
) -> dict[str, PassCondition]:
    """The condition on each column that has one.

    Raises:
        DeclarationError: a condition is on no column, or does not fit its cells.
    """
    names, fitting = [column.name for column in columns], dict[str, PassCondition]()
    for name in conditions:
        if name not in ("", *names):
            raise UnknownNameError("column of verdicts or labels", name, names)
    rest = conditions.get("", PassCondition())
    for column in columns:
        condition, odd = conditions.get(column.name, rest), column.counts.keys() - column.numbers.keys()
        if condition.fits(column, own=column.name in conditions):
            fitting[column.name] = condition
        elif condition.sign and not condition.words and not column.binary and len(odd) < len(column.numbers):
            raise unknown_cells(table, column, sorted(odd), "a number")
    bounded = [c for c in columns if not rest.words and c.name in fitting and c.name not in conditions]
    if len({column.scale for column in bounded}) > 1:
        raise two_scales(table, [column for column in columns if column.counts])
    if not fitting or any(c.name in conditions and c.name not in fitting for c in columns if c.counts):
        there = dict.fromkeys(cell for column in columns for cell, _ in column.counts.most_common(4))
        raise table.error(
            f"--pass {passing!r} does not fit {', '.join(names)}, which hold {', '.join(map(repr, there))}. Give one "
            "of these words, or a condition as '>=4'"
        )
    return fitting


def _conditions(passing: str) -> dict[str, PassCondition]:
    """Parse ``--pass`` to the condition on each column, and under the empty name that on all others. A text that is no
    condition (``ok, fine``) is the list of words that are a pass."""
    if re.fullmatch(r"[\d.]+", passing.strip()):
        passing = f"={passing.strip()}"
    conditions: dict[str, PassCondition] = {}
    for part in re.split(r",(?!\d)", passing):
        match = _CONDITION.fullmatch(part.strip())
        if match is None:
            words = frozenset(word_of(word) or word.strip().casefold() for word in passing.split(","))
            return {"": PassCondition(words=words)}
        cut = float((match["cut"] or "0").replace(",", ".")) / (100 if match["percent"] else 1)
        words = frozenset({word_of(match["word"])} if match["word"] else ())
        conditions[match["column"].strip()] = PassCondition(match["sign"], cut, words)
    return conditions
