"""The layout of ProCon at britannica.com/procon: the pros on the debate's page, the cons on its page
``…/Cons``.

The topic is the ``h1``, the question stands in ``div.topic-identifier…``, the introduction in ``p.topic-paragraph``;
``section.pro`` and ``section.con`` hold arguments below headings such as "Pro 1: They teach", one section for all or
one each, and the sources are paragraphs that begin with their mark, most in ``section.sources`` of the second page.
Some pages have both sides; explainers have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urlsplit

from lxml.html import HtmlElement

from conqret.data.corpus import DebateArgument
from conqret.scrapers.debates.cited_sources import (
    Notes,
    NumberedSources,
    is_note,
    notes,
    page_sources,
    renumbered,
    web_address,
)
from conqret.scrapers.debates.layout import DebatePage, DebateParts, Layout, ListedDebate, PageIndex, Selector
from conqret.scrapers.debates.page_arguments import (
    MAX_TITLE,
    SIDE_NUMBER,
    PageLine,
    is_section,
    lines,
    main_headings,
    page_question,
    page_title,
)
from conqret.scrapers.debates.page_text import HEADINGS, outermost, text_of
from conqret.text.citations import cited_by

_QUESTION = Selector("question", "div", "topic-identifier", begins=True)
_INTRODUCTION = Selector("introduction", "p", "topic-paragraph")
_SIDES = {"pro": Selector("pros", "section", "pro"), "con": Selector("cons", "section", "con")}
_SOURCES = Selector("sources", "section", "sources")
_SOURCES_BEGIN = re.compile(r"\[\s?[0-9]{1,4}\s?\]")
_OTHER_PAGE = "/Cons"
_LISTED = re.compile(r"/procon/[^/]+-(debate|explainer)(/.*)?", re.IGNORECASE)
_EXPLAINER = (
    "remark: this is an explainer: it has no section.pro and no section.con, and takes no side; "
    "leave it out of the list"
)


def _fits(page: DebatePage) -> bool:
    """It has a section for a side, asks its question as these pages do, or stands where they do."""
    return bool(_sections(page) or _question(page) or _kind(page.url))


def _read(page: DebatePage) -> DebateParts:
    sources = NumberedSources()
    sides: dict[str, list[DebateArgument]] = {"pro": [], "con": []}
    taken: set[tuple[str, DebateArgument]] = set()  # the second page may be the first again, or repeat it
    for current_page in (page, *page.further):
        arguments, own_notes = _arguments(current_page), _notes(current_page)
        changed = sources.add(own_notes, cited_by(each for _, each in arguments) if own_notes else ())
        for side, argument in arguments:
            if (side, argument) not in taken:
                taken.add((side, argument))
                sides[side].append(renumbered(argument, changed))
    headings = main_headings(page)
    return DebateParts(
        title=page_title(page, headings),
        question=page_question(page, [text for text in (_question(page), *headings) if text]),
        introduction="\n\n".join(_introduction(page)),
        pros=tuple(sides["pro"]),
        cons=tuple(sides["con"]),
        sources=tuple(sources.sources.values()) or page_sources(page),
        remarks=(_EXPLAINER,) if _kind(page.url) == "explainer" and not _sections(page) else (),
    )


def _wants(page: DebatePage) -> tuple[str, ...]:
    """Return the address of the page with the other side, if this page lacks a side, or cites sources and lists none;
    empty if it is whole, has no argument, or is that page."""
    arguments = _arguments(page)
    whole = any(side == "con" for side, _ in arguments) and (
        bool(_notes(page)) or not cited_by(argument for _, argument in arguments)
    )
    if whole or not arguments:
        return ()
    here = urlsplit(page.url)
    address = here._replace(path=here.path.rstrip("/") + _OTHER_PAGE, query="", fragment="").geturl()
    return (address,) if web_address(address) and not here.path.rstrip("/").endswith(_OTHER_PAGE) else ()


def _index(page: DebatePage) -> PageIndex:
    """Return every link to a debate or an explainer (the site's own are below /procon/), each once, with the last
    heading before it."""
    debates: dict[str, ListedDebate] = {}
    heading = ""
    for element in page.root.iter("a", *HEADINGS):
        if element.tag != "a":
            heading = text_of(element)[:MAX_TITLE] or heading
        elif (address := web_address(page.link(element.get("href") or ""))) and (kind := _kind(address)):
            place = urldefrag(address).url
            debates.setdefault(place, ListedDebate(place, heading, kind == "debate"))
    return PageIndex(tuple(debates.values()))


LAYOUT = Layout(
    "procon-britannica",
    _fits,
    _read,
    wants=_wants,
    index=_index,
    selectors=(_QUESTION, _INTRODUCTION, *_SIDES.values(), _SOURCES),
)
"""Fits pages with a section for a side, with a question where these pages have theirs, or with one of
their URLs.
"""


@dataclass(slots=True)
class _Reading:
    """An argument while it is being read; ``level`` is that of its heading, 0 where it has none."""

    side: str
    level: int
    title: str = ""
    paragraphs: list[str] = field(default_factory=list)


def _kind(address: str) -> str:
    """``debate`` or ``explainer``, as the address says; empty for those of other pages."""
    match = _LISTED.fullmatch(urlsplit(address).path) if web_address(address) else None
    return match[1].lower() if match else ""


def _question(page: DebatePage) -> str:
    """What the page asks where these pages ask it; other pages of the site have other things there."""
    texts = (text_of(element)[:MAX_TITLE] for element in _QUESTION.find(page.root))
    return next((text for text in texts if text.endswith("?")), "")


def _introduction(page: DebatePage) -> Iterator[str]:
    """Yield the paragraphs of the introduction, up to the first side."""
    aside = set(_sections(page))
    for element in page.root.iter("p", "section"):
        if element in aside:
            return
        if (
            _INTRODUCTION.matches(element)
            and (text := text_of(element))
            and _SOURCES_BEGIN.match(text) is None
        ):
            yield text


def _sections(page: DebatePage) -> list[HtmlElement]:
    """The sections of both sides, in order, none within another."""
    return outermost(
        element
        for element in page.root.iter("section")
        if any(side.matches(element) for side in _SIDES.values())
    )


def _arguments(page: DebatePage) -> list[tuple[str, DebateArgument]]:
    """Return pairs of side (``pro`` or ``con``) and argument, in page order. On a page without sections,
    arguments are found by headings such as "Con 2: …"."""
    readings: list[_Reading] = []
    for section in _sections(page):
        side = next(name for name, side in _SIDES.items() if side.matches(section))
        readings += _read_side(list(lines(section)), side)
    if not readings:
        readings += _read_side(list(lines(page.root)), "")
    return [
        (reading.side, DebateArgument(title=reading.title, paragraphs=tuple(reading.paragraphs)))
        for reading in readings
        if reading.title or reading.paragraphs
    ]


def _read_side(section_lines: Sequence[PageLine], side: str) -> Iterator[_Reading]:
    """Yield the arguments among lines: each begins at a numbered heading, or, where none has a number, at one
    of the highest.

    ``side`` is that of the section; a heading that names a side itself decides. Without a side, only such ones count.
    """
    headings = [line for line in section_lines if line.level and not is_section(line.text)]
    numbered = [line.level for line in headings if SIDE_NUMBER.fullmatch(line.text)]
    level = min(numbered or [line.level for line in headings if side], default=0)
    current = _Reading(side, 0) if side and not level else None
    for line in section_lines:
        number = SIDE_NUMBER.fullmatch(line.text) if line.level else None
        if number or (side and line.level == level and level and not numbered):
            if current is not None:
                yield current
            current = _Reading(
                number[1].lower() if number else side, line.level, number[3].strip() if number else line.text
            )
        elif current is None or is_note(line):
            continue
        elif not line.level:
            current.paragraphs.append(line.text)
        elif not current.title:
            current.title = line.text
        elif line.level <= current.level:  # another part of the page, such as "Discussion Questions"
            yield current
            current = None
    if current is not None:
        yield current


def _notes(page: DebatePage) -> Notes:
    """The sources of one page: its paragraphs that begin with a mark, and what its sections of sources list."""
    notes_by_number = notes(lines(page.root), page)
    for section in outermost(_SOURCES.find(page.root)):
        for number, source in notes(lines(section), page, listed=True).items():
            notes_by_number.setdefault(number, source)
    return notes_by_number
