"""The main text of an HTML page."""

from __future__ import annotations

import lxml.html
from lxml.etree import LxmlError
from lxml.html import HtmlElement

from conqret.scrapers.extract.clean import MIN_WORDS, clean, words
from conqret.scrapers.extract.hidden import remove_hidden

MAX_HTML = 8_000_000
"""Characters of markup that are parsed; what follows is cut off."""
ENOUGH_WORDS = 25
"""Below this, the longest of trafilatura's text and the page's own main part is taken."""
_BLOCKS = frozenset(
    """p div h1 h2 h3 h4 h5 h6 li td th tr table blockquote pre section article main header footer aside br dd dt
    figcaption ul ol dl hr address""".split()
)
_FURNITURE = "nav header footer aside form menu".split()


def html_text(markup: str) -> tuple[str, str]:
    """Return title and main text of a page, both possibly empty.

    trafilatura finds the main text; where it finds next to nothing, the text of ``article``, ``main`` or
    ``body`` without navigation is taken. No entity beyond HTML's own is ever expanded, and nesting that is
    too deep is flattened by the parser.
    """
    root = _parse(markup[:MAX_HTML])
    if root is None:
        return "", ""
    title = _title(root)
    remove_hidden(root)
    for menu in root.xpath("//nav"):
        menu.drop_tree()
    text = _main_text(root)
    if words(text) < ENOUGH_WORDS:
        own = _own_text(root)
        if words(own) > max(words(text), MIN_WORDS - 1):
            text = own
    return title, text


def _parse(markup: str) -> HtmlElement | None:
    parser = lxml.html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False, no_network=True
    )
    try:
        root = lxml.html.document_fromstring(
            markup.replace("\x00", "").encode("utf-8", "replace"), parser=parser
        )
    except (LxmlError, ValueError):
        return None
    return root if isinstance(root.tag, str) else None


def _title(root: HtmlElement) -> str:
    named = root.xpath("string(//head/title)") or root.xpath("string(//meta[@property='og:title']/@content)")
    title = clean(str(named or root.xpath("string(//h1)"))[:2_000])
    return " ".join(title.split())[:500]


def _main_text(root: HtmlElement) -> str:
    import trafilatura

    text = trafilatura.extract(
        root, output_format="txt", include_comments=False, include_tables=True, include_formatting=False
    )
    return clean(text or "")


def _own_text(root: HtmlElement) -> str:
    """The text of the main part, a line a block."""
    found = root.xpath("//article | //main | //*[@role='main']") or root.xpath("//body") or [root]
    parts: list[str] = []
    for part in found:
        if any(other is not part and other in part.iterancestors() for other in found[:50]):
            continue
        _collect(part, parts)
    return clean("".join(parts))


def _collect(part: HtmlElement, into: list[str]) -> None:
    skipped: HtmlElement | None = None
    for event, element in lxml.etree.iterwalk(part, events=("start", "end")):
        block = element.tag in _BLOCKS
        if event == "start":
            if skipped is None and element.tag in _FURNITURE and element is not part:
                skipped = element
            if skipped is None:
                into.append("\n" if block else "")
                into.append(element.text or "")
        else:
            if skipped is None:
                into.append("\n" if block else "")
            if element is skipped:
                skipped = None
            if skipped is None and element is not part:
                into.append(element.tail or "")
