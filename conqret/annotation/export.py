"""The labels as files that conqret and Label Studio read, with pseudonyms for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from conqret.annotation.ledger import Given
from conqret.io.label_sheets import FOR_ESTIMATION, NOT, csv_text

COLUMNS = ("item", "part", "dimension", "value", "annotator", "topic", "comment", "at", "seconds")
"""Of the long table: a row for each answer to a question; ``at`` is when it was given last, in UTC, ``seconds`` how
long after the screen was shown first."""


def as_table(given: Iterable[Given], *, estimates: bool = True) -> str:
    """The long table as CSV, which ``conqret validate`` and ``conqret agree`` read."""
    mark = () if estimates else (NOT,)
    head = COLUMNS if estimates else (*COLUMNS, FOR_ESTIMATION)
    return csv_text(head, ((*row, *mark) for row in _rows(given)))


def _rows(given: Iterable[Given]) -> Iterator[tuple[object, ...]]:
    for one in given:
        screen = one.screen
        for name, value in screen.written(one.answers).items():
            yield (
                screen.item, screen.part, name, value, one.person.pseudonym, screen.topic, one.comment, one.at,
                f"{one.seconds:.1f}",
            )  # fmt: skip


def as_label_studio(given: Iterable[Given], *, estimates: bool = True) -> str:
    """The JSON export of Label Studio, a task for each item; labels of parts have no place in it and are left out."""
    tasks: dict[str, dict[str, object]] = {}
    for one in given:
        screen = one.screen
        if screen.part:
            continue
        data = {"item": screen.item, "topic": screen.topic, **({} if estimates else {FOR_ESTIMATION: NOT})}
        task = tasks.setdefault(screen.item, {"data": data, "annotations": []})
        task["annotations"].append(  # type: ignore[attr-defined]
            {
                "completed_by": {"email": one.person.pseudonym},
                "created_at": one.at,
                "lead_time": one.seconds,
                "result": [
                    {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [value]}}
                    for name, value in screen.written(one.answers).items()
                ],
            }
        )
    return json.dumps(list(tasks.values()), indent=1, ensure_ascii=False) + "\n"


EXPORTS = {"csv": as_table, "label-studio": as_label_studio}
"""The forms of an export, by name."""
