"""The JSON export of Label Studio: tasks with annotations, of choices, ratings, numbers or texts, and of marked
regions, whose set of labels is the label. What stands in the cells of its other exports is read here, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conqret.io.cell_values import as_text
from conqret.io.jsonl import parse
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_layouts.sheet import sheet_scales
from conqret.io.label_sheets import FOR_ESTIMATION, PROBABILITY, SCALE
from conqret.text.words import dimension_name

ITEM = "item"
"""The field of a task's data that holds the item's id, as ``conqret labels sample`` writes it."""
PART = "part"
"""That which holds the part of the item (a document, a sentence), where one was asked of."""
_FIELDS = ("choices", "rating", "number", "text")
_BARE = ("relation", "rectangle", "ellipse", "polygon", "keypoint", "brush")
"""The types of results that mark something and give no answer."""


def _fits(file: LabelFile) -> bool:
    return bool(file.records) and all(
        isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) and "annotations" in task
        for task in file.records
    )


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    skipped = 0
    file.scales = sheet_scales(str(task["data"].get(SCALE) or "") for task in file.records)
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
            for dimension, text in _answers(file, annotation.get("result") or ()):
                if not dimension or text is None:
                    where = f"annotations of task {line}"
                    file.fault(line, where, "is not a choice, rating, number or text", "Leave it out")
                    continue
                yield RawLabel(line, item, dimension, text, person, *told)
    if skipped:
        file.notes.append(f"{skipped} skipped annotations are left out")


def _answers(file: LabelFile, results: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str | None]]:
    """Dimension and text of each answer in an annotation, of marked regions the set of their labels; no text where the
    answer is no label."""
    regions: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        dimension, value = dimension_name(str(result.get("from_name") or "")), result.get("value") or {}
        text = _text(value)
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


def _person(person: object) -> str:
    if isinstance(person, Mapping):
        person = person.get("email") or person.get("id")
    return "" if person is None else str(person)


def _text(value: Mapping[str, Any]) -> str | None:
    """One answer as text; several choices are no label, and neither is the text that a region covers."""
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
    """The label in a cell of a table: in those of Label Studio's CSV and JSON-MIN exports that of the regions or of the
    one answer that the cell holds, as objects or as JSON text; in others the cell as it is."""
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
    answer = _text(objects[0]) if len(objects) == 1 else None
    return _set_of_labels(objects) or answer or as_text(cell)


LAYOUT = LabelLayout("Label Studio", "the JSON export of Label Studio", _fits, _cells, order=20)
