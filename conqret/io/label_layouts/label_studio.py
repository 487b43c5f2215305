"""The JSON export of Label Studio: tasks with annotations, of choices, ratings, numbers or texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conqret.io.cell_values import as_text
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_layouts.sheet import read_marks
from conqret.io.label_scale import dimension_name
from conqret.io.label_sheets import FOR_ESTIMATION, PROBABILITY

ITEM = "item"
"""The field of a task's data that holds the item's id, as ``conqret labels sample`` writes it."""
PART = "part"
"""That which holds the part of the item (a document, a sentence), where one was asked of."""
_FIELDS = ("choices", "rating", "number", "text")


def _fits(file: LabelFile) -> bool:
    return bool(file.records) and all(
        isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) and "annotations" in task
        for task in file.records
    )


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    skipped = 0
    read_marks(file, [task["data"] for task in file.records])
    for line, task in enumerate(file.records, start=1):
        item = str(task["data"].get(ITEM) or "").strip()
        if not item:
            file.fault(
                line, f"data.{ITEM}", "is missing", "Import the tasks that conqret labels sample writes"
            )
            continue
        names = (PART, "topic", FOR_ESTIMATION, PROBABILITY)
        told = [str(task["data"].get(name) or "") for name in names]
        for annotation in task.get("annotations") or ():
            if annotation.get("was_cancelled"):
                skipped += 1
                continue
            person = _person(annotation.get("completed_by"))
            for result in annotation.get("result") or ():
                dimension = dimension_name(str(result.get("from_name") or ""))
                if dimension and not file.wants(dimension):
                    continue
                text = _text(result.get("value") or {})
                if not dimension or text is None:
                    where = f"annotations of task {line}"
                    file.fault(line, where, "is not a choice, rating, number or text", "Leave it out")
                    continue
                yield RawLabel(line, item, dimension, text, person, *told)
    if skipped:
        file.notes.append(f"{skipped} skipped annotations are left out")


def _person(person: object) -> str:
    if isinstance(person, Mapping):
        person = person.get("email") or person.get("id")
    return "" if person is None else str(person)


def _text(value: Mapping[str, Any]) -> str | None:
    """One answer as text; several choices are no label."""
    for field in _FIELDS:
        answer = value.get(field)
        if isinstance(answer, list):
            answer = answer[0] if len(answer) == 1 else None
        if isinstance(answer, str | int | float):
            return as_text(answer)
    return None


LAYOUT = LabelLayout("Label Studio", "the JSON export of Label Studio", _fits, _cells, order=20)
