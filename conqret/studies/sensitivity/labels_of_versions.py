"""Which documents people call relevant, and the true precision of an item's evidence (ConQRet, Table 7)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from conqret.data import Item
from conqret.errors import LabelsError
from conqret.io.checks import each, identifier, number
from conqret.io.decoding import head_of
from conqret.io.files import file_rows
from conqret.io.rows import columns_of
from conqret.io.schema import Field, Schema, TableReader
from conqret.io.trec import read_qrels
from conqret.perturb import records

RELEVANT_GRADE = 1
"""A document counts as relevant from this grade upwards, as in TREC's measures."""

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".gz")

Labels = Mapping[str, Mapping[str, float]]
"""By item id (or topic) the grades of its documents, by id."""


class RelevanceGrade(NamedTuple):
    """How relevant a document is."""

    document: str
    grade: float


PAIR = Schema(
    "a grade",
    {
        "item": Field(("item",), identifier, needed="Name the item that the document is graded for"),
        "document": Field(("document",), identifier, needed="Name the document that is graded"),
        "grade": Field(("relevant",), number, needed="Write true or false, or a grade"),
    },
)
GRADE = Schema(
    "a grade",
    {
        "document": Field(("id",), identifier, needed="Name the document that is graded"),
        "grade": Field(("relevance",), number, needed="Add its grade"),
    },
)
GRADES = Schema(
    "the grades of an item",
    {
        "item": Field(("id",), identifier, needed="Name the item that the documents are graded for"),
        "grades": Field(
            ("documents",),
            each(GRADE, RelevanceGrade),
            needed="List its documents, each with id and relevance",
        ),
    },
)


def load_labels(path: Path) -> Labels:
    """Read grades from one of three layouts.

    Objects (JSON Lines) with ``id`` and ``documents`` (each with ``id`` and ``relevance``); a table with the columns
    ``item``, ``document`` and ``relevant`` (true or false, or a grade); or TREC's qrels (a file that is neither),
    whose first column is the item's id or its topic's.

    Raises:
        DeclarationError: the file is missing, or is none of them; faults of a table are all listed.
    """
    labels: dict[str, dict[str, float]] = {}
    if path.is_file() and path.suffix not in _TABLES and not head_of(path).lstrip().startswith(b"{"):
        for line in read_qrels(path):
            labels.setdefault(line.query_id, {})[line.doc_id] = float(line.relevance)
        return labels
    rows = file_rows(path)
    objects = "documents" in columns_of(rows)
    reader = TableReader(rows, GRADES if objects else PAIR)
    for values in reader:
        grades = values["grades"] if objects else [RelevanceGrade(values["document"], values["grade"])]
        labels.setdefault(values["item"], {}).update(grades)
    reader.finish(LabelsError)
    return labels


def true_precision(item: Item, labels: Labels, *, relevant_grade: float = RELEVANT_GRADE) -> float | None:
    """The share of the item's documents that are relevant, in [0, 1]; None where the item has no labels.

    Documents that a perturbation put in are not relevant; so is one without a grade, as in TREC.
    """
    done = records(item)
    original = done[0].original if done else item.id
    grades = (
        labels.get(original) or labels.get(str(item.metadata.get("topic_id", ""))) or labels.get(item.topic)
    )
    if grades is None or not item.documents:
        return None
    foreign = {change.after for record in done for change in record.changes if change.kind == "replaced"}
    relevant = sum(
        document.id not in foreign and grades.get(document.id, 0.0) >= relevant_grade
        for document in item.documents
    )
    return relevant / len(item.documents)
