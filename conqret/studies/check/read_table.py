"""``read_checked_table``: the verdicts and labels of any table, with its columns guessed by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, check_known, number, shortened
from conqret.show.words import listed
from conqret.studies.check.checked_table import CheckedTable, DrawnBy, JudgeColumn
from conqret.studies.check.column_roles import (
    ColumnRoles,
    assume_texts,
    check_no_labels,
    chosen,
    guessed_roles,
    same_subject,
)
from conqret.studies.check.table_shapes import (
    joined,
    labeled_by_agreement,
    made_wide,
    probabilities,
    sides_apart,
)
from conqret.studies.check.text_table import TextTable, read_text_table
from conqret.studies.check.verdict_values import read_verdicts
from conqret.studies.check.verdict_words import (
    CELLS,
    NAMES,
    TEXTS,
    is_failed,
    is_no_label,
    loose,
    named,
    number_of,
    says,
    word_of,
)
from conqret.studies.check.word_columns import CellValues, word_column

MIN_ASSOCIATION = 2.6
"""Of verdicts and labels, in standard errors, where it says what the verdicts name (p < 0.01)."""
READINGS = ("answers", "positions")
"""What ``--pass`` says of preferences in two orders: whether A and B name the answers, or the positions."""


def read_checked_table(
    source: Any,
    *,
    judge: Sequence[str] = (),
    human: Sequence[str] = (),
    passing: str = "",
    by: str = "",
    labels: str | Path | Sequence[str | Path] | None = None,
    drawn_by: DrawnBy | None = None,
    columns: Mapping[str, str] | None = None,
) -> CheckedTable:
    """Read a table of verdicts and labels; columns that are not named are guessed by their names.

    Args:
        source: a file (CSV, TSV, JSON, JSON Lines, Parquet), a frame, a list of dictionaries, or a table of texts.
        judge: the columns of judges.
        human: the columns of annotators.
        passing: what is a pass: a condition such as ``>=4``, or words separated by commas; of preferences in two
            orders ``answers`` or ``positions``, which the words name.
        by: the column of clusters.
        labels: another file with labels of the rows, by id, or several.
        drawn_by: how the labeled rows were drawn.
        columns: the columns of texts, by the text: ``id``, ``output``, ``input``, ``context``, ``reason`` …

    Raises:
        DeclarationError: the table cannot be read, a column is missing or ambiguous, or a cell is no verdict.
    """
    files = [labels] if isinstance(labels, str | Path) else labels or ()
    options = {"--judge": judge, "--human": human, "--pass": [passing], "--by": [by], "--labels": files}
    options["--drawn-by"] = [drawn_by or ""]
    options["--columns"] = [",".join(f"{text}={name}" for text, name in (columns or {}).items())]
    given = [(option, str(value)) for option, values in options.items() for value in values if value]
    table = source if isinstance(source, TextTable) else read_text_table(source)
    table = replace(table, options=tuple(given))
    by_column = chosen(table, [by])[0] if by else None
    check_known("text of a table of verdicts", TEXTS, *(columns or {}))
    texts_named = {text: chosen(table, [name])[0] for text, name in (columns or {}).items()}
    if not judge and not human and not table.judges:
        table = sides_apart(table)
    humans_named = [name for name in human if name in table.columns] if files else chosen(table, human)
    roles = guessed_roles(table, chosen(table, judge), humans_named, texts_named)
    if files:
        table = joined(table, roles, files, human)
    _check_no_summary(table, roles)
    if not roles.humans and not human and not table.note:
        table = labeled_by_agreement(table, roles)
    if not roles.humans and not roles.fixed and not table.note:
        check_no_labels(table, roles.judged, [*roles.texts.values(), *roles.markers.values(), by_column])
    table = made_wide(table, roles, by_column)
    if by_column and by_column not in table.columns:
        raise table.error(
            f"{by_column!r} holds verdicts or labels: name a column of groups", ["--by", "COLUMN"]
        )
    assume_texts(table, roles)
    _check_ids(table, roles, by_column)
    table, paired, named_models = by_model_name(table, roles)
    values = _values(table, roles, "" if passing in READINGS and paired else passing, paired)
    empty = [name for name in roles.humans if not values.mappings[name]]
    roles.notes += [f"{name!r} holds no label yet" for name in empty] + values.notes
    roles.humans = [name for name in roles.humans if name not in empty]
    labels_read = np.full((len(table), len(roles.humans)), np.nan)
    for place, name in enumerate(roles.humans):
        labels_read[:, place] = values.numbers(name, table.columns[name])
    meaning = passing if passing in READINGS else "answers" if named_models else ""
    if values.kind == "pairs" and "id" not in texts_named:
        _check_counterparts(table, roles)
    swapped = swapped_cells(table, roles) if values.kind == "pairs" else {}
    if swapped and (meaning or meaning_of_swapped(table, roles, values, labels_read)) == "positions":
        values.inverted = swapped
    judges = [_judge(table, roles, values, name, swapped) for name in roles.judges]
    roles.notes += _copies(roles.humans, labels_read, judges)
    if by_column is None and (column := named(table.columns, NAMES["cluster"])) is not None:
        alike = len(set(table.columns[column])) < 0.8 * len(table)
        roles.notes += [
            f"intervals may be too narrow if rows of one {column} are alike: --by {column} widens them if so"
        ] * alike
    system, chances, before = (roles.markers.get(role) for role in ("system", "chance", "before"))
    places = list(map(table.place, range(len(table))))
    texts = {text: tuple(table.columns[name]) for text, name in roles.texts.items()}
    groups = zip(table.columns[by_column], places, strict=True) if by_column else ()
    return CheckedTable(
        source=table.source,
        kind=values.kind,
        judges=tuple(judges),
        labels=labels_read,
        annotators=tuple(roles.humans),
        clusters=tuple(text or place for text, place in groups) if by_column else None,
        by=by_column,
        systems=tuple(table.columns[system]) if system else None,
        chances=probabilities(table, chances, roles.humans) if chances else None,
        labeled_before=np.array(list(map(bool, table.columns[before]))) if before else None,
        drawn_by=drawn_by or ("verdict" if roles.by_verdict else None),
        classes=values.classes,
        levels=values.levels,
        scale=values.scale,
        cut=values.cut,
        passing=values.passing,
        texts={"id": tuple(places), **texts},
        guessed=table.note if table.note and not roles.fixed else _guessed(table, roles, judges),
        notes=tuple(roles.notes),
        options=table.options,
    )


def _values(table: TextTable, roles: ColumnRoles, passing: str, paired: bool) -> CellValues:
    """Return the numbers of all cells; of guessed columns of several kinds, of the first judge and those of its kind.
    The other columns are removed from ``roles``, and so are judges without any verdict; both are noted there.
    ``passing`` and ``paired`` are as in :func:`~conqret.studies.check.verdict_values.read_verdicts`.

    Raises:
        DeclarationError: no judge's column can be read, or one that the user named cannot.
    """
    cells = {cell for name in roles.humans for cell in set(table.columns[name])}
    labels = {word_of(cell) for cell in cells if not is_no_label(cell)}
    columns = {
        name: word_column(name, table.columns[name], name not in roles.judged, labels, paired=paired)
        for name in (*roles.judged, *roles.humans)
    }
    for name in roles.humans:
        if lost := columns[name].none:
            shown = ", ".join(f'"{shortened(cell, 20)}"' for cell, _ in lost.most_common(4))
            rows = "1 cell says" if lost.total() == 1 else f"{lost.total():,} cells say"
            roles.notes.append(
                f"in {name!r}, {rows} that there is no label ({shown}): such rows are unlabeled"
            )
    silent = [name for name, group in roles.judges.items() if not any(columns[one].counts for one in group)]
    if len(silent) < len(roles.judges):
        roles.notes += [f"{name!r} is left out: it holds no verdict, or errors alone" for name in silent]
        roles.judges = {name: group for name, group in roles.judges.items() if name not in silent}

    def read(*names: str) -> CellValues:
        those = [columns[name] for name in dict.fromkeys(names)]
        return read_verdicts(table, those, passing=passing, paired=paired)

    def fit(*names: str) -> bool:
        try:
            read(*names)
        except DeclarationError:
            return False
        return True

    try:
        return read(*roles.judged, *roles.humans)
    except DeclarationError:
        if roles.fixed or len(roles.judges) == len(roles.humans) == 1:
            raise
        every = [*roles.judged, *roles.humans]
        for first in roles.judges.values():
            judges = {name: group for name, group in roles.judges.items() if fit(*first, *group)}
            humans = [name for name in roles.humans if fit(*first, name)]
            if first in judges.values() and (humans or not roles.humans):
                break
        else:
            raise
    roles.judges, roles.humans = judges, humans
    kept = [*roles.judged, *roles.humans]
    left_out = ", ".join(name for name in every if name not in kept)
    roles.notes.append(f"columns of another kind are left out: {left_out} (name one: --judge, --human)")
    return read(*kept)


def _check_no_summary(table: TextTable, roles: ColumnRoles) -> None:
    """Raise an error if a row holds the sum or mean of the others, as in spreadsheets.

    Raises:
        DeclarationError: the first column says so, or only the last row lacks an id.
    """
    first = next(iter(table.columns))
    if first in roles.humans or first in roles.judged:
        return
    texts = table.columns[first]
    summaries = [row for row, text in enumerate(texts) if text.casefold().rstrip(":") in CELLS["summary"]]
    row = summaries[0] if summaries else None
    if row is None and first == roles.texts.get("id") and not texts[-1] and all(texts[:-1]):
        row = len(table) - 1
    if row is not None:
        raise table.error(
            f"the row ({texts[row] or 'without ' + first}) seems to sum up the others, and would count as a verdict: "
            f"delete it{'' if texts[row] else ', or give it an id'}",
            row=row,
        )


def _check_ids(table: TextTable, roles: ColumnRoles, by: str | None) -> None:
    """Raise an error if an id occurs twice with different verdicts or labels, and no column tells the rows apart.
    Repeated rows with the same verdict are noted and count. Nothing is checked if ``by`` is the column of ids.

    Raises:
        DeclarationError: it is so; the message says which column would tell them apart.
    """
    ids = roles.texts.get("id")
    if ids is None or ids == by:
        return
    keys = [*roles.keys, *(roles.texts[role] for role in ("input", "output") if role in roles.texts)]
    keys += [roles.markers["swapped"]] if "swapped" in roles.markers else []
    seen: dict[tuple[str, ...], int] = {}
    verdicts, labels, twice = table.rows(roles.judged), table.rows(roles.humans), 0
    for row, key in enumerate(table.rows(keys)):
        first = seen.setdefault(key, row)
        if first == row or not key[0]:
            continue
        twice += 1
        relabeled = any(a and b and a != b for a, b in zip(labels[row], labels[first], strict=True))
        if verdicts[row] != verdicts[first] or relabeled:
            what, of = (
                ("verdict", "runs, judges or systems")
                if not relabeled
                else ("label", "of several annotators")
            )
            names = "annotator" if relabeled else "run, judge_name or system"
            raise table.error(
                f"{ids} {key[0]!r} has a second {what} (first: {table.place(first)}). If these are {of}, say so in a "
                f"column {names}; if rows of one {ids} are different answers",
                ["--by", ids],
                row=row,
            )
    note = f"{number(twice, 'row')} repeat another with the same {ids} and verdict; all are counted"
    roles.notes += [note] if twice else []


def _check_counterparts(table: TextTable, roles: ColumnRoles) -> None:
    """Raise an error if rows are of both orders, none has its counterpart, and they may have it by another column.

    Raises:
        DeclarationError: it is so, or no column has ids; the message says how to name the column.
    """
    order = roles.markers.get("swapped")
    if order is None or len(set(table.columns[order])) < 2:
        return
    used = [*roles.judged, *roles.humans, *roles.markers.values()]
    shared = [
        name
        for name, cells in table.columns.items()
        if name not in used and len(set(cells)) < len(table) == len(set(table.rows([name, order])))
    ]
    if shared or "id" not in roles.texts:
        raise table.error(
            f"{order!r} has both orders of the answers, but no pair has a row of each. Name the column that both rows "
            "of a pair share; if each row is a pair of its own, one that has another value in each row",
            ["--columns", f"id={[*shared, 'COLUMN'][0]}"],
        )


def _judge(
    table: TextTable,
    roles: ColumnRoles,
    values: CellValues,
    name: str,
    swapped: Mapping[str, NDArray[np.bool_]],
) -> JudgeColumn:
    columns = roles.judges[name]
    arrays = [values.numbers(column, table.columns[column]) for column in columns]
    verdicts, orders = arrays[0], None
    if swapped and name in roles.ordered:
        orders = np.column_stack(arrays)
        verdicts = orders.mean(axis=1)
    elif (rows := swapped.get(columns[0])) is not None:
        orders = np.column_stack([np.where(rows, np.nan, verdicts), np.where(rows, verdicts, np.nan)])
    lost = np.flatnonzero(np.isnan(verdicts)).tolist()
    shown = []
    for row in lost[:3]:
        place = next(place for place, array in enumerate(arrays) if np.isnan(array[row]))
        cell = table.columns[columns[place]][row]
        shown.append(f"{table.place(row)}: {repr(cell[:60]) if cell else 'empty'}")
    stated = values.probability(columns[0], table.columns[columns[0]])
    if stated is None and values.kind == "pass_fail":
        stated = _stated(table, roles, columns[0], verdicts)
    return JudgeColumn(
        name=name,
        values=verdicts,
        runs=np.column_stack(arrays) if orders is None and len(arrays) > 1 else None,
        orders=orders,
        probabilities=stated,
        failed=len(lost),
        failures=tuple(shown),
    )


def _stated(
    table: TextTable, roles: ColumnRoles, verdict: str, values: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the probability of a pass that another column states for the verdicts of the same judge, and note it; None
    if no column has numbers from 0 to 1 alone. A column of confidence gives 1 minus its number where the verdict is a
    fail."""
    used = [*roles.markers.values(), *roles.humans, *roles.judged]
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


