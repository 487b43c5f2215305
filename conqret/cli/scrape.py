"""``conqret scrape``: from debate pages to a corpus directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import options, scrape_evidence
from conqret.cli.console import end, note_all, result, tell
from conqret.cli.groups import grouped

if TYPE_CHECKING:
    from conqret.scrapers.debates import Problem

app = typer.Typer(
    help="Read debate pages, and fetch the sources that they cite.",
    no_args_is_help=True,
    epilog="Example: conqret scrape debates urls.txt -o corpus/ && conqret scrape evidence corpus/",
)
scrape_evidence.register(app)

_SHOWN = 20  # problems printed; all of them are in problems.jsonl


@app.command("debates", epilog="Example: conqret scrape debates urls.txt -o corpus/")
@grouped
def debates(
    urls: Annotated[Path, typer.Argument(help="A file with an address on each line; # begins a comment.")],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The corpus directory; debates that it has are not fetched again."
        ),
    ] = Path("corpus"),
    delay: Annotated[
        float | None, typer.Option(help="Seconds between two requests to one host. Default: 1.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Pages under way at a time. Default: 8.")
    ] = None,
    allow_private: Annotated[
        bool,
        typer.Option(
            "--allow-private", help="Allow loopback and private addresses (test servers, intranets)."
        ),
    ] = False,
    refetch: Annotated[bool, typer.Option("--refetch", help="Fetch again what the corpus has, too.")] = False,
    shown: options.Shown,
) -> None:
    """Read debate pages: question, introduction, pros and cons, and the list of sources.

    A page that cannot be read is reported with what was missing, kept in problems.jsonl and tried again next
    time; the exit code is then 1.
    """
    import asyncio

    from conqret._optional import require

    for module in ("aiohttp", "lxml", "protego"):
        require(module, extra="scrape")
    from conqret.data import Debate
    from conqret.scrapers.fetch import FetchOptions, Policy
    from conqret.scrapers.fetch.politeness import DELAY
    from conqret.scrapers.pages import CONCURRENCY, gather_debates, read_urls

    def take(result: Debate | Problem) -> None:
        if isinstance(result, Debate) and not shown.quiet:
            sides = f"{len(result.pros)} pros, {len(result.cons)} cons, {len(result.sources)} sources"
            tell(f"{result.url}  {sides} ({result.layout})")

    found = asyncio.run(
        gather_debates(
            output,
            read_urls(urls),
            FetchOptions(delay=DELAY if delay is None else delay, policy=Policy(allow_private=allow_private)),
            refetch=refetch,
            concurrency=concurrency or CONCURRENCY,
            on_result=take,
        )
    )
    read, problems = found.read, found.problems
    if problems and not shown.quiet:
        pages = ["\n    ".join([one.url, *one.missing]) for one in problems]
        note_all(f"{len(problems)} of {len(read) + len(problems)} pages gave no debate", pages, _SHOWN)
    sources = sum(len(one.sources) for one in read)
    line = (
        f"{len(read)} debates read with {sources} sources, {found.kept} kept from before, "
        f"{len(problems)} problems: {output}"
    )
    result(found.record(), [line], as_json=shown.json_output)
    end(found.problems)
