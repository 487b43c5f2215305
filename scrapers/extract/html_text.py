"""The main text of an HTML page."""

from __future__ import annotations

from lxml.html import HtmlElement

from conqret.scrapers.extract.clean import MIN_WORDS, clean, words
from conqret.scrapers.markup import empty, parse, running_text, unseen
from conqret.text.language_names import NAMES, language_code

MAX_HTML = 8_000_000
"""Characters of markup that are parsed; what follows is cut off."""
ENOUGH_WORDS = 25
"""Below this, the longest of trafilatura's text and the page's own main part is taken."""
_FURNITURE = "nav header footer aside form menu".split()


def html_text(markup: str) -> tuple[str, str, str]:
    """Return title, main text and language of a page, each possibly empty. The language is the ISO 639-1 code of what
    the page itself says (``lang`` of its root or body, else its ``content-language``).

    trafilatura finds the main text; where it finds next to nothing, the text of ``article``, ``main`` or
    ``body`` without navigation is taken. No entity beyond HTML's own is ever expanded, and nesting that is
    too deep is flattened by the parser.
    """
    root, _ = parse(markup[:MAX_HTML])
    if root is None:
        return "", "", ""
    title, language = _title(root), _language(root)
    for element in [*unseen(root), *root.iter("nav")]:
        empty(element)
    text = _main_text(root)
    if words(text) < ENOUGH_WORDS:
        own_text = _own_text(root)
        if words(own_text) > max(words(text), MIN_WORDS - 1):
            text = own_text
    return title, text, language


def _title(root: HtmlElement) -> str:
    named = root.xpath("string(//head/title)") or root.xpath("string(//meta[@property='og:title']/@content)")
    title = clean(str(named or root.xpath("string(//h1)"))[:2_000])
    return " ".join(title.split())[:500]


def _language(root: HtmlElement) -> str:
    said = root.xpath(
        "string((//html/@lang | //html/@*[local-name()='lang' or name()='xml:lang'] | //body/@lang"
        " | //meta[translate(@http-equiv, 'CONTELAGU', 'contelagu')='content-language']/@content)[1])"
    )
    code = language_code(str(said)[:20].partition(",")[0])
    return code if code in NAMES else ""


def _main_text(root: HtmlElement) -> str:
    import trafilatura

    text = trafilatura.extract(
        root, output_format="txt", include_comments=False, include_tables=True, include_formatting=False
    )
    return clean(text or "")


def _own_text(root: HtmlElement) -> str:
    """The text of the main part, a line a block."""
    containers = root.xpath("//article | //main | //*[@role='main']") or root.xpath("//body") or [root]
    parts: list[str] = []
    for part in containers:
        if any(other is not part and other in part.iterancestors() for other in containers[:50]):
            continue
        for furniture in [element for element in part.iter(*_FURNITURE) if element is not part]:
            empty(furniture)
        parts.append(running_text(part, "\n"))
    return clean("".join(parts))
