"""The layout of ProCon's headline pages: "Zoos – Top 3 Pros and Cons", with the question in a box above
the text.

The arguments stand in the columns of the classic layout, or one under the other below headings such as
"Pro 1" and "Con 1: It costs too much"; "Discussion Questions", "Take Action" and "Sources" follow.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml.html import HtmlElement

from conqret.data.corpus import DebateArgument
from conqret.scrapers.debates.cited_sources import footnotes_wanted, page_sources
from conqret.scrapers.debates.layout import DebatePage, DebateParts, Layout, Selector
from conqret.scrapers.debates.page_arguments import (
    PARAGRAPHS,
    SIDE_NUMBER,
    TABLES_TOO,
    TOP_N,
    blocks,
    column_parts,
    columns,
    introduction,
    is_section,
    main_headings,
    page_question,
    page_title,
)
from conqret.scrapers.debates.page_text import HEADINGS, text_of, with_class

_MAX_HEADING = 300  # characters; a paragraph that happens to begin with "Pro 1" is longer


def _fits(page: DebatePage) -> bool:
    box = next(with_class(page.root, "boxed-blue", *HEADINGS), None)
    if box is not None or any(TOP_N.search(text) for text in main_headings(page)):
        return True
    return not columns(page, "pro") and not columns(page, "con") and bool(_stacked(page))


def _read(page: DebatePage) -> DebateParts:
    headings = main_headings(page, "boxed-blue", "entry-title", "text-center")
    titles = main_headings(page, "entry-title", "text-center")
    if columns(page, "pro") or columns(page, "con"):
        return column_parts(page, headings, titles or headings, page_sources(page))
    stacked = _stacked(page)
    return DebateParts(
        title=page_title(page, titles or headings),
        question=page_question(page, headings),
        introduction=introduction(page, stacked[0].heading if stacked else None),
        pros=_side(stacked, "pro"),
        cons=_side(stacked, "con"),
        sources=page_sources(page),
    )


LAYOUT = Layout(
    "procon-headlines",
    _fits,
    _read,
    wants=footnotes_wanted,
    selectors=(
        Selector("question", "h3", "boxed-blue"),
        Selector("title", "h1", "entry-title"),
        Selector("introduction", "div", "entry-content"),
        Selector("sources", "table", "tablepress"),
    ),
)
"""Fits pages with the box, a heading with "Top 3 Pros and Cons", or numbered headings and no columns."""


@dataclass(slots=True)
class _OpenHeading:
    """An argument under a numbered heading, while it is being read."""

    heading: HtmlElement
    side: str
    title: str
    paragraphs: list[str] = field(default_factory=list)


def _side(stacked: list[_OpenHeading], side: str) -> tuple[DebateArgument, ...]:
    return tuple(
        DebateArgument(title=argument.title, paragraphs=tuple(argument.paragraphs))
        for argument in stacked
        if argument.side == side
    )


def _stacked(page: DebatePage) -> list[_OpenHeading]:
    """Return the arguments under numbered headings, in page order; another section ends the last one."""
    arguments: list[_OpenHeading] = []
    current: _OpenHeading | None = None
    for element, text in blocks(page.root, (*HEADINGS, *PARAGRAPHS), without=TABLES_TOO):
        short = len(text) <= _MAX_HEADING
        numbered = SIDE_NUMBER.fullmatch(text) if short and _is_heading(element) else None
        if numbered:
            current = _OpenHeading(element, numbered[1].lower(), numbered[3].strip())
            arguments.append(current)
        elif short and is_section(text):
            current = None
        elif current is not None:
            if not current.title and short and _is_heading(element):
                current.title = text
            elif element.tag in HEADINGS:
                current = None
            else:
                current.paragraphs.append(text)
    return arguments


def _is_heading(element: HtmlElement) -> bool:
    """A heading, or a paragraph that is bold throughout."""
    if element.tag in HEADINGS:
        return True
    bold = list(element.iter("strong", "b"))
    return bool(bold) and " ".join(text_of(node) for node in bold).split() == text_of(element).split()
