"""Read the sources of a debate page: a table on the page or on its page of footnotes, or paragraphs.

Rows of a table have two or three cells: number and title; a link back, number and title; or number, title and address.
The number may stand in the cell's text (``12.``) or only in an anchor (``<a name="12">``). Paragraphs are ``[12]
Author, "Title", site.org, May 5, 2021``; some pages number them once, some begin again at 1 for each argument or each
side. Two lists are put together by giving the second one's numbers anew where they mean something else, in the list and
in the marks of its own texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urlsplit, urlunsplit

from lxml.html import HtmlElement

from conqret.data.corpus import DebateArgument, Source
from conqret.data.digest import gathered
from conqret.scrapers.debates.layout import DebatePage
from conqret.scrapers.debates.page_arguments import PageLine
from conqret.scrapers.debates.page_text import HEADINGS, has_class, text_of
from conqret.text.citations import replace_marks

FOOTNOTES = "footnotes"
"""The last part of the URL of a page of footnotes: ``…/footnotes/``."""
MAX_URL = 2000
"""The most characters of a URL; longer ones are no sources but data."""
_NAME = re.compile(r"(?:list\s+of\s+)?(?:sources|footnotes|references)\s*:?", re.IGNORECASE)
_NUMBER = re.compile(r"\A[\[(]?+\s*+([0-9]{1,4})\s*+[\])]?+\s*+[.:]?")
_ANCHOR = re.compile(r"(?:^|\D)([0-9]{1,4})$")
_BARE_URL = re.compile(r"https?://[^\s<>\"'“”]+")
_DATED = 300  # characters at the end of an entry in which its date stands
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_DAY = rf"(?:{_MONTH}\s*(?:[0-9]{{1,2}},?\s+)?|[0-9]{{1,2}}\s+{_MONTH}\s+)"
_DATE = rf"(?:{_DAY}[12][0-9]{{3}}|[12][0-9]{{3}}-[0-9]{{2}}-[0-9]{{2}})"
_ACCESSED = re.compile(rf"\b(?:accessed|retrieved|visited|viewed)\s*+(?:on)?+:?+\s*+({_DATE})", re.IGNORECASE)
_PUBLISHED = re.compile(rf"({_DATE}|(?<=[\s,])[12][0-9]{{3}})(?=[\s.)\]\"”]*$)")


def page_sources(page: DebatePage) -> tuple[Source, ...]:
    """Return the sources of a page, from a table below "Sources", a ``tablepress`` table, or the footnotes
    page.
    """
    return table_sources(page) or _first(
        _rows(table, notes) for notes in page.further for table in notes.root.iter("table")
    )


def table_sources(page: DebatePage) -> tuple[Source, ...]:
    """Return the sources in the tables of a page; empty if no table lists sources."""
    return _first(_rows(table, page) for table in _below_name(page.root)) or _first(
        _rows(table, page)
        for table in page.root.iter("table")
        if has_class(table, "tablepress") and not _is_aside(table)
    )


def footnotes_wanted(page: DebatePage) -> tuple[str, ...]:
    """Return a tuple with the URL of the page's footnotes, or an empty tuple if the page lists its sources
    itself.
    """
    address = "" if table_sources(page) else footnotes_url(page)
    return (address,) if address else ()


def footnotes_url(page: DebatePage) -> str:
    """Return the URL of the page's footnotes: its link to ``…/footnotes/``, or else that path below its own
    URL.

    Only URLs on the page's own host are returned; the result is empty if there is none. The URL need not exist.
    """
    here = urlsplit(page.url)
    for link in page.root.iter("a"):
        target = web_address(page.link(link.get("href") or ""))
        parts = urlsplit(target)
        if parts.path.rstrip("/").endswith("/" + FOOTNOTES) and parts.netloc == here.netloc:
            return urldefrag(target).url
    return web_address(
        urlunsplit((here.scheme, here.netloc, here.path.rstrip("/") + f"/{FOOTNOTES}/", "", ""))
    )


def web_address(text: str) -> str:
    """Return ``text`` if it is a valid http or https URL with a host and no unprintable characters, else an
    empty string.
    """
    address = text.strip()
    if not address.isprintable() or " " in address or len(address) > MAX_URL:
        return ""
    try:
        parts = urlsplit(address)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        return ""
    return address if parts.scheme in ("http", "https") and host else ""


def source_address(links: Iterable[str], texts: Iterable[str], page: DebatePage) -> str:
    """Return the first of ``links`` that leads away from the page, or else the first URL in ``texts``; empty
    if none.
    """
    here = urldefrag(page.url).url.rstrip("/")
    for href in links:
        target = web_address(page.link(href)) if not href.strip().startswith("#") else ""
        there = urldefrag(target).url.rstrip("/")
        if target and there != here and there + f"/{FOOTNOTES}" != here:
            return target
    bare = next(filter(None, map(_BARE_URL.search, texts)), None)
    return web_address(bare[0].rstrip(".,;:)]")) if bare else ""


def cited_date(title: str) -> str:
    """Return the date in a source's entry as printed: the access date, or else the publication date; empty if
    none.
    """
    match = _ACCESSED.search(title[-_DATED:]) or _PUBLISHED.search(title[-60:])
    return match[1] if match else ""


def _first(tables: Iterable[Iterable[Source]]) -> tuple[Source, ...]:
    """All tables' entries by number: lists may go over several tables, and the first entry of a number counts."""
    entries = gathered((source.number, source) for table in tables for source in table)
    return tuple(same[0] for same in entries.values())


