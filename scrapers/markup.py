"""Parse web pages as trees, remove what readers do not see, and return running text.

The parser is lxml's: the extra "scrape" has it already (trafilatura, which extracts the evidence, is built on
it), it mends broken markup in time linear to the page, and it stops at a depth of 256 instead of exhausting
the stack. That stop is reported, because it cuts the page off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree
from lxml.html import HtmlElement, HTMLParser

NO_TEXT = (
    "script style noscript template iframe object embed applet svg canvas audio video map select textarea button"
).split()
"""Elements whose content is no text of the page."""
BLOCKS = frozenset(
    "address article aside blockquote br caption dd div dl dt fieldset figcaption figure footer h1 h2 h3 h4 "
    "h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul".split()
)
"""Elements that end the word before them; others (``b``, ``a``) may stand inside a word."""
MAX_STYLE = 500_000
"""The most characters of style sheets that are searched for rules that hide something."""
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that a tree cannot hold."""

_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|font-size:0(?:[a-z%]{0,3})(?:;|!|$)|"
    r"opacity:0(?:\.0+)?%?(?:;|!|$)|text-indent:-\d{3,}|clip-path:inset\((?:50|100)%|clip:rect\((?:0|1px)|"
    r"(?:left|right|top|bottom):-\d{4,}|(?:max-)?(?:width|height):0(?:px)?(?:;(?:(?!(?:width|height):0(?:px)?;).)*?)?overflow:hidden|"
    r"transform:scale\(0\)"
)
_SIMPLE = re.compile(r"\A([a-zA-Z][a-zA-Z0-9]*+)?([.#])(-?[_a-zA-Z][\w-]*+)$")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # as browsers read one without an end
_BLANK = re.compile(r"\s+")


def parse(markup: str) -> tuple[HtmlElement | None, bool]:
    """Parse HTML and return its root element (None if it is empty), and True if it was nested too deeply to
    be complete.

    Only HTML's own entities are expanded, nothing is fetched, and comments are dropped.
    """
    data = NOT_XML.sub(" ", markup).encode("utf-8")
    parser = HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False, no_network=True
    )
    try:
        root = etree.fromstring(data, parser) if data.strip() else None
    except etree.XMLSyntaxError:
        root = None
    return root, any("depth" in entry.message for entry in parser.error_log)


def running_text(element: HtmlElement, gap: str = " ") -> str:
    """Return the text of an element, with ``gap`` around each block element."""
    parts: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end")):
        parts.append(gap if node.tag in BLOCKS else "")
        if event == "start":
            parts.append(node.text or "")
        elif node is not element:
            parts.append(node.tail or "")
    return "".join(parts)


def empty(element: HtmlElement) -> None:
    """Remove an element's content, attributes and tag, leaving an empty ``span``.

    Removing the element itself would be slow, as neighboring texts have to be joined.
    """
    element.clear(keep_tail=True)
    element.tag = "span"


def unseen(root: HtmlElement, opened: re.Pattern[str] | None = None) -> list[HtmlElement]:
    """Return the elements that readers do not see or whose content is not text, in order.

    Hidden elements are found by ``hidden``, a closed ``<dialog>``, inline styles, and simple selectors in
    the page's own style sheets. Styles from other files or scripts and invisible text colors are not
    detected. With ``opened``, elements whose class it matches count as visible, and style sheets are
    ignored.
    """
    classes, ids = _hiding_selectors(root) if opened is None else (frozenset[str](), frozenset[str]())

    def is_unseen(element: HtmlElement) -> bool:
        named = element.get("class") or ""
        if element.tag in NO_TEXT or (element.tag == "dialog" and "open" not in element.attrib):
            return True
        if opened is not None and opened.search(named.lower()):
            return False
        return (
            "hidden" in element.attrib
            or hides(element.get("style") or "")
            or element.get("id") in ids
            or not classes.isdisjoint(named.split())
        )

    return [
        element for element in root.iter("*") if element.tag not in ("html", "body") and is_unseen(element)
    ]


def hides(style: str) -> bool:
    """Return True if the declarations of an inline style hide an element."""
    return bool(style) and _HIDING.search(_BLANK.sub("", style[:2_000]).lower()) is not None


def _hiding_selectors(root: HtmlElement) -> tuple[frozenset[str], frozenset[str]]:
    """Return the classes, and the ids, that the page's own style sheets hide by simple selectors."""
    hidden_names: dict[str, set[str]] = {".": set(), "#": set()}
    sheet = "\n".join(element.text or "" for element in root.iter("style"))[:MAX_STYLE]
    for selectors, body in _rules(_COMMENT.sub("", sheet)):
        simple = [_SIMPLE.match(selector.strip()) for selector in selectors.split(",")] if hides(body) else []
        for selector in filter(None, simple):
            hidden_names[selector[2]].add(selector[3])
    return frozenset(hidden_names["."]), frozenset(hidden_names["#"])


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield selector list and declarations of each rule of a style sheet; rules inside of an at-rule (such as
    print styles) are left out."""
    depth, start, selectors = 0, 0, ""
    for match in re.finditer(r"[{};]", sheet):
        mark, place = match.group(), match.start()
        if mark == "{":
            if depth == 0:
                selectors, start = sheet[start:place].strip(), place + 1
            depth += 1
        elif mark == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if not selectors.startswith("@"):
                    yield selectors, sheet[start:place]
                start = place + 1
        elif depth == 0:
            start = place + 1  # an at-rule without a block, such as @import
