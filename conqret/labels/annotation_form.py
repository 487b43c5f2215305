"""What annotators are given of items: a CSV sheet, and the import formats of Label Studio and Argilla."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from conqret.data import Item
from conqret.io.label_set import FOR_ESTIMATION, INSTRUCTION, NOT, PROBABILITY, SCALE, written_scale
from conqret.io.safe_files import csv_text
from conqret.labels.task import turns


@dataclass(frozen=True)
class AnnotationForm:
    """Items to be labelled on some dimensions, on a scale from ``low`` to ``high``; what to do is said in the words of
    ``asks``. What is not ``for_estimation`` bears a mark, so that its labels are refused where something is estimated;
    what was drawn bears the ``probability`` that each item had, or its own (by id). Where ``words`` are what people
    write, there is no scale.

    Each form gives the texts of its files, by what their names have behind that of the sheet.
    """

    asks: str
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
        ends = f"a whole number from {self.low} to {self.high}"
        if self.words:
            ends = f"one of {', '.join(self.words)}"
        elif (self.low, self.high) != (0, 1):
            ends = f"a whole number from {self.low} (lowest) to {self.high} (highest)"
        unsure = ", or ? if you cannot judge"
        asks, names = f"{self.asks[:1].upper()}{self.asks[1:]}", ", ".join(self.dimensions)
        return f"{asks}. Write into {names}: {ends}{unsure}; into annotator: your name."

    def csv(self) -> dict[str, str]:
        """A row for each item, with an empty column for the annotator's name and for each dimension."""
        first, blank = self.items[0], [self.instruction, *[""] * len(self.dimensions)]
        head = ["item", "annotator", *shows(first), *self.mark(first), INSTRUCTION, *self.dimensions]
        rows = (
            (item.id, "", *shows(item).values(), *self.mark(item).values(), *blank) for item in self.items
        )
        return {"": csv_text(head, rows)}

    def label_studio(self) -> dict[str, str]:
        """Tasks for Label Studio's JSON import, and the labelling interface for them: a choice for each dimension."""
        tasks = [{"data": {"item": item.id, **shows(item), **self.mark(item)}} for item in self.items]
        lines = ["<View>"]
        for field in shows(self.items[0]):
            text = f"<Text name={quoteattr(field)} value={quoteattr(f'${field}')}/>"
            lines.append(f"  {text}" if field != "topic" else '  <Header value="$topic"/>')
        for name in self.dimensions:
            lines += [
                f"  <Header value={quoteattr(name.replace('_', ' '))}/>",
                f"  <Choices name={quoteattr(name)} "
                'toName="argument" choice="single-radio" showInline="true">',
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
                "fields": dict(shows(item)),
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


def shows(item: Item) -> dict[str, str]:
    """Topic, stance and argument, then the other argument and the documents as one text."""
    said = [f"{turn.title}: {turn.text}" for turn in turns(item)]
    parts = ["Before the question:\n" + "\n\n".join(said)] if said else []
    parts += [f"Other argument:\n{item.second_argument}"] if item.second_argument else []
    parts += [
        f"[{number}] {document.title}\n{document.text}".replace(" \n", "\n", 1)
        for number, document in enumerate(item.documents, start=1)
    ]
    return {
        "topic": item.topic,
        "stance": item.stance,
        "argument": item.argument or "",
        "text": "\n\n".join(parts),
    }


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