def _copies(
    humans: Sequence[str], labels: NDArray[np.float64], judges: Sequence[JudgeColumn]
) -> Iterator[str]:
    for place, name in enumerate(humans):
        for judge in judges:
            both = ~np.isnan(labels[:, place]) & ~np.isnan(judge.values)
            if both.sum() >= 10 and np.array_equal(labels[both, place], judge.values[both]):
                yield f"the labels in {name!r} equal the verdicts of {judge.name!r} in every row: a copy?"


def _guessed(table: TextTable, roles: ColumnRoles, judges: Sequence[JudgeColumn]) -> str:
    quoted = {name: ", ".join(f'"{column}"' for column in columns) for name, columns in roles.judges.items()}
    several = len(judges) > 1 and all(len(columns) == 1 for columns in roles.judges.values())
    parts = [f"judges are columns {', '.join(quoted.values())}"] if several else []
    for judge in judges if not several else ():
        what = "orders" if judge.orders is not None else "runs"
        one, columns = len(roles.judges[judge.name]) == 1, quoted[judge.name]
        parts.append(f"judge is column {columns}" if one else f"{columns} are {what} of one judge")
    listed = ", ".join(f'"{name}"' for name in roles.humans)
    like = "" if roles.humans else _label_like(table, roles)
    no_labels = f"no labels (if a column has them: --human COLUMN{like})"
    parts.append(f"labels are column{'s' * (len(roles.humans) > 1)} {listed}" if roles.humans else no_labels)
    marked = (("systems", "system"), ("inclusion probabilities", "chance"))
    texts = [f'{text} "{roles.texts[text]}"' for text in TEXTS if text in roles.texts]
    parts += [" is column ".join(texts[0].split(" ", 1)), *texts[1:]] if texts else []
    parts += [f'{what} are column "{roles.markers[role]}"' for what, role in marked if role in roles.markers]
    return ". ".join(filter(None, [", ".join(parts), roles.swapped_note]))


