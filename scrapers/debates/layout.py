"""What a layout is: the one thing to write for a new site (docs/adding-a-debate-site.md has a worked example)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from lxml.html import HtmlElement

from conqret.data.debate import DebateArgument, Source
from conqret.scrapers.debates.html import has_class, parse, text_of, with_class
from conqret.scrapers.debates.question import MAX_TITLE, choose_question

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(frozen=True, slots=True)
class Page:
    """A debate page: its address, its root element, and the HTML of its page of footnotes, if it has one.

    ``footnotes`` is empty where there is none, or where it was not fetched.
    """

    url: str
    root: HtmlElement
    footnotes: str = ""

    @classmethod
    def read(cls, html: str, url: str, footnotes: str = "") -> Page:
        """Parse a page.

        Raises:
            UnreadableHtmlError: see :func:`conqret.scrapers.debates.html.parse`.
        """
        return cls(url, parse(html), footnotes)

    def link(self, href: str) -> str:
        """The absolute address of a link on the page; empty for what is no address at all."""
        try:
            return urljoin(self.url, href.strip())
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class DebateParts:
    """What a layout reads off a page. Whatever it does not find stays empty, and is reported as missing."""

    title: str
    question: str
    introduction: str
    pros: tuple[DebateArgument, ...]
    cons: tuple[DebateArgument, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which debate pages are laid out. Both functions are pure: the same page, the same answer.

    ``name`` is kept with every debate that it reads (``"procon-classic"``), ``fits`` says whether a page is laid out
    so (cheap, and true for no other site's pages), and ``read`` reads it, and never raises for what is missing.
    """

    name: str
    fits: Callable[[Page], bool]
    read: Callable[[Page], DebateParts]


def page_title(page: Page, headings: Sequence[str]) -> str:
    """The first heading given, else the document's ``<title>``."""
    return headings[0] if headings else document_title(page)


def page_question(page: Page, headings: Sequence[str]) -> str:
    """What the page asks: looked for in the headings given, then in the document's ``<title>``."""
    return choose_question([*headings, document_title(page)])


def main_headings(page: Page, *classes: str) -> list[str]:
    """Texts of the headings with one of ``classes``, in the order of the classes, then of all ``h1``.

    ProCon shows the question of some pages as a picture only; its ``alt`` text counts as a heading.
    """
    found = [text_of(element) for name in classes for element in with_class(page.root, name, *HEADINGS)]
    found += [text_of(element) for element in page.root.iter("h1")]
    for box in page.root.iter("div"):
        if "topic-question-image-wrapper" in (box.get("id"), *(box.get("class") or "").split()):
            found += [picture.get("alt") or "" for picture in (box, *box.iter("img"))]
            break
    return list(dict.fromkeys(text for one in found if (text := one.strip()[:MAX_TITLE])))


def document_title(page: Page) -> str:
    """The text of the page's ``<title>``, on one line."""
    for element in page.root.iter("title"):
        return " ".join((element.text or "").split())[:MAX_TITLE]
    return ""


def entry_content(page: Page) -> HtmlElement:
    """The ``div.entry-content`` of a WordPress page; the whole page where there is none."""
    for element in page.root.iter("div", "article", "section", "main"):
        if has_class(element, "entry-content"):
            return element
    return page.root
