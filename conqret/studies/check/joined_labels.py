"""Labels of another file, joined to a table of verdicts by id."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conqret.errors import DeclarationError, number
from conqret.io.safe_files import unguarded
from conqret.studies.check.column_roles import (
    NAMES,
    TEXTS,
    chosen,
    holds_verdicts,
    human_and_judges,
    loose,
    named,
)
from conqret.studies.check.table_roles import ColumnRoles
from conqret.studies.check.text_table import TextTable, read_text_table, spread
from conqret.studies.check.verdict_words import is_no_label

EXPORT, LEDGER = "labels.csv", "labels.sqlite"
"""In a folder of ``conqret labels collect``: what it exports, and what it collects."""
CHANCE = "inclusion_probability"
"""The column of the probabilities with which rows were drawn."""


def joined(
    table: TextTable, roles: ColumnRoles, labels: str | Path, human: Sequence[str]
) -> tuple[TextTable, ColumnRoles]:
    """Return the table with the labels of another file as columns, and its roles with these.

    Where the file states with which probability each row was drawn, labels in the table itself count, too, with the
    probability 1: rows that had a label were not drawn from, and stand for themselves.

    Args:
        table: the verdicts.
        roles: its columns.
        labels: the file of labels, one row an id or one row an id and annotator; or a folder of ``labels collect``.
        human: the columns of labels in it; guessed if empty.

    Raises:
        DeclarationError: a file has no ids, the labels cannot be read, or no id is in both.
    """
    other = _labels_table(Path(labels))
    ids, system = roles.texts.get("id"), roles.system
    label_ids = ids if ids in other.columns else named(other.columns, f"{TEXTS['id']} item item_id")
    if label_ids is None:
        raise DeclarationError(
            f"{other.source} has no column of ids (columns: {', '.join(other.columns)}): name it {ids or 'id'}"
        )
    keys, own_keys = (
        [label_ids],
        [table.columns[ids] if ids else [table.place(row) for row in range(len(table))]],
    )
    label_system = named(other.columns, f"{loose(system)} part") if system is not None else None
    if system is not None and label_system is not None:
        keys, own_keys = [*keys, label_system], [*own_keys, table.columns[system]]
    other, human = _one_criterion(table, other, human)
    names = chosen(other, human) or _label_columns(table, other, label_ids)
    rows = set(zip(*(other.columns[key] for key in keys), strict=True))
    annotator = named(other.columns, NAMES["annotator_name"])
    alone = annotator is not None and len(set(other.columns[annotator])) == 1
    if annotator is not None and annotator not in names and (alone or len(rows) < len(other)):
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
    rows_of = [place.get(key) for key in zip(*own_keys, strict=True)]
    matched = {row for row in rows_of if row is not None}
    if not matched:
        raise DeclarationError(
            f"no {ids or 'row'} of {table.source} is in {other.source} (such as {own_keys[0][0]!r} and "
            f"{other.columns[label_ids][0]!r}): give files with the same ids"
        )
    found = sum(row is not None for row in rows_of)
    roles.notes.append(
        f"{found:,} of {len(rows_of):,} rows joined with {other.source} by {ids or 'the number of the row'}, "
        f"{number(len(other) - len(matched), 'label')} without a row"
    )
    columns = dict(table.columns)
    for name in names:
        columns[name] = [other.columns[name][row] if row is not None else "" for row in rows_of]
    chances = named(other.columns, NAMES["chance"])
    if chances is None:
        if unused := [name for name in roles.humans if name not in names]:
            roles.notes.append(f"not used as labels: {', '.join(unused)}")
        roles.humans = names
    else:
        own = [table.columns[name] for name in roles.humans if name not in names]
        labeled = [any(not is_no_label(column[row]) for column in own) for row in range(len(table))]
        columns[CHANCE] = [
            "" if row is None and not own_label else "1" if row is None else other.columns[chances][row]
            for row, own_label in zip(rows_of, labeled, strict=True)
        ]
        roles.humans = [*(name for name in roles.humans if name not in names), *names]
        roles.chances = CHANCE
    return replace(table, columns=columns), roles


def _labels_table(labels: Path) -> TextTable:
    """The table of labels; ids without the apostrophe that protects them in spreadsheets."""
    if labels.is_dir():
        labels /= EXPORT
        if not labels.exists() and (labels.parent / LEDGER).exists():
            ready = shlex.join(["conqret", "labels", "export", str(labels.parent), "-o", str(labels)])
            raise DeclarationError(f"{labels.parent} holds labels that are not exported yet: {ready}")
    table = read_text_table(labels)
    return replace(
        table, columns={name: list(map(unguarded, cells)) for name, cells in table.columns.items()}
    )


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
    humans, judges = human_and_judges(other, {ids, named(other.columns, NAMES["annotator_name"]) or ""})
    names = humans or judges[:1]
    value = named(other.columns, NAMES["value"])
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
