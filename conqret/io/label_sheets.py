"""What annotators are given: a CSV sheet, and the import formats of Label Studio and Argilla.

Texts from outside go into cells that no spreadsheet takes for a formula (OWASP, "CSV injection"): a cell that begins
with one of :data:`FORMULA` gets an apostrophe in front, also after white space, and
:mod:`conqret.io.label_layouts.sheet` takes it off again from ids.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from conqret.data import Item
from conqret.io.item_check import OPTIONAL

FORMULA = tuple("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20")
"""What a formula, or a cell that breaks out of its own, may begin with; the last four are full-width forms."""
GUARD = "'"
MAX_CELL = 32_000
"""Spreadsheets hold 32,767 characters in a cell."""
CUT = " […]"
FOR_ESTIMATION, NOT = "for_estimation", "no"
"""The field, and what it says, by which labels of items that were chosen for what the judge said of them are known when
they come back."""
COLUMNS = ("item", "annotator", "topic", "stance", "argument", "text")
"""Before a column for each dimension, in a sheet that asks for ratings."""
INSTRUCTION, SCALE = "instruction", "scale"
"""The columns that say how to label, and the ends of the scale, as ``1 to 5`` (a spreadsheet takes 1:5 for a time)."""
SHEET = "the sheet"
"""The source of a scale that a sheet says."""
PROBABILITY = "inclusion_probability"
"""The column that says how likely an item was to be drawn, where a plan drew it."""
RANDOM_SAMPLE = "the labeled items were drawn at random, each with the same chance (inclusion_probability)"
"""What labels with that column say of themselves."""


def unequal_chances(chances: Iterable[float]) -> str:
    """That items were drawn with these probabilities, in words."""
    known = sorted(set(chances))
    ends = f"inclusion_probability from {known[0]:g} to {known[-1]:g}"
    return f"the labeled items were drawn with unequal probabilities ({ends})"


@dataclass(frozen=True)
class LabelTask:
    """What people are asked about an item: what they see of it, field by field, and which of these fields (``judged``)
    the dimensions are asked of. ``dimensions``, and the ends of the ``scale``, hold where no others are given."""

    name: str
    summary: str
    shows: Callable[[Item], Mapping[str, str]]
    judged: str
    dimensions: tuple[str, ...] = ("overall_quality",)
    scale: tuple[int, int] = (1, 5)

    @property
    def needs(self) -> dict[str, str]:
        """The field that each item has to have, with the sentence that says so."""
        return {self.judged: f"the task {self.name} needs it"} if self.judged in OPTIONAL else {}


@dataclass(frozen=True)
class AnnotationForm:
    """Items to be labelled on some dimensions, on a scale from ``low`` to ``high``. What is not ``for_estimation``
    bears a mark, so that its labels are refused where something is estimated; what was drawn bears the ``probability``
    that each item had, or its own (by id). Where ``words`` are what people write, there is no scale.

    Each form gives the texts of its files, by what their names have behind that of the sheet.
    """

    task: LabelTask
    items: Sequence[Item]
    dimensions: Sequence[str]
    low: int = 1
    high: int = 5
    for_estimation: bool = True
    probability: float | Mapping[str, float] | None = None
    words: Sequence[str] = ()

    def mark(self, item: Item) -> dict[str, str]:
        """The fields that are added to an item: what is to be known of it, and of all, when it comes back."""
        mark = {} if self.words else {SCALE: written_scale(self.low, self.high)}
        if not self.for_estimation:
            return {FOR_ESTIMATION: NOT, **mark}
        chance = self.probability[item.id] if isinstance(self.probability, Mapping) else self.probability
        return mark if chance is None else {PROBABILITY: f"{chance:.6g}", **mark}

    @property
    def instruction(self) -> str:
        """What to do, in the words that stand beside each item of a CSV sheet."""
        task, names = self.task.summary, ", ".join(self.dimensions)
        ends = f"a whole number from {self.low} to {self.high}"
        if self.words:
            task, ends = "Read the argument", f"one of {', '.join(self.words)}"
        elif (self.low, self.high) != (0, 1):
            ends = f"a whole number from {self.low} (lowest) to {self.high} (highest)"
        unsure = ", or ? if you cannot judge"
        return f"{task[:1].upper()}{task[1:]}. Write into {names}: {ends}{unsure}; into annotator: your name."

    def csv(self) -> dict[str, str]:
        """A row for each item, with an empty column for the annotator's name and for each dimension."""
        first, blank = self.items[0], [self.instruction, *[""] * len(self.dimensions)]
        head = [
            "item",
            "annotator",
            *self.task.shows(first),
            *self.mark(first),
            INSTRUCTION,
            *self.dimensions,
        ]
        rows = (
            (item.id, "", *self.task.shows(item).values(), *self.mark(item).values(), *blank)
            for item in self.items
        )
        return {"": csv_text(head, rows)}

    def label_studio(self) -> dict[str, str]:
        """Tasks for Label Studio's JSON import, and the labelling interface for them: a choice for each dimension."""
        tasks = [
            {"data": {"item": item.id, **self.task.shows(item), **self.mark(item)}} for item in self.items
        ]
        lines = ["<View>"]
        for field in self.task.shows(self.items[0]):
            text = f"<Text name={quoteattr(field)} value={quoteattr(f'${field}')}/>"
            lines.append(f"  {text}" if field != "topic" else '  <Header value="$topic"/>')
        for name in self.dimensions:
            lines += [
                f"  <Header value={quoteattr(name.replace('_', ' '))}/>",
                f"  <Choices name={quoteattr(name)} toName={quoteattr(self.task.judged)} "
                'choice="single-radio" showInline="true">',
                *(f'    <Choice value="{value}"/>' for value in range(self.low, self.high + 1)),
                '    <Choice value="cannot judge"/>',
                "  </Choices>",
            ]
        return {"": _json(tasks), ".config.xml": "\n".join([*lines, "</View>"]) + "\n"}

    def argilla(self) -> dict[str, str]:
        """Records for ``dataset.records.from_json`` of Argilla 2; the questions are the dimensions."""
        records = [
            {
                "id": item.id,
                "fields": dict(self.task.shows(item)),
                "metadata": {"topic": item.topic, **self.mark(item)},
                "suggestions": {},
                "responses": {},
            }
            for item in self.items
        ]
        return {"": _json(records)}


FORMS: Mapping[str, Callable[[AnnotationForm], dict[str, str]]] = {
    "csv": AnnotationForm.csv,
    "label-studio": AnnotationForm.label_studio,
    "argilla": AnnotationForm.argilla,
}
"""The forms of a sheet, by where it is filled in."""


def written_scale(low: float | None, high: float | None) -> str:
    """The ends of a scale, as a label file says them."""
    return f"{low:g} to {high:g}"


def csv_text(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV, in cells that no spreadsheet takes for a formula; None is an empty cell."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\r\n")
    for row in (head, *rows):
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
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


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
