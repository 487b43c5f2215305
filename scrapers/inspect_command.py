"""``conqret corpus inspect``: what a page has, beside what the layouts look for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import heading, result
from conqret.errors import shortened
from conqret.scrapers.command import Fetching

if TYPE_CHECKING:
    from rich.console import RenderableType

    from conqret.data import DebateArgument
    from conqret.scrapers.debates.layout import DebateParts
    from conqret.scrapers.debates.layout_inspection import LayoutInspection, LookedFor
    from conqret.scrapers.scrape_places import PageInspection
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
    json_output: options.Printed = None,
) -> None:
    """Show what conqret reads from a debate page, which HTML elements the site's layout looks for, and which elements
    of the page nearly match.

    Nothing is written. If an address is given, further pages of the same debate are fetched, too.

    Args:
        page: The address of a debate page, or a file saved from a browser.
        layout: Read the page with the layout of this debate site (such as `procon_classic`), even if the page does not
            match it.
        further: A further page of the same debate that you saved from the site, such as the one with the cons. May be
            repeated.
        address: The address that the saved page had, to complete its links.

    Examples:

    conqret corpus inspect https://www.britannica.com/procon/zoos-debate

    conqret corpus inspect zoos.html --further zoos-cons.html --layout procon-britannica
    """
    from conqret.scrapers.corpus_collecting import inspect_debate_page

    inspection = inspect_debate_page(
        page, layout=layout, further=further or (), address=address, **fetching.given()
    )
    result(inspection.record(), _lines(inspection), as_json=json_output)


def _lines(page_inspection: PageInspection) -> Iterator[RenderableType]:
    from conqret.scrapers.scrape_places import UNKNOWN
    from conqret.show.table import Column, Table

    inspection, opened = page_inspection.inspection, page_inspection.page
    others, failed = page_inspection.further, page_inspection.failed
    where = "unknown; --address says where it was" if inspection.url == UNKNOWN else inspection.url
    yield f"page      {where}, {inspection.characters:,} characters of text"
    if opened.archived:
        yield f"archived  {opened.archived}"
    yield f"layout    {_layout(inspection)}"
    yield from (f"further   {other} is read, too" for other in others)
    yield from (f"further   {url}" for url in failed)
    for address in inspection.wants[len(others) + len(failed) :]:
        yield f"further   {address} belongs to it; --further FILE gives the saved page"
    if not inspection.layout and inspection.index.debates:
        yield f"index     {len(inspection.index.debates)} debates are listed; conqret corpus topics makes a list"
    if inspection.drawn_by_script:
        yield "script    it holds almost no text: a script draws it; save it from a browser"
    for place, words in inspection.hidden:
        yield f"hidden    {place}: {words:,} words that readers do not see are left out"
    if inspection.parts is not None:
        remarks = inspection.parts.remarks if inspection.missing else ()
        yield from (f"missing   {line}" for line in (*inspection.missing, *remarks))
        yield ""
        yield Table("What was read", ("part", Column("found", "text")), _read(inspection.parts))
    yield ""
    columns = (Column("selector", "name"), Column("part", "name"), "found", Column("nearly", "text"))
    yield Table("What the layouts look for", columns, _looked_for(inspection.looked_for))
    if inspection.said:
        yield ""
        places = ("says", Column("where", "text"), "times", Column("first", "text"))
        phrases = [
            (phrase.what, phrase.where, phrase.times, shortened(phrase.first, 40))
            for phrase in inspection.said
        ]
        yield Table("Where the page says what debate pages say", places, phrases)
    yield ""
    yield heading("To mend a layout, or to write one: docs/adding-a-debate-site.md")


def _looked_for(selectors: Sequence[LookedFor]) -> Iterator[tuple[Cell, ...]]:
    """A heading and a row a selector for each layout of which the page has, or nearly has, anything."""
    for name in dict.fromkeys(selector.layout for selector in selectors):
        rows = [selector for selector in selectors if selector.layout == name]
        if any(row.found or row.nearly for row in rows):
            yield (name,)
            for bias_row in rows:
                yield bias_row.selector, bias_row.part, bias_row.found, ", ".join(bias_row.nearly)
        else:
            yield (f"{name}: nothing",)


def _layout(inspection: LayoutInspection) -> str:
    if inspection.layout and inspection.layout not in inspection.fits:
        return f"{inspection.layout}, which does not fit; what fits: {', '.join(inspection.fits) or 'none'}"
    if not inspection.layout:
        return "none fits; --layout NAME compares the page with one"
    file = f"layouts/{inspection.layout.replace('-', '_')}.py"
    return f"{inspection.layout} fits ({file})"


def _read(parts: DebateParts) -> list[tuple[str, str]]:
    from conqret.text.citations import cited_against, cited_by

    both = (*parts.pros, *parts.cons)
    cited = sorted({*cited_by(both), *cited_against(both)})
    listed = {source.number for source in parts.sources}
    dangling = [number for number in cited if number not in listed]
    sources = f"{len(parts.sources)}, {sum(bool(source.url) for source in parts.sources)} with an address"
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


def _arguments(arguments: tuple[DebateArgument, ...]) -> str:
    if not arguments:
        return "none"
    paragraphs = sum(len(argument.paragraphs) for argument in arguments)
    answered = sum(bool(argument.counterpoint) for argument in arguments)
    summary = f"{len(arguments)}, {paragraphs} paragraphs" + (f", {answered} answered" if answered else "")
    return f"{summary}: " + "; ".join(
        shortened(argument.title or "(no title)", SHOWN) for argument in arguments
    )
