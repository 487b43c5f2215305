"""Verdicts and labels as numbers: which kind they are, and the value of each cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, number
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.column_roles import command
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import (
    CellNumber,
    is_failed,
    is_no_label,
    number_of,
    ordered_scale,
    pass_or_fail,
    preference,
    word_of,
)

CUT = 0.5
"""Where a score in [0, 1] counts as a pass, unless ``--pass`` says otherwise."""
MOST_CLASSES = 30
_PREFERRED = frozenset(("0", "-1"))
"""Numbers that stand for the second answer or a tie."""
_TOPS = (1.0, 5.0, 10.0, 100.0)
"""Scales differ if their highest values lie between different ones of these."""
_CONDITION = re.compile(r"(>=|<=|==|=|>|<|≥|≤)\s*(-?\d+(?:[.,]\d+)?)\s*(%?)")
_FAULTS = frozenset(
    "hallucination hallucinated toxicity toxic unsafe harmful violation bias refusal error".split()
)


@dataclass(frozen=True, slots=True)
class WordColumn:
    """The distinct cells of one column of verdicts or labels, without those that hold none.

    Attributes:
        name: the column.
        human: whether it holds labels.
        counts: how often each cell occurs.
        numbers: the number of each cell; None where it is none.
    """

    name: str
    human: bool
    counts: Counter[str]
    numbers: Mapping[str, CellNumber | None]

    @property
    def numeric(self) -> bool:
        """Whether every cell is a number."""
        return bool(self.counts) and None not in self.numbers.values()

    @property
    def values(self) -> list[float]:
        """The numbers in its cells."""
        return [found.value for found in self.numbers.values() if found is not None]

    @property
    def binary(self) -> bool:
        """Whether every cell is a word for pass or fail, or 1 or 0."""
        return all(pass_or_fail(cell) is not None for cell in self.counts)

    @property
    def top(self) -> float:
        """The highest value of its scale, as far as the cells say it."""
        return max((max(found.top, found.value) for found in self.numbers.values() if found), default=0.0)


def word_column(name: str, texts: Sequence[str], human: bool) -> WordColumn:
    """Return the distinct cells of a column; -1 beside numbers of which none is negative stands for no verdict."""
    absent = is_no_label if human else is_failed
    counts = Counter({cell: count for cell, count in Counter(texts).items() if not absent(cell)})
    numbers = {cell: number_of(cell) for cell in counts}
    values = {number.value for number in numbers.values() if number is not None}
    if -1 in values and len(values) > 2 and min(values - {-1}) >= 0:
        for cell in [cell for cell, number in numbers.items() if number is not None and number.value == -1]:
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
        probabilities: the columns of scores that were cut, with the probability of a pass of each cell.
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

    def numbers(self, column: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the number of each cell of a column; NaN where there is none."""
        return _lookup(self.mappings[column], texts)

    def probability(self, column: str, texts: Sequence[str]) -> NDArray[np.float64] | None:
        """Return the probabilities that a column of scores states; None if it was not cut."""
        mapping = self.probabilities.get(column)
        return None if mapping is None else _lookup(mapping, texts)


