"""What a layout is: the one thing to write for a new site (docs/adding-a-debate-site.md has a worked example)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin

from lxml.html import HtmlElement

from conqret.data.item import DebateArgument, Source
from conqret.scrapers import markup

MAX_PAGE = 8 * 2**20
"""Characters of a debate page that are read; the longest of ProCon's were under half a million."""
OPENED_BY_CLICK = re.compile(r"collaps|accordion|expand|toggle|read-?more|more-|panel|tab-|argument")
"""In the class of a part that a click opens."""
_FOOTNOTE_LINK = re.compile(r"#[^#\n]*\d$")
_BARE_NUMBER = re.compile(r"\A\s*+[\[(]?+\s*+([0-9]{1,4})\s*+[\])]?+\s*+")
_TAG = re.compile(r"<!--[^<>]*-->|<[/!?]?[A-Za-z][^<>]*>")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT_TAG = re.compile(r"<(/?)(script|style)\b", re.IGNORECASE)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")


class UnreadableHtmlError(ValueError):
    """The page is no HTML that can be read whole; the message says why."""


def parse(html: str) -> HtmlElement:
    """Return the root element of a page as its readers see it: no scripts, no hidden parts, no archive's frame.

    Footnote links without brackets (``<sup><a href="#fn3">3</a></sup>``) become marks (``[3]``). A hidden part that the
    heading of the page stands in is the page, which a script shows in the end.

    Raises:
        UnreadableHtmlError: it is empty, longer than :data:`MAX_PAGE`, or nested deeper than the parser goes.
    """
    if len(html) > MAX_PAGE:
        raise UnreadableHtmlError(f"the page has {len(html):,} characters, over the limit of {MAX_PAGE:,}")
    root, cut_off = markup.parse(html)
    if root is None:
        raise UnreadableHtmlError("the page is empty")
    if cut_off:
        raise UnreadableHtmlError("the page is nested so deeply that its end cannot be read")
    for element in [box for box in root.iter("div") if _FRAME.fullmatch(box.get("id") or "")]:
        markup.empty(element)
    for element in markup.unseen(root, OPENED_BY_CLICK):
        if next(element.iterdescendants("h1"), None) is None:
            markup.empty(element)
    for form in list(root.iter("form")):
        if next(form.iterdescendants("h1", "h2", "h3", "h4", "table"), None) is None:
            markup.empty(form)
    for element in list(root.iter("sup", "a")):
        if mark := _footnote_mark(element):
            element[:] = []
            element.text = mark
    return root


def text_of(element: HtmlElement) -> str:
    """The running text of an element on one line, without markup."""
    return plain(markup.running_text(element))


def plain(text: str) -> str:
    """``text`` on one line without control characters and without anything that is, or looks like, a tag."""
    if "<" in text:
        text = _TAG_START.sub("< ", _TAG.sub(" ", _without_scripts(text)))
    return " ".join(_INVISIBLE.sub("", markup.NOT_XML.sub(" ", text)).split())


def has_class(element: HtmlElement, name: str) -> bool:
    """Whether ``name`` is one of the element's classes."""
    return name in (element.get("class") or "").split()


def with_class(root: HtmlElement, name: str, *tags: str) -> Iterator[HtmlElement]:
    """The elements under ``root`` (itself included) that have the class, in document order."""
    return (element for element in root.iter(*tags) if has_class(element, name))


def outermost(elements: Iterator[HtmlElement]) -> list[HtmlElement]:
    """Those of ``elements`` (in document order) that lie in no other of them."""
    outer: dict[HtmlElement, None] = {}
    for element in elements:
        if not any(ancestor in outer for ancestor in element.iterancestors()):
            outer[element] = None
    return list(outer)


def _footnote_mark(element: HtmlElement) -> str:
    """The mark that a footnote link stands for; empty for what is none, or has its brackets around it."""
    if element.tag not in ("sup", "a") or len(element) > 1:
        return ""
    link = element if element.tag == "a" else (element[0] if len(element) else None)
    if link is None or link.tag != "a" or len(link) or not _FOOTNOTE_LINK.search(link.get("href") or ""):
        return ""
    inside = (element.text or "") + ((link.text or "") + (link.tail or "") if link is not element else "")
    number = _BARE_NUMBER.fullmatch(inside)
    if number is None:
        return ""
    before = element.getprevious()
    text_before = (before.tail if before is not None else getattr(element.getparent(), "text", "")) or ""
    bracketed = text_before.rstrip().endswith(("[", ",", ";")) or "[" in inside
    return f"[{number[1]}]" if not bracketed or "[" in inside else number[1]


def _without_scripts(text: str) -> str:
    """``text`` without what stands between a written ``<script>`` and its end, in one pass."""
    kept, start, open_tag = [], 0, ""
    for tag in _SCRIPT_TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2].lower()
        if not open_tag and not closing:
            kept.append(text[start : tag.start()])
            open_tag = name
        elif closing and name == open_tag:
            start, open_tag = tag.start(), ""
    return "".join(kept) + ("" if open_tag else text[start:])


_SNAPSHOT = re.compile(
    r"(https?://[^/\s]+(?:/[^/\s]+)?/web/)"
    r"(?:([0-9]{4,14})(?:[a-z]{2}_)?/(https?:/{1,2}[^/\s].*)|([0-9]{14})(?:[a-z]{2}_)?/([^/\s]+\.[^/\s]+.*))",
    re.DOTALL,
)
"""Without a scheme, only after a whole stamp: ``/web/2024/report.html`` is a page of any site."""
_SCHEME = re.compile(r"(https?):/{1,2}")
_FRAME = re.compile(r"wm-ipp(?:-base|-print)?|wm-toolbar|donato|donato-base|wm-capinfo")
"""Ids of what the archive adds to a page: its toolbar, its call for gifts, its line for printers."""


class Snapshot(NamedTuple):
    """A snapshot's address in its parts: the archive's place, the stamp (``20240601000000``), and the page's own."""

    place: str
    stamp: str
    original: str

    @property
    def day(self) -> str:
        """The day of the snapshot, as ``2024-06-01``, as far as the stamp has it."""
        return "-".join(filter(None, (self.stamp[:4], self.stamp[4:6], self.stamp[6:8])))

    @property
    def plain(self) -> str:
        """The address at which the page comes as it was, without frame and rewritten links."""
        return f"{self.place}{self.stamp}id_/{self.original}"


def snapshot_of(url: str) -> Snapshot | None:
    """The parts of a snapshot's address; None if ``url`` is none."""
    match = _SNAPSHOT.fullmatch(url)
    if match is None:
        return None
    place, stamp, original = filter(None, match.groups())
    scheme = _SCHEME.match(original)
    bare = original[scheme.end() :] if scheme else original
    return Snapshot(place, stamp, f"{scheme[1] if scheme else 'http'}://{bare}")


def original_address(url: str) -> str:
    """The page's own address, where ``url`` is that of a snapshot; else ``url`` as it is."""
    snapshot = snapshot_of(url)
    return url if snapshot is None else snapshot.original


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
            UnreadableHtmlError: see :func:`conqret.scrapers.debates.layout.parse`.
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
