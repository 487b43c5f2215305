"""Fetch all cited sources (:func:`gather_evidence`): search, fetch, extract, record; resumable, and
bounded in memory.

Every host has lanes of its own, so that a slow host delays nobody else. A source holds a place from its
request to its line in the ledger, and there are :data:`IN_HAND` places for each request that may be under
way: while some pages are parsed and written the next are asked for, but pages do not pile up.

What is written, in this order: the response (WARC), the text (documents), the line (ledger). So a line in
the ledger means that the rest is there, and a kill costs what was under way.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from aiohttp.abc import AbstractResolver

from conqret._version import __version__
from conqret.data.corpus import SOURCE_STATUSES, Debate, Source
from conqret.data.digest import gathered
from conqret.errors import ConqretError
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.safe_files import only_writer
from conqret.scrapers.archive import InternetArchive
from conqret.scrapers.fetch_client import Fetcher, FetchOptions
from conqret.scrapers.fetch_ledger import (
    DocumentStore,
    EvidenceSummary,
    FetchLedger,
    LedgerLine,
    make_document,
    source_key,
)
from conqret.scrapers.search import UNSEARCHED, SearchEngine, WebSearcher
from conqret.scrapers.warc import WarcWriter
from conqret.scrapers.wire import FetchError, FetchStatus, Page, Policy, checked_url
from conqret.scrapers.worker_pool import WORKERS, Extractor

T = TypeVar("T")


async def work_off(lanes: Iterable[tuple[deque[T], int]], work: Callable[[T], Awaitable[None]]) -> None:
    """Run ``work`` on every entry of the queues; the first error stops all and is raised.

    Each lane is a queue and its number of workers.
    """

    async def worker(queue: deque[T]) -> None:
        while queue:
            await work(queue.popleft())

    try:
        async with asyncio.TaskGroup() as group:
            for queue, width in lanes:
                for _ in range(min(width, len(queue))):
                    group.create_task(worker(queue))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


SEARCH_LANE = "?"
"""The lane of sources without a URL; no host has this name."""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One source that a debate cites."""

    debate: str
    source: Source

    @property
    def key(self) -> str:
        """The source's key: the id of its debate and its number there."""
        return source_key(self.debate, self.source.number)

    @property
    def url(self) -> str:
        """The URL that the page gives for the source; empty if there is none."""
        return self.source.url.strip()

    def line(self, end: Mapping[str, Any]) -> LedgerLine:
        """Return the source's ledger line from ``end``, the fields that say how its fetch ended."""
        source_fields = {"debate": self.debate, "number": self.source.number, "title": self.source.title}
        return LedgerLine.model_validate({**end, **source_fields, "url": self.url or end.get("url", "")})


Job = tuple[CitedSource, ...]
"""Sources that share one fetch, that of the first."""


def cited_sources(debates: Iterable[Debate]) -> list[CitedSource]:
    """Return all sources of all debates, in order; if a page repeats a number, its first source counts."""
    every = (CitedSource(debate.id, source) for debate in debates for source in debate.sources)
    return [same[0] for same in gathered((source.key, source) for source in every).values()]


def target_of(cited_source: CitedSource, policy: Policy, *, dated: bool) -> tuple[str, str]:
    """Return the fetch target of a source, and the lane (the host; empty if the URL is refused) in which it
    is queued.

    Two sources share a target if their URLs differ only in the fragment or in the spelling of the host.
    Without a URL, they share it if their titles are equal. With ``dated``, their dates of citation must
    also be equal.
    """
    if not cited_source.url:
        return "title " + " ".join(cited_source.source.title.lower().split()), SEARCH_LANE
    day = f" {cited_source.source.cited}" if dated else ""
    try:
        checked = checked_url(cited_source.url, policy)
    except FetchError:
        return f"url {cited_source.url}{day}", ""
    return f"url {checked}{day}", checked.raw_host or ""


