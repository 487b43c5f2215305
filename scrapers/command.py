"""``conqret corpus debates``, ``topics`` and ``inspect``: debate pages into a corpus directory, the lists of their
addresses, and what a page has beside what the layouts look for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, note_all, progress, result, tell
from conqret.data.corpus import Debate
from conqret.errors import number, shortened
from conqret.text.citations import cited_against, cited_by

if TYPE_CHECKING:
    from conqret.data.corpus import DebateArgument
    from conqret.scrapers.debates import LayoutProblem
    from conqret.scrapers.debates.layout import DebateParts
    from conqret.scrapers.debates.layout_inspection import LayoutInspection, LookedFor
    from conqret.scrapers.scrape_places import TopicList
    from conqret.show.table import Cell


_SHOWN = 20  # problems printed; all of them are in problems.jsonl


@dataclass(frozen=True)
class Fetching(OptionGroup):
    """How pages are fetched.

    Args:
        delay: Seconds between two requests to one host. [default: 1; with `--archived` 4]
        allow_private: Allow loopback and private addresses (test servers, intranets).
    """

    archived: Annotated[
        str | None,
        options.option(
            None,
            "Read the Internet Archive's copies nearest to this year, month or day, as in 2024-06.",
            metavar="YYYY-MM",
        ),
    ] = None
    delay: float | None = None
    allow_private: bool = False


def debates(
    urls: Path,
    *,
    output: Path = Path("corpus"),
    fetching: Fetching,
    shown: options.OutputOptions,
) -> None:
    """Read debate pages: question, introduction, pros and cons, and the list of sources.

    A page that cannot be read is reported with what was missing, kept in problems.jsonl and tried again next
    time; the exit code is then 1.

    Args:
        urls: A file with an address on each line; # begins a comment.
        output (--output, -o): The corpus directory; debates that it has are not fetched again.

    Examples:

    conqret corpus debates topics.txt -o corpus/

    conqret corpus debates topics.txt -o corpus/ --archived 2024-06
    """
    from conqret.scrapers.corpus_collecting import collect_debates
    from conqret.scrapers.debate_pages import debate_line

    def take(result: Debate | LayoutProblem) -> None:
        if not shown.quiet and isinstance(result, Debate):
            tell(debate_line(result))

    scraped = collect_debates(urls, output, on_result=take, **fetching.given())
    read, problems = scraped.read, scraped.problems
    if problems and not shown.quiet:
        pages = ["\n    ".join([problem.url, *problem.missing]) for problem in problems]
        note_all(f"{len(problems)} of {len(read) + len(problems)} pages contain no debate", pages, _SHOWN)
        note("use conqret corpus inspect ADDRESS to see what a page has, and what its layout looks for")
        if not fetching.archived and any(
            problem.missing[0].startswith("the page: blocked") for problem in problems
        ):
            note("if a site refuses requests, the Internet Archive may have copies: --archived 2024-06")
    sources = sum(len(debate.sources) for debate in read)
    line = (
        f"{number(len(read), 'debate')} read with {sources} sources, {scraped.kept} kept from before, "
        f"{len(problems)} problems: {output}"
    )
    result(scraped.record(), [line], as_json=shown.json_output)
    end(scraped.problems)


def topics(
    index: str,
    *,
    output: Path = Path("topics.txt"),
    links: str = "",
    fetching: Fetching,
    overwrite: options.Replace = False,
    shown: options.OutputOptions,
) -> None:
    """List the debates of a site in a file that `conqret corpus debates` takes.

    Categories and next pages of an index are followed. Index pages that cannot be read are named, and the exit code is
    then 1.

    Args:
        index: The address of a page that lists debates, or a saved copy of it.
        output (--output, -o): The file for the list of debates.
        links: Take the links that match this pattern (`*` stands for anything), whatever the site, for example `--links
            'https://*.procon.org/*'`.

    Examples:

    conqret corpus topics https://www.britannica.com/procon -o topics.txt

    conqret corpus topics https://idebate.net/resources/debatabase -o topics.txt
    """
    from conqret.scrapers.corpus_collecting import list_debate_pages

    with progress("reading the index", quiet=shown.quiet) as bar:
        topic_list = list_debate_pages(
            index,
            output=output,
            links=links,
            overwrite=overwrite,
            on_page=lambda done, known: bar.reach(done, total=known),
            **fetching.given(),
        )
    if topic_list.failed and not shown.quiet:
        note_all(f"{len(topic_list.failed)} index pages could not be read", topic_list.failed)
    result(topic_list.record(), _lines(topic_list, output), as_json=shown.json_output)
    end(topic_list.failed)


def _lines(topic_list: TopicList, output: Path) -> Iterator[str]:
    yield f"{number(len(topic_list.debates), 'debate')} listed on {number(topic_list.pages, 'page')}"
    if topic_list.explainers:
        explainers = number(len(topic_list.explainers), "explainer")
        yield f"{explainers} left as comments: an explainer takes no side"
    yield at(output)
    yield f"next: conqret corpus debates {output} -o corpus/"


TEXT_SHOWN = 60
"""The most characters shown of a text of the page."""


def inspect(
    page: str,
    *,
    layout: str | None = None,
    fetching: Fetching,
    json_output: options.Printed = None,
) -> None:
    """Show what conqret reads from a debate page, and which HTML elements the site's layout looks for.

    Nothing is written. If an address is given, further pages of the same debate are fetched, too.

    Args:
        page: The address of a debate page, or a file saved from a browser.
        layout: Read the page with the layout of this debate site (such as `procon_classic`), even if the page does not
            match it.

    Examples:

    conqret corpus inspect https://www.britannica.com/procon/zoos-debate

    conqret corpus inspect zoos.html --layout procon-britannica
    """
    from conqret.scrapers.corpus_collecting import inspect_debate_page

    inspection = inspect_debate_page(page, layout=layout, **fetching.given())
    result(inspection.record(), _inspection_lines(inspection), as_json=json_output)


def _inspection_lines(inspection: LayoutInspection) -> Iterator[RenderableType]:
    from conqret.show.table import Column, Table

    yield f"page      {inspection.address}, {inspection.characters:,} characters of text"
    if inspection.archived:
        yield f"archived  {inspection.archived}"
    yield f"layout    {_layout(inspection)}"
    yield from (f"further   {other} is read, too" for other in inspection.further)
    yield from (f"further   {url}" for url in inspection.failed)
    for address in inspection.wants[len(inspection.further) + len(inspection.failed) :]:
        yield f"further   {address} belongs to it, and is read where the page is given by its address"
    if not inspection.layout and inspection.index.debates:
        yield f"index     {len(inspection.index.debates)} debates are listed; conqret corpus topics makes a list"
    if inspection.drawn_by_script:
        yield "script    it holds almost no text: a script draws it; save it from a browser"
    if inspection.parts is not None:
        remarks = inspection.parts.remarks if inspection.missing else ()
        yield from (f"missing   {line}" for line in (*inspection.missing, *remarks))
        yield ""
        yield Table("What was read", ("part", Column("found", "text")), _read(inspection.parts))
    yield ""
    columns = (Column("selector", "name"), Column("part", "name"), "found")
    yield Table("What the layouts look for", columns, _looked_for(inspection.looked_for))


def _looked_for(selectors: Sequence[LookedFor]) -> Iterator[tuple[Cell, ...]]:
    """Yield a heading and a row a selector for each layout of which the page has anything."""
    for name in dict.fromkeys(selector.layout for selector in selectors):
        rows = [selector for selector in selectors if selector.layout == name]
        if not any(row.found for row in rows):
            yield (f"{name}: nothing",)
            continue
        yield (name,)
        yield from ((row.selector, row.part, row.found) for row in rows)


def _layout(inspection: LayoutInspection) -> str:
    if inspection.layout and inspection.layout not in inspection.fits:
        return f"{inspection.layout}, which does not fit; what fits: {', '.join(inspection.fits) or 'none'}"
    if not inspection.layout:
        return "none fits; --layout NAME compares the page with one"
    file = f"layouts/{inspection.layout.replace('-', '_')}.py"
    return f"{inspection.layout} fits ({file})"


def _read(parts: DebateParts) -> list[tuple[str, str]]:
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
        ("title", shortened(parts.title, TEXT_SHOWN)),
        ("question", shortened(parts.question, TEXT_SHOWN)),
        ("introduction", shortened(parts.introduction, TEXT_SHOWN)),
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
        shortened(argument.title or "(no title)", TEXT_SHOWN) for argument in arguments
    )
