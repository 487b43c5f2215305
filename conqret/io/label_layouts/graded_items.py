"""Objects, a line an item: the relevance of its documents, the quality of its argument, and which argument is better.

``fixtures/demo/labels.jsonl`` is one: its items were built, so that what is true of them is known. Nobody is named in
such a file. What it says of sentences, and of the second argument by itself, no judge's metric has a place for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conqret.io.cell_values import as_text
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_set import LabelScale, Scales
from conqret.io.rows import Row
from conqret.text.words import dimension_name

_SOURCE = "the layout of graded items"
SCALES = Scales(
    LabelScale("ordinal", 1, 3, source=_SOURCE),
    {
        "context_relevance": LabelScale("ordinal", 0, 3, source=_SOURCE),
        "preference": LabelScale(
            "ordinal", 0, 1, {"second": 0, "tie": 0.5, "first": 1}, whole=False, source=_SOURCE
        ),
    },
)


def _fits(file: LabelFile) -> bool:
    first = next(file.rows(), None) if {"id", "documents"} <= set(file.columns) else None
    return first is not None and any("relevance" in document for document in _documents(first))


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    left_out = False
    for row in file.rows():
        item, documents = as_text(row.record.get("id") or ""), _documents(row)
        if not item or not documents:
            where = "id" if documents else "documents"
            file.fault(row.line, where, "is missing", "Name the item that is graded, and its grade")
            continue
        for place, document in enumerate(documents if file.wants("context_relevance") else (), start=1):
            if not document.get("id"):
                file.fault(
                    row.line, f"documents[{place}].id", "is missing", "Name the document that is graded"
                )
                continue
            text = _text(document.get("relevance"))
            yield RawLabel(row.line, item, "context_relevance", text, part=as_text(document["id"]))
        argument = row.record.get("argument")
        quality = argument.get("quality") if isinstance(argument, Mapping) else None
        if isinstance(quality, Mapping):
            for dimension, value in quality.items():
                yield RawLabel(row.line, item, dimension_name(str(dimension)), _text(value))
        if "preference" in row.record:
            yield RawLabel(row.line, item, "preference", _text(row.record["preference"]))
        left_out = left_out or "second_argument" in row.record
    if left_out:
        file.notes.append("labels of the second argument alone are left out: they belong to no metric")


def _documents(row: Row) -> list[Mapping[str, object]]:
    documents = row.record.get("documents")
    return (
        [document for document in documents if isinstance(document, Mapping)]
        if isinstance(documents, list)
        else []
    )


def _text(value: object) -> str | None:
    return None if value is None else as_text(value)


LAYOUT = LabelLayout(
    "graded items",
    "JSON Lines, an item each: id, documents with id and relevance, perhaps argument.quality and preference",
    _fits,
    _cells,
    SCALES,
)
