"""The run over all cited sources: search, fetch, extract, record; resumable, and bounded in memory.

Every host has lanes of its own, so that a slow host delays nobody else. A source holds a place from its
request to its line in the ledger, and there are :data:`IN_HAND` places for each request that may be under
way: while some pages are parsed and written the next are asked for, but pages do not pile up.

What is written, in this order: the response (WARC), the text (documents), the line (ledger). So a line in
the ledger means that the rest is there, and a kill costs what was under way.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from conqret.errors import ConqretError, DeclarationError
from conqret.io.corpus import CorpusDirectory
from conqret.scrapers.archive import InternetArchive
from conqret.scrapers.documents import DocumentStore
from conqret.scrapers.extract import Extractor
from conqret.scrapers.extract.pool import SECONDS, WORKERS
from conqret.scrapers.fetch import Fetcher, FetchError, FetchOptions, Page, Status
from conqret.scrapers.fetch.guard import Lookup
from conqret.scrapers.jobs import SEARCH_LANE, Cited, Job, cited_sources, lines_for, plan
from conqret.scrapers.ledger import EvidenceSummary, Ledger, LedgerLine, summarise
from conqret.scrapers.providers import Provider
from conqret.scrapers.search import Searcher
from conqret.scrapers.warc import WarcWriter

LOCK_NAME = ".evidence.lock"
IN_HAND = 2
"""Pages being asked for, parsed or written, for each request that may be under way."""
SEARCH_LANES = 4
"""Sources without URL that are worked on at once; the providers' own pace is what limits them."""

OnLine = Callable[[LedgerLine], None]
OnStart = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class EvidenceOptions:
    """How the sources are gathered.

    ``providers`` are asked for sources without URL, in this order; ``archive`` makes the Internet Archive's
    snapshot go before the page of today, which is taken where there is none; ``retry_errors`` asks again
    for what ended as ``error``; ``parse_seconds`` is the time that one page may take to be parsed.
    """

    fetch: FetchOptions = field(default_factory=FetchOptions)
    providers: tuple[Provider, ...] = ()
    archive: InternetArchive | None = None
    retry_errors: bool = False
    workers: int = WORKERS
    parse_seconds: float = SECONDS


async def gather_evidence(
    corpus: Path,
    options: EvidenceOptions | None = None,
    *,
    on_start: OnStart | None = None,
    on_line: OnLine | None = None,
    lookup: Lookup | None = None,
) -> EvidenceSummary:
    """Fetch what the debates of a corpus cite, and write documents, ledger and responses beside them.

    ``on_start`` gets the number of sources cited and of those that have their end from before; ``on_line``
    every line as it is written. ``lookup`` replaces the system's name resolution.

    Raises:
        DeclarationError: there is no ``debates.jsonl``, a file of the corpus is broken, or another run is
            writing to it. Failures of the network never raise: they are the ledger's lines.
    """
    options = options or EvidenceOptions()
    started = time.monotonic()
    cited = cited_sources(CorpusDirectory(corpus).debates())
    with locked(corpus):
        ledger = Ledger(corpus / "ledger.jsonl")
        try:
            lanes, copies = plan(
                cited,
                ledger,
                options.fetch.policy,
                retry_errors=options.retry_errors,
                searching=bool(options.providers),
                dated=options.archive is not None,
            )
            left = sum(len(job.cited) for jobs in lanes.values() for job in jobs) + len(copies)
            if on_start is not None:
                on_start(len(cited), len(cited) - left)
            for line in copies:
                _record(ledger, [line], on_line)
            jobs = sum(map(len, lanes.values()))
            if lanes:
                await _run(corpus, lanes, ledger, options, on_line, lookup)
            ledger.compact([one.key for one in cited])
            ended = [end for one in cited if (end := ledger.get(one.key)) is not None]
        finally:
            ledger.close()
    return summarise(
        ended,
        cited=len(cited),
        without_url=_without_url(cited),
        kept=len(cited) - left,
        pages=jobs,
        seconds=time.monotonic() - started,
    )


@contextmanager
def locked(corpus: Path) -> Iterator[None]:
    """Keep other runs off the files of a corpus; raises :class:`DeclarationError` if one is writing."""
    lock = FileLock(corpus / LOCK_NAME)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DeclarationError(
            f"{corpus}: another run is gathering evidence here; wait for it or stop it"
        ) from None
    try:
        yield
    finally:
        lock.release()


