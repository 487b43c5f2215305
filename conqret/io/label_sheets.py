"""What annotators are given: a CSV sheet, and the import formats of Label Studio and Argilla.

Texts from outside go into cells that no spreadsheet takes for a formula (OWASP, "CSV injection"): a cell that begins
with one of :data:`FORMULA` gets an apostrophe in front, also after white space, and
:mod:`conqret.io.label_layouts.sheet` takes it off again from ids.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from conqret.data import Item

FORMULA = tuple("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20")
"""What a formula, or a cell that breaks out of its own, may begin with; the last four are full-width forms."""
GUARD = "'"
MAX_CELL = 32_000
"""Spreadsheets hold 32,767 characters in a cell."""
CUT = " […]"
COLUMNS = ("item", "annotator", "topic", "stance", "argument", "text")
"""Before a column for each dimension; ``text`` holds the other argument and the evidence."""


def csv_sheet(items: Sequence[Item], dimensions: Sequence[str]) -> str:
    """A row for each item, with an empty column for the annotator's name and for each dimension."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow([*COLUMNS, *(guarded(name) for name in dimensions)])
    for item in items:
        cells = (item.id, "", item.topic, item.stance, item.argument or "", evidence(item))
        writer.writerow([*map(guarded, cells), *("" for _ in dimensions)])
    return target.getvalue()


def guarded(cell: str) -> str:
    """The cell so that no spreadsheet calculates it, and none cuts it off unsaid."""
    text = "".join(char for char in cell if char.isprintable() or char in "\t\r\n")
    if len(text) > MAX_CELL:
        text = text[: MAX_CELL - len(CUT)] + CUT
    first = text.lstrip(" \u00a0\u200b\ufeff")[:1]
    return f"{GUARD}{text}" if {text[:1], first} & set(FORMULA) else text


def unguarded(cell: str) -> str:
    """What :func:`guarded` was given, for ids."""
    return cell[1:] if cell.startswith(GUARD) and guarded(cell[1:]) == cell else cell


def evidence(item: Item) -> str:
    """The other argument and the documents as one text."""
    parts = [f"Other argument:\n{item.second_argument}"] if item.second_argument else []
    parts += [
        f"[{number}] {document.title}\n{document.text}".replace(" \n", "\n", 1)
        for number, document in enumerate(item.documents, start=1)
    ]
    return "\n\n".join(parts)


def label_studio_tasks(items: Sequence[Item]) -> str:
    """Tasks for Label Studio's JSON import."""
    tasks = [{"data": {"item": item.id, **_fields(item)}} for item in items]
    return json.dumps(tasks, indent=1, ensure_ascii=False) + "\n"


def label_studio_config(dimensions: Sequence[str], low: int, high: int) -> str:
    """The labelling interface for these tasks: a choice from ``low`` to ``high`` for each dimension."""
    lines = ["<View>", '  <Header value="$topic"/>', '  <Text name="stance" value="$stance"/>']
    lines += ['  <Text name="argument" value="$argument"/>', '  <Text name="text" value="$text"/>']
    for name in dimensions:
        lines += [
            f"  <Header value={quoteattr(name.replace('_', ' '))}/>",
            f'  <Choices name={quoteattr(name)} toName="argument" choice="single-radio" showInline="true">',
            *(f'    <Choice value="{value}"/>' for value in range(low, high + 1)),
            '    <Choice value="cannot judge"/>',
            "  </Choices>",
        ]
    return "\n".join([*lines, "</View>"]) + "\n"


def argilla_records(items: Sequence[Item]) -> str:
    """Records for ``dataset.records.from_json`` of Argilla 2; the questions are the dimensions."""
    empty: dict[str, Any] = {"suggestions": {}, "responses": {}}
    records = [
        {"id": item.id, "fields": _fields(item), "metadata": {"topic": item.topic}, **empty} for item in items
    ]
    return json.dumps(records, indent=1, ensure_ascii=False) + "\n"


def _fields(item: Item) -> dict[str, str]:
    return {
        "topic": item.topic,
        "stance": item.stance,
        "argument": item.argument or "",
        "text": evidence(item),
    }
