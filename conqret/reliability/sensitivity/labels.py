"""Which documents people call relevant, and the true precision of an item's evidence (ConQRet, Table 7)."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.perturb import records

RELEVANT_GRADE = 1
"""A document counts as relevant from this grade upwards, as in TREC's measures."""

Labels = Mapping[str, Mapping[str, float]]
"""By item id (or topic) the grades of its documents, by id."""


def load_labels(path: Path) -> Labels:
    """Read grades from one of three layouts.

    JSON Lines with ``id`` and ``documents`` (each with ``id`` and ``relevance``); CSV with the columns
    ``item``, ``document`` and ``relevant`` (true or false, or a grade); or TREC's qrels, whose first column is
    the item's id or its topic's.

    Raises:
        DeclarationError: the file is missing, or a line fits none of them.
    """
    if not path.is_file():
        raise DeclarationError(f"{path}: there is no such file of labels")
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".csv":
        return _from_csv(path, text)
    labels: dict[str, dict[str, float]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            if line.lstrip().startswith("{"):
                record: dict[str, Any] = json.loads(line)
                labels[str(record["id"])] = {str(d["id"]): float(d["relevance"]) for d in record["documents"]}
            else:
                name, _, document, grade = line.split()
                labels.setdefault(name, {})[document] = float(grade)
        except (ValueError, KeyError, TypeError) as error:
            raise DeclarationError(
                f"{path}:{number} is neither a line of qrels (topic 0 document grade) nor an object with id and "
                f"documents, each with id and relevance: {error!r}"
            ) from error
    return labels


def _from_csv(path: Path, text: str) -> Labels:
    labels: dict[str, dict[str, float]] = {}
    for number, row in enumerate(csv.DictReader(text.splitlines()), start=2):
        try:
            word = row["relevant"].strip().lower()
            grade = {"true": 1.0, "false": 0.0}.get(word)
            labels.setdefault(row["item"], {})[row["document"]] = float(word) if grade is None else grade
        except (KeyError, ValueError, AttributeError) as error:
            raise DeclarationError(f"{path}:{number} lacks item, document or relevant: {error!r}") from error
    return labels


def true_precision(item: Item, labels: Labels, *, relevant_from: float = RELEVANT_GRADE) -> float | None:
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
        document.id not in foreign and grades.get(document.id, 0.0) >= relevant_from
        for document in item.documents
    )
    return relevant / len(item.documents)
