"""Open a page that the user names by its URL or as a saved file: inspect it, or read it as the index of a
debate site, which gives the list of URLs for ``conqret corpus debates``.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urlsplit

from conqret.errors import DeclarationError, ExecutionError
from conqret.scrapers import markup
from conqret.scrapers.archive import page_fetcher
from conqret.scrapers.debate_pages import PageFetcher, page_end, page_key
from conqret.scrapers.debates.cited_sources import web_address
from conqret.scrapers.debates.layout import DebatePage, ListedDebate, PageIndex, original_address
from conqret.scrapers.debates.layout_inspection import UNKNOWN, LayoutInspection, inspect_page
from conqret.scrapers.debates.layouts import ALL, LAYOUTS, wanted_pages
from conqret.scrapers.debates.page_text import MAX_PAGE, UnreadableHtmlError
from conqret.scrapers.document import decode


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """A page's HTML, its own URL, and the URL of the archived copy that was read (empty: none)."""

    html: str
    url: str
    archived: str = ""


async def open_page(place: str, fetcher: PageFetcher) -> OpenedPage:
    """Read a page from a URL or a file.

    The URL of a saved page is its ``<link rel=canonical>``, or else :data:`UNKNOWN`.

    Raises:
        DeclarationError: the place is neither a URL nor a file, or the file is too large.
        ExecutionError: the page cannot be fetched.
    """
    if web_address(place):
        page = await fetcher.fetch(place)
        if not page.ok:
            raise ExecutionError(f"{place}: {page_end(page)}", reason=page.status.value)
        final = page.final_url or place
        page_address = original_address(final)
        return OpenedPage(
            decode(page.body, page.charset), page_address, final if final != page_address else ""
        )
    html = _saved(place)
    return OpenedPage(html, _own_address(html))


def _saved(place: str) -> str:
    """Return the HTML of a saved page.

    Raises:
        DeclarationError: there is no such file, or it is too large.
    """
    file = Path(place)
    if not file.is_file():
        raise DeclarationError(
            f"{place[:200]} is neither an http or https address nor a file; give one, such as a saved page.html"
        )
    if file.stat().st_size > 4 * MAX_PAGE:
        raise DeclarationError(f"{file}: has {file.stat().st_size:,} bytes, more than any debate page")
    return decode(file.read_bytes(), "")


def _own_address(html: str) -> str:
    """Return the address that a ``link`` or ``meta`` gives as the page's own, without an archive's prefix;
    :data:`UNKNOWN` if there is none."""
    root, _ = markup.parse(html[:MAX_PAGE])
    for element in () if root is None else root.iter("link", "meta"):
        said = element.get("rel") == "canonical" or element.get("property") == "og:url"
        own = web_address(element.get("href") or element.get("content") or "") if said else ""
        if own:
            return original_address(own)
    return UNKNOWN


async def inspected(place: str, settings: Mapping[str, Any], layout: str | None) -> LayoutInspection:
    """Open a page (``place``: a file or a URL) and return its inspection; with a URL, its further pages are read too.

    ``settings`` say how pages are fetched; ``layout`` names the layout to compare with (None: those that
    fit).

    Raises:
        DeclarationError: there is no such file or layout, or the page cannot be read.
        ExecutionError: the page cannot be fetched.
    """
    compared = LAYOUTS.resolve(layout) if layout else None
    others: dict[str, str] = {}
    failed: list[str] = []
    async with page_fetcher(settings) as fetcher:
        page = await open_page(place, fetcher)
        for url in wanted_pages(page.html, page.url) if web_address(place) else ():
            try:
                others[url] = (await open_page(url, fetcher)).html
            except ExecutionError as error:
                failed.append(str(error))
    try:
        inspection = inspect_page(page.html, page.url, further=others, compared=compared)
    except UnreadableHtmlError as error:
        raise DeclarationError(f"{place}: {error}; save it from a browser, and inspect the file") from error
    return replace(inspection, archived=page.archived, failed=tuple(failed), further=tuple(others))


MAX_INDEX_PAGES = 500
"""The most pages of an index that are read; Debatabase has some 20 categories of a few pages each."""
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class TopicList:
    """The debates that an index lists, pages without sides, and the index pages that ``failed``.

    ``pages`` is the number of index pages read.
    """

    debates: tuple[ListedDebate, ...]
    explainers: tuple[ListedDebate, ...]
    pages: int
    failed: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """Return the list as plain data: URLs, and the number of index pages."""
        return {
            "debates": [debate.url for debate in self.debates],
            "explainers": [explainer.url for explainer in self.explainers],
            "pages": self.pages,
            "failed": list(self.failed),
        }

    def lines(self, index: str) -> Iterator[str]:
        """Yield the lines of the list's file: URLs, with headings and pages without sides as comments."""
        yield f"# {index}"
        heading = ""
        for debate in (*self.debates, *self.explainers):
            if debate.heading != heading:
                heading = debate.heading
                yield f"# {heading}"
            yield debate.url if debate.sides else f"# explainer, without sides: {debate.url}"


