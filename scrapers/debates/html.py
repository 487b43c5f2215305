"""HTML to an element tree and to plain text.

The parser is lxml's: the extra "scrape" has it already (trafilatura, which extracts the evidence, is built on
it), it mends broken markup in time linear to the page, and it stops at a depth of 256 instead of exhausting
the stack. That stop is reported, because it cuts the page off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree
from lxml.html import HtmlElement, HTMLParser

MAX_PAGE = 8 * 2**20
"""Characters of a debate page that are read; the longest of ProCon's were under half a million."""
NO_TEXT = frozenset(
    "script style noscript template svg math iframe object embed canvas audio video map head title "
    "button form select option textarea input".split()
)
"""Elements whose content is no running text."""
BLOCKS = frozenset(
    "address article aside blockquote br caption dd div dl dt fieldset figcaption figure footer h1 h2 h3 h4 "
    "h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul".split()
)
"""Elements that end the word before them; others (``b``, ``a``) may stand inside a word."""
_OPENED_BY_CLICK = re.compile(r"collaps|accordion|expand|toggle|read-?more|more-")
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_FOOTNOTE_LINK = re.compile(r"#.*?\d{1,4}$")
_BARE_NUMBER = re.compile(r"\s*[\[(]?\s*([0-9]{1,4})\s*[\])]?\s*")
_TAG = re.compile(r"<!--[^<>]*-->|<[/!?]?[A-Za-z][^<>]*>")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT_TAG = re.compile(r"<(/?)(script|style)\b", re.IGNORECASE)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")


class UnreadableHtmlError(ValueError):
    """The page is no HTML that can be read whole; the message says why."""


def parse(html: str) -> HtmlElement:
    """Return the root element of a page.

    Raises:
        UnreadableHtmlError: it is empty, longer than :data:`MAX_PAGE`, or nested deeper than the parser goes.
    """
    if len(html) > MAX_PAGE:
        raise UnreadableHtmlError(f"the page has {len(html):,} characters, over the limit of {MAX_PAGE:,}")
    data = _NOT_XML.sub(" ", html).encode("utf-8")
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser) if data.strip() else None
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise UnreadableHtmlError("the page is empty")
    if any("depth" in entry.message for entry in parser.error_log):
        raise UnreadableHtmlError("the page is nested so deeply that its end cannot be read")
    return root


def text_of(element: HtmlElement) -> str:
    """The running text of an element on one line: no scripts, no hidden parts, no markup.

    Footnote links without brackets (``<sup><a href="#fn3">3</a></sup>``) become marks (``[3]``).
    """
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            if node.tag in BLOCKS and node is not element:
                parts.append(" ")
            if node is not element:
                parts.append(node.tail or "")
            continue
        mark = _footnote_mark(node)
        if mark or node.tag in NO_TEXT or is_hidden(node):
            parts.append(mark)
            walk.skip_subtree()
            continue
        if node.tag in BLOCKS:
            parts.append(" ")
        parts.append(node.text or "")
    return plain("".join(parts))


def plain(text: str) -> str:
    """``text`` on one line without control characters and without anything that is, or looks like, a tag."""
    if "<" in text:
        text = _TAG_START.sub("< ", _TAG.sub(" ", _without_scripts(text)))
    return " ".join(_INVISIBLE.sub("", _NOT_XML.sub(" ", text)).split())


def is_hidden(element: HtmlElement) -> bool:
    """Whether a reader never sees the element; parts that a click opens are not hidden."""
    style, hidden = element.get("style"), element.get("hidden")
    if hidden is None and not (style and _HIDDEN_STYLE.search(style)):
        return False
    return not _OPENED_BY_CLICK.search((element.get("class") or "").lower())


def has_class(element: HtmlElement, name: str) -> bool:
    """Whether ``name`` is one of the element's classes."""
    return name in (element.get("class") or "").split()


def with_class(root: HtmlElement, name: str, *tags: str) -> Iterator[HtmlElement]:
    """The elements under ``root`` (itself included) that have the class, in document order."""
    return (element for element in root.iter(*tags) if has_class(element, name))


def outermost(elements: Iterator[HtmlElement]) -> list[HtmlElement]:
    """Those of ``elements`` (in document order) that lie in no other of them."""
    found: dict[HtmlElement, None] = {}
    for element in elements:
        if not any(one in found for one in element.iterancestors()):
            found[element] = None
    return list(found)


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
