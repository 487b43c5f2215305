"""The JSON export of Argilla 2 (``dataset.records.to_json``): records with responses by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conqret.io.cell_values import as_text
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_layouts.sheet import read_marks
from conqret.io.label_scale import dimension_name
from conqret.io.label_sheets import FOR_ESTIMATION, PROBABILITY

DISCARDED = "discarded"


def _fits(file: LabelFile) -> bool:
    return bool(file.records) and all(
        isinstance(record, Mapping) and {"id", "fields", "responses"} <= set(record)
        for record in file.records
    )


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    marks = [record.get("metadata") or {} for record in file.records]
    read_marks(file, marks)
    for line, (record, marked) in enumerate(zip(file.records, marks, strict=True), start=1):
        item = str(record.get("id") or "").strip()
        if not item:
            file.fault(line, "id", "is missing", "Import the records that conqret labels sample writes")
            continue
        topic = str((record.get("fields") or {}).get("topic") or "")
        mark, chance = (str(marked.get(name) or "") for name in (FOR_ESTIMATION, PROBABILITY))
        for question, responses in (record.get("responses") or {}).items():
            if not file.wants(dimension_name(question)):
                continue
            for response in responses or ():
                value = response.get("value")
                if response.get("status") == DISCARDED:
                    continue
                if not isinstance(value, str | int | float):
                    file.fault(
                        line,
                        question,
                        "is not a single answer",
                        "Make it a question with one label or rating",
                    )
                    continue
                person = str(response.get("user_id") or "")
                yield RawLabel(
                    line,
                    item,
                    dimension_name(question),
                    as_text(value),
                    person,
                    topic=topic,
                    for_estimation=mark,
                    inclusion_probability=chance,
                )


LAYOUT = LabelLayout("Argilla", "the JSON export of Argilla's records", _fits, _cells, order=30)