def _label_like(table: TextTable, roles: ColumnRoles) -> str:
    """The columns without a role that may hold labels, with their values: two to seven short ones; of these those of
    usual words or numbers, if there are any."""
    used = {*roles.judged, *roles.markers.values(), *roles.texts.values()}
    columns = [word_column(name, texts, True) for name, texts in table.columns.items() if name not in used]
    few = [one for one in columns if 1 < len(one.counts) < 8 and max(map(len, one.counts)) <= 20]
    usual = [one for one in few if one.binary or one.numeric]
    shown = [f'"{one.name}" ({", ".join(sorted(one.counts))})' for one in usual or few]
    return f"; with few values: {listed(shown, 3)}" if shown else ""


def by_model_name(table: TextTable, roles: ColumnRoles) -> tuple[TextTable, bool, bool]:
    """Write names of models as A and B, where the columns model_a and model_b say which they are.

    Returns:
        The table; whether its names say that two answers were compared; and whether the judge named models.
    """
    every = [*roles.judged, *roles.humans]
    paired = bool(roles.ordered) or "swapped" in roles.markers or "answer_a" in roles.texts
    paired |= any(says(name, "paired") for name in every)
    first, second = (named(table.columns, names) for names in ("model_a system_a", "model_b system_b"))
    if first is None or second is None:
        return table, paired, False
    columns, named_models = dict(table.columns), False
    for name in every:
        rows = zip(table.columns[name], table.columns[first], table.columns[second], strict=True)
        texts = ["A" if text and text == a else "B" if text and text == b else text for text, a, b in rows]
        if texts != table.columns[name]:
            columns[name] = texts
            named_models |= name not in roles.humans
    return replace(table, columns=columns), True, named_models


