"""``read_comparisons``: people's pairwise preferences, from a table or from Webis-ArgQuality-20."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import DeclarationError, LabelsError
from conqret.io.checks import cell_text, one_of
from conqret.io.faults import quoted
from conqret.io.files import file_rows
from conqret.io.rows import Row, mapped, readable_columns
from conqret.io.schema import Field, Schema, TableReader

OUTCOMES: Mapping[str, float] = {
    "a": 1.0, "first": 1.0, "1": 1.0, "b": 0.0, "second": 0.0, "2": 0.0, "tie": 0.5, "both": 0.5, "0": 0.5,
}  # fmt: skip
"""The words for a preference that are read, in any case: 1 for the first, 0 for the second, 0.5 for a tie."""
_WEBIS = ("Discussion ID A", "Argument ID A", "Discussion ID B", "Argument ID B", "Comparison")


@dataclass(frozen=True, slots=True)
class Comparison:
    """``first`` against ``second``: 1, 0.5 or 0; with the annotator and the item where the file has them."""

    first: str
    second: str
    outcome: float
    annotator: str = ""
    item: str = ""


COMPARISON = Schema(
    "a comparison",
    {
        "first": Field(("first", "a", "model_a"), cell_text, needed="Name what is compared"),
        "second": Field(("second", "b", "model_b"), cell_text, needed="Name what it is compared with"),
        "outcome": Field(
            ("preference", "outcome", "comparison"),
            one_of(OUTCOMES, "preference"),
            needed=f"Write one of {', '.join(OUTCOMES)}",
        ),
        "annotator": Field(("annotator",), cell_text, ""),
        "item": Field(("item",), cell_text, ""),
    },
)


def read_comparisons(path: str | Path) -> tuple[Comparison, ...]:
    """Read pairwise preferences.

    A table has columns first, second and preference (also: a, b, comparison; model_a, model_b, outcome), and may
    have annotator and item. The raw comparisons of Webis-ArgQuality-20 are recognised; an argument is named
    ``<discussion>-<argument>``.

    Raises:
        LabelsError: a row has no known preference, or compares something with itself; all faults are listed.
        DeclarationError: the file has other columns, or no row.
    """
    rows = file_rows(path)
    columns = readable_columns(rows)
    webis = set(_WEBIS) <= set(columns)
    schema = COMPARISON if webis else COMPARISON.among(columns)
    if not {"first", "second", "outcome"} <= set(schema.fields):
        raise DeclarationError(
            f"{path} contains no comparisons (columns: {', '.join(columns)}): name its columns "
            "first, second and preference"
        )
    reader = TableReader(rows, schema)
    comparisons = []
    for row in reader.rows(mapped(rows, _of_webis) if webis else None):
        values = reader.read(row.record, schema)
        if values is None:
            continue
        comparison = Comparison(**values)
        if comparison.first == comparison.second:
            problem = f"compares {quoted(comparison.first)} with {quoted(comparison.second)}"
            reader.fault("", problem, "Name two different things")
        comparisons.append(comparison)
    reader.finish(LabelsError, "comparisons")
    return tuple(comparisons)


def _of_webis(row: Row) -> Iterator[Row]:
    """A row of Webis-ArgQuality-20 with the columns of a table."""
    first, two, three, four, outcome = (row.record.get(column) for column in _WEBIS)
    yield Row(row.line, {"first": f"{first}-{two}", "second": f"{three}-{four}", "preference": outcome})