async def _run(
    corpus: Path,
    lanes: dict[str, deque[Job]],
    ledger: Ledger,
    options: EvidenceOptions,
    on_line: OnLine | None,
    lookup: Lookup | None,
) -> None:
    from conqret._version import __version__

    documents = DocumentStore(corpus)
    try:
        responses = WarcWriter(corpus, f"conqret {__version__}")
        searcher = Searcher(options.providers, policy=options.fetch.policy, retries=options.fetch.retries)
        try:
            async with (
                Fetcher(options.fetch, on_reply=responses.write, lookup=lookup) as fetcher,
                Extractor(options.workers, seconds=options.parse_seconds) as extractor,
            ):
                run = _Run(options, ledger, documents, fetcher, extractor, searcher, on_line)
                await run.all(lanes)
        finally:
            await searcher.close()
            responses.close()
    finally:
        documents.close()


@dataclass(slots=True)
class _Run:
    """What the lanes share."""

    options: EvidenceOptions
    ledger: Ledger
    documents: DocumentStore
    fetcher: Fetcher
    extractor: Extractor
    searcher: Searcher
    on_line: OnLine | None

    async def all(self, lanes: dict[str, deque[Job]]) -> None:
        """Work all lanes off; the first error of the disk or of a declaration ends them."""
        places = asyncio.Semaphore(IN_HAND * self.options.fetch.concurrency)
        tasks: list[asyncio.Task[None]] = []
        for lane, jobs in lanes.items():
            width = SEARCH_LANES if lane == SEARCH_LANE else IN_HAND * self.options.fetch.per_host
            tasks += [asyncio.create_task(self._lane(jobs, places)) for _ in range(min(width, len(jobs)))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _lane(self, jobs: deque[Job], places: asyncio.Semaphore) -> None:
        while jobs:
            job = jobs.popleft()
            if job.source.url and self.options.archive is None:
                await self.fetcher.ready(job.source.url)
            async with places:
                (end,) = await asyncio.gather(self._settle(job), return_exceptions=True)
                if isinstance(end, BaseException):
                    # A disk that is full or a file that is gone ends the run. Anything else is a fault of
                    # ours that this one page brought to light: it must not take the other pages along.
                    if isinstance(end, (ConqretError, OSError)) or not isinstance(end, Exception):
                        raise end
                    end = _line(job, Status.ERROR, f"internal error: {type(end).__name__}: {str(end)[:200]}")
                _record(self.ledger, lines_for(job, end), self.on_line)

    async def _settle(self, job: Job) -> LedgerLine:
        """Find out what becomes of a job's source."""
        source, provider = job.source, None
        url = source.url.strip()
        try:
            if not url:
                found = await self.searcher.find(source.title)
                url, provider = found.url, found.provider
            page = await self._page(url, source.cited)
        except FetchError as error:
            return _line(job, error.status, error.detail, url=url, http=error.http, provider=provider)
        line = _line(job, page.status, page.detail, url=url, provider=provider, page=page)
        if not page.ok:
            return line
        result = await self.extractor.extract(page.body, page.content_type, page.charset)
        if not result.ok:
            return line.model_copy(update={"status": Status.UNPARSABLE.value, "detail": result.problem})
        identifier = self.documents.add(result.text, result.title or source.title, page.final_url)
        return line.model_copy(update={"document": identifier})

    async def _page(self, url: str, cited: str) -> Page:
        if self.options.archive is not None:
            snapshot = await self.options.archive.snapshot(self.fetcher, url, cited)
            if snapshot is not None:
                return await self.fetcher.fetch(snapshot, robots=False)
        return await self.fetcher.fetch(url)


def _record(ledger: Ledger, lines: Sequence[LedgerLine], on_line: OnLine | None) -> None:
    for line in lines:
        ledger.add(line)
        if on_line is not None:
            on_line(line)


def _line(
    job: Job,
    status: Status,
    detail: str,
    *,
    url: str = "",
    http: int = 0,
    provider: str | None = None,
    page: Page | None = None,
) -> LedgerLine:
    first = job.cited[0]
    return LedgerLine(
        debate=first.debate,
        number=first.source.number,
        title=first.source.title,
        url=url or first.source.url.strip(),
        final_url=page.final_url if page else "",
        status=status.value,
        detail=detail,
        http=page.http if page else http,
        bytes=len(page.body) if page else 0,
        content_type=page.content_type if page else "",
        seconds=round(page.seconds, 3) if page else 0.0,
        attempts=page.attempts if page else 0,
        provider=provider,
    )


def _without_url(cited: Sequence[Cited]) -> int:
    return sum(not one.source.url.strip() for one in cited)
