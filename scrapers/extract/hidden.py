"""Parts of a page that its readers do not see: scripts, and text that a style hides."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

NOT_TEXT = (
    "script style noscript template iframe object embed applet svg canvas audio video map select textarea button"
).split()
"""Elements whose content is no text of the page."""
MAX_STYLE = 500_000
"""Characters of style sheets that are read for rules that hide something."""

_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|font-size:0(?:[a-z%]{0,3})(?:;|!|$)|"
    r"opacity:0(?:\.0+)?%?(?:;|!|$)|text-indent:-\d{3,}|clip-path:inset\((?:50|100)%|clip:rect\((?:0|1px)|"
    r"(?:left|right|top|bottom):-\d{4,}|(?:max-)?(?:width|height):0(?:px)?(?:;.*)?overflow:hidden|"
    r"transform:scale\(0\)"
)
_SIMPLE = re.compile(r"([a-zA-Z][a-zA-Z0-9]*)?([.#])(-?[_a-zA-Z][\w-]*)$")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BLANK = re.compile(r"\s+")


def remove_hidden(root: HtmlElement) -> None:
    """Remove from the tree what is no text and what its readers do not see.

    Seen as hidden: ``hidden``, a closed ``<dialog>``, an inline style that hides, and classes and ids that a
    style sheet in the page hides with a simple selector. Not seen: styles from other files or from scripts,
    and text in the colour of its ground.
    """
    classes, ids = _hiding_selectors(root)
    doomed = [element for element in root.iter() if _is_hidden(element, classes, ids)]
    for element in doomed:
        if element is not root and element.getparent() is not None:
            element.drop_tree()


def _is_hidden(element: HtmlElement, classes: frozenset[str], ids: frozenset[str]) -> bool:
    if not isinstance(element.tag, str):
        return True  # comments and processing instructions
    if element.tag in ("html", "body"):
        return False
    if element.tag in NOT_TEXT or "hidden" in element.attrib:
        return True
    if element.tag == "dialog" and "open" not in element.attrib:
        return True
    style = element.get("style")
    if style and _hides(style):
        return True
    if ids and element.get("id") in ids:
        return True
    return bool(classes) and not classes.isdisjoint((element.get("class") or "").split())


def _hides(style: str) -> bool:
    return _HIDING.search(_BLANK.sub("", style[:2_000]).lower()) is not None


def _hiding_selectors(root: HtmlElement) -> tuple[frozenset[str], frozenset[str]]:
    classes: set[str] = set()
    ids: set[str] = set()
    sheet = "\n".join(element.text or "" for element in root.iter("style"))[:MAX_STYLE]
    for selectors, body in _rules(_COMMENT.sub("", sheet)):
        if not _hides(body):
            continue
        for selector in selectors.split(","):
            found = _SIMPLE.match(selector.strip())
            if found:
                (classes if found.group(2) == "." else ids).add(found.group(3))
    return frozenset(classes), frozenset(ids)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Selector list and declarations of each rule that stands outside of any at-rule (print styles, say)."""
    depth, start, selectors = 0, 0, ""
    for found in re.finditer(r"[{};]", sheet):
        mark, place = found.group(), found.start()
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
