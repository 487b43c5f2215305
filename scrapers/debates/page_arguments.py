"""Arguments, paragraphs and introductions: what layouts have in common; and a part of a page as lines, the text of each
block or line of a block, with its links, for sites that mark the beginning of something by what it says ("Pro 1: …",
"COUNTERPOINT", "[12] …") rather than by an element of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from conqret.data.item import DebateArgument
from conqret.scrapers.debates.layout import DebatePage
from conqret.scrapers.debates.page_text import HEADINGS, outermost, plain, text_of, with_class
from conqret.scrapers.markup import BLOCKS

COLUMN = "arguments-column-{side}"
CONTAINER = "argument-container"
SIDE_NUMBER = re.compile(
    r"(pro|con)(?:\s++argument)?+\s*+(?:#\s*+)?([0-9]{1,2})\s*+(?:[:.)–—-]++\s*+|$)(.*)", re.IGNORECASE
)
"""A heading such as "Pro 2" or "Con 1: It costs too much": side, number, and the rest."""
_NO_PARAGRAPH = re.compile(r"(?:\W*(?:read|show|see)\s+(?:more|less)\W*|back to top|\W*)", re.IGNORECASE)
_SECTION = re.compile(
    r"(?:discussion\s+questions|take\s+action|sources|footnotes|references|notes|did\s+you\s+know\??|"
    r"pros?\s*(?:and|&|/)\s*cons?(?:\s+arguments)?|(?:top\s+)?arguments|pros?|cons?|related\s+.*)\s*:?",
    re.IGNORECASE,
)
PARAGRAPHS = ("p", "li", "blockquote", "pre", "dd")
FURNITURE = ("nav", "aside", "form")
TABLES_TOO = (*FURNITURE, "table")


def columns(page: DebatePage, side: str) -> list[HtmlElement]:
    """The columns of one side (``"pro"`` or ``"con"``); some pages have one for each row of arguments."""
    return outermost(with_class(page.root, COLUMN.format(side=side)))


def column_arguments(page: DebatePage, side: str) -> tuple[DebateArgument, ...]:
    """The arguments in the columns of one side, a ``div.argument-container`` each."""
    return tuple(
        argument
        for column in columns(page, side)
        for container in outermost(with_class(column, CONTAINER))
        if (argument := block_argument(container)) is not None
    )


def block_argument(block: HtmlElement) -> DebateArgument | None:
    """One argument that has a block of its own: its ``h4`` (or next best heading) and its paragraphs."""
    heading = _title_element(block)
    title = text_of(heading) if heading is not None else ""
    paragraphs = tuple(
        text
        for element, text in blocks(block, PARAGRAPHS, whole=("p", "pre"), without=TABLES_TOO)
        if heading not in element.iterancestors() and not _NO_PARAGRAPH.fullmatch(text)
    )
    if not paragraphs:
        bare = text_of(block).removeprefix(title).strip()
        paragraphs = (bare,) if bare and not _is_heading_text(bare) else ()
    number = SIDE_NUMBER.fullmatch(title)
    title = number[3].strip() or title if number else title
    return DebateArgument(title=title, paragraphs=paragraphs) if title or paragraphs else None


def introduction(page: DebatePage, before: HtmlElement | None) -> str:
    """The paragraphs of the page's content up to its first section or argument, parted by blank lines.

    ``before`` is the first element of the arguments. Paragraphs that lie deeper are taken only where the
    content has none of its own.
    """
    # ``div.entry-content`` of WordPress; the whole page where there is none
    content = next(with_class(page.root, "entry-content", "div", "article", "section", "main"), page.root)
    paragraphs: list[str] = []
    deeper: list[str] = []
    for element, text in blocks(content, ("p", *HEADINGS), until=before):
        if is_section(text):
            break
        if element.tag == "p":
            (paragraphs if element.getparent() is content else deeper).append(text)
    return "\n\n".join(text for text in paragraphs or deeper if not _NO_PARAGRAPH.fullmatch(text))


def blocks(
    root: HtmlElement,
    tags: Collection[str],
    *,
    whole: Collection[str] = (),
    without: Collection[str] = FURNITURE,
    until: HtmlElement | None = None,
) -> Iterator[tuple[HtmlElement, str]]:
    """The elements with one of ``tags`` that hold text, and their texts, in order and none within another.

    One that holds paragraphs gives way to them, unless its tag is among ``whole``. Elements with a tag of
    ``without`` are passed over with all that is in them; the element ``until`` ends it.
    """
    covered: set[HtmlElement] = set()
    for element in root.iterdescendants("*"):
        if element is until:
            return
        if element.getparent() in covered or element.tag in without:
            covered.add(element)
        elif element.tag in tags and (
            element.tag in whole or next(element.iterdescendants("p"), None) is None
        ):
            covered.add(element)
            if text := text_of(element):
                yield element, text


def is_section(text: str) -> bool:
    """Whether a heading begins another part of the page ("Sources", "Discussion Questions")."""
    return _SECTION.fullmatch(text) is not None


def first_of(elements: Iterable[HtmlElement], page: DebatePage) -> HtmlElement | None:
    """The element that stands first on the page."""
    wanted = set(elements)
    return next((element for element in page.root.iter() if element in wanted), None) if wanted else None


def _title_element(block: HtmlElement) -> HtmlElement | None:
    for tag in ("h4", "h3", "h5", "h2", "h6", "strong", "b"):
        for element in block.iter(tag):
            text = text_of(element)
            if text and not _is_heading_text(text) and (tag not in ("strong", "b") or _stands_alone(element)):
                return element
    return None


def _stands_alone(element: HtmlElement) -> bool:
    parent = element.getparent()
    return len(parent) == 1 and not f"{parent.text or ''}{element.tail or ''}".strip()


def _is_heading_text(text: str) -> bool:
    number = SIDE_NUMBER.fullmatch(text)
    return number is not None and not number[3].strip()


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page: its text without markup, the links in it, and the block that it stands in."""

    text: str
    links: tuple[str, ...]
    block: HtmlElement

    @property
    def level(self) -> int:
        """1 to 6 for the text of a heading, else 0."""
        return int(self.block.tag[1]) if self.block.tag in HEADINGS else 0


def lines(root: HtmlElement, without: Collection[str] = TABLES_TOO) -> Iterator[PageLine]:
    """The lines under ``root`` that hold text, in order; elements with a tag of ``without`` are passed over."""
    texts: list[str] = []
    links: list[str] = []
    within = [root]

    def taken() -> Iterator[PageLine]:
        if text := plain("".join(texts)):
            yield PageLine(text, tuple(links), within[-1])
        texts.clear()
        links.clear()

    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        ends = node.tag in BLOCKS or node is root
        if ends:
            yield from taken()
        if event == "start":
            if ends and node.tag != "br" and node is not root:
                within.append(node)
            if node.tag in without and node is not root:
                walk.skip_subtree()
                continue
            if node.tag == "a":
                links.append(node.get("href") or "")
            texts.append(node.text or "")
        else:
            if node is within[-1] and node is not root:
                within.pop()
            if node is not root:
                texts.append(node.tail or "")
