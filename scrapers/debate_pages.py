"""Fetching debate pages and reading them: addresses in, debates and problems out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urldefrag

from conqret.data.item import Debate
from conqret.errors import DeclarationError
from conqret.io.corpus_folder import CorpusDirectory, write_lines
from conqret.io.limits import whole_text
from conqret.io.safe_files import only_writer
from conqret.runs.trials import RowStore
from conqret.scrapers.archive import ArchivedPages, InternetArchive
from conqret.scrapers.debates import LayoutProblem, read_debate, wanted_pages
from conqret.scrapers.debates.cited_sources import web_address
from conqret.scrapers.debates.layout import original_address, snapshot_of
from conqret.scrapers.debates.layouts import debate_id, told_apart
from conqret.scrapers.document import decode
from conqret.scrapers.fetch_client import Fetcher, FetchOptions
from conqret.scrapers.wire import Page

CONCURRENCY = 8
"""Debate pages under way at a time; they mostly lie on one host, which the fetcher asks one by one anyway."""
OnResult = Callable[[Debate | LayoutProblem], None]


class PageFetcher(Protocol):
    """What fetches pages: :class:`conqret.scrapers.fetch_client.Fetcher`, the archive, or a stand-in in tests. A fetch
    that fails is a page with its status, not an exception."""

    async def fetch(self, url: str) -> Page:
        """Fetch one address."""
        ...


def read_urls(path: str | Path) -> list[str]:
    """The addresses in a file: one a line; blank lines and lines that begin with ``#`` are skipped.

    Addresses that differ only in a final slash or a fragment count once.

    Raises:
        DeclarationError: there is no such file, no address in it, or a line is no http or https address.
    """
    file = Path(path)
    if not file.is_file():
        raise DeclarationError(f"{file}: there is no such file; give one with a web address on each line")
    urls = checked_urls(whole_text(file, "utf-8-sig", "replace").splitlines(), f"{file}:")
    if not urls:
        raise DeclarationError(f"{file}: contains no address; write one on each line")
    return urls


def checked_urls(lines: Iterable[str], where: str = "address ") -> list[str]:
    """The addresses among lines, each once; ``where`` is said before the number of one that is none.

    Raises:
        DeclarationError: one is no http or https address.
    """
    urls: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        url = web_address(text)
        if not url:
            raise DeclarationError(f"{where}{number} is not an http or https address: {text[:80]!r}")
        urls.setdefault(page_key(url), url)
    return list(urls.values())


def page_key(url: str) -> str:
    """What two addresses of one page have in common."""
    return urldefrag(url).url.rstrip("/")


@dataclass(frozen=True, slots=True)
class ScrapeResult:
    """What became of the pages of a list: debates that were read, those that the corpus has besides, and problems."""

    read: tuple[Debate, ...]
    kept: int
    problems: tuple[LayoutProblem, ...]

    def record(self) -> dict[str, Any]:
        """The same as plain data, the debates by their ids."""
        problems = [asdict(problem) for problem in self.problems]
        return {"kept": self.kept, "read": [debate.id for debate in self.read], "problems": problems}


async def gather_debates(
    corpus: Path,
    urls: Sequence[str],
    options: FetchOptions | None = None,
    *,
    archive: InternetArchive | None = None,
    refetch: bool = False,
    on_result: OnResult = lambda result: None,
) -> ScrapeResult:
    """Read debate pages into a corpus, each as it arrives: a stopped run goes on where it stopped.

    Pages that the corpus has are not fetched again unless ``refetch``, and then kept as they were where that
    fails. Pages that gave no debate are written beside them, with what was missing. With an ``archive``, all pages are
    read from there.

    Raises:
        DeclarationError: a line of the corpus is broken, or another process is writing to it.
    """
    directory = CorpusDirectory(corpus)
    with only_writer(corpus, "wait for it, or stop it"):
        directory.debates_file.touch()
        with RowStore(
            directory.debates_file, Debate, _key, foreign="is no debate; mend or remove the line"
        ) as store:
            todo = [url for url in urls if refetch or page_key(url) not in store]
            asked = set(map(page_key, todo))

            def take(result: Debate | LayoutProblem) -> None:
                if isinstance(result, Debate):
                    store.add(result)
                on_result(result)

            async with Fetcher(options) as fetcher:
                results = await scrape_debates(
                    todo,
                    ArchivedPages(fetcher, archive) if archive else fetcher,
                    taken=[row.id for row in store.rows() if _key(row) not in asked],
                    on_result=take,
                )
            read = tuple(result for result in results if isinstance(result, Debate))
            problems = tuple(result for result in results if isinstance(result, LayoutProblem))
            new = dict.fromkeys(map(_key, read))
            kept = [key for key in map(_key, store.rows()) if key not in new]
            store.arrange([*kept, *new])
            write_lines(directory.problems_file, map(asdict, problems))
            return ScrapeResult(read, len(kept), problems)


async def scrape_debates(
    urls: Sequence[str],
    fetcher: PageFetcher,
    *,
    taken: Iterable[str] = (),
    on_result: OnResult = lambda result: None,
) -> list[Debate | LayoutProblem]:
    """Fetch and read debate pages.

    Args:
        urls: Their addresses.
        fetcher: Fetches them, and the further pages (footnotes, the other side) that some need.
        taken: Ids that other debates of the corpus have.
        on_result: Called with each result as it arrives.

    Returns:
        A debate or a problem for each address, in the order of ``urls``. Where two addresses give the same
        id, the later one gets a digest of its address at the end.
    """
    gate = asyncio.Semaphore(CONCURRENCY)
    ids: set[str] = set(taken)

    async def one(url: str, identifier: str) -> Debate | LayoutProblem:
        async with gate:
            result = await scrape_debate(url, fetcher)
        if isinstance(result, Debate):
            result = result.model_copy(update={"id": identifier})
        on_result(result)
        return result

    tasks = []
    for url in urls:
        identifier = debate_id(url)
        if identifier in ids:
            identifier = told_apart(identifier, url)
        ids.add(identifier)
        tasks.append(one(url, identifier))
    return await asyncio.gather(*tasks)


async def scrape_debate(url: str, fetcher: PageFetcher) -> Debate | LayoutProblem:
    """Fetch one debate page, the further pages that it needs, and read it."""
    page = await fetcher.fetch(url)
    if not page.ok:
        return LayoutProblem(url, (f"the page: {page_end(page)}",))
    final = page.final_url or url
    html, address = decode(page.body, page.charset), original_address(final)
    further, failures = {}, []
    for wanted in wanted_pages(html, address):
        other = await fetcher.fetch(wanted)
        if other.ok:
            further[wanted] = decode(other.body, other.charset)
        else:
            failures.append(f"its page {wanted}: {page_end(other)}")
    result = read_debate(html, address, further=further)
    if isinstance(result, LayoutProblem):
        return LayoutProblem(url, (*result.missing, *failures), result.layout)
    archived = final if final != address else ""
    return result.model_copy(update={"url": url, "id": debate_id(url), "archived": archived})


def debate_line(result: Debate | LayoutProblem) -> str:
    """Return what was read of a debate in one line; empty for a problem."""
    if isinstance(result, LayoutProblem):
        return ""
    sides = f"{len(result.pros)} pros, {len(result.cons)} cons, {len(result.sources)} sources"
    copy = snapshot_of(result.archived)
    read_by = f"{result.layout}, archived {copy.day}" if copy else result.layout
    return f"{result.url}  {sides} ({read_by})"


def page_end(page: Page) -> str:
    """How a fetch ended, and why: ``not-found (HTTP 404)``."""
    return f"{page.status}" + (f" ({page.detail})" if page.detail else "")


def _key(debate: Debate) -> str:
    return page_key(debate.url)