def _lookup(mapping: Mapping[str, float], texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([mapping.get(text, np.nan) for text in texts], dtype=np.float64)


def read_verdicts(table: TextTable, columns: Sequence[WordColumn], *, passing: str, paired: bool) -> Reading:
    """Decide what the columns hold, and return the number of each of their cells.

    Args:
        table: the table, for the places of cells in messages.
        columns: the columns of judges, then those of annotators.
        passing: a condition (``>=4``) or words, separated by commas, that are a pass; empty if not stated.
        paired: whether names of columns say that two answers were compared.

    Raises:
        DeclarationError: a cell cannot be read, or the columns do not fit one another.
    """
    filled = [column for column in columns if column.counts]
    if not filled or not any(not column.human for column in filled):
        judge = next(column.name for column in columns if not column.human)
        raise DeclarationError(
            f"{table.source}: {judge!r} holds no verdict: all its cells are empty or errors"
        )
    if passing:
        return _by_condition(table, columns, passing)
    if _are_preferences(filled, paired):
        return _preferences(table, columns)
    if (order := ordered_scale({word_of(cell) for column in filled for cell in column.counts})) is not None:
        return _ordered(columns, order)
    if all(column.binary for column in filled):
        return _pass_fail(columns)
    if all(column.numeric for column in filled):
        return _numeric(table, columns, filled)
    return _words(table, columns, filled)


def _are_preferences(filled: Sequence[WordColumn], paired: bool) -> bool:
    words = {word_of(cell) for column in filled for cell in column.counts}
    if paired:
        judged = Counter[str]()
        for column in filled:
            judged.update(column.counts)
        fitting = sum(n for cell, n in judged.items() if preference(cell) is not None or cell in _PREFERRED)
        return fitting >= 0.8 * judged.total()
    known = all(preference(cell) is not None for column in filled for cell in column.counts)
    return known and {"a", "b"} <= words and "c" not in words


def _preferences(table: TextTable, columns: Sequence[WordColumn]) -> Reading:
    reading = Reading("pairs", passing="the first answer is preferred")
    for column in columns:
        values = {number.value for number in column.numbers.values() if number}
        if column.numeric and values == {0, 1}:
            raise DeclarationError(
                f"{table.source}: in {column.name!r}, 0 and 1 may each mean either answer: write A and B, or 1 and 2"
            )
        signs = {1.0: 1.0, -1.0: 0.0, 0.0: 0.5} if -1 in values else {1.0: 1.0, 2.0: 0.0, 0.0: 0.5, 0.5: 0.5}
        if 0.5 in values:
            signs = {1.0: 1.0, 0.0: 0.0, 0.5: 0.5}
        mapping: dict[str, float] = {}
        for cell, number in column.numbers.items():
            value = preference(cell) if number is None else signs.get(number.value)
            if value is not None:
                mapping[cell] = value
        _all_known(table, column, mapping, "a preference: write A, B or tie")
        reading.mappings[column.name] = mapping
    return reading


def _pass_fail(columns: Sequence[WordColumn]) -> Reading:
    reading = Reading("pass_fail")
    for column in columns:
        reading.mappings[column.name] = {cell: pass_or_fail(cell) or 0.0 for cell in column.counts}
    reading.passing = _which_pass(reading, columns)
    names = {part for column in columns for part in re.split(r"[\W_]+", column.name.casefold())}
    if fault := sorted(names & _FAULTS):
        reading.notes.append(
            f"a column is named for a fault ({fault[0]}); if {_first_pass(reading, columns)!r} means that the fault is "
            "there, say which word is a pass: --pass WORD"
        )
    return reading


def _first_pass(reading: Reading, columns: Sequence[WordColumn]) -> str:
    cells = (cell for column in columns for cell in column.counts if reading.mappings[column.name][cell] == 1)
    return next(cells, "pass")


def _which_pass(reading: Reading, columns: Sequence[WordColumn]) -> str:
    passes: dict[str, None] = {}
    for column in columns:
        cells = [
            cell for cell, _ in column.counts.most_common() if reading.mappings[column.name].get(cell) == 1
        ]
        passes |= dict.fromkeys(cell if len(cell) <= 20 else f"{cell[:19]}…" for cell in cells)
    distinct = list({word_of(cell) or cell: cell for cell in reversed(passes)}.values())[::-1]
    shown = [f'"{cell}"' for cell in distinct[:3]]
    return f"{' and '.join(shown)} {'is a pass' if len(shown) == 1 else 'are passes'}"


def _by_condition(table: TextTable, columns: Sequence[WordColumn], passing: str) -> Reading:
    """Pass or fail by ``--pass``: by a condition on numbers, or by words; a column to which it does not apply is read
    by its own words."""
    reading = Reading("pass_fail")
    condition = _CONDITION.fullmatch(passing.strip())
    words = {word_of(word) or word.strip().casefold() for word in passing.split(",")}
    applied = False
    for column in columns:
        mapping: dict[str, float]
        if condition is not None and column.numeric and not _left_as_is(column, condition):
            meets, cut = _comparison(condition), float(condition[2].replace(",", "."))
            cut = cut / 100 if condition[3] else cut
            mapping = {
                cell: float(meets(number.value, cut)) for cell, number in column.numbers.items() if number
            }
            applied = True
            inside = all(0 <= value <= 1 for value in column.values) and not set(column.values) <= {0.0, 1.0}
            if inside and not column.human and condition[1] in (">=", ">", "≥"):
                reading.probabilities[column.name] = {
                    cell: n.value for cell, n in column.numbers.items() if n
                }
        elif condition is None and any(_is_one_of(cell, words) for cell in column.counts):
            mapping = {cell: float(_is_one_of(cell, words)) for cell in column.counts}
            applied = True
        else:
            known = {cell: pass_or_fail(cell) for cell in column.counts}
            mapping = {cell: value for cell, value in known.items() if value is not None}
            _all_known(table, column, mapping, f"pass or fail, and --pass {passing!r} says nothing of it")
        reading.mappings[column.name] = mapping
    if not applied:
        there = [cell for column in columns for cell, _ in column.counts.most_common(4)]
        raise DeclarationError(
            f"{table.source}: --pass {passing!r} fits no cell of {', '.join(repr(column.name) for column in columns)}; "
            f"they hold {', '.join(map(repr, dict.fromkeys(there)))}. Give one of these words, or a condition as '>=4'"
        )
    reading.passing = f"{passing.strip()} is a pass" if condition else _which_pass(reading, columns)
    return reading


def _is_one_of(cell: str, words: set[str]) -> bool:
    return word_of(cell) in words or cell.casefold() in words


def _left_as_is(column: WordColumn, condition: re.Match[str]) -> bool:
    """Whether a column of 0 and 1 has its own meaning beside a condition on another scale."""
    cut = float(condition[2].replace(",", ".")) / (100 if condition[3] else 1)
    return set(column.values) <= {0.0, 1.0} and not 0 <= cut <= 1


def _comparison(condition: re.Match[str]) -> Callable[[float, float], bool]:
    sign = {"≥": ">=", "≤": "<=", "=": "=="}.get(condition[1], condition[1])
    return {
        ">=": lambda value, cut: value >= cut,
        "<=": lambda value, cut: value <= cut,
        "==": lambda value, cut: value == cut,
        ">": lambda value, cut: value > cut,
        "<": lambda value, cut: value < cut,
    }[sign]


def _numeric(table: TextTable, columns: Sequence[WordColumn], filled: Sequence[WordColumn]) -> Reading:
    """Ratings on one scale, scores in [0, 1], or scores beside labels of 0 and 1."""
    judged = [column for column in filled if not column.human]
    labeled = [column for column in filled if column.human]
    unit = [column for column in filled if all(0 <= value <= 1 for value in column.values)]
    binary = [column for column in filled if set(column.values) <= {0.0, 1.0}]
    if len(unit) == len(filled):
        if binary and (set(map(id, binary)) & set(map(id, labeled)) or len(binary) == len(judged)):
            return _cut(table, columns)
        return _as_numbers("scores", columns, (0.0, 1.0))
    tops = {column.name: next((top for top in _TOPS if column.top <= top), np.inf) for column in filled}
    if len(set(tops.values())) > 1:
        raise _two_scales(table, filled, labeled or judged)
    low, high = min(min(column.values) for column in filled), max(column.top for column in filled)
    if low < 0 or high > 100:
        return _as_numbers(
            "ratings", columns, (low, high), f"values from {low:g} to {high:g} are taken as ratings"
        )
    if high > 10 and len({value for column in filled for value in column.values}) > 10:
        reading = _as_numbers("scores", columns, (0.0, 1.0), "scores up to 100 were divided by 100")
        for mapping in reading.mappings.values():
            mapping.update({cell: value / 100 for cell, value in mapping.items()})
        return reading
    low, note = min(low, 1.0), ""
    if high - min(column.top for column in filled) >= 2:
        by_column = ", ".join(f"{column.name} {min(column.values):g} to {column.top:g}" for column in filled)
        note = f"all ratings are taken to be on one scale of {low:g} to {high:g} (they reach: {by_column})"
    return _as_numbers("ratings", columns, (low, high), note)


def _as_numbers(
    kind: Kind, columns: Sequence[WordColumn], scale: tuple[float, float], note: str = ""
) -> Reading:
    reading = Reading(kind, scale=scale, notes=[note] if note else [])
    for column in columns:
        reading.mappings[column.name] = {
            cell: number.value for cell, number in column.numbers.items() if number
        }
    return reading


def _two_scales(
    table: TextTable, filled: Sequence[WordColumn], labeled: Sequence[WordColumn]
) -> DeclarationError:
    ranges = "; ".join(f"{column.name!r} from {min(column.values):g} to {column.top:g}" for column in filled)
    numbers = [column for column in filled if set(column.values) != {0.0, 1.0} and column.top > 1]
    least = max(numbers, key=lambda column: column.top)
    cut = f">={round(min(least.values) + 0.7 * (least.top - min(least.values))):g}"
    return DeclarationError(
        f"{table.source}: verdicts and labels are on different scales ({ranges}). Say which values are a pass: "
        f"{command(table.source, '--pass', cut)}, or write both on one scale (as 4/5 where 5 is the highest)"
    )


def _cut(table: TextTable, columns: Sequence[WordColumn]) -> Reading:
    """Pass or fail where one side has scores in [0, 1]; those of a judge are kept as probabilities of a pass."""
    reading = Reading("pass_fail")
    for column in columns:
        numbers = {cell: number.value for cell, number in column.numbers.items() if number}
        if column.numeric and not set(numbers.values()) <= {0.0, 1.0}:
            reading.mappings[column.name] = {cell: float(value >= CUT) for cell, value in numbers.items()}
            reading.notes.append(
                f"the scores of {column.name!r} count as a pass from {CUT:g} on; another cut: "
                f"{command(table.source, '--pass', '>=0.7')}"
            )
            if not column.human:
                reading.probabilities[column.name] = numbers
        else:
            reading.mappings[column.name] = {cell: pass_or_fail(cell) or 0.0 for cell in column.counts}
    words = [column for column in columns if column.binary and column.counts]
    reading.passing = _which_pass(reading, words) if words else f">={CUT:g} is a pass"
    return reading


def _ordered(columns: Sequence[WordColumn], order: Mapping[str, float]) -> Reading:
    levels = tuple(sorted(order, key=order.__getitem__))
    reading = Reading("ratings", scale=(1.0, max(order.values())), levels=levels)
    for column in columns:
        reading.mappings[column.name] = {cell: order[word_of(cell)] for cell in column.counts}
    steps = ", ".join(f"{word} {value:g}" for word, value in sorted(order.items(), key=lambda pair: pair[1]))
    reading.notes.append(f"the words are read as ratings: {steps}; as pass or fail: --pass WORD")
    return reading


def _words(table: TextTable, columns: Sequence[WordColumn], filled: Sequence[WordColumn]) -> Reading:
    """Words of which some are unknown: scores beside words, classes, or an error."""
    scores = [column for column in filled if column.numeric and not column.binary]
    others = [column for column in filled if column not in scores]
    if scores and all(column.binary for column in others):
        if all(0 <= value <= 1 for column in scores for value in column.values):
            return _cut(table, columns)
        raise _two_scales_of_words(table, scores[0], others[0])
    words = {word_of(cell) for column in filled for cell in column.counts}
    for column in filled:
        _mostly_known(table, column)
    if len(words) <= 2:
        ready = " or ".join(command(table.source, "--pass", word) for word in sorted(words))
        raise DeclarationError(
            f"{table.source}: which of {', '.join(sorted(words))} is a pass? Say it: {ready}"
        )
    if len(words) > MOST_CLASSES or all(column.numeric for column in filled if not column.human):
        column = others[0]
        shown = ", ".join(repr(cell) for cell, _ in column.counts.most_common(4))
        raise DeclarationError(
            f"{table.source}: {column.name!r} holds {len(column.counts)} different texts ({shown}, …), which are no "
            f"verdicts on the scale of the others. Name another: {command(table.source, '--judge', 'COLUMN')}"
        )
    names = {word_of(cell): cell.strip() for column in reversed(filled) for cell in column.counts}
    places = {word: float(place) for place, word in enumerate(sorted(names))}
    reading = Reading("classes", classes=tuple(names[word] for word in sorted(names)))
    for column in columns:
        reading.mappings[column.name] = {cell: places[word_of(cell)] for cell in column.counts}
    reading.notes.append(
        f"{len(names)} classes without an order ({', '.join(reading.classes)}); as pass or fail: --pass WORD"
    )
    return reading


def _two_scales_of_words(table: TextTable, scores: WordColumn, words: WordColumn) -> DeclarationError:
    cut = f">={round(min(scores.values) + 0.7 * (scores.top - min(scores.values))):g}"
    return DeclarationError(
        f"{table.source}: {scores.name!r} holds numbers from {min(scores.values):g} to {scores.top:g}, and "
        f"{words.name!r} words. Say which numbers are a pass: {command(table.source, '--pass', cut)}"
    )


def _mostly_known(table: TextTable, column: WordColumn) -> None:
    """Raise an error for the few cells that are no verdict in a column whose others are."""
    for reader, what in (
        (pass_or_fail, "pass or fail"),
        (number_of, "a number"),
        (preference, "A, B or tie"),
    ):
        mapping = {cell: 0.0 for cell in column.counts if reader(cell) is not None}
        if sum(column.counts[cell] for cell in mapping) >= 0.9 * column.counts.total():
            _all_known(table, column, mapping, f"{what}, as the others are")


def _all_known(table: TextTable, column: WordColumn, mapping: Mapping[str, float], what: str) -> None:
    unknown = [cell for cell in column.counts if cell not in mapping]
    if not unknown:
        return
    texts = table.columns[column.name]
    shown = [cell if len(cell) <= 40 else f"{cell[:39]}…" for cell in unknown[:5]]
    named = zip(unknown, shown, strict=False)
    places = ", ".join(f"{table.place(texts.index(cell))}: {text!r}" for cell, text in named)
    more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
    count = sum(column.counts[cell] for cell in unknown)
    raise DeclarationError(
        f"{table.source}: in {column.name!r}, {number(count, 'cell')} cannot be read as {what} ({places}{more}). Correct "
        f"or empty them, or say which words are a pass: {command(table.source, '--pass', _pass_word(column))}"
    )


def _pass_word(column: WordColumn) -> str:
    passes = [cell for cell in column.counts if pass_or_fail(cell) == 1]
    return passes[0] if passes and len(passes[0]) <= 20 else "WORD"
