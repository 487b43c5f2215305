"""Read pairs of a document and a perspective (:func:`read_pairs`), with annotators' labels of whether the
document contains it; and pairwise preferences (:func:`read_comparisons`).

Columns ``question``, ``document`` and ``perspective``, perhaps ``id``, ``domain`` and labels; BeRDS's own file is
such a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from conqret.errors import DeclarationError
from conqret.io.checks import Cell, Filled, Identifier, Text, one_of
from conqret.io.files import file_rows
from conqret.io.label_set import LabelsError
from conqret.io.rows import Row, mapped, quoted, readable_columns
from conqret.io.schema import Field, TableReader, in_columns, read_table, schema_of

ANSWERS = {"1": True, "0": False, "yes": True, "no": False, "true": True, "false": False}
"""The words for a label, in any case."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A document and a perspective on a question, with an id.

    ``label`` is the annotators' label (None if there is none), and ``domain`` the corpus, retriever or
    subset of the pair.
    """

    id: Identifier
    document: Annotated[Filled, in_columns("document", "text", needed="Give the text of the document")]
    perspective: Annotated[
        Filled, in_columns("perspective", "statement", needed="Write the perspective as a statement")
    ]
    question: Annotated[Text, in_columns("question", "topic")] = ""
    label: bool | None = None
    domain: Annotated[Text, in_columns("domain", "subset")] = ""


@dataclass(frozen=True, slots=True)
class _PairLabel:
    id: Annotated[Identifier, in_columns(needed="Name the pair of the label")]
    label: Annotated[bool, one_of(ANSWERS, "label"), in_columns(needed=f"Write one of {', '.join(ANSWERS)}")]


def read_pairs(path: Path, labels: str | None = None) -> tuple[Pair, ...]:
    """Read the pairs of a document and a perspective of a file, with the label: if the document contains it.

    A pair without an id gets its row number.

    Args:
        path: JSON Lines, CSV, TSV or Parquet.
        labels: annotators' labels: the name of a column, or a file with columns ``id`` and ``label``.

    Raises:
        ItemsError: rows have faults, or an id stands twice; all are listed.
        LabelsError: the same of a file of labels.
        DeclarationError: there is no pair, no such column, or no label.
    """
    rows, schema, apart = file_rows(path), schema_of(Pair), dict[str, bool]()
    if labels is not None and Path(labels).is_file():
        people = read_table(labels, _PairLabel, "Keep one of its labels", error=LabelsError)
        apart = {person.id: person.label for person in people}
    elif labels is not None:
        names = readable_columns(rows)
        if labels not in names:
            raise DeclarationError(
                f"--labels names {labels!r}, which is neither a file nor a column ({', '.join(names)})"
            )
        label = Field((labels,), one_of(ANSWERS, "label"))
        schema = replace(schema, fields={**schema.fields, "label": label})
    reader = TableReader(rows, schema)
    pairs = list(reader.read_as(Pair, "Give each pair an id of its own"))
    reader.finish(wanted="pairs")
    if apart:
        pairs = [replace(pair, label=apart.get(pair.id)) for pair in pairs]
    if labels is not None and all(pair.label is None for pair in pairs):
        raise DeclarationError(f"no pair of {path} has a label in {labels}: give both the same ids")
    return tuple(pairs)


OUTCOMES: Mapping[str, float] = {
    **dict.fromkeys(("a", "first", "1"), 1.0),
    **dict.fromkeys(("b", "second", "2"), 0.0),
    **dict.fromkeys(("tie", "both", "0"), 0.5),
}
"""The words for a preference, in any case: 1 for the first, 0 for the second, 0.5 for a tie."""
_WEBIS = ("Discussion ID A", "Argument ID A", "Discussion ID B", "Argument ID B", "Comparison")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing ``first`` with ``second``: outcome 1 (first wins), 0.5 (tie) or 0 (second
    wins)."""

    first: Annotated[Cell, in_columns("first", "a", "model_a", needed="Name what is compared")]
    second: Annotated[Cell, in_columns("second", "b", "model_b", needed="Name what it is compared with")]
    outcome: Annotated[
        float,
        one_of(OUTCOMES, "preference"),
        in_columns("preference", "outcome", "comparison", needed=f"Write one of {', '.join(OUTCOMES)}"),
    ]
    annotator: Cell = ""
    item: Cell = ""


def read_comparisons(path: str | Path) -> tuple[Comparison, ...]:
    """Read pairwise preferences, and return them as comparisons.

    A table has columns first, second and preference (also: a, b, comparison; model_a, model_b, outcome),
    and optionally annotator and item. The raw comparisons of Webis-ArgQuality-20 are recognized; an
    argument is then named ``<discussion>-<argument>``.

    Raises:
        LabelsError: a row has no known preference, or compares something with itself; all faults are listed.
        DeclarationError: the file has other columns, or no row.
    """
    rows = file_rows(path)
    names = readable_columns(rows)
    webis = set(_WEBIS) <= set(names)
    schema = schema_of(Comparison) if webis else schema_of(Comparison).among(names)
    if not {"first", "second", "outcome"} <= set(schema.fields):
        raise DeclarationError(
            f"{path} contains no comparisons ({', '.join(names)}): name its columns first, second, preference"
        )
    reader, comparisons = TableReader(rows, schema), list[Comparison]()
    for comparison in reader.read_as(Comparison, records=mapped(rows, _of_webis) if webis else None):
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
