"""``conqret corpus topics``: the addresses of a site's debates, from its index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import ProgressBar, at, end, note_all, progress, result
from conqret.scrapers.pages_command import Fetching, need_scrape

if TYPE_CHECKING:
    from conqret.scrapers.topic_list import TopicList


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
        found = asyncio.run(gather(bar))
    write_all(output, (f"{line}\n".encode() for line in found.lines(index, explainers=explainers)))
    if found.failed and not shown.quiet:
        note_all(f"{len(found.failed)} index pages could not be read", found.failed)
    record = {
        "debates": [one.url for one in found.debates],
        "explainers": [one.url for one in found.explainers],
        "pages": found.pages,
        "failed": found.failed,
    }
    result(record, _lines(found, output, explainers=explainers), as_json=shown.json_output)
    end(found.failed)


def _lines(found: TopicList, output: Path, *, explainers: bool) -> Iterator[str]:
    from conqret.show.words import number

    yield f"{number(len(found.debates), 'debate')} listed on {number(found.pages, 'page')}"
    if found.explainers:
        kept = "listed, too" if explainers else "left as comments: an explainer takes no side"
        yield f"{number(len(found.explainers), 'explainer')} {kept}"
    yield at(output)
    yield f"next: conqret corpus debates {output} -o corpus/"
