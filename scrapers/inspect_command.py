"""``conqret corpus inspect``: what a page has, beside what the layouts look for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import heading, result
from conqret.errors import shortened
from conqret.scrapers.command import Fetching, need_scrape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from conqret.data import DebateArgument
    from conqret.scrapers.debates.layout import DebateParts
    from conqret.scrapers.debates.layout_inspection import LayoutInspection, LookedFor
    from conqret.scrapers.scrape_places import OpenedPage
    from conqret.show.table import Cell

SHOWN = 60
"""Characters of a text of the page."""


@grouped
def inspect(
    page: str,
    *,
    layout: str | None = None,
    further: list[Path] | None = None,
    address: str = "",
    fetching: Fetching,
    json_output: options.Json = False,
) -> None:
    """Show what is read from a debate page, what its layout looks for, and what the page has that nearly fits.

    Nothing is written. With an address, the further pages that the debate needs are fetched, too.

    Args:
        page: The address of a debate page, or a file saved from a browser.
        layout: Compare it with this layout, even if it does not fit.
        further: A saved page that belongs to it, such as the one with the cons. May be repeated.
        address: Where a saved page was, for its links.

    Examples:

    conqret corpus inspect https://www.britannica.com/procon/zoos-debate

    conqret corpus inspect zoos.html --further zoos-cons.html --layout procon-britannica
    """
    import asyncio
    from dataclasses import asdict

    need_scrape()
    from conqret.errors import DeclarationError
    from conqret.scrapers.debates.layout_inspection import inspect_page
    from conqret.scrapers.debates.layout_registry import LAYOUTS
    from conqret.scrapers.debates.page_html import UnreadableHtmlError

    compared = LAYOUTS.resolve(layout) if layout else None
    opened, others, failed = asyncio.run(_open(page, further or [], address, fetching))
    try:
        found = inspect_page(opened.html, opened.url, further=others, compared=compared)
    except UnreadableHtmlError as error:
        raise DeclarationError(f"{page}: {error}; save it from a browser, and inspect the file") from error
    record = asdict(found) | {"archived": opened.archived, "failed": failed}
    if found.parts is not None:
        record["parts"] = _plain(found.parts)
    result(record, _lines(found, opened, others, failed), as_json=json_output)


async def _open(
    page: str, further: list[Path], address: str, fetching: Fetching
) -> tuple[OpenedPage, dict[str, str], list[str]]:
    """The page, the further pages by their addresses, and which of these could not be fetched."""
    from conqret.errors import ExecutionError
    from conqret.scrapers.debates.cited_sources import web_address
    from conqret.scrapers.debates.layout_registry import wanted_pages
    from conqret.scrapers.scrape_places import open_page

    others: dict[str, str] = {}
    failed: list[str] = []
    async with fetching.fetcher() as fetcher:
        opened = await open_page(page, fetcher, address)
        wanted = wanted_pages(opened.html, opened.url)
        for place, file in enumerate(further):
            one = await open_page(str(file), fetcher)
            others[wanted[place] if place < len(wanted) else f"{opened.url}#{place}"] = one.html
        for one_wanted in wanted[len(further) :] if web_address(page) else ():
            try:
                others[one_wanted] = (await open_page(one_wanted, fetcher)).html
            except ExecutionError as error:
                failed.append(str(error))
    return opened, others, failed


def _plain(parts: DebateParts) -> dict[str, object]:
    from dataclasses import fields

    found = {one.name: getattr(parts, one.name) for one in fields(parts)}
    return found | {name: [one.model_dump() for one in found[name]] for name in ("pros", "cons", "sources")}


def _lines(
    found: LayoutInspection, opened: OpenedPage, others: Mapping[str, str], failed: list[str]
) -> Iterator[RenderableType]:
    from conqret.scrapers.scrape_places import UNKNOWN
    from conqret.show.table import Column, Table

    where = "unknown; --address says where it was" if found.url == UNKNOWN else found.url
    yield f"page      {where}, {found.characters:,} characters of text"
    if opened.archived:
        yield f"archived  {opened.archived}"
    yield f"layout    {_layout(found)}"
    yield from (f"further   {one} is read, too" for one in others)
    yield from (f"further   {one}" for one in failed)
    for one in found.wants[len(others) + len(failed) :]:
        yield f"further   {one} belongs to it; --further FILE gives the saved page"
    if not found.layout and found.index.debates:
        yield f"index     {len(found.index.debates)} debates are listed; conqret corpus topics makes a list"
    if found.drawn_by_script:
        yield "script    it holds almost no text: a script draws it; save it from a browser"
    for place, words in found.hidden:
        yield f"hidden    {place}: {words:,} words that readers do not see are left out"
    if found.parts is not None:
        remarks = found.parts.remarks if found.missing else ()
        yield from (f"missing   {line}" for line in (*found.missing, *remarks))
        yield ""
        yield Table("What was read", ("part", Column("found", "text")), _read(found.parts))
    yield ""
    columns = (Column("selector", "name"), Column("part", "name"), "found", Column("nearly", "text"))
    yield Table("What the layouts look for", columns, _looked_for(found.looked_for))
    if found.said:
        yield ""
        places = ("says", Column("where", "text"), "times", Column("first", "text"))
        said = [(one.what, one.where, one.times, shortened(one.first, 40)) for one in found.said]
        yield Table("Where the page says what debate pages say", places, said)
    yield ""
    yield heading("To mend a layout, or to write one: docs/adding-a-debate-site.md")


def _looked_for(found: Sequence[LookedFor]) -> Iterator[tuple[Cell, ...]]:
    """A heading and a row a selector for each layout of which the page has, or nearly has, anything."""
    for name in dict.fromkeys(one.layout for one in found):
        rows = [one for one in found if one.layout == name]
        if any(one.found or one.nearly for one in rows):
            yield (name,)
            for one in rows:
                yield one.selector, one.part, one.found, ", ".join(one.nearly)
        else:
            yield (f"{name}: nothing",)


def _layout(found: LayoutInspection) -> str:
    if found.layout and found.layout not in found.fits:
        return f"{found.layout}, which does not fit; what fits: {', '.join(found.fits) or 'none'}"
    if not found.layout:
        return "none fits; --layout NAME compares the page with one"
    file = f"layouts/{found.layout.replace('-', '_')}.py"
    return f"{found.layout} fits ({file})"


def _read(parts: DebateParts) -> list[tuple[str, str]]:
    from conqret.text.citations import cited_against, cited_by

    both = (*parts.pros, *parts.cons)
    cited = sorted({*cited_by(both), *cited_against(both)})
    listed = {source.number for source in parts.sources}
    dangling = [number for number in cited if number not in listed]
    sources = f"{len(parts.sources)}, {sum(bool(one.url) for one in parts.sources)} with an address"
    if cited:
        sources += f"; {len(cited)} cited"
    if dangling:
        sources += f", {len(dangling)} of them listed nowhere, such as [{dangling[0]}]"
    return [
        ("title", shortened(parts.title, SHOWN)),
        ("question", shortened(parts.question, SHOWN)),
        ("introduction", shortened(parts.introduction, SHOWN)),
        ("pros", _arguments(parts.pros)),
        ("cons", _arguments(parts.cons)),
        ("sources", sources),
    ]


def _arguments(found: tuple[DebateArgument, ...]) -> str:
    if not found:
        return "none"
    paragraphs = sum(len(one.paragraphs) for one in found)
    answered = sum(bool(one.counterpoint) for one in found)
    told = f"{len(found)}, {paragraphs} paragraphs" + (f", {answered} answered" if answered else "")
    return f"{told}: " + "; ".join(shortened(one.title or "(no title)", SHOWN) for one in found)
