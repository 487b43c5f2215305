"""``conqret scrape``: from debate pages to a corpus directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import scrape_evidence
from conqret.cli.console import err, note, out

if TYPE_CHECKING:
    from conqret.data import Debate
    from conqret.scrapers.debates import Problem

app = typer.Typer(
    help="Read debate pages, and fetch the sources that they cite.",
    no_args_is_help=True,
    epilog="Example: conqret scrape debates urls.txt -o corpus/ && conqret scrape evidence corpus/",
)
scrape_evidence.register(app)

_SHOWN = 20  # problems printed; all of them are in problems.jsonl


@app.command("debates", epilog="Example: conqret scrape debates urls.txt -o corpus/")
def debates(
    urls: Annotated[Path, typer.Argument(help="A file with an address on each line; # begins a comment.")],
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
    json_output: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")] = False,
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
    from conqret.io.corpus import CorpusDirectory
    from conqret.scrapers.debates import Problem
    from conqret.scrapers.fetch import Fetcher, FetchOptions, Policy
    from conqret.scrapers.pages import CONCURRENCY, page_key, read_urls, scrape_debates

    wanted = read_urls(urls)
    corpus = CorpusDirectory(output)
    before = list(corpus.debates()) if corpus.debates_file.is_file() else []
    asked = {page_key(url) for url in wanted}
    kept = [one for one in before if not (refetch and page_key(one.url) in asked)]
    have = {page_key(one.url) for one in kept}
    todo = [url for url in wanted if page_key(url) not in have]
    policy = Policy(allow_private=allow_private)
    options = FetchOptions(policy=policy) if delay is None else FetchOptions(policy=policy, delay=delay)

    arrived: list[Debate | Problem] = []

    def take(result: Debate | Problem) -> None:
        arrived.append(result)
        if not quiet:
            _say(result)

    async def run() -> list[Debate | Problem]:
        async with Fetcher(options) as fetcher:
            return await scrape_debates(
                todo,
                fetcher,
                taken={one.id for one in kept},
                concurrency=concurrency or CONCURRENCY,
                on_result=take,
            )

    try:
        results = asyncio.run(run()) if todo else []
    except KeyboardInterrupt:
        new = {one.id: one for one in arrived if isinstance(one, Debate)}
        corpus.write_debates(
            [*kept, *(one for one in new.values() if one.id not in {old.id for old in kept})]
        )
        raise
    read = [one for one in results if isinstance(one, Debate)]
    problems = [one for one in results if isinstance(one, Problem)]
    failed = {page_key(one.url) for one in problems}
    kept += [one for one in before if one not in kept and page_key(one.url) in failed]
    corpus.write_debates([*kept, *read])
    corpus.write_problems({"url": one.url, "layout": one.layout, "missing": one.missing} for one in problems)
    _show(corpus.path, len(kept), read, problems, json_output=json_output, quiet=quiet)
    if problems:
        raise typer.Exit(1)


def _say(result: object) -> None:
    from rich.text import Text

    from conqret.data import Debate

    if isinstance(result, Debate):
        sides = f"{len(result.pros)} pros, {len(result.cons)} cons, {len(result.sources)} sources"
        err().print(Text(f"{result.url}  {sides} ({result.layout})"), soft_wrap=True)


def _show(
    path: Path,
    kept: int,
    read: Sequence[Debate],
    problems: Sequence[Problem],
    *,
    json_output: bool,
    quiet: bool,
) -> None:
    import json

    if json_output:
        found = {
            "kept": kept,
            "read": [one.id for one in read],
            "problems": [{"url": one.url, "layout": one.layout, "missing": one.missing} for one in problems],
        }
        out().out(json.dumps(found, ensure_ascii=False, indent=1))
        return
    if problems and not quiet:
        shown = "\n".join(f"  {one.url}\n    " + "\n    ".join(one.missing) for one in problems[:_SHOWN])
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        note(f"{len(problems)} of {len(read) + len(problems)} pages gave no debate:\n{shown}{more}")
    sources = sum(len(one.sources) for one in read)
    text = f"{len(read)} debates read with {sources} sources, {kept} kept from before, {len(problems)} problems: {path}"
    out().print(text, markup=False, soft_wrap=True)
