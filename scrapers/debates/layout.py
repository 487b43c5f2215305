"""What a layout is: the one thing to write for a new site (docs/adding-a-debate-site.md has a worked example)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from lxml.html import HtmlElement

from conqret.data.item import DebateArgument, Source
from conqret.scrapers.debates.page_html import (
    UnreadableHtmlError,
    original_address,
    parse,
    text_of,
    with_class,
)

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


HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
NONE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class DebatePage:
    """A debate page: its address, its root element, and the further pages that belong to it, as far as there are any.

    A page of footnotes is such a page, and so is that of the other side where each side has its own.
    """

    url: str
    root: HtmlElement
    further: tuple[DebatePage, ...] = ()

    @classmethod
    def read(cls, html: str, url: str, further: Mapping[str, str] = NONE) -> DebatePage:
        """Parse a page, and those that belong to it (by their addresses), as far as they can be read.

        Raises:
            UnreadableHtmlError: see :func:`conqret.scrapers.debates.page_html.parse`.
        """
        root, others = parse(html), []
        for address, text in further.items():
            with contextlib.suppress(UnreadableHtmlError):
                others.append(cls(address, parse(text)))
        return cls(url, root, tuple(others))

    def link(self, href: str) -> str:
        """The absolute address of a link on the page; empty for what is no address at all."""
        try:
            return original_address(urljoin(self.url, href.strip()))
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class DebateParts:
    """What a layout reads off a page. Whatever it does not find stays empty, and is reported as missing.

    ``remarks`` are sentences that explain what is missing ("an explainer, which takes no side"); they are shown only
    where something is.
    """

    title: str
    question: str
    introduction: str
    pros: tuple[DebateArgument, ...]
    cons: tuple[DebateArgument, ...]
    sources: tuple[Source, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedDebate:
    """A debate page that an index lists: its address, and the heading under which it stands there.

    ``sides`` is False for a page that explains its topic and takes no side.
    """

    url: str
    heading: str = ""
    sides: bool = True


@dataclass(frozen=True, slots=True)
class PageIndex:
    """What an index page lists, and the addresses of the index pages that it leads to (categories, next pages)."""

    debates: tuple[ListedDebate, ...] = ()
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selector:
    """Elements with a tag and a class, which hold one ``part`` of a debate ("pros", "question" …).

    With ``begins``, a class that begins with ``name`` is enough. Written ``section.pro``, ``div.topic-identifier…``.
    """

    part: str
    tag: str
    name: str
    begins: bool = False

    def __str__(self) -> str:
        return f"{self.tag}.{self.name}{'…' if self.begins else ''}"

    def matches(self, element: HtmlElement) -> bool:
        """Whether the element is one of these."""
        return element.tag == self.tag and any(
            name == self.name or (self.begins and name.startswith(self.name))
            for name in (element.get("class") or "").split()
        )

    def find(self, root: HtmlElement) -> Iterator[HtmlElement]:
        """These elements under ``root`` (itself included), in document order."""
        return (element for element in root.iter(self.tag) if self.matches(element))


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which debate pages are laid out. Its functions are pure: the same page, the same answer.

    ``name`` is kept with every debate that it reads (``"procon-classic"``), ``fits`` says whether a page is laid out
    so (cheap, and true for no other site's pages), and ``read`` reads it, and never raises for what is missing.
    ``wants`` gives the addresses of the further pages that a page needs, ``index`` the debates that an index of the
    site lists, and ``selectors`` the elements that the layout looks for, for messages and ``conqret corpus inspect``.
    """

    name: str
    fits: Callable[[DebatePage], bool]
    read: Callable[[DebatePage], DebateParts]
    wants: Callable[[DebatePage], tuple[str, ...]] = lambda page: ()
    index: Callable[[DebatePage], PageIndex] = lambda page: PageIndex()
    selectors: tuple[Selector, ...] = ()


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


def entry_content(page: DebatePage) -> HtmlElement:
    """The ``div.entry-content`` of a WordPress page; the whole page where there is none."""
    return next(with_class(page.root, "entry-content", "div", "article", "section", "main"), page.root)
