"""preference: which of two arguments is better; the sides are drawn for each item, and recorded."""

from __future__ import annotations

import random
from collections.abc import Iterator

from conqret.data import Item
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion
from conqret.labels.task import AnnotationTask, Wanted, heading, needing, passages

SYSTEMS = "systems"
"""Under this key of an item's metadata stand the names of the two systems whose texts are compared."""
PREFERENCE = ScreenQuestion(
    name="preference",
    asks="Which argument is better?",
    guide=(
        "The better one is that which should move a sensible reader more, by reasons and evidence that hold and bear "
        "on the question. Whether you share its view, how long it is, and whether it is A or B do not matter.",
    ),
    choices=(
        Choice(value="first", says="A"),
        Choice(value="tie", says="neither", meaning="they are as good, or as bad, as each other"),
        Choice(value="second", says="B"),
    ),
    mirrored={"first": "second", "second": "first"},
)


def two_sides(item: Item, wanted: Wanted, question: ScreenQuestion) -> Iterator[Screen]:
    """The item's two texts as A and B, the sides drawn; nothing, where it lacks one."""
    if not item.argument or not item.second_argument:
        return
    compared = _systems(item)
    swapped = random.Random(" ".join([str(wanted.seed), item.id, *compared])).random() < 0.5
    texts = [item.argument, item.second_argument]
    if swapped:
        texts.reverse()
    yield Screen(
        item=item.id,
        part=" against ".join(compared),
        topic=item.topic,
        heading=heading(item),
        passages=(
            ScreenPassage(title="A", text=texts[0]),
            ScreenPassage(title="B", text=texts[1]),
            *passages(item, ("documents",)),
        ),
        questions=(question,),
        swapped=swapped,
        compared=compared,
    )


def _systems(item: Item) -> tuple[str, ...]:
    named = item.metadata.get(SYSTEMS)
    return tuple(map(str, named)) if isinstance(named, (list, tuple)) and len(named) == 2 else ()


TASK = AnnotationTask(
    "preference",
    "say which of two arguments is better, or neither",
    lambda item, wanted: two_sides(item, wanted, PREFERENCE),
    needs=needing("argument", "second_argument"),
)
