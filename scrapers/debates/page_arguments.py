"""Read title, question, arguments, paragraphs and introduction of a debate page: what layouts have in
common.

A part of a page is read as lines, too, the text of each block or line of a block, with its links, for sites that mark
the beginning of something by what it says ("Pro 1: …", "COUNTERPOINT", "[12] …") rather than by an element of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from conqret.data.corpus import DebateArgument, Source
from conqret.scrapers.debates.layout import DebatePage, DebateParts
from conqret.scrapers.debates.page_text import HEADINGS, outermost, plain, text_of, with_class
from conqret.scrapers.markup import BLOCKS

_ASKS = re.compile(
    r"(?:should|shall|is|are|was|were|do|does|did|can|could|will|would|has|have|had|may|must|ought|"
    r"who|what|when|where|why|which|how)\b",
    re.IGNORECASE,
)
_SITE = re.compile(  # it begins where nothing longer could: so each place is tried once
    r"(?:(?<!\s)\s*+(?:[|–—]\s*+|-(?:\s++|(?=www\.)))|(?<!\s)\s++|(?<![\sA-Za-z0-9-])|(?=www\.))"
    r"(?:www\.)?[A-Za-z0-9-]++\.(?:org|com|net)\s*+$"
)
_COUNT = r"(?:the\s++)?+(?:top\s++)?+(?:[0-9]{1,2}\s++)?+"
_SIDES = r"(?:pros?\s*+(?:and|&|/|vs\.?)\s*+cons?|arguments?\s++for\s++and\s++against)(?:\s++arguments?)?"
_SUFFIX = re.compile(rf"(?<!\s)\s*+(?:[|–—:-]\s*+)?+{_COUNT}{_SIDES}\s*+$", re.IGNORECASE)
TOP_N = re.compile(r"\btop\s+[0-9]{1,2}\s+pros?\s*(?:and|&)\s*cons?\b", re.IGNORECASE)
"""Matches the title of a headline page."""


MAX_TITLE = 400
"""The most characters of a heading."""


def choose_question(candidates: Sequence[str]) -> str:
    """Return the first candidate that is a question, or else the first with letters, without the site's
    suffix.

    ``choose_question(["Vaping – Top 3 Pros and Cons", "Is Vaping Safe? Top 3 Pros and Cons"])`` is ``"Is
    Vaping Safe?"``. The result is empty if no candidate has a letter.
    """
    names = [name for candidate in candidates if any(map(str.isalpha, name := bare_title(candidate)))]
    marked = [name for name in names if name.endswith("?")]
    asking = [name for name in names if _ASKS.match(name)]
    return next(iter([*(name for name in marked if name in asking), *marked, *asking, *names]), "")


def bare_title(title: str) -> str:
    """Return a title without the site's name and "Top 3 Pros and Cons"; a question ends at its question mark."""
    name = _SITE.sub("", title.strip()[:MAX_TITLE])
    question, mark, rest = name.partition("?")
    if mark and (not rest.strip() or _SUFFIX.fullmatch(rest) or _SUFFIX.fullmatch(" " + rest)):
        return question.strip() + "?"
    return _SUFFIX.sub("", name).strip() or name


def page_title(page: DebatePage, headings: Sequence[str]) -> str:
    """Return the first heading, or the document's ``<title>`` if there are none."""
    return headings[0] if headings else document_title(page)


def page_question(page: DebatePage, headings: Sequence[str]) -> str:
    """Return the question of the page, from the headings or the document's ``<title>``."""
    return choose_question([*headings, document_title(page)])


def main_headings(page: DebatePage, *classes: str) -> list[str]:
    """Return the texts of the headings with one of ``classes``, in the order of the classes, then of all
    ``h1``; without duplicates and empty ones.

    ProCon shows some questions only as a picture, whose ``alt`` text counts as a heading.
    """
    headings = [text_of(element) for name in classes for element in with_class(page.root, name, *HEADINGS)]
    headings += [text_of(element) for element in page.root.iter("h1")]
    for box in page.root.iter("div"):
        if "topic-question-image-wrapper" in (box.get("id"), *(box.get("class") or "").split()):
            headings += [picture.get("alt") or "" for picture in (box, *box.iter("img"))]
            break
    return list(dict.fromkeys(text for heading in headings if (text := heading.strip()[:MAX_TITLE])))


def document_title(page: DebatePage) -> str:
    """Return the text of the page's ``<title>`` on one line, or an empty string."""
    titles = (" ".join((element.text or "").split())[:MAX_TITLE] for element in page.root.iter("title"))
    return next(titles, "")


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
    """Return the column elements of one side (``"pro"`` or ``"con"``); some pages have one per row of
    arguments.
    """
    return outermost(with_class(page.root, COLUMN.format(side=side)))


def column_arguments(page: DebatePage, side: str) -> tuple[DebateArgument, ...]:
    """Return the arguments in the columns of one side, one for each ``div.argument-container``."""
    return tuple(
        argument
        for column in columns(page, side)
        for container in outermost(with_class(column, CONTAINER))
        if (argument := block_argument(container)) is not None
    )


def column_parts(
    page: DebatePage, headings: list[str], titles: list[str], sources: tuple[Source, ...]
) -> DebateParts:
    """Return the parts of a page with a column for each side, and with these sources."""
    first = first_of((*columns(page, "pro"), *columns(page, "con")), page)
    return DebateParts(
        title=page_title(page, titles),
        question=page_question(page, headings),
        introduction=introduction(page, first),
        pros=column_arguments(page, "pro"),
        cons=column_arguments(page, "con"),
        sources=sources,
    )


def block_argument(block: HtmlElement) -> DebateArgument | None:
    """Return the argument in an element: its heading (``h4`` or the next best) and its paragraphs; None if it
    is empty.
    """
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
    """Return the paragraphs of the page's content before its first section or argument, separated by blank
    lines.

    ``before`` is the first element of the arguments. Nested paragraphs are used only if the content has no
    direct ones.
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
    """Yield elements with one of ``tags`` and their texts, in document order, without nesting; empty ones are
    skipped.

    Args:
        root: the element to search.
        tags: the tags to yield.
        whole: tags whose elements are yielded even if they contain paragraphs; other elements give way
            to these.
        without: tags whose elements are skipped with all their content.
        until: the element at which to stop.
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
    """Return True if a heading begins another section of the page ("Sources", "Discussion Questions")."""
    return _SECTION.fullmatch(text) is not None


def first_of(elements: Iterable[HtmlElement], page: DebatePage) -> HtmlElement | None:
    """Return the one of ``elements`` that comes first on the page; None if there is none."""
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
    """One line of a page: its text without markup, its links, and the block element that contains it."""

    text: str
    links: tuple[str, ...]
    block: HtmlElement

    @property
    def level(self) -> int:
        """The heading level, 1 to 6; 0 if the line is not a heading."""
        return int(self.block.tag[1]) if self.block.tag in HEADINGS else 0


def lines(root: HtmlElement, without: Collection[str] = TABLES_TOO) -> Iterator[PageLine]:
    """Yield the non-empty lines in ``root``, in order; elements with a tag of ``without`` are skipped."""
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