async def gather_topics(
    place: str,
    settings: Mapping[str, Any],
    *,
    links: str = "",
    on_page: Callable[[int, int], None] = lambda done, known: None,
) -> TopicList:
    """Read an index and the further index pages that it leads to, and return the debates that they list.

    Args:
        place: the URL of the index, or a file with it.
        settings: how pages are fetched.
        links: a pattern such as ``https://*.procon.org/*``. The matching links of this page are taken,
            for an index that no layout knows.
        on_page: called with the numbers of index pages read and known.

    Raises:
        DeclarationError: there is no such file, or no debate is listed; the message says what the page
            links to.
        ExecutionError: the index cannot be fetched.
    """
    async with page_fetcher(settings) as fetcher:
        page = await _parsed(place, fetcher)
        if not links:
            return await _followed(page, place, fetcher, on_page)
    listed = [ListedDebate(link) for link in _links(page) if fnmatchcase(link, links)]
    if not listed:
        raise DeclarationError(f"{place}: none of its links matches {links!r}; {_linked(page)}")
    return TopicList(tuple(listed), (), 1)


async def _followed(
    page: DebatePage, place: str, fetcher: PageFetcher, on_page: Callable[[int, int], None]
) -> TopicList:
    """Return the debates of an index and of the index pages that it leads to, :data:`MAX_INDEX_PAGES` at most.

    The layout is the first that finds something on the index. Further index pages that cannot be read are listed
    as ``failed``.

    Raises:
        DeclarationError: no layout fits, or no debate is listed.
    """
    layout = next((one for one in ALL if one.index(page) != PageIndex()), None)
    if layout is None:
        raise DeclarationError(
            f"{place}: no layout finds a list of debates on it; {_linked(page)}. "
            "Choose links with --links 'PATTERN', as in --links 'https://*.procon.org/*'"
        )
    listed_debates: dict[str, ListedDebate] = {}
    failed: list[str] = []
    seen, waiting, pages = {page_key(page.url)}, deque[DebatePage | str]([page]), 0
    while waiting:
        following = waiting.popleft()
        try:
            index_page = await _parsed(following, fetcher) if isinstance(following, str) else following
        except (DeclarationError, ExecutionError) as error:
            failed.append(str(error))
            continue
        pages += 1
        index = layout.index(index_page)
        for listed_there in index.debates:
            listed_debates.setdefault(page_key(listed_there.url), listed_there)
        for further in filter(web_address, index.further):
            if page_key(further) not in seen and len(seen) < MAX_INDEX_PAGES:
                seen.add(page_key(further))
                waiting.append(further)
        on_page(len(seen) - len(waiting), len(seen))
    if not listed_debates:
        raise DeclarationError(
            f"{place}: {pages} index pages of {layout.name} were read, and list no debate"
            + "".join(f"\n  {url}" for url in failed[:_SHOWN])
        )
    debates, explainers = (
        tuple(debate for debate in listed_debates.values() if debate.sides is sides)
        for sides in (True, False)
    )
    return TopicList(debates, explainers, pages, tuple(failed))


async def _parsed(place: str, fetcher: PageFetcher) -> DebatePage:
    opened = await open_page(place, fetcher)
    try:
        return DebatePage.read(opened.html, opened.url)
    except UnreadableHtmlError as error:
        raise DeclarationError(f"{opened.url}: {error}") from error


def _links(page: DebatePage) -> list[str]:
    """The addresses that a page links to, each once, in page order."""
    addresses = (web_address(page.link(link.get("href") or "")) for link in page.root.iter("a"))
    return list(dict.fromkeys(urldefrag(address).url for address in addresses if address))


def _linked(page: DebatePage) -> str:
    """Return a sentence on where the links of a page lead, the most frequent places first, as patterns that could
    select them."""
    places: Counter[str] = Counter()
    links = _links(page)
    for link in links:
        parts = urlsplit(link)
        folder = parts.path.strip("/").rpartition("/")[0]
        places[f"{parts.netloc}/{folder[:60] + '/' if folder else ''}*"] += 1
    shown = ", ".join(f"{place} ({count})" for place, count in places.most_common(_SHOWN))
    return f"it links to {len(links)} pages: {shown}" if links else "it has no link at all"