IN_HAND = 2
"""Pages that are requested, parsed or written at a time, for each request that may be under way."""
SEARCH_LANES = 4
"""Sources without a URL that are searched at a time; the providers' rate limits are lower."""

OnLine = Callable[[LedgerLine], None]
OnStart = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class EvidenceOptions:
    """Options for collecting evidence.

    ``providers`` are the search engines for sources without a URL, in order. With ``archive``, a snapshot
    of the Internet Archive is preferred to today's page. ``retry_errors`` repeats fetches that ended as
    ``error``. ``workers`` is the number of parsing processes.
    """

    fetch: FetchOptions = field(default_factory=FetchOptions)
    providers: tuple[SearchEngine, ...] = ()
    archive: InternetArchive | None = None
    retry_errors: bool = False
    workers: int = WORKERS


def plan(
    cited: Sequence[CitedSource], ledger: FetchLedger, options: EvidenceOptions
) -> tuple[dict[str, deque[Job]], list[LedgerLine]]:
    """Return the remaining jobs by lane, and ledger lines for sources whose target already has a result.

    Every status counts as a result. With ``retry_errors``, errors are fetched again; with search engines, sources
    without a URL that were never searched are searched. If copies of the date of citation are fetched, sources share
    a target only if these dates are equal (:func:`target_of`).
    """
    dated = options.archive is not None and not options.archive.when
    sharing = gathered((target_of(source, options.fetch.policy, dated=dated), source) for source in cited)
    jobs: dict[str, deque[Job]] = defaultdict(deque)
    copies: list[LedgerLine] = []
    for (_, lane), ones in sharing.items():
        ended: dict[str, LedgerLine] = {}
        for source in ones:
            line = ledger.get(source.key)
            if line is None or (source.url and line.url != source.url):
                continue  # the page names another address now
            again = line.status == "error" and options.retry_errors
            if not again and not (line.detail == UNSEARCHED and options.providers):
                ended[source.key] = line
        left = tuple(source for source in ones if source.key not in ended)
        if left and ended:
            end = list(ended.values())[-1].model_dump()
            copies += [source.line(end) for source in left]
        elif left:
            jobs[lane].append(left)
    return dict(jobs), copies


async def gather_evidence(
    corpus: Path,
    options: EvidenceOptions | None = None,
    *,
    on_start: OnStart = lambda cited, kept: None,
    on_line: OnLine = lambda line: None,
    resolver: AbstractResolver | None = None,
) -> EvidenceSummary:
    """Fetch the sources that the debates of a corpus cite; documents, ledger and responses are written into
    the corpus.

    Args:
        corpus: the corpus directory.
        options: how sources are fetched.
        on_start: called with the number of sources, and how many already have a result.
        on_line: called with each ledger line as it is written.
        resolver: replaces the system's name resolution.

    Returns:
        The counts of sources and texts.

    Raises:
        DeclarationError: there is no ``debates.jsonl``, a file is broken, or another run is writing to
            the corpus. Network failures are recorded in the ledger and never raised.
    """
    options = options or EvidenceOptions()
    started = time.monotonic()
    directory = CorpusDirectory(corpus)
    cited = cited_sources(directory.debates())
    with only_writer(corpus, "wait for it, or stop it"), FetchLedger(directory.ledger_file) as ledger:
        lanes, copies = plan(cited, ledger, options)
        jobs = sum(map(len, lanes.values()))
        left = sum(len(job) for queue in lanes.values() for job in queue) + len(copies)
        on_start(len(cited), len(cited) - left)
        _record(ledger, copies, on_line)
        if lanes:
            await _run(corpus, lanes, ledger, options, on_line, resolver)
        ledger.compact([source.key for source in cited])
        lines = [line for source in cited if (line := ledger.get(source.key)) is not None]
        counts = Counter(line.status for line in lines)
        return EvidenceSummary(
            cited=len(cited),
            extracted=counts["ok"],
            documents=len({line.document for line in lines if line.document}),
            by_status={status: counts[status] for status in SOURCE_STATUSES},
            without_url=sum(not source.url for source in cited),
            kept=len(cited) - left,
            pages=jobs,
            seconds=time.monotonic() - started,
        )


