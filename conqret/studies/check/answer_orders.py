"""Preferences between two answers that a judge saw in both orders: what A and B name when they were swapped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conqret.studies.check.column_roles import named, says
from conqret.studies.check.table_roles import ColumnRoles
from conqret.studies.check.text_table import TextTable
from conqret.studies.check.verdict_words import CELLS, word_of
from conqret.studies.check.word_columns import CellValues

MIN_ASSOCIATION = 2.6
"""Of verdicts and labels, in standard errors, where it says what the verdicts name (p < 0.01)."""
READINGS = ("answers", "positions")
"""What ``--pass`` says of preferences in two orders: whether A and B name the answers, or the positions."""


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
    """Return for columns of judges that saw both orders, in which rows answer B was shown first."""
    if "swapped" in roles.markers:
        marks = table.columns[roles.markers["swapped"]]
        rows = np.array([bool(mark) and mark.casefold() not in CELLS["unswapped"] for mark in marks])
        return dict.fromkeys(roles.judged, rows)
    return {roles.judges[name][1]: np.ones(len(table), dtype=bool) for name in roles.ordered}


def meaning_of_swapped(
    table: TextTable, roles: ColumnRoles, values: CellValues, labels: NDArray[np.float64]
) -> str:
    """Return whether verdicts on swapped answers name the answers or the positions: by the words, else by the labels.

    Raises:
        DeclarationError: neither says it.
    """
    swapped = swapped_cells(table, roles)
    cells = {
        word_of(table.columns[name][row]) for name, rows in swapped.items() for row in np.flatnonzero(rows)
    }
    if not cells or not cells.isdisjoint(CELLS["position"]):
        return "positions"
    labeled = ~np.isnan(labels)
    with np.errstate(invalid="ignore"):
        truth = np.where(labeled, labels, 0).sum(axis=1) / labeled.sum(axis=1)
    verdicts, truths = [], []
    for name, rows in swapped.items():
        numbers = values.numbers(name, table.columns[name])
        decided = rows & ~np.isnan(numbers) & ~np.isnan(truth) & (numbers != 0.5) & (truth != 0.5)
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
    roles.swapped_note = (
        f"words on swapped answers name {meaning} ({agreeing} of {len(truths)} agree with the labels; if they name "
        f"{other}, {len(truths) - agreeing} do: --pass {other})"
    )
    return meaning


def _association(verdicts: Sequence[bool], truths: Sequence[bool]) -> float:
    """The root of chi-square of verdicts and labels with the sign of their correlation; 0 where one is
    constant, as the verdicts of a judge that always prefers one position."""
    if len(set(verdicts)) < 2 or len(set(truths)) < 2:
        return 0.0
    return float(np.corrcoef(verdicts, truths)[0, 1] * np.sqrt(len(truths)))
