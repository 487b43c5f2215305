"""Title and question of a debate page, its arguments, paragraphs and introduction: what layouts have in common.

A part of a page is read as lines, too, the text of each block or line of a block, with its links, for sites that mark
the beginning of something by what it says ("Pro 1: …", "COUNTERPOINT", "[12] …") rather than by an element of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from conqret.data.item import DebateArgument
from conqret.scrapers.debates.layout import DebatePage
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
"""What the title of a headline page says."""


MAX_TITLE = 400
"""Characters; no heading is longer."""


def choose_question(candidates: Sequence[str]) -> str:
    """The first candidate that asks something, else the first that is left once its suffix is gone.

    ``choose_question(["Vaping – Top 3 Pros and Cons", "Is Vaping Safe? Top 3 Pros and Cons"])`` is
    ``"Is Vaping Safe?"``. Empty if there is no candidate with a letter in it.
    """
    names = [name for candidate in candidates if any(map(str.isalpha, name := bare_title(candidate)))]
    marked = [name for name in names if name.endswith("?")]
    asking = [name for name in names if _ASKS.match(name)]
    return next(iter([*(name for name in marked if name in asking), *marked, *asking, *names]), "")


def bare_title(title: str) -> str:
    """A title without the site's name and without "Top 3 Pros and Cons"; a question ends at its mark."""
    name = _SITE.sub("", title.strip()[:MAX_TITLE])
    question, mark, rest = name.partition("?")
    if mark and (not rest.strip() or _SUFFIX.fullmatch(rest) or _SUFFIX.fullmatch(" " + rest)):
        return question.strip() + "?"
    return _SUFFIX.sub("", name).strip() or name


def page_title(page: DebatePage, headings: Sequence[str]) -> str:
    """The first heading given, else the document's ``<title>``."""
    return headings[0] if headings else document_title(page)


def page_question(page: DebatePage, headings: Sequence[str]) -> str:
    """What the page asks: looked for in the headings given, then in the document's ``<title>``."""
    return choose_question([*headings, document_title(page)])


def main_headings(page: DebatePage, *classes: str) -> list[str]:
    """Texts of the headings with one of ``classes``, in the order of the classes, then of all ``h1``.

    ProCon shows the question of some pages as a picture only; its ``alt`` text counts as a heading.
    """
    headings = [text_of(element) for name in classes for element in with_class(page.root, name, *HEADINGS)]
    headings += [text_of(element) for element in page.root.iter("h1")]
    for box in page.root.iter("div"):
        if "topic-question-image-wrapper" in (box.get("id"), *(box.get("class") or "").split()):
            headings += [picture.get("alt") or "" for picture in (box, *box.iter("img"))]
            break
    return list(dict.fromkeys(text for heading in headings if (text := heading.strip()[:MAX_TITLE])))


def document_title(page: DebatePage) -> str:
    """The text of the page's ``<title>``, on one line."""
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
