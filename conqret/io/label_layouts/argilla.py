"""Exports of Argilla: records with responses by question (2.x, ``to_json``), by annotator (1.x, and the server's), in
columns (``to_list(flatten=True)``), or in a column for each question (``to_datasets`` of 1.x)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from conqret.errors import number
from conqret.io.cell_values import as_text
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_layouts.sheet import sheet_scales
from conqret.io.label_sheets import FOR_ESTIMATION, PROBABILITY, SCALE
from conqret.text.words import dimension_name

SUBMITTED = "submitted"
COLUMN = ".responses"
"""What the columns of a flattened record end with."""
NO_STATUS = (
    "the file does not say which responses were submitted (Argilla's to_json leaves it out): drafts and discarded "
    "responses count as labels, if there are any. Export dataset.records.to_list(flatten=True) as JSON, which says it, "
    "or a query for submitted responses alone"
)


class ArgillaResponse(NamedTuple):
    """What one annotator answered to one question."""

    question: str
    value: object
    annotator: object
    status: str


def _fits(file: LabelFile) -> bool:
    records = file.records
    return (
        bool(records)
        and all(
            isinstance(record, Mapping) and ("id" in record or "external_id" in record) for record in records
        )
        and (
            all({"fields", "responses"} <= set(record) for record in records)
            or any(next(_responses(record), None) for record in records)
        )
    )


def _responses(record: Mapping[str, Any]) -> Iterator[ArgillaResponse]:
    responses = record.get("responses")
    if isinstance(responses, list):
        for response in filter(_is_object, responses):
            for question, answer in (response.get("values") or {}).items():
                yield _response(question, answer if _is_object(answer) else {"value": answer}, response)
    by_question = responses if isinstance(responses, Mapping) else record
    for question, cell in by_question.items():
        if question.endswith(COLUMN) and isinstance(cell, list):
            columns = (cell, record.get(f"{question}.users") or (), record.get(f"{question}.status") or ())
            for value, annotator, status in zip_longest(*columns):
                yield ArgillaResponse(question.removesuffix(COLUMN), value, annotator, str(status or ""))
        elif isinstance(cell, list):
            for response in filter(_is_object, cell):
                if by_question is responses or {"value", "user_id"} <= set(response):
                    yield _response(question, response, response)


def _response(question: str, answer: Mapping[str, Any], told: Mapping[str, Any]) -> ArgillaResponse:
    return ArgillaResponse(question, answer.get("value"), told.get("user_id"), str(told.get("status") or ""))


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    marks = [_object(record, "metadata") or record for record in file.records]
    file.scales = sheet_scales(str(mark.get(SCALE) or "") for mark in marks)
    told = left_out = 0
    for line, (record, marked) in enumerate(zip(file.records, marks, strict=True), start=1):
        item = str(record.get("external_id") or record.get("id") or "").strip()
        if not item:
            file.fault(line, "id", "is missing", "Import the records that conqret labels sample writes")
            continue
        topic = str(_object(record, "fields").get("topic") or record.get("topic") or "")
        mark, chance = (str(marked.get(name) or "") for name in (FOR_ESTIMATION, PROBABILITY))
        for question, value, annotator, status in _responses(record):
            dimension = dimension_name(question)
            told += bool(status)
            if not file.wants(dimension):
                continue
            if status not in ("", SUBMITTED):
                left_out += 1
                continue
            if not isinstance(value, str | int | float):
                remedy = "Make it a question with one label or rating"
                file.fault(line, question, "is not a single answer", remedy)
                continue
            yield RawLabel(
                line,
                item,
                dimension,
                as_text(value),
                "" if annotator is None else str(annotator),
                topic=topic,
                for_estimation=mark,
                inclusion_probability=chance,
            )
    if left_out:
        file.notes.append(f"{number(left_out, 'response')} left out: drafts and discarded ones")
    if not told:
        file.notes.append(NO_STATUS)


def _object(record: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value = record.get(field)
    return value if isinstance(value, Mapping) else {}


LAYOUT = LabelLayout("Argilla", "the JSON export of Argilla's records", _fits, _cells, order=30)
