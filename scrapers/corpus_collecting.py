"""The functions of ``conqret corpus`` that read from the web: lists of debates, debate pages, their
sources, and the inspection of a page.

Nothing that fetches or parses is imported before a function is called: without the extra ``scrape`` that says what to
install.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from conqret._optional import require
from conqret.data.corpus import Debate
from conqret.errors import strict_options
from conqret.io.safe_files import check_new, write_all
from conqret.runs.trials import Loop
from conqret.scrapers.fetch_ledger import EvidenceSummary, LedgerLine

if TYPE_CHECKING:
    from conqret.scrapers.debate_pages import ScrapeResult
    from conqret.scrapers.debates import LayoutProblem
    from conqret.scrapers.debates.layout_inspection import LayoutInspection
    from conqret.scrapers.scrape_places import TopicList


T = TypeVar("T")


class PageSettings(TypedDict, total=False):
    """Settings for fetching pages.

    - ``archived``: read the Internet Archive's copies closest to a year, month or day ("2024-06")
    - ``delay``: seconds between two requests to one host (default 1; for the archive 4)
    - ``allow_private``: allow loopback and private addresses
    """

    archived: str | None
    delay: float | None
    allow_private: bool


class EvidenceSettings(PageSettings, total=False):
    """Settings for fetching cited sources, in addition to :class:`PageSettings`.

    With ``archived``, an archived copy is preferred to today's page; "cited" means the copy closest to the
    date of citation. ``user_agent`` is the name that web sites see.
    """

    user_agent: str | None


@strict_options
def list_debate_pages(
    index: str,
    *,
    output: str | Path | None = None,
    links: str = "",
    overwrite: bool = False,
    on_page: Callable[[int, int], None] = lambda done, known: None,
    **settings: Unpack[PageSettings],
) -> TopicList:
    """List the debates of a site by following the categories and next pages of its index.

    Args:
        index: the URL of a page that lists debates, or a saved copy of it.
        output: the file for the list, which :func:`collect_debates` reads; None writes no file.
        links: take the links that match this pattern (``*`` stands for anything), whatever the site.
        overwrite: replace an existing list.
        on_page: called with the numbers of index pages read and known.
        settings: how pages are fetched: :class:`PageSettings`.

    Returns:
        The debates, and the index pages that failed.

    Raises:
        DeclarationError: there is no such file, ``output`` exists already, or no debate is listed; the
            message then says what the page links to.
        ExecutionError: the index cannot be fetched.
        MissingDependencyError: the extra ``scrape`` is not installed.
    """
    _need_pages()
    from conqret.scrapers.scrape_places import gather_topics

    if output is not None:
        check_new([Path(output)], overwrite=overwrite)
    topic_list = _run(gather_topics(index, settings, links=links, on_page=on_page))
    if output is not None:
        lines = topic_list.lines(index)
        write_all(Path(output), (f"{line}\n".encode() for line in lines))
    return topic_list


@strict_options
def collect_debates(
    urls: str | Path | Sequence[str],
    output: str | Path = "corpus",
    *,
    on_result: Callable[[Debate | LayoutProblem], None] = lambda result: None,
    **settings: Unpack[PageSettings],
) -> ScrapeResult:
    """Read debate pages into a corpus: question, introduction, pros and cons, and the list of sources.

    Args:
        urls: a file with a URL on each line, or the URLs.
        output: the corpus directory. Its debates are not fetched again; unreadable pages are listed in
            problems.jsonl.
        on_result: called with each debate or problem.
        settings: how pages are fetched: :class:`PageSettings`.

    Returns:
        The debates read, the number kept, and the problems.

    Raises:
        DeclarationError: there is no such file, a line of it or of the corpus is broken, or another
            process is writing to the corpus.
        MissingDependencyError: the extra ``scrape`` is not installed.
    """
    _need_pages()
    from conqret.scrapers.archive import archive_from_settings, fetch_options
    from conqret.scrapers.debate_pages import checked_urls, gather_debates, read_urls

    addresses = read_urls(urls) if isinstance(urls, str | Path) else checked_urls(urls)
    return _run(
        gather_debates(
            Path(output),
            addresses,
            fetch_options(settings),
            archive=archive_from_settings(settings),
            on_result=on_result,
        )
    )


@strict_options
def collect_evidence(
    corpus: str | Path,
    *,
    search: str | Sequence[str] = (),
    retry_errors: bool = False,
    on_start: Callable[[int, int], None] = lambda total, kept: None,
    on_line: Callable[[LedgerLine], None] = lambda line: None,
    **settings: Unpack[EvidenceSettings],
) -> EvidenceSummary:
    """Fetch the sources that the debates of a corpus cite, extract their texts, and record the result of
    each.

    Args:
        corpus: the corpus directory of :func:`collect_debates`; a repeated call resumes there.
        search: search engines for sources without a URL, in order: ``google``, ``brave``, ``searxng``,
            with keys from the environment.
        retry_errors: fetch sources again whose last attempt ended with an error.
        on_start: called with the number of sources, and how many of them are already done.
        on_line: called with each line of the ledger as it is written.
        settings: how sources are fetched: :class:`EvidenceSettings`.

    Returns:
        The counts of sources and texts.

    Raises:
        DeclarationError: there are no debates, a file or a setting is faulty, or another process is
            writing to the corpus. Network failures are recorded in the ledger and never raised.
        MissingDependencyError: the extra ``scrape`` is not installed.
    """
    require("trafilatura", "pypdf", "warcio", "protego", "charset_normalizer", extra="scrape")
    from conqret.scrapers.archive import archive_from_settings, fetch_options
    from conqret.scrapers.evidence_fetching import EvidenceOptions, gather_evidence
    from conqret.scrapers.search import providers

    names = search.split(",") if isinstance(search, str) else search
    engines = providers([name.strip() for name in names if name.strip()])
    options = EvidenceOptions(fetch_options(settings), engines, archive_from_settings(settings), retry_errors)
    return _run(gather_evidence(Path(corpus), options, on_start=on_start, on_line=on_line))


@strict_options
def inspect_debate_page(
    page: str,
    *,
    layout: str | None = None,
    **settings: Unpack[PageSettings],
) -> LayoutInspection:
    """Inspect a debate page: what is read from it, and which elements its layout looks for.

    Args:
        page: the URL of a debate page, or a saved file. With a URL, further pages of the debate are
            fetched too.
        layout: compare the page with this layout, even if it does not fit.
        settings: how pages are fetched: :class:`PageSettings`.

    Raises:
        DeclarationError: there is no such file or layout, or the page cannot be read.
        ExecutionError: the page cannot be fetched.
        MissingDependencyError: the extra ``scrape`` is not installed.
    """
    _need_pages()
    from conqret.scrapers.scrape_places import inspected

    return _run(inspected(page, settings, layout))


def _run(work: Coroutine[Any, Any, T]) -> T:
    with Loop() as loop:
        return loop.run(work)


def _need_pages() -> None:
    require("aiohttp", "lxml", "protego", "charset_normalizer", extra="scrape")
