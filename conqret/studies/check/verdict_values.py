"""Verdicts and labels as numbers: which kind they are, and the value of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from conqret.errors import DeclarationError
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.pass_condition import read_by_pass
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import number_of, ordered_scale, pass_or_fail, preference, word_of
from conqret.studies.check.word_columns import Reading, WordColumn, check_known, two_scales, which_is_a_pass

CUT = 0.5
"""Where a score in [0, 1] counts as a pass, unless ``--pass`` says otherwise."""
MAX_CLASSES = 30


def read_verdicts(table: TextTable, columns: Sequence[WordColumn], *, passing: str, paired: bool) -> Reading:
    """Decide what the columns hold, and return the number of each of their cells.

    Args:
        table: the table, for the places of cells in messages.
        columns: the columns of judges, then those of annotators.
        passing: what is a pass, see :func:`conqret.studies.check.pass_condition.read_by_pass`; empty if not stated.
        paired: whether names of columns say that two answers were compared.

    Raises:
        DeclarationError: a cell cannot be read, or the columns do not fit one another.
    """
    filled = [column for column in columns if column.counts]
    if all(column.human for column in filled):
        judge = next(column.name for column in columns if not column.human)
        raise DeclarationError(
            f"{table.source}: {judge!r} holds no verdict: all its cells are empty or errors"
        )
    if passing:
        return read_by_pass(table, columns, passing)
    _check_senses(table, filled)
    if _are_preferences(filled, paired):
        return _preferences(table, columns)
    if (order := ordered_scale({word_of(cell) for column in filled for cell in column.counts})) is not None:
        steps = ", ".join(f"{word} {place:g}" for word, place in order.items())
        note = f"the words are read as ratings: {steps}; as pass or fail: --pass WORD"
        reading = _all("ratings", columns, lambda cell: order[word_of(cell)], (1.0, float(len(order))), note)
        reading.levels = tuple(sorted(order, key=order.__getitem__))
        return reading
    if all(column.binary for column in filled):
        return _pass_fail(columns)
    if all(column.binary or column.scored for column in filled) and any(column.binary for column in filled):
        return _cut(table, columns)
    if all(column.numeric for column in filled):
        return _numeric(table, columns, filled)
    if any(column.numeric and not column.binary for column in filled):
        raise two_scales(table, filled)
    return _classes(table, columns, filled)


def _check_senses(table: TextTable, filled: Sequence[WordColumn]) -> None:
    """Check that it is clear what yes and no, and -1, say.

    Raises:
        DeclarationError: a column asks for a fault, or -1 next to 0 and 1 may be a rating or stand for none.
    """
    for column in filled:
        if column.absent and {parsed.value for parsed in column.numbers.values()} == {0, 1}:
            raise DeclarationError(
                f"{table.source}: -1 in {column.name!r} may be the lowest rating, or no verdict. If it is a rating, "
                f"write 0, 1 and 2; if it is none: {table.command('--pass', '=1')}"
            )
    told = {*table.judges, *table.humans}
    faults = any(column.fault and column.name not in told for column in filled)
    comparable = all(column.binary or column.scored for column in filled)
    if faults and comparable and any(column.binary for column in filled):
        raise which_is_a_pass(table, filled)


def _all(
    kind: Kind,
    columns: Sequence[WordColumn],
    value: Callable[[str], float | None],
    scale: tuple[float, float] = (0.0, 1.0),
    note: str = "",
) -> Reading:
    reading = Reading(kind, scale=scale, notes=[note] if note else [])
    for column in columns:
        reading.take(column, value)
    return reading


def _are_preferences(filled: Sequence[WordColumn], paired: bool) -> bool:
    cells = Counter[str]()
    for column in filled:
        cells.update(column.counts)
    if paired:
        fitting = sum(n for cell, n in cells.items() if preference(cell) is not None or cell in ("0", "-1"))
        return fitting >= 0.8 * cells.total()
    words = set(map(word_of, cells))
    if all("grade" in column.name.casefold() for column in filled):
        return False
    return {"a", "b"} <= words and "c" not in words and all(preference(cell) is not None for cell in cells)


def _preferences(table: TextTable, columns: Sequence[WordColumn]) -> Reading:
    reading = Reading("pairs", passing="the first answer is preferred")
    for column in columns:
        values = {parsed.value for parsed in column.numbers.values()}
        if column.numeric and values == {0, 1}:
            raise DeclarationError(
                f"{table.source}: in {column.name!r}, 0 and 1 may each mean either answer: write A and B, or 1 and 2"
            )
        signs = {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}
        if values & {-1, 0.5}:
            signs = {1.0: 1.0, -1.0: 0.0, 0.0: 0.5} if -1 in values else {1.0: 1.0, 0.0: 0.0, 0.5: 0.5}
        known = reading.take(column, lambda cell, column=column, signs=signs: _preferred(cell, column, signs))  # type: ignore[misc]
        check_known(table, column, known, "a preference (A, B or tie)")
    return reading


def _preferred(cell: str, column: WordColumn, signs: Mapping[float, float]) -> float | None:
    return signs.get(column.numbers[cell].value) if cell in column.numbers else preference(cell)


def _pass_fail(columns: Sequence[WordColumn]) -> Reading:
    reading = _all("pass_fail", columns, pass_or_fail)
    reading.tell_passes(columns)
    return reading


def _cut(table: TextTable, columns: Sequence[WordColumn]) -> Reading:
    """Pass or fail where one side has scores in [0, 1]; those of a judge are kept as probabilities of a pass."""
    reading = Reading("pass_fail")
    for column in columns:
        if not column.scored:
            reading.take(column, pass_or_fail)
            continue
        numbers = {cell: parsed.value for cell, parsed in column.numbers.items()}
        reading.take(column, lambda cell, numbers=numbers: float(numbers[cell] >= CUT))  # type: ignore[misc]
        ready = table.command("--pass", ">=0.7")
        reading.notes.append(
            f"the scores of {column.name!r} count as a pass from {CUT:g} on; another cut: {ready}"
        )
        if not column.human:
            reading.probabilities[column.name] = numbers
    reading.tell_passes([column for column in columns if not column.scored])
    return reading


def _numeric(table: TextTable, columns: Sequence[WordColumn], filled: Sequence[WordColumn]) -> Reading:
    """Ratings on one scale, or scores."""
    if all(column.scored for column in filled):
        return _all("scores", columns, _value)
    if len({column.scale for column in filled}) > 1 or any(column.binary for column in filled):
        raise two_scales(table, filled)
    low, high = min(column.low for column in filled), max(column.high for column in filled)
    if low < 0 or high > 100:
        return _all("ratings", columns, _value, (low, high), f"the scale is taken to be {low:g} to {high:g}")
    if high > 20:
        return _all(
            "scores", columns, lambda cell: _value(cell) / 100, note="scores up to 100 were divided by 100"
        )
    low, note = min(low, 1.0), ""
    if high - min(column.high for column in filled) >= 2:
        shown = ", ".join(f"{column.name} {column.low:g} to {column.high:g}" for column in filled)
        note = f"all ratings are taken to be on one scale of {low:g} to {high:g} (they reach: {shown})"
    return _all("ratings", columns, _value, (low, high), note)


def _value(cell: str) -> float:
    parsed = number_of(cell)
    return float("nan") if parsed is None else parsed.value


def _classes(table: TextTable, columns: Sequence[WordColumn], filled: Sequence[WordColumn]) -> Reading:
    """Classes without an order.

    Raises:
        DeclarationError: a few cells are no words as the others are, two words do not say which is a pass, or there are
            too many.
    """
    for column in filled:
        for reader, what in ((pass_or_fail, "pass or fail"), (preference, "A, B or tie")):
            known = {cell: 0.0 for cell in column.counts if reader(cell) is not None}
            if sum(column.counts[cell] for cell in known) >= 0.9 * column.counts.total():
                check_known(table, column, known, f"{what}, as the others are")
    judged = {word_of(cell) for column in filled if not column.human for cell in column.counts}
    for column in filled:
        if not judged & set(map(word_of, column.counts)):
            shown = ", ".join(repr(cell) for cell, _ in column.counts.most_common(4))
            raise DeclarationError(
                f"{table.source}: {column.name!r} has no word of the judge's ({shown}). Name the column of labels: "
                f"{table.command('--human', 'COLUMN')}; or say which words are a pass: --pass WORD,WORD"
            )
    names = {word_of(cell): cell for column in reversed(filled) for cell in column.counts}
    words = sorted(names)
    if len(words) == 2:
        ready = " or ".join(table.command("--pass", word) for word in words)
        raise DeclarationError(f"{table.source}: which of {', '.join(words)} is a pass? Say it: {ready}")
    if len(words) > MAX_CLASSES:
        column = max(filled, key=lambda column: len(column.counts))
        shown = ", ".join(repr(cell[:40]) for cell, _ in column.counts.most_common(3))
        raise DeclarationError(
            f"{table.source}: {column.name!r} holds {len(column.counts)} different texts ({shown}, …), which are no "
            f"verdicts. Name another: {table.command('--human' if column.human else '--judge', 'COLUMN')}"
        )
    places = {word: float(place) for place, word in enumerate(words)}
    shown = ", ".join(names[word] for word in words)
    note = f"{len(words)} classes without an order ({shown}); as pass or fail: --pass WORD"
    reading = _all("classes", columns, lambda cell: places[word_of(cell)], note=note)
    reading.classes = tuple(names[word] for word in words)
    return reading
