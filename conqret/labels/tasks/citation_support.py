"""citation-support: does the cited document say what the sentence says? One screen a sentence and document."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.data import Item
from conqret.judges.citation_support import pairs
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion
from conqret.labels.task import AnnotationTask, Wanted, heading, needing, passages
from conqret.text.sentences import sentences

SUPPORT = ScreenQuestion(
    name="citation_support",
    asks="Does the document bear out the marked sentence?",
    guide=(
        "Go by the text of this document alone, without what you know yourself. What has to be borne out is what the "
        "sentence states as fact, or reports that somebody says; what its author concludes from it need not be.",
    ),
    choices=(
        Choice(
            value="supports",
            meaning="it says so, in these or other words; numbers, names, dates and negations agree",
        ),
        Choice(value="contradicts", meaning="it says something that cannot be true together with it"),
        Choice(value="silent", meaning="it does not say it, says only a part of it, or something weaker"),
    ),
)


def _screens(item: Item, wanted: Wanted) -> Iterator[Screen]:
    argument = item.argument or ""
    found = sentences(argument)
    for number, cited in pairs(item):
        sentence = found[number - 1]
        lit = ScreenPassage(title="Argument", text=argument, lit=((sentence.start, sentence.end),))
        yield Screen(
            item=item.id,
            part=f"sentence {number}, document {cited}",
            topic=item.topic,
            heading=heading(item),
            passages=(lit, *passages(item, ("documents",), only=cited - 1)),
            questions=(SUPPORT,),
        )


TASK = AnnotationTask(
    "citation-support",
    "say whether each cited document bears out the sentence that cites it",
    _screens,
    needs=needing("argument", "documents"),
)
