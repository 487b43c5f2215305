"""The layout of Debatabase, at idebate.net: a motion, points for and against it, and to each point its
opponents' answer.

The motion is the ``h1``, with the introduction below it. Each point is a ``div.accordion__item`` with its title in
``h4.accordion__subtitle``; those below "Points Against" are cons. Within an item, "COUNTERPOINT" parts the point
from its answer. Sources are paragraphs that begin with their mark, numbered anew in each item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import parse_qs, urldefrag, urlsplit

from lxml.html import HtmlElement

from conqret.data.corpus import DebateArgument
from conqret.scrapers.debates.cited_sources import (
    Notes,
    NumberedSources,
    is_note,
    notes,
    renumbered,
    web_address,
)
from conqret.scrapers.debates.layout import DebatePage, DebateParts, Layout, ListedDebate, PageIndex, Selector
from conqret.scrapers.debates.page_arguments import (
    MAX_TITLE,
    PageLine,
    blocks,
    lines,
    main_headings,
    page_question,
    page_title,
)
from conqret.scrapers.debates.page_text import HEADINGS, outermost, text_of
from conqret.text.citations import cited_against, cited_by

_ITEM = Selector("arguments", "div", "accordion__item")
_TITLE = Selector("titles", "h4", "accordion__subtitle")
_FOR = re.compile(r"points\s+for\W*", re.IGNORECASE)
_AGAINST = re.compile(r"points\s+against\W*", re.IGNORECASE)
_POINT = re.compile(r"point\W*", re.IGNORECASE)
_COUNTERPOINT = re.compile(r"counter-?\s?point\b\W*(.*)", re.IGNORECASE)
_CAPITALS = ("COUNTERPOINT", "COUNTER-POINT", "COUNTER POINT")
_DEBATE = re.compile(r"/[^/]+~b[0-9]+/?")
_MOTION = re.compile(r"/(?:this-house|thw)[^/]*~b[0-9]+/?")
_CATEGORY = re.compile(r"/debatabase/[^/]+~c[0-9]+/?")
_MENUS = ("nav", "header", "footer", "aside")
_NO_PARTS = 'remark: no line "Points Against" stands before an item; it parts the pros from the cons'


def _fits(page: DebatePage) -> bool:
    """An item of its accordion has a title as this site's have."""
    return any(next(_TITLE.find(item), None) is not None for item in _ITEM.find(page.root))


def _read(page: DebatePage) -> DebateParts:
    items = outermost(_ITEM.find(page.root))
    against = _first_against(page, items)
    whole = _page_notes(page, items)
    sources = NumberedSources()
    sources.add(whole)
    sides: tuple[list[DebateArgument], list[DebateArgument]] = ([], [])
    pros: set[DebateArgument] = set()  # some pages repeat them in the part of the cons
    for place, item in enumerate(items):
        item_lines = list(lines(item))
        argument = _argument(item_lines)
        if argument is None or (place >= against and argument in pros):
            continue
        if place < against:
            pros.add(argument)
        cited = (*cited_by((argument,)), *cited_against((argument,)))
        changed = sources.add(notes(item_lines, page), [number for number in cited if number not in whole])
        sides[place >= against].append(renumbered(argument, changed))
    headings = main_headings(page)
    return DebateParts(
        title=page_title(page, headings),
        question=page_question(page, headings),
        introduction="\n\n".join(_introduction(page, items)),
        pros=tuple(sides[0]),
        cons=tuple(sides[1]),
        sources=tuple(sources.sources.values()),
        remarks=() if 0 < against < len(items) else (_NO_PARTS,),
    )


def _index(page: DebatePage) -> PageIndex:
    """Return the motions that a page lists, and the categories and further pages of a category that it leads
    to.

    A category's page lists motions only, others list news as well, whose addresses look alike; menus count nowhere.
    """
    debates: dict[str, ListedDebate] = {}
    further: dict[str, None] = {}
    here, heading = urlsplit(page.url), ""
    wanted = _DEBATE if _CATEGORY.fullmatch(here.path) else _MOTION
    for element in page.root.iter("a", "h1"):
        if element.tag == "h1":
            heading = text_of(element)[:MAX_TITLE]
            continue
        address = urldefrag(web_address(page.link(element.get("href") or ""))).url
        there = urlsplit(address)
        if there.netloc != here.netloc or next(element.iterancestors(*_MENUS), None) is not None:
            continue
        if wanted.fullmatch(there.path):
            debates.setdefault(address, ListedDebate(address, heading))
        elif _CATEGORY.fullmatch(there.path) and (there.path != here.path or "page" in parse_qs(there.query)):
            further[address] = None
    return PageIndex(tuple(debates.values()), tuple(further))


LAYOUT = Layout("debatabase", _fits, _read, index=_index, selectors=(_ITEM, _TITLE))
"""Fits pages with an accordion of points."""


def _first_against(page: DebatePage, items: Sequence[HtmlElement]) -> int:
    """Return the place (from 0) of the first item below "Points Against"; the number of items if there is
    none.

    Tabs above the items may name both parts: the last such line with an item below it counts.
    """
    parts = {line.block for line in lines(page.root) if _AGAINST.fullmatch(line.text)}
    places = {item: place for place, item in enumerate(items)}
    first, waiting, seen = len(items), False, 0
    for element in page.root.iter():
        if element in parts:
            waiting = True
        elif element in places:
            seen = places[element]
            first, waiting = (seen if waiting else first), False
    return first


def _argument(item_lines: Sequence[PageLine]) -> DebateArgument | None:
    """Return the argument of an item: its title, its paragraphs, and those of its counterpoint; None if it
    has neither title nor paragraph."""
    title, paragraphs, counterpoint = "", list[str](), list[str]()
    part = paragraphs
    for line in item_lines:
        answer = _COUNTERPOINT.fullmatch(line.text)
        # the word stands alone, or, in capitals, in front of the answer; a sentence may begin with it, too
        label = answer is not None and (not answer[1] or line.text.startswith(_CAPITALS))
        if answer is not None and label and part is paragraphs:
            part = counterpoint
            part += [answer[1]] if answer[1] else []
        elif not title and line.level:
            title = line.text
        elif not is_note(line) and not _POINT.fullmatch(line.text) and not line.level:
            part.append(line.text)
    if not title and not paragraphs:
        return None
    return DebateArgument(title=title, paragraphs=tuple(paragraphs), counterpoint=tuple(counterpoint))


def _page_notes(page: DebatePage, items: Sequence[HtmlElement]) -> Notes:
    """Return the sources in the lines outside of the items, which all items share."""
    inside = set(items)
    outside = (
        line
        for line in lines(page.root)
        if not any(ancestor in inside for ancestor in line.block.iterancestors())
    )
    return notes(outside, page)


def _introduction(page: DebatePage, items: Sequence[HtmlElement]) -> Iterator[str]:
    """Yield the paragraphs between the motion (``h1``) and the first item; headings of the sides are left
    out."""
    below = False
    for element, text in blocks(page.root, ("p", *HEADINGS), until=items[0] if items else None):
        if element.tag == "h1":
            below = True
        elif below and element.tag == "p" and not _FOR.fullmatch(text) and not _AGAINST.fullmatch(text):
            yield text
