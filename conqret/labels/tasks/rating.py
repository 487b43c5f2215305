"""rating: an argument on one or more questions, on one scale, with its documents and the argument beside it."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.data import Item
from conqret.judging.dimensions import DIMENSIONS
from conqret.labels.sampling import TASKS
from conqret.labels.screens import Screen, ScreenQuestion, rating
from conqret.labels.task import AnnotationTask, Wanted, heading, passages, where_any

SHEET = TASKS["rating"]
"""What is asked where nothing else is wanted, and its scale: the same as on a sheet."""
_KNOWN = {one.name: one for one in DIMENSIONS}


def question(name: str, low: int, high: int) -> ScreenQuestion:
    """What is asked under this name; a dimension of argument quality with its definition."""
    choices = rating(low, high, {low: "lowest", high: "highest"})
    known = _KNOWN.get(name)
    if known is None:
        return ScreenQuestion(name=name, asks=name.replace("_", " ").capitalize(), choices=choices)
    return ScreenQuestion(name=name, asks=known.question, guide=(known.definition,), choices=choices)


def _screens(item: Item, wanted: Wanted) -> Iterator[Screen]:
    shown = passages(item, ("argument", "second_argument", "documents"))
    if shown:
        yield Screen(
            item=item.id,
            topic=item.topic,
            heading=heading(item),
            passages=shown,
            questions=tuple(
                question(name, *(wanted.scale or SHEET.scale)) for name in wanted.metrics or SHEET.dimensions
            ),
        )


TASK = AnnotationTask("rating", SHEET.summary, _screens, needs=where_any("argument"))
