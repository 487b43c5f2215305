"""A page that somebody names: by its address, or as a file that was saved from a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from lxml.html import HtmlElement

from conqret.errors import DeclarationError, ExecutionError
from conqret.scrapers import markup
from conqret.scrapers.debate_pages import PageFetcher, page_end
from conqret.scrapers.debates.cited_sources import web_address
from conqret.scrapers.debates.layout import DebateParts
from conqret.scrapers.debates.layout_inspection import LayoutInspection, inspect_page
from conqret.scrapers.debates.layout_registry import LAYOUTS, wanted_pages
from conqret.scrapers.debates.page_html import MAX_PAGE, UnreadableHtmlError
from conqret.scrapers.extract.charset import decode
from conqret.scrapers.snapshots import original_address

UNKNOWN = "https://unknown.invalid/"
"""The address of a saved page that does not say its own."""


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """The HTML of a page, its own address, and that of the archive's copy that was read (empty: none was)."""

    html: str
    url: str
    archived: str = ""


async def open_page(place: str, fetcher: PageFetcher, address: str = "") -> OpenedPage:
    """Read a page from a web address or a file; ``address`` says where a saved page was.

    Without it, that is what the page itself gives as its address (``<link rel=canonical>``), else :data:`UNKNOWN`.

    Raises:
        DeclarationError: it is neither an address nor a file, or the file is larger than any debate page.
        ExecutionError: the page cannot be fetched.
    """
    if address and not web_address(address):
        raise DeclarationError(f"--address must be an http or https address, not {address[:80]!r}")
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
    return OpenedPage(html, address or _own_address(html))


def _saved(place: str) -> str:
    """The HTML of a saved page."""
    file = Path(place)
    if not file.is_file():
        raise DeclarationError(
            f"{place[:200]} is neither an http or https address nor a file; give one, such as a saved page.html"
        )
    if file.stat().st_size > 4 * MAX_PAGE:
        raise DeclarationError(f"{file}: has {file.stat().st_size:,} bytes, more than any debate page")
    return decode(file.read_bytes(), "")


def _own_address(html: str) -> str:
    root, _ = markup.parse(html[:MAX_PAGE])
    addresses = [] if root is None else [_said(element) for element in root.iter("link", "meta")]
    return next(filter(None, addresses), UNKNOWN)


def _said(element: HtmlElement) -> str:
    """The address that a ``link`` or ``meta`` gives as the page's own."""
    if element.get("rel") == "canonical" or element.get("property") == "og:url":
        return original_address(web_address(element.get("href") or element.get("content") or ""))
    return ""


@dataclass(frozen=True, slots=True)
class PageInspection:
    """What a page has, beside what the layouts look for; the page itself, the HTML of its further pages by their
    addresses, and which of these ``failed`` to be fetched."""

    inspection: LayoutInspection
    page: OpenedPage
    further: Mapping[str, str]
    failed: tuple[str, ...]

    def record(self) -> dict[str, object]:
        """The same as plain data, without the HTML."""
        record = asdict(self.inspection) | {"archived": self.page.archived, "failed": list(self.failed)}
        if self.inspection.parts is not None:
            record["parts"] = _parts(self.inspection.parts)
        return record


async def inspected(
    place: str, further: Sequence[Path], fetcher: PageFetcher, layout: str | None, address: str
) -> PageInspection:
    """Open a page, a file or an address, with its further pages, and inspect it.

    Raises:
        DeclarationError: there is no such file or layout, or the page cannot be read.
        ExecutionError: the page cannot be fetched.
    """
    compared = LAYOUTS.resolve(layout) if layout else None
    others: dict[str, str] = {}
    failed: list[str] = []
    page = await open_page(place, fetcher, address)
    wanted = wanted_pages(page.html, page.url)
    for number, file in enumerate(further):
        saved = await open_page(str(file), fetcher)
        others[wanted[number] if number < len(wanted) else f"{page.url}#{number}"] = saved.html
    for url in wanted[len(further) :] if web_address(place) else ():
        try:
            others[url] = (await open_page(url, fetcher)).html
        except ExecutionError as error:
            failed.append(str(error))
    try:
        inspection = inspect_page(page.html, page.url, further=others, compared=compared)
    except UnreadableHtmlError as error:
        raise DeclarationError(f"{place}: {error}; save it from a browser, and inspect the file") from error
    return PageInspection(inspection, page, others, tuple(failed))


def _parts(parts: DebateParts) -> dict[str, object]:
    values = {field.name: getattr(parts, field.name) for field in fields(parts)}
    return values | {
        name: [argument.model_dump() for argument in values[name]] for name in ("pros", "cons", "sources")
    }