def swapped_cells(table: TextTable, roles: ColumnRoles) -> dict[str, NDArray[np.bool_]]:
    """Return for columns of judges that saw both orders, in which rows answer B was shown first; empty if none did."""
    if "swapped" in roles.markers:
        marks = table.columns[roles.markers["swapped"]]
        rows = np.array([bool(mark) and mark.casefold() not in CELLS["unswapped"] for mark in marks])
        return dict.fromkeys(roles.judged, rows)
    return {
        roles.judges[name][1]: np.ones(len(table), dtype=bool) for name in roles.ordered & roles.judges.keys()
    }


def meaning_of_swapped(
    table: TextTable, roles: ColumnRoles, values: CellValues, labels: NDArray[np.float64]
) -> str:
    """Return whether verdicts on swapped answers name the answers or the positions: by the words, else by the labels.

    What the labels decide is noted in ``roles.swapped_note``.

    Args:
        table: the verdicts.
        roles: the columns by what they hold.
        values: the numbers of the cells.
        labels: the labels, rows by annotators, NaN where there is none.

    Returns:
        ``answers`` or ``positions``.

    Raises:
        DeclarationError: neither says it.
    """
    swapped = swapped_cells(table, roles)
    cells = {
        word_of(cell)
        for name, rows in swapped.items()
        for cell, shown in zip(table.columns[name], rows, strict=True)
        if shown
    }
    if not cells or not cells.isdisjoint(CELLS["position"]):
        return "positions"
    with np.errstate(invalid="ignore"):
        truth = np.nansum(labels, axis=1) / (~np.isnan(labels)).sum(axis=1)
    verdicts, truths = [], []
    for name, rows in swapped.items():
        numbers = values.numbers(name, table.columns[name])
        decided = rows & (np.abs(numbers - 0.5) > 0) & (np.abs(truth - 0.5) > 0)
        verdicts += list(numbers[decided] > 0.5)
        truths += list(truth[decided] > 0.5)
    right, association = int(np.equal(verdicts, truths).sum()), _association(verdicts, truths)
    if abs(association) <= MIN_ASSOCIATION:
        raise table.error(
            f"the verdicts in {next(iter(swapped))!r} on swapped answers may name the answer (A is always the same) or "
            "the position (A is the one shown first), and the labels do not tell. Say it",
            *(["--pass", meaning] for meaning in READINGS),
        )
    meaning, other = READINGS if association > 0 else READINGS[::-1]
    agreeing = right if association > 0 else len(truths) - right
    same, place = "the same answer in both orders", "the answer shown first"
    named, instead = (same, place) if meaning == "answers" else (place, same)
    roles.swapped_note = (
        f"Assumed: A names {named} ({agreeing} of {len(truths)} verdicts in the second order then agree with labels, "
        f"otherwise {len(truths) - agreeing}). If it names {instead}, add --pass {other}"
    )
    return meaning


def _association(verdicts: Sequence[bool], truths: Sequence[bool]) -> float:
    """The root of chi-square of verdicts and labels with the sign of their correlation; 0 where one is
    constant, as the verdicts of a judge that always prefers one position."""
    if len(set(verdicts)) < 2 or len(set(truths)) < 2:
        return 0.0
    return float(np.corrcoef(verdicts, truths)[0, 1] * np.sqrt(len(truths)))
