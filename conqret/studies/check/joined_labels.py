"""Labels of another file, joined to a table of verdicts by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conqret.errors import DeclarationError, number
from conqret.studies.check.column_roles import (
    ANNOTATOR_NAMES,
    CHANCES,
    ID,
    chosen,
    holds_verdicts,
    human_and_judges,
    named,
)
from conqret.studies.check.text_table import TextTable, read_text_table, spread

VALUES = "label labels value rating score verdict grade human gold"
"""Names of the column of labels in a table that has nothing else."""


def joined(
    table: TextTable, ids: str | None, system: str | None, labels: str | Path, human: Sequence[str]
) -> tuple[TextTable, list[str], list[str]]:
    """Return the table with the labels of another file as columns, the names of these, and notes.

    Args:
        table: the verdicts.
        ids: its column of ids.
        system: its column of systems, by which labels are told apart, too, where both files have it.
        labels: the file of labels: one row an id, or one row an id and annotator.
        human: the columns of labels in it; guessed if empty.

    Raises:
        DeclarationError: a file has no ids, the labels cannot be read, or no id is in both.
    """
    if ids is None:
        raise DeclarationError(
            f"{table.source} has no column of ids, by which labels are joined (columns: {', '.join(table.columns)}): "
            "name one of its columns id"
        )
    other = read_text_table(labels)
    label_ids = ids if ids in other.columns else named(other.columns, f"{ID} item item_id")
    if label_ids is None:
        shown = ", ".join(other.columns)
        raise DeclarationError(f"{other.source} has no column of ids (columns: {shown}): name it {ids}")
    keys = [label_ids, system] if system in other.columns and system is not None else [label_ids]
    other, human = _one_criterion(table, other, human)
    names = chosen(other, human) or _label_columns(table, other, label_ids)
    rows = set(zip(*(other.columns[key] for key in keys), strict=True))
    annotator = named(other.columns, ANNOTATOR_NAMES)
    if len(rows) < len(other) and annotator is not None and annotator not in names:
        other, new = spread(other, keys, annotator, names, short=True)
        names = [column for name in names for column in new[name]]
    place: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(other.columns[key] for key in keys), strict=True)):
        if key in place:
            raise DeclarationError(
                f"{other.where(row)}: the id {key[0]!r} occurs a second time (first: {other.place(place[key])}): name "
                "the annotator of each row in a column annotator, or delete one"
            )
        place[key] = row
    own_keys = [ids, *keys[1:]]
    rows_of = [place.get(key) for key in zip(*(table.columns[key] for key in own_keys), strict=True)]
    matched = {row for row in rows_of if row is not None}
    if not matched:
        raise DeclarationError(
            f"no {ids} of {table.source} is in {other.source} (such as {table.columns[ids][0]!r} and "
            f"{other.columns[label_ids][0]!r}): give files with the same ids"
        )
    notes = [f"labels are those of {other.source}, joined by {ids}"]
    if missing := len(other) - len(matched):
        notes.append(
            f"{number(missing, 'label')} in {other.source} left out: their ids are not in {table.source}"
        )
    columns = dict(table.columns)
    chances = named(other.columns, CHANCES)
    for name in [*names, *([chances] if chances else [])]:
        texts = other.columns[name]
        columns[name] = [texts[row] if row is not None else "" for row in rows_of]
    return replace(table, columns=columns), names, notes


def _one_criterion(
    table: TextTable, other: TextTable, human: Sequence[str]
) -> tuple[TextTable, Sequence[str]]:
    """The rows of labels of one criterion, where the file has a column that names it; which, the user may say."""
    column = named(other.columns, "dimension metric criterion")
    criteria = list(dict.fromkeys(other.columns[column])) if column else []
    if len(criteria) < 2:
        return other, human
    if len(human) != 1 or human[0] not in criteria:
        ready = table.command("--human", criteria[0])
        raise DeclarationError(f"{other.source} has labels of {', '.join(criteria)}: name one, as in {ready}")
    rows = [row for row, text in enumerate(other.columns[column or ""]) if text == human[0]]
    columns = {name: [texts[row] for row in rows] for name, texts in other.columns.items()}
    return replace(other, columns=columns, lines=[other.lines[row] for row in rows]), ()


def _label_columns(table: TextTable, other: TextTable, ids: str) -> list[str]:
    humans, judges = human_and_judges(other, {ids, named(other.columns, ANNOTATOR_NAMES) or ""})
    names = humans or judges[:1]
    value = named(other.columns, VALUES)
    if not names and value is not None:
        names = [value]
    if not names:
        rest = [name for name, texts in other.columns.items() if name != ids and holds_verdicts(texts)]
        if len(rest) != 1:
            ready = table.command("--human", rest[0] if rest else "COLUMN")
            raise DeclarationError(
                f"{other.source}: no column has the name of labels (columns: {', '.join(other.columns)}). Name it: "
                f"{ready}"
            )
        names = rest
    return names
