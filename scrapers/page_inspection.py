"""A debate page inspected with the further pages that belong to it, fetched or saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from conqret.errors import DeclarationError, ExecutionError
from conqret.scrapers.debate_pages import PageFetcher
from conqret.scrapers.debates.cited_sources import web_address
from conqret.scrapers.debates.layout import DebateParts
from conqret.scrapers.debates.layout_inspection import LayoutInspection, inspect_page
from conqret.scrapers.debates.layout_registry import LAYOUTS, wanted_pages
from conqret.scrapers.debates.page_html import UnreadableHtmlError
from conqret.scrapers.scrape_places import OpenedPage, open_page


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
