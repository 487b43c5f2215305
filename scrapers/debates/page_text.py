"""Parse a debate page as readers see it (:func:`parse`): its tree without what is hidden, and the texts of
its elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from conqret.scrapers import markup

MAX_PAGE = 8 * 2**20
"""The most characters of a debate page; the longest of ProCon's had under half a million."""
OPENED_BY_CLICK = re.compile(r"collaps|accordion|expand|toggle|read-?more|more-|panel|tab-|argument")
"""Matches the class of a part that a click opens, and which thus counts as visible."""
_FOOTNOTE_LINK = re.compile(r"#[^#\n]*\d$")
_BARE_NUMBER = re.compile(r"\A\s*+[\[(]?+\s*+([0-9]{1,4})\s*+[\])]?+\s*+")
_TAG = re.compile(r"<!--[^<>]*-->|<[/!?]?[A-Za-z][^<>]*>")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT_TAG = re.compile(r"<(/?)(script|style)\b", re.IGNORECASE)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")
_FRAME = re.compile(r"wm-ipp(?:-base|-print)?|wm-toolbar|donato|donato-base|wm-capinfo")
"""Ids of what the archive adds to a page: its toolbar, its call for gifts, its line for printers."""
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


class UnreadableHtmlError(ValueError):
    """An error for HTML that cannot be read completely; the message says why."""


def parse(html: str) -> HtmlElement:
    """Parse a page and return its root element with what readers see: no scripts, hidden parts or archive's
    frame, and no forms (unless they contain a heading or a table).

    Footnote links without brackets (``<sup><a href="#fn3">3</a></sup>``) become citation marks (``[3]``).
    A hidden part that contains the page's heading is kept, as a script shows it.

    Raises:
        UnreadableHtmlError: the page is empty, longer than :data:`MAX_PAGE`, or nested too deeply.
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
    """Return the text of an element on one line, without markup."""
    return plain(markup.running_text(element))


def plain(text: str) -> str:
    """Return ``text`` on one line, without control characters and anything that looks like a tag; a lone
    ``<`` stays."""
    if "<" in text:
        text = _TAG_START.sub("< ", _TAG.sub(" ", _without_scripts(text)))
    return " ".join(_INVISIBLE.sub("", markup.NOT_XML.sub(" ", text)).split())


def has_class(element: HtmlElement, name: str) -> bool:
    """Return True if ``name`` is one of the element's classes."""
    return name in (element.get("class") or "").split()


def with_class(root: HtmlElement, name: str, *tags: str) -> Iterator[HtmlElement]:
    """Return an iterator over the elements in ``root`` (included) with the class, in document order."""
    return (element for element in root.iter(*tags) if has_class(element, name))


def outermost(elements: Iterator[HtmlElement]) -> list[HtmlElement]:
    """Return those of ``elements`` (in document order) that are not inside another one."""
    outer: dict[HtmlElement, None] = {}
    for element in elements:
        if not any(ancestor in outer for ancestor in element.iterancestors()):
            outer[element] = None
    return list(outer)


def _footnote_mark(element: HtmlElement) -> str:
    """Return the mark that a footnote link stands for, such as ``[3]``; only its number if brackets stand around the
    link already; empty if the element is no such link."""
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
    """Return ``text`` without what stands between a written ``<script>`` tag (or one of its kind) and its end; without
    an end, to the end of the text."""
    kept, start, open_tag = [], 0, ""
    for tag in _SCRIPT_TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2].lower()
        if not open_tag and not closing:
            kept.append(text[start : tag.start()])
            open_tag = name
        elif closing and name == open_tag:
            start, open_tag = tag.start(), ""
    return "".join(kept) + ("" if open_tag else text[start:])
