"""The exports of Argilla and of Label Studio.

Argilla: records with responses by question (2.x, ``to_json``), by annotator (1.x, and the server's), in columns
(``to_list(flatten=True)``), or in a column for each question (``to_datasets`` of 1.x). Label Studio: tasks with
annotations, of choices, ratings, numbers or texts, and of marked regions, whose set of labels is the label; what
stands in the cells of its other exports is read here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from conqret.errors import number
from conqret.io.cell_values import as_text
from conqret.io.jsonl import parse
from conqret.io.label_files import LabelFile, LabelLayout, RawLabel, form_scales
from conqret.io.label_set import FOR_ESTIMATION, PROBABILITY, SCALE
from conqret.text.words import dimension_name

SUBMITTED = "submitted"
COLUMN = ".responses"
"""The suffix of the columns of a flattened record."""
NO_STATUS = (
    "the file does not say which responses were submitted (Argilla's to_json leaves it out): drafts and discarded "
    "responses count as labels, if there are any. Export dataset.records.to_list(flatten=True) as JSON, which says it, "
    "or a query for submitted responses alone"
)


class ArgillaResponse(NamedTuple):
    """The answer of one annotator to one question in an Argilla export."""

    question: str
    value: object
    annotator: object
    status: str


def _is_argilla(file: LabelFile) -> bool:
    records = file.records
    return (
        bool(records)
        and all(
            isinstance(record, Mapping) and ("id" in record or "external_id" in record) for record in records
        )
        and (
            all({"fields", "responses"} <= set(record) for record in records)
            or any(next(argilla_responses(record), None) for record in records)
        )
    )


def argilla_responses(record: Mapping[str, Any]) -> Iterator[ArgillaResponse]:
    """Yield the responses of a record in any of Argilla's export forms: a list of users with their values, answers by
    question, or columns ``QUESTION.responses`` with ``.users`` and ``.status``. Responses of every status are included,
    also drafts."""
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


def _response(question: str, answer: Mapping[str, Any], response: Mapping[str, Any]) -> ArgillaResponse:
    return ArgillaResponse(
        question, answer.get("value"), response.get("user_id"), str(response.get("status") or "")
    )


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _argilla_labels(file: LabelFile) -> Iterator[RawLabel]:
    marks = [_object(record, "metadata") or record for record in file.records]
    file.scales = form_scales(str(mark.get(SCALE) or "") for mark in marks)
    with_status = left_out = 0
    for line, (record, marked) in enumerate(zip(file.records, marks, strict=True), start=1):
        item = str(record.get("external_id") or record.get("id") or "").strip()
        if not item:
            file.fault(line, "id", "is missing", "Import the records of conqret labels sample")
            continue
        topic = str(_object(record, "fields").get("topic") or record.get("topic") or "")
        mark, chance = (str(marked.get(name) or "") for name in (FOR_ESTIMATION, PROBABILITY))
        for question, value, annotator, status in argilla_responses(record):
            dimension = dimension_name(question)
            with_status += bool(status)
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
    if not with_status:
        file.notes.append(NO_STATUS)


def _object(record: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value = record.get(field)
    return value if isinstance(value, Mapping) else {}


ARGILLA = LabelLayout(
    "argilla", "Argilla", "the JSON export of Argilla's records", _is_argilla, _argilla_labels, order=30
)


TASK_ITEM = "item"
"""The field of a task's data that holds the item's id, as ``conqret labels sample`` writes it."""
TASK_PART = "part"
"""The field that holds the part of the item (a document, a sentence), where a part is labeled."""
_FIELDS = ("choices", "rating", "number", "text")
_BARE = ("relation", "rectangle", "ellipse", "polygon", "keypoint", "brush")
"""The types of results that mark something and give no answer."""


def _is_label_studio(file: LabelFile) -> bool:
    return bool(file.records) and all(
        isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) and "annotations" in task
        for task in file.records
    )


def _label_studio_labels(file: LabelFile) -> Iterator[RawLabel]:
    skipped = 0
    file.scales = form_scales(str(task["data"].get(SCALE) or "") for task in file.records)
    for line, task in enumerate(file.records, start=1):
        item = str(task["data"].get(TASK_ITEM) or "").strip()
        if not item:
            file.fault(line, f"data.{TASK_ITEM}", "is missing", "Import the tasks of conqret labels sample")
            continue
        names = (TASK_PART, "topic", FOR_ESTIMATION, PROBABILITY)
        fields = [str(task["data"].get(name) or "") for name in names]
        for annotation in task.get("annotations") or ():
            if annotation.get("was_cancelled"):
                skipped += 1
                continue
            annotator = _annotator(annotation.get("completed_by"))
            for dimension, text in _answers(file, annotation.get("result") or ()):
                if not dimension or text is None:
                    where = f"annotations of task {line}"
                    file.fault(line, where, "is not a choice, rating, number or text", "Leave it out")
                    continue
                yield RawLabel(line, item, dimension, text, annotator, *fields)
    if skipped:
        file.notes.append(f"{skipped} skipped annotations are left out")


def _answers(file: LabelFile, results: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str | None]]:
    """Yield the dimension and the text of each answer in an annotation; the text is None where an answer is no single
    label. Labels of marked regions come last, as one set for each dimension. Dimensions that are not wanted are left
    out, and so are regions without a label (noted)."""
    regions: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        dimension, value = dimension_name(str(result.get("from_name") or "")), result.get("value") or {}
        text = _one_answer(value)
        if dimension and not file.wants(dimension):
            continue
        if _region_labels(value):
            regions.setdefault(dimension, []).append(value)
        elif text is None and str(result.get("type") or "").endswith((*_BARE, "labels")):
            file.notes.append("regions and relations without a label are left out")
        else:
            yield dimension, text
    for dimension, values in regions.items():
        yield dimension, _set_of_labels(values)


def _annotator(value: object) -> str:
    if isinstance(value, Mapping):
        value = value.get("email") or value.get("id")
    return "" if value is None else str(value)


def _one_answer(value: Mapping[str, Any]) -> str | None:
    """Return the one answer in a value as text; None if there are several choices or none. The text that a region
    covers is no answer."""
    for field in _FIELDS:
        answer = value.get(field)
        if field == "text" and isinstance(answer, str) and "start" in value:
            continue
        if isinstance(answer, list):
            answer = answer[0] if len(answer) == 1 else None
        if isinstance(answer, str | int | float):
            return as_text(answer)
    return None


def _region_labels(value: Mapping[str, Any]) -> list[str]:
    """The labels of a marked region: ``labels`` of a span, ``rectanglelabels`` and so on of an image."""
    lists = [labels for name, labels in value.items() if name.endswith("labels") and isinstance(labels, list)]
    return [str(label) for labels in lists for label in labels]


def _set_of_labels(values: Iterable[Mapping[str, Any]]) -> str:
    return " + ".join(sorted({label for value in values for label in _region_labels(value)}))


def answer_in_cell(cell: object) -> str:
    """Return the label in a table cell as text.

    In Label Studio's CSV and JSON-MIN exports, a cell holds objects or JSON text. The labels of regions,
    or the one answer, are extracted from it. Any other cell is returned as text.
    """
    values = cell
    if isinstance(cell, str) and cell.lstrip().startswith(("{", "[{")):
        try:
            values = parse(cell)
        except ValueError:
            return as_text(cell)
    listed = values if isinstance(values, list) else [values]
    objects = [value for value in listed if isinstance(value, Mapping)]
    if not objects or len(objects) < len(listed):
        return as_text(cell)
    answer = _one_answer(objects[0]) if len(objects) == 1 else None
    return _set_of_labels(objects) or answer or as_text(cell)


LABEL_STUDIO = LabelLayout(
    "label-studio",
    "Label Studio",
    "the JSON export of Label Studio",
    _is_label_studio,
    _label_studio_labels,
    order=20,
)


LAYOUTS = (ARGILLA, LABEL_STUDIO)
