"""``conqret corpus``: from debate pages to a corpus directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import end, note, note_all, result, tell
from conqret.errors import number
from conqret.scrapers.pages_command import Fetching, need_scrape

if TYPE_CHECKING:
    from conqret.scrapers.debates import LayoutProblem


_SHOWN = 20  # problems printed; all of them are in problems.jsonl


@grouped
def debates(
    urls: Path,
    *,
    output: Path = Path("corpus"),
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Pages under way at a time. Default: 8.")
    ] = None,
    refetch: bool = False,
    fetching: Fetching,
    shown: options.OutputOptions,
) -> None:
    """Read debate pages: question, introduction, pros and cons, and the list of sources.

    A page that cannot be read is reported with what was missing, kept in problems.jsonl and tried again next
    time; the exit code is then 1.

    Args:
        urls: A file with an address on each line; # begins a comment.
        output (--output, -o): The corpus directory; debates that it has are not fetched again.
        refetch: Fetch again what the corpus has, too.

    Examples:

    conqret corpus debates topics.txt -o corpus/

    conqret corpus debates topics.txt -o corpus/ --archived 2024-06
    """
    import asyncio

    need_scrape()
    from conqret.data import Debate
    from conqret.scrapers.debate_pages import CONCURRENCY, gather_debates, read_urls
    from conqret.scrapers.snapshots import snapshot_of

    def take(result: Debate | LayoutProblem) -> None:
        if isinstance(result, Debate) and not shown.quiet:
            sides = f"{len(result.pros)} pros, {len(result.cons)} cons, {len(result.sources)} sources"
            copy = snapshot_of(result.archived)
            read_by = f"{result.layout}, archived {copy.day}" if copy else result.layout
            tell(f"{result.url}  {sides} ({read_by})")

    found = asyncio.run(
        gather_debates(
            output,
            read_urls(urls),
            fetching.options(),
            archive=fetching.archive(),
            refetch=refetch,
            concurrency=concurrency or CONCURRENCY,
            on_result=take,
        )
    )
    read, problems = found.read, found.problems
    if problems and not shown.quiet:
        pages = ["\n    ".join([one.url, *one.missing]) for one in problems]
        note_all(f"{len(problems)} of {len(read) + len(problems)} pages gave no debate", pages, _SHOWN)
        note("conqret corpus inspect ADDRESS shows what a page has, and what its layout looks for")
        if not fetching.archived and any(one.missing[0].startswith("the page: blocked") for one in problems):
            note("a site that turns us away may have copies in the Internet Archive: --archived 2024-06")
    sources = sum(len(one.sources) for one in read)
    line = (
        f"{number(len(read), 'debate')} read with {sources} sources, {found.kept} kept from before, "
        f"{len(problems)} problems: {output}"
    )
    result(found.record(), [line], as_json=shown.json_output)
    end(found.problems)
