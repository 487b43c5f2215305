"""The JSON export of Label Studio: tasks with annotations, of choices, ratings, numbers or texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, Fault
from conqret.io.label_layouts.raw import LabelLayout, RawLabel, RawLabels
from conqret.io.label_scale import dimension_name

ITEM = "item"
"""The field of a task's data that holds the item's id, as ``conqret label`` writes it."""
_FIELDS = ("choices", "rating", "number", "text")


def load_json_list(path: Path) -> list[Any] | None:
    """The list in a JSON file; None where the file holds something else."""
    if path.suffix.lower() != ".json":
        return None
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, list) and found else None


def _fits(path: Path, columns: tuple[str, ...]) -> bool:
    found = load_json_list(path)
    return found is not None and all(
        isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) and "annotations" in task
        for task in found
    )


def _read(path: Path, name: str, columns: tuple[str, ...]) -> RawLabels:
    tasks = load_json_list(path)
    if tasks is None:
        raise DeclarationError(f"{name} holds no list of tasks: export as JSON, not JSON-MIN")
    cancelled = sum(bool(one.get("was_cancelled")) for task in tasks for one in task.get("annotations") or ())
    notes = (f"{cancelled} skipped annotations are left out",) if cancelled else ()
    return RawLabels("Label Studio", lambda: _cells(tasks, name), notes=notes)


def _cells(tasks: list[Any], name: str) -> Iterator[RawLabel | Fault]:
    for line, task in enumerate(tasks, start=1):
        item = str(task["data"].get(ITEM) or "").strip()
        if not item:
            yield Fault(
                name, line, f"data.{ITEM}", "is missing", "Import the tasks that conqret label writes"
            )
            continue
        topic = str(task["data"].get("topic") or "")
        for annotation in task.get("annotations") or ():
            if annotation.get("was_cancelled"):
                continue
            person = _person(annotation.get("completed_by"))
            for result in annotation.get("result") or ():
                dimension = dimension_name(str(result.get("from_name") or ""))
                text = _text(result.get("value") or {})
                if not dimension or text is None:
                    where = f"annotations of task {line}"
                    yield Fault(name, line, where, "is no choice, rating, number or text", "Leave it out")
                    continue
                yield RawLabel(line, item, dimension, text, person, topic=topic)


def _person(found: object) -> str:
    if isinstance(found, Mapping):
        found = found.get("email") or found.get("id")
    return "" if found is None else str(found)


def _text(value: Mapping[str, Any]) -> str | None:
    """One answer as text; several choices are no label."""
    for field in _FIELDS:
        found = value.get(field)
        if isinstance(found, list):
            found = found[0] if len(found) == 1 else None
        if isinstance(found, str | int | float):
            return f"{found:g}" if isinstance(found, float) else str(found)
    return None


LABEL_STUDIO = LabelLayout("label-studio", "the JSON export of Label Studio", _fits, _read)
