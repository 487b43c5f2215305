"""What annotators see of the rows of a table of judge verdicts: texts and the question, never verdict or reason."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from conqret.data import Document, Item
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import VERDICT
from conqret.labels.label_tasks import QUESTIONS
from conqret.labels.sampling import SEED
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion, rating
from conqret.labels.task import AnnotationForm
from conqret.labels.verdict_tables import DrawnRow
from conqret.studies.check.checked_table import CheckedTable

SHOWN = {"input": "Input", "context": "Context", "output": "Output", "expected": "Reference"}
"""The texts of a row that annotators see, in this order; all others may tell what the judge said."""
COMPARED = ("answer_a", "answer_b")
"""The texts of a row that are compared."""
MAX_ID = 200
"""Characters of an id."""
MAX_KEYS = 9
"""Choices that have a key of their own: the digits."""


def table_screens(table: CheckedTable, rows: Sequence[DrawnRow], seed: int = SEED) -> list[Screen]:
    """Return the screens of rows, without the judge's verdicts and reasons.

    Raises:
        DeclarationError: the table has no texts to show, two rows have the same id, or its verdicts are more than the
            keys that choose among them.
    """
    seen = set(COMPARED) <= set(table.texts) if table.kind == "pairs" else set(SHOWN) & set(table.texts)
    if not seen:
        names = " and ".join(COMPARED) if table.kind == "pairs" else "output, input or context"
        raise DeclarationError(
            f"{table.source} has no texts that annotators could read: name the columns of what was judged {names}"
        )
    parts = table.systems or [""] * len(table.texts["id"])
    counts = Counter(zip(table.texts["id"], parts, strict=True))
    for (name, part), count in counts.items():
        if count > 1 or not 0 < len(name) <= MAX_ID:
            fault = f"{count} rows have the id {name!r}{f' and the system {part!r}' if part else ''}"
            raise DeclarationError(
                f"{table.source}: {fault}; give each row an id of its own, of 1 to {MAX_ID} characters, by which its "
                "label is found"
            )
    question = _question(table)
    screens = []
    for row in rows:
        texts = {name: values[row.place] for name, values in table.texts.items() if values[row.place].strip()}
        name, part = table.texts["id"][row.place], parts[row.place]
        swapped = set(COMPARED) <= set(texts) and random.Random(f"{seed} {name} {part}").random() < 0.5
        sides = [texts[name] for name in COMPARED if name in texts]
        compared = zip("AB", reversed(sides) if swapped else sides, strict=False)
        shown = [(title, texts[name]) for name, title in SHOWN.items() if name in texts]
        screens.append(
            Screen(
                item=name,
                part=part,
                heading=name,
                passages=tuple(ScreenPassage(title=title, text=text) for title, text in (*compared, *shown)),
                questions=(question,),
                swapped=swapped,
                stratum=row.stratum,
            )
        )
    return screens


def _question(table: CheckedTable) -> ScreenQuestion:
    """The question, on the scale of the verdicts; scores are labeled as pass or fail."""
    if table.kind == "pairs":
        return QUESTIONS["output-preference"][0]
    if table.kind in ("pass_fail", "scores"):
        return QUESTIONS[VERDICT][0]
    words = table.levels if table.kind == "ratings" else table.classes
    asks = "How good is the output?" if table.kind == "ratings" else "Which class is it?"
    if words:
        keys = map(str, range(1, len(words) + 1)) if len(words) <= MAX_KEYS else [""] * len(words)
        choices = tuple(Choice(value=word, key=key) for word, key in zip(words, keys, strict=True))
        return ScreenQuestion(name=VERDICT, asks=asks, choices=choices)
    low, high = map(int, table.scale)
    if not all(float(end).is_integer() for end in table.scale) or low < 0 or high > MAX_KEYS:
        raise DeclarationError(
            f"{table.source} has ratings from {table.scale[0]:g} to {table.scale[1]:g}, and the pages have keys for "
            f"whole numbers from 0 to {MAX_KEYS} alone"
        )
    meanings = {low: "lowest", high: "highest"}
    choices = tuple(choice.model_copy(update={"key": choice.value}) for choice in rating(low, high, meanings))
    return ScreenQuestion(name=VERDICT, asks=asks, choices=choices)


def table_form(table: CheckedTable, rows: Sequence[DrawnRow]) -> AnnotationForm:
    """Return the form in which rows are labeled outside of conqret, with their probabilities.

    Raises:
        DeclarationError: as :func:`table_screens`, or rows are of several systems.
    """
    if table.systems is not None:
        raise DeclarationError(
            f"{table.source} has several systems, which a form has no column for: use labels collect"
        )
    screens = table_screens(table, rows)
    question = screens[0].questions[0]
    drawn = Counter(row.stratum for row in rows)
    items, chances = [], {}
    for screen, row in zip(screens, rows, strict=True):
        texts = {passage.title: passage.text for passage in screen.passages}
        sides = [texts.get("A", ""), texts.get("B", "")]
        first, second = (
            reversed(sides) if screen.swapped else sides
        )  # a form shows them as they stand in the table
        documents = [Document(id=title, text=texts[title]) for title in ("Context",) if title in texts]
        items.append(
            Item(
                id=screen.item,
                topic=texts.get("Input", screen.item),
                argument=first or texts.get("Output"),
                second_argument=second or None,
                reference=texts.get("Reference"),
                documents=tuple(documents),
            )
        )
        chances[screen.item] = drawn[row.stratum] / row.stratum.rows
    values = [choice.value for choice in question.choices]
    numbers = [int(value) for value in values if value.isdecimal()]
    words = values if len(numbers) < len(values) else []
    low, high = (min(numbers), max(numbers)) if not words else (0, 1)
    return AnnotationForm(question.asks.rstrip("?"), items, (VERDICT,), low, high, True, chances, words)
