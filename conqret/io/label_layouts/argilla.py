"""The JSON export of Argilla 2 (``dataset.records.to_json``): records with responses by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, Fault
from conqret.io.label_layouts.label_studio import load_json_list
from conqret.io.label_layouts.raw import LabelLayout, RawLabel, RawLabels
from conqret.io.label_scale import dimension_name

DISCARDED = "discarded"


def _fits(path: Path, columns: tuple[str, ...]) -> bool:
    found = load_json_list(path)
    return found is not None and all(
        isinstance(record, Mapping) and {"id", "fields", "responses"} <= set(record) for record in found
    )


def _read(path: Path, name: str, columns: tuple[str, ...]) -> RawLabels:
    records = load_json_list(path)
    if records is None:
        raise DeclarationError(f"{name} holds no list of records: export with dataset.records.to_json")
    return RawLabels("Argilla", lambda: _cells(records, name))


def _cells(records: list[Any], name: str) -> Iterator[RawLabel | Fault]:
    for line, record in enumerate(records, start=1):
        item = str(record.get("id") or "").strip()
        if not item:
            yield Fault(name, line, "id", "is missing", "Import the records that conqret label writes")
            continue
        topic = str((record.get("fields") or {}).get("topic") or "")
        for question, responses in (record.get("responses") or {}).items():
            for response in responses or ():
                value = response.get("value")
                if response.get("status") == DISCARDED:
                    continue
                if not isinstance(value, str | int | float):
                    yield Fault(name, line, question, "is no single answer", "Ask for one label or rating")
                    continue
                person = str(response.get("user_id") or "")
                text = f"{value:g}" if isinstance(value, float) else str(value)
                yield RawLabel(line, item, dimension_name(question), text, person, topic=topic)


ARGILLA = LabelLayout("argilla", "the JSON export of Argilla's records", _fits, _read)
