"""True precision of an item's documents, from relevance labels, and predicted precision (ConQRet, Table 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from conqret.data import Item
from conqret.io.checks import each, identifier, number
from conqret.io.files import file_rows
from conqret.io.label_set import LabelsError
from conqret.io.limits import head_of
from conqret.io.rows import columns_of
from conqret.io.schema import Field, TableReader, table_schema
from conqret.io.trec import read_qrels
from conqret.perturb import records
from conqret.studies.sensitivity.curves import JudgeCurves
from conqret.studies.sensitivity.result import RELEVANT_GRADE, PrecisionRow
from conqret.studies.sensitivity.sensitivity_plan import SensitivityPlan

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".gz")

Labels = Mapping[str, Mapping[str, float]]
"""By item id (or topic) the grades of its documents, by id."""


class RelevanceGrade(NamedTuple):
    """The relevance grade of one document."""

    document: str
    grade: float


PAIR = table_schema(
    item=Field(("item",), identifier, needed="Name the item that the document is graded for"),
    document=Field(("document",), identifier, needed="Name the document that is graded"),
    grade=Field(("relevant",), number, needed="Write true or false, or a grade"),
)
GRADE = table_schema(
    document=Field(("id",), identifier, needed="Name the document that is graded"),
    grade=Field(("relevance",), number, needed="Add its grade"),
)
GRADES = table_schema(
    item=Field(("id",), identifier, needed="Name the item that the documents are graded for"),
    grades=Field(
        ("documents",), each(RelevanceGrade, GRADE), needed="List its documents, each with id and relevance"
    ),
)


def load_labels(path: Path) -> Labels:
    """Read relevance grades of documents from a file, by item (or topic) and document.

    The file has one of three layouts. JSON Lines have objects with ``id`` and ``documents`` (each with ``id``
    and ``relevance``). A table has the columns ``item``, ``document`` and ``relevant`` (true, false or a
    grade). TREC qrels have the id of the item or its topic in the first column.

    Raises:
        DeclarationError: the file is missing or has another layout; all faults of a table are listed.
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


def true_precision(item: Item, labels: Labels) -> float | None:
    """Return the share of the item's documents that are relevant, in [0, 1]; None without labels.

    Documents inserted by a perturbation and documents without a grade count as not relevant.
    """
    done = records(item)
    original = done[0].original if done else item.id
    names = (original, str(item.metadata.get("topic_id", "")), item.topic)
    grades = next((labels[name] for name in names if labels.get(name)), None)
    if grades is None or not item.documents:
        return None
    foreign = {change.after for record in done for change in record.changes if change.kind == "replaced"}
    ids = [document.id for document in item.documents]
    return sum(name not in foreign and grades.get(name, 0.0) >= RELEVANT_GRADE for name in ids) / len(ids)


def precision_rows(
    plan: SensitivityPlan, judges: Sequence[JudgeCurves], labels: Labels
) -> tuple[PrecisionRow, ...]:
    """Return the rows of ConQRet's Table 7: true and predicted precision by level of irrelevant documents."""
    rows = []
    irrelevant = [entry for entry in plan.perturbations if entry.perturbation.name == "irrelevant"]
    for level in (level for entry in irrelevant for level in entry.levels):
        items = plan.versions[(("irrelevant", level),) if level else ()].values()
        known = [(item.id, true_precision(item, labels)) for item in items]
        truth = {name: value for name, value in known if value is not None}
        if truth:
            rows.append(
                PrecisionRow(
                    level=level,
                    n=len(truth),
                    true=sum(truth.values()) / len(truth),
                    predicted=_means(judges, "predicted_precision", truth),
                    direct=_means(judges, "context_relevance", truth),
                )
            )
    return tuple(rows)


def _means(judges: Sequence[JudgeCurves], metric: str, items: Mapping[str, float]) -> dict[str, float]:
    """The mean of a metric over ``items`` by judge; judges without a value are left out."""
    means = {}
    for judge in judges:
        values = [value for name in items if (value := judge.value(name, metric)) is not None]
        if values:
            means[f"{judge.setup.judge.name} ({judge.setup.client.model})"] = sum(values) / len(values)
    return means