def _below_name(root: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the first table after a paragraph or heading that says "Sources"; none if there is no such table."""
    waiting = False
    for element in root.iter("p", "div", "strong", "table", *HEADINGS):
        if element.tag == "table":
            if waiting and not _is_aside(element):
                yield element
                return
        elif len(element) <= 3 and len(element.text or "") < 40 and not waiting:
            waiting = _NAME.fullmatch(text_of(element)) is not None


def _is_aside(table: HtmlElement) -> bool:
    """A box of facts beside the text is laid out as a table too."""
    return has_class(table, "did-you-know") or "did you know" in text_of(table)[:80].lower()


def _rows(table: HtmlElement, page: DebatePage) -> Iterator[Source]:
    """Yield the sources in a table: its rows of two or more cells that have a number and a title or an address."""
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        number, at = _numbered(cells) if len(cells) > 1 else (None, 0)
        if number is None:
            continue
        rest = [cell for place, cell in enumerate(cells) if place != at]
        links = (link.get("href") or "" for cell in rest for link in cell.iter("a"))
        title, address = _title(rest), source_address(links, map(text_of, rest), page)
        if title or address:
            yield Source(number=number, title=title, url=address, cited=cited_date(title))


def _numbered(cells: list[HtmlElement]) -> tuple[int | None, int]:
    """Return the number of a row, from the text or the anchor of its first or second cell, and the place of that cell;
    None and 0 if it has none."""
    for at, cell in enumerate(cells[:2]):
        text = text_of(cell)
        if match := _NUMBER.fullmatch(text):
            return int(match[1]), at
        if not text:
            for element in cell.iter():
                for name in (element.get("name"), element.get("id")):
                    if name and (anchor := _ANCHOR.search(name)):
                        return int(anchor[1]), at
    return None, 0


def _title(cells: list[HtmlElement]) -> str:
    """The longest text that is no bare address."""
    texts = [text for cell in cells if not _BARE_URL.fullmatch(text := text_of(cell))]
    return max(texts, key=len, default="") if any(any(map(str.isalnum, text)) for text in texts) else ""


Notes = dict[int, Source]
_NOTE = re.compile(r"\[\s?([0-9]{1,4})\s?\]\s*(\S.*)")
_NUMBERED = re.compile(r"([0-9]{1,4})[.)]\s+(\S.*)")


def is_note(line: PageLine) -> bool:
    """Return True if a line is a source: a paragraph that begins with its citation mark."""
    return not line.level and _NOTE.fullmatch(line.text) is not None


def notes(page_lines: Iterable[PageLine], page: DebatePage, *, listed: bool = False) -> Notes:
    """Return a mapping from number to source, read from lines of a page; the first source with a number
    counts.

    With ``listed``, the lines are a list of sources, so "12. Title" and items of a numbered list count
    too.
    """
    sources: Notes = {}
    items: dict[object, int] = {}
    for line in page_lines:
        match = _NOTE.fullmatch(line.text) or (_NUMBERED.fullmatch(line.text) if listed else None)
        around = line.block.getparent()
        if match is not None:
            number, text = int(match[1]), match[2]
        elif listed and line.block.tag == "li" and around is not None and around.tag == "ol":
            number, text = items.get(around, 0) + 1, line.text
        else:
            continue
        items[around] = number
        url = source_address(line.links, [line.text], page)
        sources.setdefault(number, Source(number=number, title=text, url=url, cited=cited_date(text)))
    return sources


@dataclass(slots=True)
class NumberedSources:
    """The sources of a debate by number, merged from several lists of notes.

    ``free`` is a number above all numbers in use.
    """

    sources: Notes = field(default_factory=dict)
    free: int = 1

    def add(self, more: Notes, cited: Iterable[int] = ()) -> dict[int, int]:
        """Add a list of notes and return a mapping from each changed number to its new number.

        A number changes if it has a source with another title already. The same holds for numbers ``cited``
        that the list does not explain, so that a citation never points to another text's source.
        """
        wanted = dict.fromkeys((*more, *cited))
        self.free = max(self.free, *(number + 1 for number in wanted), 0)
        changed: dict[int, int] = {}
        for number in wanted:
            source, there = more.get(number), self.sources.get(number)
            if there is not None and (source is None or source.title != there.title):
                changed[number], self.free = self.free, self.free + 1
        for number, source in more.items():
            at = changed.get(number, number)
            self.sources.setdefault(at, source.model_copy(update={"number": at}))
        return changed


def renumbered(argument: DebateArgument, changed: Mapping[int, int]) -> DebateArgument:
    """Return the argument with the citation numbers in its texts replaced according to ``changed``."""
    if not changed:
        return argument

    def anew(text: str) -> str:
        return replace_marks(text, lambda _, old: [changed.get(number, number) for number in old])

    return DebateArgument(
        title=anew(argument.title),
        paragraphs=tuple(map(anew, argument.paragraphs)),
        counterpoint=tuple(map(anew, argument.counterpoint)),
    )
