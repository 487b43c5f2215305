"""``conqret corpus debates`` and ``topics``: debate pages into a corpus directory, and the lists of their addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, note, note_all, progress, result, tell
from conqret.errors import number

if TYPE_CHECKING:
    from conqret.data import Debate
    from conqret.scrapers.debates import LayoutProblem
    from conqret.scrapers.topic_list import TopicList

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
        typer.Option(
            help="Read the Internet Archive's copies nearest to this year, month or day, as in 2024-06.",
            metavar="YYYY-MM",
        ),
    ] = None
    delay: float | None = None
    allow_private: bool = False


@grouped
def debates(
    urls: Path,
    *,
    output: Path = Path("corpus"),
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
        refetch: Fetch debates again, even if the corpus has them.

    Examples:

    conqret corpus debates topics.txt -o corpus/

    conqret corpus debates topics.txt -o corpus/ --archived 2024-06
    """
    from conqret.scrapers.corpus_collecting import collect_debates

    def take(result: Debate | LayoutProblem) -> None:
        from conqret.data import Debate
        from conqret.scrapers.snapshots import snapshot_of

        if isinstance(result, Debate) and not shown.quiet:
            sides = f"{len(result.pros)} pros, {len(result.cons)} cons, {len(result.sources)} sources"
            copy = snapshot_of(result.archived)
            read_by = f"{result.layout}, archived {copy.day}" if copy else result.layout
            tell(f"{result.url}  {sides} ({read_by})")

    scraped = collect_debates(urls, output, refetch=refetch, on_result=take, **fetching.given())
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
        explainers: Also list pages without pros and cons (explainers); without this option the list of debates has them
            only as comments.
        links: Take the links that match this pattern (`*` stands for anything), whatever the site, for example `--links
            'https://*.procon.org/*'`.
        address: The address that a saved page had, to complete its links.

    Examples:

    conqret corpus topics https://www.britannica.com/procon -o topics.txt

    conqret corpus topics https://idebate.net/resources/debatabase -o topics.txt
    """
    from conqret.scrapers.corpus_collecting import list_debate_pages

    with progress("reading the index", quiet=shown.quiet) as bar:
        topic_list = list_debate_pages(
            index,
            output=output,
            explainers=explainers,
            links=links,
            address=address,
            overwrite=overwrite,
            on_page=lambda done, known: bar.reach(done, total=known),
            **fetching.given(),
        )
    if topic_list.failed and not shown.quiet:
        note_all(f"{len(topic_list.failed)} index pages could not be read", topic_list.failed)
    result(topic_list.record(), _lines(topic_list, output, explainers=explainers), as_json=shown.json_output)
    end(topic_list.failed)


def _lines(topic_list: TopicList, output: Path, *, explainers: bool) -> Iterator[str]:
    yield f"{number(len(topic_list.debates), 'debate')} listed on {number(topic_list.pages, 'page')}"
    if topic_list.explainers:
        kept = "listed, too" if explainers else "left as comments: an explainer takes no side"
        yield f"{number(len(topic_list.explainers), 'explainer')} {kept}"
    yield at(output)
    yield f"next: conqret corpus debates {output} -o corpus/"
