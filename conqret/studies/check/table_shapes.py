"""The shape of a table: long tables made wide, and labels of another file joined, to one row for each item."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, number
from conqret.io.label_set import SCALE, written_scale
from conqret.io.safe_files import unguarded
from conqret.studies.check.column_roles import (
    ColumnRoles,
    chosen,
    holds_verdicts,
    human_and_judges,
    is_agreement,
)
from conqret.studies.check.text_table import TextTable, read_text_table
from conqret.studies.check.verdict_words import (
    CELLS,
    NAME_WORDS,
    NAMES,
    TEXTS,
    is_failed,
    is_model,
    is_no_label,
    loose,
    named,
    number_of,
    pass_or_fail,
    says,
    word_of,
    words,
)

EXPORT, LEDGER = "labels.csv", "labels.sqlite"
"""In a folder of ``conqret labels collect``: what it exports, and what it collects."""
CHANCE = "inclusion_probability"
"""The column of the probabilities with which rows were drawn."""
BEFORE = "labeled_before"
"""The column that marks the rows which had a label before."""


def spread(
    table: TextTable,
    keys: Sequence[str],
    by: str,
    names: Sequence[str],
    *,
    first: str = "",
    short: bool = False,
) -> tuple[TextTable, dict[str, list[str]]]:
    """Return a long table with one row for each thing and a column for each value of ``by``, and the new columns.

    Args:
        table: a table in which several rows are of one thing.
        keys: the columns that tell things apart.
        by: the column that tells the rows of one thing apart.
        names: the columns of which each value of ``by`` gets one; of the others the first text stays.
        first: the value of ``by`` whose rows come first.
        short: whether a new column is named by the value of ``by`` alone, if one column is spread.

    Raises:
        DeclarationError: a thing has two rows with the same value of ``by``.
    """
    marks = table.columns[by]
    things: dict[tuple[str, ...], dict[str, int]] = {}
    for row, (key, mark) in enumerate(zip(table.rows(keys), marks, strict=True)):
        earlier = things.setdefault(key, {}).setdefault(mark, row)
        if earlier != row:
            raise table.error(
                f"{keys[0]} {key[0]!r} has a second row with {by} {mark!r}; the first is {table.place(earlier)}. "
                f"Delete one of the rows, or give them different values of {by}",
                row=row,
            )
    values = list(dict.fromkeys(marks))
    values.sort(key=lambda mark: (mark != first, int(mark) if mark.isdecimal() else 0))
    places = [[rows[mark] for mark in values if mark in rows] for rows in things.values()]
    columns: dict[str, Sequence[str]] = {}
    new: dict[str, list[str]] = {name: [] for name in names}
    for name, texts in table.columns.items():
        if name not in names:
            columns[name] = [next((texts[row] for row in rows if texts[row]), "") for rows in places]
            continue
        for mark in values:
            alone = short and len(names) == 1 and mark and mark not in table.columns
            new[name].append(mark if alone else f"{name} {by} {mark}")
            columns[new[name][-1]] = [texts[rows[mark]] if mark in rows else "" for rows in things.values()]
    del columns[by]
    return replace(table, columns=columns, lines=[table.lines[rows[0]] for rows in places]), new


def sides_apart(table: TextTable) -> TextTable:
    """Return a table in which a column says whose verdict a row has, a judge's or an annotator's, with one
    for each; any other table is unchanged."""
    sides = named(table.columns, f"source {NAMES['annotator_name']} {NAMES['judge_name']} rater_type author")
    value = named(table.columns, "value label rating score verdict judgment grade answer")
    item = named(table.columns, f"{TEXTS['id']} item input question prompt")
    if sides is None or value is None or item is None:
        return table
    humans, judges = human_and_judges(table, {sides, item})
    names = list(dict.fromkeys(table.columns[sides]))
    judged = [name for name in names if says(name, "judge") or is_model(name)]
    repeated = len(set(table.rows([item, sides]))) < len(table)
    if not {value}.issuperset([*humans, *judges]) or repeated or not 0 < len(judged) < len(names) <= 20:
        return table
    table, new = spread(table, [item], sides, [value], short=True)
    judges = [column for column in new[value] if column.removeprefix(f"{value} {sides} ") in judged]
    return replace(
        table,
        judges=tuple(judges),
        humans=tuple(column for column in new[value] if column not in judges),
        note=f"rows are those of {', '.join(names)}, by the column {sides!r}",
    )


def labeled_by_agreement(table: TextTable, roles: ColumnRoles) -> TextTable:
    """Return a table without labels, in which a column says whether the judge is right, with the labels that follow:
    the verdict where it is right, the opposite where it is wrong.

    The column becomes that of the labels in ``roles``, with a note. Without such a column, or with several judges, the
    table is returned unchanged.

    Raises:
        DeclarationError: the judge's verdicts have no opposite.
    """
    column = next((name for name in table.columns if is_agreement(words(name))), None)
    if column is None or len(roles.judged) != 1:
        return table
    (judge,) = roles.judged
    inverted = NAME_WORDS["dissent"] >= NAME_WORDS["agreement"] & {*words(column)}
    right = {text: _says_right(text, inverted) for text in table.columns[column] if not is_no_label(text)}
    if not right or (None in right.values() and all(number_of(text) for text in right)):
        return table
    verdicts = {text: pass_or_fail(text) for text in table.columns[judge] if not is_failed(text)}
    if None in (*verdicts.values(), *right.values()):
        raise table.error(
            f"{column!r} says whether the judge is right; labels follow from it only where it holds yes and no, and "
            f"{judge!r} pass and fail: add a column of labels"
        )
    cells = {1.0: "pass", 0.0: "fail"} | {
        value: text for text, value in verdicts.items() if value is not None
    }
    labels = []
    for text, verdict in zip(table.columns[column], table.columns[judge], strict=True):
        value, agrees = verdicts.get(verdict), right.get(text)
        labels.append("" if value is None or agrees is None else cells[value if agrees else 1 - value])
    roles.humans = [column]
    roles.notes.append(
        f"labels follow from {column!r} (the verdict where it is right, else the opposite); an annotator who sees a "
        "verdict tends to agree with it, so the figures may flatter the judge"
    )
    return replace(table, columns={**table.columns, column: labels})


def _says_right(text: str, inverted: bool) -> bool | None:
    """Whether a cell says that the judge is right; None if it does not say it; where ``inverted``, yes is wrong."""
    word, value = word_of(text), pass_or_fail(text)
    if word.startswith(("agree", "right", "correct", "disagree", "wrong", "incorrect")):
        return word.startswith(("agree", "right", "correct"))
    return None if value is None else (value == 1) != inverted


def made_wide(table: TextTable, roles: ColumnRoles, by: str | None) -> TextTable:
    """Return the table with one row for each item, and update the roles of its columns; ``by`` stays as it is.

    Raises:
        DeclarationError: an item has two rows of the same run, judge, annotator or order, or one column has both
            verdicts and labels.
    """
    keys = roles.keys
    if not keys or len(set(table.rows(keys))) == len(table):
        return table
    if both := [name for name in roles.humans if name in roles.judged]:
        raise table.error(
            f"column {both[0]!r} cannot hold the judge's verdicts and the human labels: name another"
        )
    order = ("annotator_name", "judge_name", "run", "swapped")
    wide = {role: roles.markers[role] for role in order if roles.markers.get(role, by) != by}
    rest = list(wide.values())
    for role, marker in wide.items():
        rest.remove(marker)
        own = roles.humans if role == "annotator_name" else roles.judged
        values = dict.fromkeys(table.columns[marker])
        first = [value for value in values if role == "swapped" and value.casefold() in CELLS["unswapped"]]
        short = role in order[:2]
        table, new = spread(table, [*keys, *rest], marker, own, first="".join(first[:1]), short=short)
        if role == "annotator_name":
            roles.humans = [column for name in own for column in new[name]]
        elif role == "judge_name":
            roles.judges = {column: [column] for name in own for column in new[name]}
        elif role == "run":
            roles.judges = {
                name: [column for one in group for column in new[one]] for name, group in roles.judges.items()
            }
        elif len(values) == 2:
            roles.judges = {name: new[group[0]] for name, group in roles.judges.items()}
            roles.ordered = set(roles.judges)
            del roles.markers["swapped"]
    return table


def study_folder(labels: str | Path) -> Path | None:
    """Return the folder of ``labels collect`` from which labels come; None if they come from elsewhere."""
    folder = Path(labels) if Path(labels).is_dir() else Path(labels).parent
    return folder if (folder / LEDGER).exists() else None


def joined(
    table: TextTable, roles: ColumnRoles, labels: Sequence[str | Path], human: Sequence[str]
) -> TextTable:
    """Return the table with the labels of other files as columns, and add these to its roles.

    Where a file states with which probability each row was drawn, other labels count, too. Rows that had a label
    before were not drawn from: they are marked, and have the probability 1.

    Args:
        table: the verdicts.
        roles: its columns.
        labels: files of labels, one row an id or one row an id and annotator; or folders of ``labels collect``.
        human: the columns of labels in them; guessed if empty.

    Raises:
        DeclarationError: a file has no ids, the labels cannot be read, or no id is in both.
    """
    files = sorted(
        map(_labels_table, map(Path, labels)), key=lambda other: named(other.columns, NAMES["chance"]) or ""
    )
    own = list(roles.humans)
    for other in files:
        elsewhere = {name for one in (table, *files) if one is not other for name in one.columns}
        wanted = [name for name in human if name in other.columns or name not in elsewhere]
        table = _joined(table, roles, other, wanted, own)
    return table


def _joined(
    table: TextTable, roles: ColumnRoles, other: TextTable, human: Sequence[str], unused: list[str]
) -> TextTable:
    """Return the table with the labels of one file (``other``) as further columns, and update ``roles``.

    Labels in the ``unused`` columns of the table count only if ``other`` has inclusion probabilities; otherwise those
    of ``other`` replace them, and ``unused`` is emptied.

    Raises:
        DeclarationError: as :func:`joined`.
    """
    ids = roles.texts.get("id")
    label_ids = ids if ids in other.columns else named(other.columns, f"{TEXTS['id']} item")
    if label_ids is None:
        raise other.error(
            f"no column has ids (columns: {', '.join(other.columns)}): name it {ids or 'id'} (of a run: --columns "
            "id=COLUMN)"
        )
    keys, own_keys = [label_ids], [table.columns[ids] if ids else list(map(table.place, range(len(table))))]
    if (system := roles.markers.get("system")) is not None:
        label_system = named(other.columns, f"{loose(system)} part")
        if label_system is not None:
            keys, own_keys = [*keys, label_system], [*own_keys, table.columns[system]]
    other, human = _one_criterion(table, other, human)
    names = chosen(other, human) or _label_columns(table, other, label_ids)
    annotator = named(other.columns, NAMES["annotator_name"])
    if annotator is not None and annotator not in names:
        alone = len(set(other.columns[annotator])) == 1
        if alone or len(set(other.rows(keys))) < len(other):
            other, new = spread(other, keys, annotator, names, short=True)
            names = [column for name in names for column in new[name]]
    place: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(other.rows(keys)):
        if place.setdefault(key, row) != row:
            raise other.error(
                f"the id {key[0]!r} occurs a second time (first: {other.place(place[key])}): name the annotator of "
                "each row in a column annotator, or delete one",
                row=row,
            )
    rows_of = [place.get(key) for key in zip(*own_keys, strict=True)]
    matched = set(rows_of) - {None}
    if not matched:
        raise table.error(
            f"no {ids or 'row'} is in {other.source} (such as {own_keys[0][0]!r} and {other.columns[label_ids][0]!r}): "
            "give files with the same ids"
        )
    roles.notes.append(
        f"{sum(row is not None for row in rows_of):,} of {len(rows_of):,} rows joined with {other.source} by "
        f"{ids or 'the number of the row'}, {number(len(other) - len(matched), 'label')} without a row"
    )
    chances, columns, added = named(other.columns, NAMES["chance"]), dict(table.columns), []
    replaced = [name for name in unused if chances is None]
    for name in names:
        taken = name in (*roles.judged, *roles.humans) and name not in replaced
        added.append(f"{name} ({Path(other.source).name})" if taken else name)
        columns[added[-1]] = ["" if row is None else other.columns[name][row] for row in rows_of]
    own = [name for name in roles.humans if name not in (*replaced, *added)]
    if chances is None:
        left = ", ".join(name for name in replaced if name not in names)
        roles.notes += [f"not used as labels: {left}"] if left else []
        unused.clear()
        roles.humans = [*own, *added]
        return replace(table, columns=columns)
    if SCALE in other.columns and set(other.columns[SCALE]) == {written_scale(0, 1)}:
        meant = {"1": "pass", "0": "fail"}  # words, as --pass may give another sense to numbers
        columns |= {name: [meant.get(cell, cell) for cell in columns[name]] for name in added}
    probabilities(other, chances, names)
    drawn = [None if row is None else other.columns[chances][row] for row in rows_of]
    return _with_inclusion_probabilities(replace(table, columns=columns), roles, own, added, drawn)


def _with_inclusion_probabilities(
    table: TextTable,
    roles: ColumnRoles,
    before: Sequence[str],
    added: Sequence[str],
    drawn: Sequence[str | None],
) -> TextTable:
    """Return the table with columns of inclusion probabilities and of rows that were labeled before, as far as there
    are such, and enter them and the columns of labels in ``roles``.

    Args:
        table: the verdicts with all labels.
        roles: the columns by what they hold.
        before: the columns of labels that were there before others were drawn.
        added: the columns of labels of the drawn rows.
        drawn: the probability of each row, as a text; None for a row that was not drawn.
    """

    def labeled(row: int, names: Sequence[str]) -> bool:
        return any(not is_no_label(table.columns[name][row]) for name in names)

    roles.humans, rows = [*before, *added], range(len(table))
    if not any(labeled(row, added) for row in rows):
        return table
    earlier = [chance is None and labeled(row, before) for row, chance in enumerate(drawn)]
    skipped = [
        row for row in rows if not labeled(row, added) and any(table.columns[name][row] for name in added)
    ]
    if any(drawn[row] in ("", "0") for row in skipped) and not any(earlier):
        roles.by_verdict = True  # of some verdict, all rows that were drawn were skipped
        return table
    columns = dict(table.columns)
    columns[CHANCE] = [chance or ("1" if early else "") for chance, early in zip(drawn, earlier, strict=True)]
    roles.markers["chance"] = CHANCE
    if any(earlier):
        columns[BEFORE], roles.markers["before"] = ["1" if early else "" for early in earlier], BEFORE
    return replace(table, columns=columns)


def probabilities(table: TextTable, column: str, labels: Sequence[str]) -> NDArray[np.float64]:
    """Return the probability with which each row that has a label was drawn; NaN where it is empty, and for others.

    Raises:
        DeclarationError: one is not above 0 and at most 1.
    """
    chances = np.full(len(table), np.nan)
    for row, (text, *cells) in enumerate(table.rows([column, *labels])):
        if not text or all(map(is_no_label, cells)):
            continue
        parsed = number_of(text)
        if parsed is None or not 0 < parsed.value <= 1:
            wanted = "give a probability above 0 and at most 1, or leave it empty"
            raise table.error(f"{column} is {text!r}: {wanted}", row=row)
        chances[row] = parsed.value
    return chances


def _labels_table(labels: Path) -> TextTable:
    """Return the table of labels in a file, or of the export in a folder of ``labels collect``; cells are without the
    apostrophe that protects them in spreadsheets.

    Raises:
        DeclarationError: the file cannot be read, or the folder's labels are not exported yet.
    """
    if labels.is_dir():
        labels /= EXPORT
        if not labels.exists() and (labels.parent / LEDGER).exists():
            ready = shlex.join(["conqret", "labels", "export", str(labels.parent), "-o", str(labels)])
            raise DeclarationError(f"{labels.parent} holds labels that are not exported yet: {ready}")
    table = read_text_table(labels)
    columns = {name: list(map(unguarded, cells)) for name, cells in table.columns.items()}
    return replace(table, columns=columns)


def _one_criterion(
    table: TextTable, other: TextTable, human: Sequence[str]
) -> tuple[TextTable, Sequence[str]]:
    """Return the labels of one criterion, if ``other`` has a column with several; the user names it in ``human``, which
    is then empty. Else both are returned unchanged.

    Raises:
        DeclarationError: there are several criteria, and none of them is named.
    """
    column = named(other.columns, "dimension metric criterion")
    criteria = list(dict.fromkeys(other.columns[column])) if column else []
    if column is None or len(criteria) < 2:
        return other, human
    if len(human) != 1 or human[0] not in criteria:
        problem = f"{other.source} has labels of {', '.join(criteria)}: name one, as in"
        raise table.error(problem, ["--human", criteria[0]])
    rows = [row for row, text in enumerate(other.columns[column]) if text == human[0]]
    columns = {name: [texts[row] for row in rows] for name, texts in other.columns.items()}
    return replace(other, columns=columns, lines=[other.lines[row] for row in rows]), ()


def _label_columns(table: TextTable, other: TextTable, ids: str) -> list[str]:
    humans, judges = human_and_judges(other, {ids, named(other.columns, NAMES["annotator_name"]) or ""})
    value = named(other.columns, NAMES["value"])
    names = humans or judges[:1] or ([value] if value is not None else [])
    rest = [name for name, texts in other.columns.items() if name != ids and holds_verdicts(texts)]
    if not names and len(rest) != 1:
        problem = f"no column of {other.source} has the name of labels ({', '.join(other.columns)}). Name it"
        raise table.error(problem, ["--human", [*rest, "COLUMN"][0]])
    return names or rest
