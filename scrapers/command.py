"""``conqret corpus debates`` and ``topics``: debate pages into a corpus directory, and the lists of their addresses."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import ProgressBar, at, end, note, note_all, progress, result, tell
from conqret.errors import number
from conqret.options import Within

if TYPE_CHECKING:
    from conqret.scrapers.archive import InternetArchive
    from conqret.scrapers.debate_pages import PageFetcher
    from conqret.scrapers.debates import LayoutProblem
    from conqret.scrapers.fetch import FetchOptions
    from conqret.scrapers.topic_list import TopicList

_SHOWN = 20  # problems printed; all of them are in problems.jsonl


@dataclass(frozen=True)
class Fetching(OptionGroup):
    """How pages are fetched.

    Args:
        archive_base: Another archive with the same API. [default: https://archive.org]
        delay: Seconds between two requests to one host. [default: 1; with `--archived` 4]
        allow_private: Allow loopback and private addresses (test servers, intranets).
    """

    archived: Annotated[
        str | None,
        typer.Option(
            help="Read the Internet Archive's copies nearest to this year, month or day, as in 2024-06.",
            metavar="YYYY-MM",
        ),
    ] = None
    archive_base: str | None = None
    delay: float | None = None
    allow_private: bool = False

    def archive(self) -> InternetArchive | None:
        """The archive that all pages come from, if they do."""
        from conqret.scrapers.archive import archive_at

        return archive_at(self.archived, self.archive_base)

    def options(self) -> FetchOptions:
        """The fetcher's."""
        from conqret.scrapers import archive
        from conqret.scrapers.fetch import FetchOptions, Policy
        from conqret.scrapers.fetch.politeness import DELAY

        usual = archive.DELAY if self.archive() else DELAY
        return FetchOptions(
            delay=usual if self.delay is None else self.delay, policy=Policy(allow_private=self.allow_private)
        )

    @contextlib.asynccontextmanager
    async def fetcher(self) -> AsyncIterator[PageFetcher]:
        """Whoever fetches, while the block runs."""
        from conqret.scrapers.archive import ArchivedPages
        from conqret.scrapers.fetch import Fetcher

        archive = self.archive()
        async with Fetcher(self.options()) as fetcher:
            yield ArchivedPages(fetcher, archive) if archive else fetcher


def need_scrape() -> None:
    """Ask for the extra that fetches and parses pages."""
    from conqret._optional import require

    require("aiohttp", "lxml", "protego", extra="scrape")


@grouped
def debates(
    urls: Path,
    *,
    output: Path = Path("corpus"),
    concurrency: Annotated[int | None, Within(1)] = None,
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
        concurrency: Pages under way at a time. Default: 8.
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

    debates_to_write = asyncio.run(
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
    read, problems = debates_to_write.read, debates_to_write.problems
    if problems and not shown.quiet:
        pages = ["\n    ".join([problem.url, *problem.missing]) for problem in problems]
        note_all(f"{len(problems)} of {len(read) + len(problems)} pages gave no debate", pages, _SHOWN)
        note("conqret corpus inspect ADDRESS shows what a page has, and what its layout looks for")
        if not fetching.archived and any(
            problem.missing[0].startswith("the page: blocked") for problem in problems
        ):
            note("a site that turns us away may have copies in the Internet Archive: --archived 2024-06")
    sources = sum(len(debate.sources) for debate in read)
    line = (
        f"{number(len(read), 'debate')} read with {sources} sources, {debates_to_write.kept} kept from before, "
        f"{len(problems)} problems: {output}"
    )
    result(debates_to_write.record(), [line], as_json=shown.json_output)
    end(debates_to_write.problems)


@grouped
def topics(
    index: str,
    *,
    output: Path = Path("topics.txt"),
    explainers: bool = False,
    links: str = "",
    address: str = "",
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
        explainers: Also list pages without sides (explainers), which otherwise appear as comments only.
        links: Take the links that match this pattern (`*` stands for anything), whatever the site, for example `--links
            'https://*.procon.org/*'`.
        address: The address that a saved page had, to complete its links.

    Examples:

    conqret corpus topics https://www.britannica.com/procon -o topics.txt

    conqret corpus topics https://idebate.net/resources/debatabase -o topics.txt
    """
    import asyncio

    need_scrape()
    from conqret.io.overwriting import check_new
    from conqret.io.safe_files import write_all
    from conqret.scrapers.topic_list import gather_topics

    async def gather(bar: ProgressBar) -> TopicList:
        async with fetching.fetcher() as fetcher:
            return await gather_topics(
                index,
                fetcher,
                address=address,
                links=links,
                on_page=lambda done, known: bar.reach(done, total=known),
            )

    check_new([output], overwrite=overwrite)
    with progress("reading the index", quiet=shown.quiet) as bar:
        topic_list = asyncio.run(gather(bar))
    write_all(output, (f"{line}\n".encode() for line in topic_list.lines(index, explainers=explainers)))
    if topic_list.failed and not shown.quiet:
        note_all(f"{len(topic_list.failed)} index pages could not be read", topic_list.failed)
    record = {
        "debates": [debate.url for debate in topic_list.debates],
        "explainers": [explainer.url for explainer in topic_list.explainers],
        "pages": topic_list.pages,
        "failed": topic_list.failed,
    }
    result(record, _lines(topic_list, output, explainers=explainers), as_json=shown.json_output)
    end(topic_list.failed)


def _lines(topic_list: TopicList, output: Path, *, explainers: bool) -> Iterator[str]:
    yield f"{number(len(topic_list.debates), 'debate')} listed on {number(topic_list.pages, 'page')}"
    if topic_list.explainers:
        kept = "listed, too" if explainers else "left as comments: an explainer takes no side"
        yield f"{number(len(topic_list.explainers), 'explainer')} {kept}"
    yield at(output)
    yield f"next: conqret corpus debates {output} -o corpus/"