async def _run(
    corpus: Path,
    lanes: dict[str, deque[Job]],
    ledger: FetchLedger,
    options: EvidenceOptions,
    on_line: OnLine,
    resolver: AbstractResolver | None,
) -> None:
    fetch, archive = options.fetch, options.archive
    async with AsyncExitStack() as stack:
        documents = stack.enter_context(DocumentStore(CorpusDirectory(corpus).documents_file))
        responses = stack.enter_context(closing(WarcWriter(corpus, f"conqret {__version__}")))
        searcher = WebSearcher(options.providers, policy=fetch.policy, retries=fetch.retries)
        stack.push_async_callback(searcher.close)
        fetcher = await stack.enter_async_context(Fetcher(fetch, on_reply=responses.write, resolver=resolver))
        extractor = await stack.enter_async_context(Extractor(options.workers))
        places = asyncio.Semaphore(IN_HAND * fetch.concurrency)

        async def settle(cited_source: CitedSource) -> dict[str, Any]:
            """Find the address of a source if it has none, fetch and parse its page, and return the outcome as the
            fields of a ledger line. A failed fetch is an outcome with its status."""
            end: dict[str, Any] = {"url": cited_source.url}
            try:
                if not cited_source.url:
                    result = await searcher.find(cited_source.source.title)
                    end |= {"url": result.url, "provider": result.provider}
                url, cited = end["url"], cited_source.source.cited
                snapshot = None if archive is None else await archive.snapshot(fetcher, url, cited)
                page = await fetcher.fetch(snapshot or url, robots=snapshot is None)
            except FetchError as error:
                return end | {"status": error.status.value, "detail": error.detail, "http": error.http}
            end |= {
                "status": page.status.value,
                "detail": page.detail,
                "final_url": page.final_url,
                "http": page.http,
                "bytes": len(page.body),
                "content_type": page.content_type,
                "seconds": round(page.seconds, 3),
                "attempts": page.attempts,
            }
            return end | (
                await parsed(page, cited_source.source.title, extractor, documents) if page.ok else {}
            )

        async def work(job: Job) -> None:
            """Fetch the page of a job's sources, and record the outcome for each of them. An unexpected error is
            recorded as an outcome, too.

            Raises:
                ConqretError: the outcome cannot be written (or OSError).
            """
            if job[0].url and archive is None:
                await fetcher.ready(job[0].url)
            async with places:
                try:
                    end = await settle(job[0])
                except (ConqretError, OSError):
                    raise  # a disk that is full or a file that is gone ends the run
                except Exception as error:  # noqa: BLE001 - a fault of ours must not take the other pages along
                    end = {
                        "status": FetchStatus.ERROR.value,
                        "detail": f"internal error: {type(error).__name__}: {str(error)[:200]}",
                    }
                _record(ledger, [source.line(end) for source in job], on_line)

        widths = {SEARCH_LANE: SEARCH_LANES}
        await work_off(
            [(jobs, widths.get(lane, IN_HAND * fetch.per_host)) for lane, jobs in lanes.items()], work
        )


async def parsed(page: Page, title: str, extractor: Extractor, documents: DocumentStore) -> dict[str, Any]:
    """Extract and store the text of a fetched page, and return the ledger fields with its document or the
    failure.

    ``title`` is the source's title, used if the page has none.
    """
    result = await extractor.extract(page.body, page.content_type, page.charset)
    if not result.ok:
        return {"status": FetchStatus.UNPARSABLE.value, "detail": result.problem, "document": None}
    document = make_document(result.text, result.title or title, page.final_url, result.language)
    return {
        "status": FetchStatus.OK.value,
        "detail": "",
        "document": documents.keep(document),
        "language": result.language,
    }


def _record(ledger: FetchLedger, lines: Iterable[LedgerLine], on_line: OnLine) -> None:
    for line in lines:
        ledger.add(line)
        on_line(line)
