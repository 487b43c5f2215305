"""What layouts read a page with: its tree, its running text, elements by class; and pages out of the Internet Archive,
whose addresses it rewrote, and around which it puts a frame.

A snapshot's address is ``https://web.archive.org/web/20240601000000/https://www.procon.org/zoos/``; with ``id_`` after
the stamp the page comes as it was, else with the archive's toolbar, and with its links turned into such addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml.html import HtmlElement

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
    without_frame(root)
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


def without_frame(root: HtmlElement) -> None:
    """Empty the elements that the archive has added to a page."""
    for element in list(root.iter("div")):
        if _FRAME.fullmatch(element.get("id") or ""):
            markup.empty(element)
