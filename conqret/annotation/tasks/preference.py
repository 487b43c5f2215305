"""preference: which of two arguments is better; the sides are drawn for each item, and recorded."""

from __future__ import annotations

import random
from collections.abc import Iterator

from conqret.annotation.screens import Choice, Passage, Question, Screen
from conqret.annotation.task import AnnotationTask, Wanted, gold, heading, passages
from conqret.data import Item

PREFERENCE = Question(
    name="preference",
    asks="Which argument is better?",
    guide=(
        "The better one is that which should move a sensible reader more, by reasons and evidence that hold and bear "
        "on the question. Whether you share its view, how long it is and where it stands do not matter.",
    ),
    choices=(
        Choice(value="first", says="A"),
        Choice(value="tie", says="neither", meaning="they are as good, or as bad, as each other"),
        Choice(value="second", says="B"),
    ),
    mirrored={"first": "second", "second": "first"},
)


def _screens(item: Item, wanted: Wanted) -> Iterator[Screen]:
    if not item.argument or not item.second_argument:
        return
    swapped = random.Random(f"{wanted.seed} {item.id}").random() < 0.5
    texts = [item.argument, item.second_argument]
    if swapped:
        texts.reverse()
    yield Screen(
        item=item.id,
        topic=item.topic,
        heading=heading(item),
        passages=(
            Passage(title="A", text=texts[0]),
            Passage(title="B", text=texts[1]),
            *passages(item, ("documents",)),
        ),
        questions=(PREFERENCE,),
        swapped=swapped,
        gold=gold(item),
    )


TASK = AnnotationTask("preference", "say which of two arguments is better, or neither", _screens)
