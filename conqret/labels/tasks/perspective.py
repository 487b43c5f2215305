"""perspective: does a document contain a perspective? One screen a pair, as ``conqret perspectives detect`` reads them
(BeRDS, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conqret.data import Document, Item
from conqret.io.pairs import read_pairs
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion
from conqret.labels.task import AnnotationTask, Wanted, passages

CONTAINS = ScreenQuestion(
    name="contains_perspective",
    asks="Does the document contain the perspective?",
    guide=(
        "It does if somebody who holds the perspective would cite the document for it. Its author need not hold it, "
        "and the words need not be the same. Go by this document alone.",
    ),
    choices=(
        Choice(value="yes", meaning="it says so, or gives a reason or evidence for it"),
        Choice(value="no", meaning="it is about something else, says the opposite, or only names the matter"),
    ),
)


def items(path: Path) -> list[Item]:
    """The pairs of a file, each as an item whose argument is the perspective. Raises what :func:`read_pairs` does."""
    return [
        Item(
            id=pair.id,
            topic=pair.question or pair.perspective,
            documents=(Document(id="document", text=pair.document),),
            argument=pair.perspective,
        )
        for pair in read_pairs(path)
    ]


def _screens(item: Item, wanted: Wanted) -> Iterator[Screen]:
    if item.argument and item.documents:
        (document,) = passages(item, ("documents",), only=0)
        yield Screen(
            item=item.id,
            topic=item.topic,
            heading=item.topic,
            passages=(
                ScreenPassage(title="Perspective", text=item.argument),
                document.model_copy(update={"title": "Document"}),
            ),
            questions=(CONTAINS,),
        )


TASK = AnnotationTask("perspective", "say whether a document contains a perspective", _screens, reads=items)
