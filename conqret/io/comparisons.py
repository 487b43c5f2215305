"""``read_comparisons``: people's pairwise preferences, from a table or from Webis-ArgQuality-20."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import DeclarationError, Fault
from conqret.io.faults import quoted
from conqret.io.files import file_rows
from conqret.io.labels import LabelsError

OUTCOMES: Mapping[str, float] = {
    "a": 1.0, "first": 1.0, "1": 1.0, "b": 0.0, "second": 0.0, "2": 0.0, "tie": 0.5, "both": 0.5, "0": 0.5,
}  # fmt: skip
"""The words for a preference that are read, in any case: 1 for the first, 0 for the second, 0.5 for a tie."""
FIRST, SECOND, OUTCOME = (
    ("first", "a", "model_a"),
    ("second", "b", "model_b"),
    ("preference", "outcome", "comparison"),
)
_WEBIS = ("Discussion ID A", "Argument ID A", "Discussion ID B", "Argument ID B", "Comparison")


@dataclass(frozen=True, slots=True)
class Comparison:
    """``first`` against ``second``: 1, 0.5 or 0; with the annotator and the item where the file has them."""

    first: str
    second: str
    outcome: float
    annotator: str = ""
    item: str = ""


def read_comparisons(path: str | Path) -> tuple[Comparison, ...]:
    """Read pairwise preferences.

    A table has columns first, second and preference (also: a, b, comparison; model_a, model_b, outcome), and may
    have annotator and item. The raw comparisons of Webis-ArgQuality-20 are recognised; an argument is named
    ``<discussion>-<argument>``.

    Raises:
        LabelsError: a row has no known preference, or compares something with itself; all faults are listed.
        DeclarationError: the file has other columns, or no row.
    """
    name, rows = str(path), file_rows(path)
    columns = rows.columns
    if columns is None:
        first_row = next((row for row in rows if not isinstance(row, Fault)), None)
        columns = () if first_row is None else tuple(map(str, first_row.record))
    webis = set(_WEBIS) <= set(columns)
    lower = {column.casefold(): column for column in columns}
    found = {} if webis else {key: _one(lower, names) for key, names in
                              {"first": FIRST, "second": SECOND, "outcome": OUTCOME}.items()}  # fmt: skip
    if not webis and None in found.values():
        raise DeclarationError(
            f"{name} holds no comparisons (columns: {', '.join(columns)}): name them first, second and preference"
        )
    faults: list[Fault] = []
    comparisons: list[Comparison] = []
    for row in rows:
        if isinstance(row, Fault):
            faults.append(row)
            continue
        cell = {str(key): "" if value is None else str(value).strip() for key, value in row.record.items()}
        if webis:
            first, second = f"{cell[_WEBIS[0]]}-{cell[_WEBIS[1]]}", f"{cell[_WEBIS[2]]}-{cell[_WEBIS[3]]}"
            word = cell[_WEBIS[4]]
        else:
            first, second, word = (cell.get(str(found[key]), "") for key in ("first", "second", "outcome"))
        outcome = OUTCOMES.get(word.casefold())
        if outcome is None:
            problem, remedy = (
                f"is {quoted(word)}, which is no preference",
                f"Write one of {', '.join(OUTCOMES)}",
            )
            faults.append(Fault(name, row.line, "preference", problem, remedy))
        elif not first or not second or first == second:
            problem = f"compares {quoted(first)} with {quoted(second)}"
            faults.append(Fault(name, row.line, "", problem, "Name two different things"))
        else:
            person, item = (cell.get(lower.get(key, ""), "") for key in ("annotator", "item"))
            comparisons.append(Comparison(first, second, outcome, person, item))
    if faults:
        raise LabelsError(faults, len(faults))
    if not comparisons:
        raise DeclarationError(f"{name} holds no comparisons")
    return tuple(comparisons)


def _one(columns: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((columns[one] for one in names if one in columns), None)
