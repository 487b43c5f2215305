"""Sources that stand as paragraphs: ``[12] Author, "Title", site.org, May 5, 2021``.

Some pages number them once, some begin again at 1 for each argument or each side. Two lists are put together by giving
the second one's numbers anew where they mean something else, in the list and in the marks of its own texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conqret.data.item import DebateArgument, Source
from conqret.scrapers.debates.cited_sources import cited_date, source_address
from conqret.scrapers.debates.layout import DebatePage
from conqret.scrapers.debates.lines import PageLine
from conqret.text.citations import replace_marks

Notes = dict[int, Source]
_NOTE = re.compile(r"\[\s?([0-9]{1,4})\s?\]\s*(\S.*)")
_NUMBERED = re.compile(r"([0-9]{1,4})[.)]\s+(\S.*)")


def is_note(line: PageLine) -> bool:
    """Whether a line is a source: a paragraph that begins with its mark."""
    return not line.level and _NOTE.fullmatch(line.text) is not None


def notes(page_lines: Iterable[PageLine], page: DebatePage, *, listed: bool = False) -> Notes:
    """The sources among lines of a page, by number; the first with a number counts.

    Where the lines are ``listed`` as sources, "12. Title" is one, too, and so is each item of a numbered list.
    """
    sources: Notes = {}
    items: dict[object, int] = {}
    for line in page_lines:
        match = _NOTE.fullmatch(line.text) or (_NUMBERED.fullmatch(line.text) if listed else None)
        around = line.block.getparent()
        if match is not None:
            number, text = int(match[1]), match[2]
        elif listed and line.block.tag == "li" and around is not None and around.tag == "ol":
            number, text = items.get(around, 0) + 1, line.text
        else:
            continue
        items[around] = number
        url = source_address(line.links, [line.text], page)
        sources.setdefault(number, Source(number=number, title=text, url=url, cited=cited_date(text)))
    return sources


@dataclass(slots=True)
class NumberedSources:
    """The sources of a debate by number, put together from several lists of notes; ``free`` is above all numbers."""

    sources: Notes = field(default_factory=dict)
    free: int = 1

    def add(self, more: Notes, cited: Iterable[int] = ()) -> dict[int, int]:
        """Add a list of notes; returns the new numbers of those that had to be changed.

        The numbers ``cited`` that the list does not explain get new ones, too, where another list has used them: a mark
        must never lead to another text's source.
        """
        wanted = dict.fromkeys((*more, *cited))
        self.free = max(self.free, *(number + 1 for number in wanted), 0)
        changed: dict[int, int] = {}
        for number in wanted:
            source, there = more.get(number), self.sources.get(number)
            if there is not None and (source is None or source.title != there.title):
                changed[number], self.free = self.free, self.free + 1
        for number, source in more.items():
            at = changed.get(number, number)
            self.sources.setdefault(at, source.model_copy(update={"number": at}))
        return changed


def renumbered(argument: DebateArgument, changed: Mapping[int, int]) -> DebateArgument:
    """The argument with the marks in its texts changed."""
    if not changed:
        return argument

    def anew(text: str) -> str:
        return replace_marks(text, lambda _, old: [changed.get(number, number) for number in old])

    return DebateArgument(
        title=anew(argument.title),
        paragraphs=tuple(map(anew, argument.paragraphs)),
        counterpoint=tuple(map(anew, argument.counterpoint)),
    )
