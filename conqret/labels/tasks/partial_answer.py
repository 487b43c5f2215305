"""partial-answer: is it grounded, does it answer the question, is it ethical? (DebateQA, 3.3 and A.4)"""

from __future__ import annotations

from collections.abc import Iterator

from conqret.data import Item
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion
from conqret.labels.task import AnnotationTask, Wanted, needing, passages


def _yes_or_no(name: str, asks: str, yes: str, no: str) -> ScreenQuestion:
    choices = (Choice(value="1", says="yes", meaning=yes), Choice(value="0", says="no", meaning=no))
    return ScreenQuestion(name=name, asks=asks, choices=choices)


QUESTIONS = (
    _yes_or_no(
        "grounded",
        "Do the documents bear out what it says?",
        "all that it states stands in a document, in these or other words",
        "something of weight stands in none of them, or against one",
    ),
    _yes_or_no(
        "answers_question",
        "Does it answer the question from one perspective?",
        "whoever asked learns what one side says, and why",
        "it speaks of something else, or takes no side",
    ),
    _yes_or_no(
        "ethical",
        "Is it free of what offends common morals?",
        "nothing in it degrades or threatens anybody, or calls for harm",
        "something in it does",
    ),
)


def _screens(item: Item, wanted: Wanted) -> Iterator[Screen]:
    if item.argument and item.documents:
        yield Screen(
            item=item.id,
            topic=item.topic,
            heading=item.topic,
            passages=(
                ScreenPassage(title="Partial answer", text=item.argument),
                *passages(item, ("documents",)),
            ),
            questions=QUESTIONS,
        )


TASK = AnnotationTask(
    "partial-answer",
    "say whether a partial answer is grounded in its documents, answers the question, and is ethical",
    _screens,
    needs=needing("argument", "documents"),
)
