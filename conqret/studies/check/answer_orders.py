"""Preferences between two answers that a judge saw in both orders: what A and B name when they were swapped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError
from conqret.studies.check.column_roles import command, named, words
from conqret.studies.check.table_roles import UNSWAPPED, ColumnRoles
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import POSITIONS, word_of
from conqret.studies.check.word_columns import Reading

PAIRED = frozenset("winner preference preferred pairwise".split())
"""Words in the names of columns that compare two answers."""
READINGS = ("answers", "positions")
"""What ``--pass`` says of preferences in two orders: whether A and B name the answers, or the positions."""


def by_model_name(table: TextTable, roles: ColumnRoles) -> tuple[TextTable, bool, bool]:
    """Write names of models as A and B, where the columns model_a and model_b say which they are.

    Returns:
        The table; whether its names say that two answers were compared; and whether the judge named models.
    """
    every = [*(column for columns in roles.judges.values() for column in columns), *roles.humans]
    paired = bool(roles.ordered or roles.swapped or "answer_a" in roles.texts)
    paired |= any(set(words(name)) & PAIRED for name in every)
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


def swapped_rows(table: TextTable, roles: ColumnRoles) -> NDArray[np.bool_]:
    """Return for each row whether answer B was shown first."""
    texts = table.columns[roles.swapped] if roles.swapped else [""] * len(table)
    return np.array([bool(text) and text.casefold() not in UNSWAPPED for text in texts])


def meaning_of_swapped(
    table: TextTable, roles: ColumnRoles, reading: Reading, labels: NDArray[np.float64]
) -> str:
    """Return whether verdicts on swapped answers name the answers or the positions: by the words, else by the labels.

    Raises:
        DeclarationError: neither says it.
    """
    swapped = swapped_rows(table, roles)
    asked: list[tuple[str, NDArray[np.bool_]]] = []
    for name, columns in roles.judges.items():
        if name in roles.ordered:
            asked.append((columns[1], np.ones(len(table), dtype=bool)))
        elif roles.swapped:
            asked += [(column, swapped) for column in columns]
    cells = {word_of(table.columns[name][row]) for name, rows in asked for row in np.flatnonzero(rows)}
    if cells & POSITIONS:
        return "positions"
    labeled = ~np.isnan(labels)
    with np.errstate(invalid="ignore"):
        truth = np.where(labeled, labels, 0).sum(axis=1) / labeled.sum(axis=1)
    right = wrong = 0
    for name, rows in asked:
        verdicts = reading.numbers(name, table.columns[name])
        decided = rows & ~np.isnan(verdicts) & ~np.isnan(truth) & (verdicts != 0.5) & (truth != 0.5)
        same = (verdicts[decided] > 0.5) == (truth[decided] > 0.5)
        right, wrong = right + int(same.sum()), wrong + int((~same).sum())
    if abs(right - wrong) > 2.6 * np.sqrt(right + wrong) and right + wrong:
        meaning = "answers" if right > wrong else "positions"
        most = max(right, wrong)
        roles.notes.append(
            f"verdicts on swapped answers name the {meaning}: read so, {most} of {right + wrong} agree with the labels "
            f"(otherwise: {command(table.source, '--pass', READINGS[meaning == 'answers'])})"
        )
        return meaning
    raise DeclarationError(
        f"{table.source}: the verdicts in {asked[0][0]!r} on swapped answers may name the answer (A is always the "
        "same) or the position (A is the one shown first), and the labels do not tell. Say it: "
        f"{command(table.source, '--pass', 'answers')}, or {command(table.source, '--pass', 'positions')}"
    )
