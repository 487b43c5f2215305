"""Fetch debate pages and read them (:func:`gather_debates`): URLs in, debates and problems out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

from conqret.data.corpus import Debate
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
"""The most debate pages fetched at a time; they mostly lie on one host, which the fetcher requests one by
one anyway.
"""
OnResult = Callable[[Debate | LayoutProblem], None]
PageFetcher = Fetcher | ArchivedPages
"""What fetches pages; a failed fetch returns a page with its status and raises no exception."""


def read_urls(path: str | Path) -> list[str]:
    """Return the URLs in a file, one per line; blank lines and lines that begin with ``#`` are skipped.

    URLs that differ only in a final slash or a fragment count once.

    Raises:
        DeclarationError: there is no such file, it has no URL, or a line is not an http or https URL.
    """
    file = Path(path)
    if not file.is_file():
        raise DeclarationError(f"{file}: there is no such file; give one with a web address on each line")
    urls = checked_urls(whole_text(file, "utf-8-sig", "replace").splitlines(), f"{file}:")
    if not urls:
        raise DeclarationError(f"{file}: contains no address; write one on each line")
    return urls


def checked_urls(lines: Iterable[str], where: str = "address ") -> list[str]:
    """Return the distinct URLs (by :func:`page_key`) among lines; ``where`` precedes the line number in an
    error message. Blank lines and comments (``#``) are skipped.

    Raises:
        DeclarationError: a line is not an http or https URL.
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
    """Return the URL without fragment and final slash, which is equal for two URLs of one page."""
    return urldefrag(url).url.rstrip("/")


@dataclass(frozen=True, slots=True)
class ScrapeResult:
    """The result of reading debate pages: debates read, the number already in the corpus, and problems."""

    read: tuple[Debate, ...]
    kept: int
    problems: tuple[LayoutProblem, ...]

    def record(self) -> dict[str, Any]:
        """Return the result as plain data, with debates by their ids."""
        problems = [asdict(problem) for problem in self.problems]
        return {"kept": self.kept, "read": [debate.id for debate in self.read], "problems": problems}


async def gather_debates(
    corpus: Path,
    urls: Sequence[str],
    options: FetchOptions | None = None,
    *,
    archive: InternetArchive | None = None,
    on_result: OnResult = lambda result: None,
) -> ScrapeResult:
    """Read debate pages into a corpus, storing each as it arrives, so that a stopped run can resume.

    Pages that the corpus has are not fetched again. Pages without a debate are listed in the corpus's file of
    problems. With an ``archive``, all pages are read from it.

    Raises:
        DeclarationError: a line of the corpus is broken, or another process is writing to it.
    """
    directory = CorpusDirectory(corpus)
    with only_writer(corpus, "wait for it, or stop it"):
        directory.debates_file.touch()
        with RowStore(
            directory.debates_file, Debate, _key, foreign="is no debate; mend or remove the line"
        ) as store:
            todo = [url for url in urls if page_key(url) not in store]

            def take(result: Debate | LayoutProblem) -> None:
                if isinstance(result, Debate):
                    store.add(result)
                on_result(result)

            async with Fetcher(options) as fetcher:
                results = await scrape_debates(
                    todo,
                    ArchivedPages(fetcher, archive) if archive else fetcher,
                    taken=[row.id for row in store.rows()],
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
        urls: the URLs of the pages.
        fetcher: fetches them, and further pages that they need (footnotes, the other side).
        taken: ids that other debates of the corpus have.
        on_result: called with each result as it arrives.

    Returns:
        A debate or a problem for each URL, in order. If two URLs give the same id, the later one gets
            a suffix.
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
    """Fetch the debate page at ``url`` and the further pages that it needs, and return its debate, or a problem if a
    fetch fails or a part is missing. A further page that cannot be fetched is a problem only if a part is missing
    without it."""
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


def debate_line(result: Debate) -> str:
    """Return a one-line summary of a debate."""
    sides = f"{len(result.pros)} pros, {len(result.cons)} cons, {len(result.sources)} sources"
    copy = snapshot_of(result.archived)
    read_by = f"{result.layout}, archived {copy.day}" if copy else result.layout
    return f"{result.url}  {sides} ({read_by})"


def page_end(page: Page) -> str:
    """Return how a fetch ended, and why: ``not-found (HTTP 404)``."""
    return f"{page.status}" + (f" ({page.detail})" if page.detail else "")


def _key(debate: Debate) -> str:
    return page_key(debate.url)
