"""``read_checked_table``: the verdicts and labels of any table, with its columns guessed by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, number
from conqret.studies.check.answer_orders import READINGS, by_model_name, meaning_of_swapped, swapped_rows
from conqret.studies.check.checked_table import CheckedTable, DrawnBy, JudgeColumn
from conqret.studies.check.column_roles import (
    NAMES,
    check_no_labels,
    chosen,
    loose,
    named,
    same_subject,
    says,
)
from conqret.studies.check.joined_labels import joined
from conqret.studies.check.table_roles import ColumnRoles, guessed_roles, made_wide, sides_apart
from conqret.studies.check.text_table import TextTable, read_text_table
from conqret.studies.check.verdict_values import read_verdicts
from conqret.studies.check.verdict_words import CELLS, is_failed, is_no_label, number_of, word_of
from conqret.studies.check.word_columns import CellValues, WordColumn, word_column


def read_checked_table(
    source: Any,
    *,
    judge: Sequence[str] = (),
    human: Sequence[str] = (),
    passing: str = "",
    by: str = "",
    labels: str | Path | None = None,
    drawn_by: DrawnBy | None = None,
) -> CheckedTable:
    """Read a table of verdicts and labels; columns that are not named are guessed by their names.

    Args:
        source: a file (CSV, TSV, JSON, JSON Lines, Parquet), a frame, or a list of dictionaries.
        judge: the columns of judges.
        human: the columns of annotators.
        passing: what is a pass: a condition such as ``>=4``, or words separated by commas; of preferences in two
            orders ``answers`` or ``positions``, which the words name.
        by: the column of clusters.
        labels: another file with the labels of the rows, by id.
        drawn_by: how the labeled rows were drawn.

    Raises:
        DeclarationError: the table cannot be read, a column is missing or ambiguous, or a cell is no verdict.
    """
    options = [("--judge", name) for name in judge] + [("--human", name) for name in human]
    for name, value in (("--pass", passing), ("--by", by), ("--labels", labels)):
        options += [(name, str(value))] if value else []
    table = replace(read_text_table(source), options=tuple(options))
    by_column = chosen(table, [by])[0] if by else None
    if not judge and not human and not table.judges:
        table = sides_apart(table)
    roles = guessed_roles(table, chosen(table, judge), [] if labels else chosen(table, human))
    if labels is not None:
        table, roles = joined(table, roles, labels, human)
    _check_no_summary(table, roles)
    if not roles.humans and not roles.fixed and not table.note:
        others = [*roles.texts.values(), *roles.markers, by_column]
        check_no_labels(table, [name for group in roles.judges.values() for name in group], others)
    table = made_wide(table, roles, by_column)
    _check_ids(table, roles, by_column)
    table, paired, by_name = by_model_name(table, roles)
    reading = _read(table, roles, "" if passing in READINGS and paired else passing, paired)
    empty = [name for name in roles.humans if not reading.mappings[name]]
    roles.notes += [f"{name!r} holds no label yet" for name in empty]
    roles.humans = [name for name in roles.humans if name not in empty]
    label_values = [reading.numbers(name, table.columns[name]) for name in roles.humans]
    label_array = np.column_stack(label_values) if label_values else np.empty((len(table), 0))
    roles.notes += reading.notes
    meaning = passing if passing in READINGS else "answers" if by_name else ""
    if reading.kind == "pairs" and (roles.ordered or roles.swapped):
        meaning = meaning or meaning_of_swapped(table, roles, reading, label_array)
    judges = [_judge(table, roles, reading, name, meaning) for name in roles.judges]
    _further_notes(table, roles, judges, label_array, by_column)
    texts = {role: tuple(table.columns[column]) for role, column in roles.texts.items()}
    return CheckedTable(
        source=table.source,
        kind=reading.kind,
        judges=tuple(judges),
        labels=label_array,
        annotators=tuple(roles.humans),
        clusters=_clusters(table, by_column) if by_column else None,
        by=by_column,
        systems=tuple(table.columns[roles.system]) if roles.system else None,
        chances=_chances(table, roles.chances) if roles.chances else None,
        drawn_by=drawn_by,
        classes=reading.classes,
        levels=reading.levels,
        scale=reading.scale,
        passing=reading.passing,
        texts={"id": tuple(map(table.place, range(len(table)))), **texts},
        guessed=table.note if table.note and not roles.fixed else _guessed(roles, judges),
        notes=tuple(roles.notes),
        command=table.command(),
    )


def _read(table: TextTable, roles: ColumnRoles, passing: str, paired: bool) -> CellValues:
    """What the columns hold; of guessed columns of several kinds, the first judge and those that are of its kind.

    Raises:
        DeclarationError: no judge's column can be read, or one that the user named cannot.
    """
    groups = [(False, columns) for columns in roles.judges.values()]
    groups += [(True, [name]) for name in roles.humans]
    words_of_labels = {
        word_of(cell) for name in roles.humans for cell in set(table.columns[name]) if not is_no_label(cell)
    }
    cells = [
        [word_column(name, table.columns[name], human, words_of_labels) for name in names]
        for human, names in groups
    ]
    silent = [place for place in range(len(roles.judges)) if not any(cell.counts for cell in cells[place])]
    if len(silent) < len(roles.judges):
        names = [name for place, name in enumerate(roles.judges) if place in silent]
        roles.notes += [f"{name!r} is left out: it holds no verdict, or errors alone" for name in names]
        roles.judges = {name: group for name, group in roles.judges.items() if name not in names}
        groups = [group for place, group in enumerate(groups) if place not in silent]
        cells = [group for place, group in enumerate(cells) if place not in silent]
    try:
        every = [cell for group in cells for cell in group]
        return read_verdicts(table, every, passing=passing, paired=paired)
    except DeclarationError as error:
        if roles.fixed or len(roles.humans) == len(groups) - 1 == 1:
            raise
        failed = error
    judged = len(roles.judges)
    for judge in range(judged):
        fitting = [place for place in range(len(groups)) if _fit(table, cells, judge, place, passing, paired)]
        if judge not in fitting or (roles.humans and fitting[-1] < judged):
            continue
        kept = {name for place in fitting for name in groups[place][1]}
        left_out = ", ".join(name for _, group in groups for name in group if name not in kept)
        roles.judges = {name: group for name, group in roles.judges.items() if kept.issuperset(group)}
        roles.humans = [name for name in roles.humans if name in kept]
        roles.notes.append(f"columns of another kind are left out: {left_out} (name one: --judge, --human)")
        every = [cell for place in fitting for cell in cells[place]]
        return read_verdicts(table, every, passing=passing, paired=paired)
    raise failed


def _fit(
    table: TextTable, cells: Sequence[list[WordColumn]], judge: int, other: int, passing: str, paired: bool
) -> bool:
    """Whether the columns of a judge can be read, alone or with those of another judge or annotator."""
    columns = cells[judge] if judge == other else [*cells[judge], *cells[other]]
    try:
        read_verdicts(table, columns, passing=passing, paired=paired)
    except DeclarationError:
        return False
    return True


def _check_no_summary(table: TextTable, roles: ColumnRoles) -> None:
    """Raise an error if a row holds the sum or mean of the others, as in spreadsheets."""
    first = next(iter(table.columns))
    if first in roles.humans or any(first in group for group in roles.judges.values()):
        return
    texts = table.columns[first]
    row = next(
        (row for row, text in enumerate(texts) if text.casefold().rstrip(":") in CELLS["summary"]), None
    )
    if row is None and first == roles.texts.get("id") and not texts[-1] and all(texts[:-1]):
        row = len(table) - 1
    if row is not None:
        raise DeclarationError(
            f"{table.where(row)}: the row ({texts[row] or 'without ' + first}) seems to sum up the others, and would "
            f"count as a verdict: delete it{'' if texts[row] else ', or give it an id'}"
        )


def _check_ids(table: TextTable, roles: ColumnRoles, by: str | None) -> None:
    """Raise an error if an item occurs twice with different verdicts, and nothing tells the rows apart."""
    ids = roles.texts.get("id")
    if ids is None or ids == by:
        return
    keys = [*roles.keys, *(roles.texts[role] for role in ("input", "output") if role in roles.texts)]
    keys += [roles.swapped] if roles.swapped else []
    seen: dict[tuple[str, ...], int] = {}
    every = [column for columns in roles.judges.values() for column in columns]
    twice = 0
    for row, key in enumerate(zip(*(table.columns[key] for key in keys), strict=True)):
        first = seen.setdefault(key, row)
        if first == row or not key[0]:
            continue
        twice += 1
        if any(table.columns[name][row] != table.columns[name][first] for name in every):
            raise DeclarationError(
                f"{table.where(row)}: {ids} {key[0]!r} has a second verdict (first: {table.place(first)}). If these "
                "are runs, judges or systems, say so in a column run, judge_name or system; if rows of one "
                f"{ids} are different answers: {table.command('--by', ids)}"
            )
    if twice:
        roles.notes.append(
            f"{number(twice, 'row')} repeat another with the same {ids} and verdict; all are counted"
        )


def _judge(table: TextTable, roles: ColumnRoles, reading: CellValues, name: str, meaning: str) -> JudgeColumn:
    columns = roles.judges[name]
    arrays = [reading.numbers(column, table.columns[column]) for column in columns]
    values, runs, orders = arrays[0], None, None
    if reading.kind == "pairs" and name in roles.ordered:
        second = 1 - arrays[1] if meaning == "positions" else arrays[1]
        orders = np.column_stack([arrays[0], second])
        values = orders.mean(axis=1)
    elif reading.kind == "pairs" and roles.swapped:
        swapped = swapped_rows(table, roles)
        arrays = [
            np.where(swapped, 1 - array, array) if meaning == "positions" else array for array in arrays
        ]
        values = arrays[0]
        orders = np.column_stack([np.where(swapped, np.nan, values), np.where(swapped, values, np.nan)])
    if orders is None and len(arrays) > 1:
        runs = np.column_stack(arrays)
    lost = np.flatnonzero(np.isnan(values))
    shown = []
    for row in lost[:3]:
        text = next(
            (table.columns[c][row] for c, a in zip(columns, arrays, strict=True) if np.isnan(a[row])), ""
        )
        shown.append(f"{table.place(row)}: {text[:60]!r}" if text else f"{table.place(row)}: empty")
    stated = reading.probability(columns[0], table.columns[columns[0]])
    if stated is None and reading.kind == "pass_fail":
        stated = _stated(table, roles, columns[0], values)
    return JudgeColumn(
        name=name,
        values=values,
        runs=runs,
        orders=orders,
        probabilities=stated,
        failed=len(lost),
        failures=tuple(shown),
    )


def _stated(
    table: TextTable, roles: ColumnRoles, verdict: str, values: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """The probability of a pass that another column of the same judge states; of a confidence in a fail 1 minus it."""
    used = {roles.chances, *roles.humans, *(name for group in roles.judges.values() for name in group)}
    for name in table.columns:
        if name in used or not says(name, "probability") or not same_subject(name, verdict):
            continue
        numbers = {text: number_of(text) for text in set(table.columns[name]) if not is_failed(text)}
        known = {text: parsed.value for text, parsed in numbers.items() if parsed and 0 <= parsed.value <= 1}
        if not known or len(known) < len(numbers):
            continue
        stated = np.array([known.get(text, np.nan) for text in table.columns[name]])
        confidence = "confidence" in loose(name)
        of = "the verdict" if confidence else "a pass"
        roles.notes.append(f"{name!r} is taken as the stated probability of {of}")
        return np.where(values == 0, 1 - stated, stated) if confidence else stated
    return None


def _chances(table: TextTable, name: str) -> NDArray[np.float64]:
    chances = np.full(len(table), np.nan)
    for row, text in enumerate(table.columns[name]):
        parsed = number_of(text)
        if parsed is not None:
            chances[row] = parsed.value
        if text and (parsed is None or not 0 < parsed.value <= 1):
            raise DeclarationError(
                f"{table.where(row)}: {name} is {text!r}: give a probability above 0 and at most 1, or leave it empty"
            )
    return chances


def _clusters(table: TextTable, by: str) -> tuple[str, ...]:
    return tuple(text or table.place(row) for row, text in enumerate(table.columns[by]))


def _further_notes(
    table: TextTable,
    roles: ColumnRoles,
    judges: Sequence[JudgeColumn],
    labels: NDArray[np.float64],
    by: str | None,
) -> None:
    for place, name in enumerate(roles.humans):
        for judge in judges:
            both = ~np.isnan(labels[:, place]) & ~np.isnan(judge.values)
            if both.sum() >= 10 and np.array_equal(labels[both, place], judge.values[both]):
                roles.notes.append(
                    f"the labels in {name!r} equal the verdicts of {judge.name!r} in every row: a copy?"
                )
    column = None if by else named(table.columns, NAMES["cluster"])
    if column is not None and len(set(table.columns[column])) < 0.8 * len(table):
        roles.notes.append(f"rows of one {column} may be alike: --by {column} takes this into account")


def _guessed(roles: ColumnRoles, judges: Sequence[JudgeColumn]) -> str:
    parts = []
    for judge in judges:
        columns = roles.judges[judge.name]
        listed = ", ".join(f'"{column}"' for column in columns)
        what = "orders of one judge" if judge.orders is not None else "runs of one judge"
        parts.append(f"{listed} are {what}" if len(columns) > 1 else f"judge is column {listed}")
    if len(judges) > 1 and all(len(roles.judges[judge.name]) == 1 for judge in judges):
        listed = ", ".join(f'"{judge.name}"' for judge in judges)
        parts = [f"judges are columns {listed}"]
    listed = ", ".join(f'"{name}"' for name in roles.humans)
    no_labels = "no labels (if a column has them: --human COLUMN)"
    parts.append(f"labels are column{'s' * (len(roles.humans) > 1)} {listed}" if roles.humans else no_labels)
    if roles.system:
        parts.append(f'systems are column "{roles.system}"')
    if roles.chances:
        parts.append(f'inclusion probabilities are column "{roles.chances}"')
    return ", ".join(parts + [roles.swapped_note] * bool(roles.swapped_note))
