"""Labels as annotation tools export them: Argilla's statuses, Label Studio's regions, ids and times beside labels."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from conqret.io.label_layouts.annotation_tools import NO_STATUS
from conqret.io.labels import LabelsError, read_labels

ANSWERS = (("ann", 4, "submitted"), ("ben", 2, "draft"), ("cas", 1, "discarded"))
"""Who answers what, with which status."""
FIELDS = {"topic": "zoos", "text": "…"}


def by_question(status: bool) -> Mapping[str, Any]:
    answers = [{"value": value, "user_id": who, "status": said} for who, value, said in ANSWERS]
    answers = answers if status else [{"value": row["value"], "user_id": row["user_id"]} for row in answers]
    return {"id": "i0", "status": "completed", "fields": FIELDS, "responses": {"clarity": answers}}


def by_annotator() -> Mapping[str, Any]:
    responses = [
        {"user_id": who, "status": said, "values": {} if value == 1 else {"clarity": {"value": value}}}
        for who, value, said in ANSWERS
    ]
    return {"id": "b2c3", "external_id": "i0", "fields": FIELDS, "responses": responses}


def in_columns() -> Mapping[str, Any]:
    who, values, statuses = (list(column) for column in zip(*ANSWERS, strict=True))
    columns = {"clarity.responses": values, "clarity.responses.users": who}
    return {"id": "i0", **FIELDS, **columns, "clarity.responses.status": statuses, "_server_id": "b2c3"}


def in_a_column() -> Mapping[str, Any]:
    clarity = [{"user_id": who, "value": value, "status": said} for who, value, said in ANSWERS]
    return {"external_id": "i0", "metadata": "{}", **FIELDS, "clarity": clarity, "clarity-suggestion": 3}


@pytest.mark.parametrize(
    ("record", "values"),
    [
        (by_question(status=True), [4]),
        (by_annotator(), [4]),
        (in_columns(), [4]),
        (in_a_column(), [4]),
        (by_question(status=False), [4, 2, 1]),
    ],
    ids=["2-with-status", "1", "2-flattened", "1-datasets", "2-to-json"],
)
def test_only_submitted_responses_of_argilla_are_labels(write, record, values):
    labels = read_labels(write("records.json", json.dumps([record])), scales=["1:5"])
    assert labels.layout == "Argilla"
    assert [(label.unit.item, label.topic, label.value) for label in labels.labels] == [
        ("i0", "zoos", value) for value in values
    ]
    assert (NO_STATUS in labels.notes) == (values != [4])


def task(*results: Mapping[str, Any], **annotation: Any) -> str:
    """A task with these results by one annotator, a cancelled annotation, and a prediction, which are no labels."""
    other = {"from_name": "unit", "type": "choices", "value": {"choices": ["Other"]}}
    annotations = [
        {"completed_by": 1, "was_cancelled": False, "result": list(results)},
        {"completed_by": 2, "was_cancelled": True, "result": [other]},
    ]
    return json.dumps(
        [{"id": 1, "data": {"item": "i0"}, "annotations": annotations, "predictions": [{"result": [other]}]}]
    )


def result(kind: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"id": "r", "from_name": "unit", "to_name": "text", "type": kind, "value": value}


def span(kind: str, *labels: str) -> Mapping[str, Any]:
    return result(kind, {"start": 0, "end": 4, "text": "Zoos", kind: list(labels)})


@pytest.mark.parametrize(
    ("results", "label"),
    [
        ([span("labels", "Premise"), span("labels", "Claim"), span("labels", "Claim")], "claim + premise"),
        ([span("paragraphlabels", "Claim"), span("labels")], "claim"),
        ([result("choices", {"choices": ["Claim"]})], "claim"),
        ([result("rating", {"rating": 4})], "4"),
    ],
)
def test_the_labels_of_regions_are_the_label_in_label_studio(write, results, label):
    labels = read_labels(write("export.json", task(*results)), level="nominal", words=())
    (read,) = labels.labels
    assert (read.unit.item, read.dimension, read.annotator) == ("i0", "unit", "1")
    words = labels.scale("unit").words
    assert ({code: word for word, code in words.items()}[read.value] if words else f"{read.value:g}") == label


def test_several_choices_are_no_label(write):
    both = result("choices", {"choices": ["Claim", "Premise"]})
    with pytest.raises(LabelsError, match="is not a choice, rating, number or text"):
        read_labels(write("export.json", task(both)), level="nominal")


def test_the_other_exports_of_label_studio_have_them_in_cells(write):
    cell = [
        {"start": 0, "end": 4, "text": "Zoos", "labels": ["Premise"]},
        {"start": 9, "end": 12, "text": "cat", "labels": ["Claim"]},
    ]
    row = {"id": 7, "item": "i0", "unit": cell, "annotator": 1, "annotation_id": 11, "lead_time": 3.2}
    cells = row | {"unit": json.dumps(cell)}
    for name, text in (("a.json", json.dumps([row])), ("a.csv", table([*cells], [[*cells.values()]]))):
        labels = read_labels(write(name, text), level="nominal")
        assert labels.scale("unit").words == {"claim + premise": labels.labels[0].value}


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    target = io.StringIO()
    csv.writer(target).writerows([head, *rows])
    return target.getvalue()


@pytest.mark.parametrize("column", ["annotation_id", "HITId", "leadTime", "updated_at", "completed_by"])
def test_ids_and_times_are_no_dimensions(write, column):
    text = table(["item", "annotator", "clarity", column], [["a", "x", 1, 17], ["b", "x", 2, 4.5]])
    labels = read_labels(write("labels.csv", text), scales=["1:5"])
    assert labels.dimensions == ("clarity",)
    assert labels.notes == (f"columns left out: {column}",)
    named = read_labels(write("labels.csv", text), dimensions=[column])
    assert [label.value for label in named.labels] == [17, 4.5]


@pytest.mark.parametrize("text", ["1_0", "inf", "1e999", "1,5"])
def test_what_only_python_takes_for_a_number_is_no_label(write, text):
    with pytest.raises(LabelsError, match="is a word without a number"):
        read_labels(write("labels.csv", table(["item", "clarity"], [["a", text], ["b", 1]])), scales=["1:99"])


@pytest.mark.parametrize(("text", "value"), [(" +1 ", 1), ("1e1", 10), ("١", 1)])
def test_numbers_of_other_writings_are_labels(write, text, value):
    labels = read_labels(
        write("labels.csv", table(["item", "clarity"], [["a", text], ["b", 1]])), scales=["1:99"]
    )
    assert labels.labels[0].value == value
