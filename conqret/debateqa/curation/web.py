"""Evidence from the web: a search API finds addresses, and the fetcher of the scrapers gets those that are trusted.

Searches are not recorded; the pages that were found are kept in the run's folder, so that a run goes on with the same
texts, and a corpus can be made of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from conqret.data import Reason
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.debateqa.curation.trusted_domains import PAGES, PageEvidence, PageSource, TrustedDomains
from conqret.scrapers.evidence_fetching import EvidenceOptions, parsed
from conqret.scrapers.fetch_client import Fetcher
from conqret.scrapers.fetch_ledger import DocumentStore
from conqret.scrapers.search import RESULTS, SEARCH_DELAY, WebSearcher
from conqret.scrapers.wire import FetchError, FetchStatus
from conqret.scrapers.worker_pool import Extractor


class WebSource(PageSource):
    """Pages that search engines find, ``results`` of a query at most; where domains are ``trusted``, nothing else is
    fetched."""

    def __init__(
        self,
        options: EvidenceOptions,
        trusted: TrustedDomains | None,
        *,
        results: int = RESULTS,
        delay: float = SEARCH_DELAY,
    ) -> None:
        self._options, self._trusted, self._results, self._delay = options, trusted, results, delay
        names = ", ".join(provider.name for provider in options.providers)
        self.name = f"web by {names}"
        self.described = f"the web by {names}"
        self._pages: dict[str, asyncio.Task[str | None]] = {}
        self._folder = Path()
        self._documents: DocumentStore | None = None

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of the pages that were had, and the addresses of those that were not.

        Raises:
            Unanswered: a search engine gave no answer.
        """
        return [await self._one(query, depth) for query in queries]

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The pages of these ids, in this order."""
        pages = [self._store().get(identifier) for identifier in identifiers]
        return [PageEvidence(page) for page in pages if page is not None]

    @contextlib.asynccontextmanager
    async def opened(self, folder: Path) -> AsyncIterator[None]:
        """Connections and parsing processes, and the store of pages in ``folder``."""
        self._folder = folder
        fetch = self._options.fetch
        self._searcher = WebSearcher(
            self._options.providers, policy=fetch.policy, retries=fetch.retries, delay=self._delay
        )
        async with Fetcher(fetch) as self._fetcher, Extractor(self._options.workers) as self._extractor:
            try:
                yield
            finally:
                await self._searcher.close()
                if self._documents is not None:
                    self._documents.close()
                self._documents = None

    async def _one(self, query: str, depth: int) -> list[str]:
        try:
            results = await self._searcher.results(query, self._results)
        except FetchError as error:
            if error.status is FetchStatus.NOT_FOUND:
                return []
            raise NoValidResponse(Reason.CONNECTION, error.detail) from error
        urls = [result.url for result in results][:depth]
        wanted = list(filter(self._may, urls))
        for url in wanted:  # each page is fetched once however many questions find it
            if url not in self._pages:
                self._pages[url] = asyncio.ensure_future(self._fetched(url))
        had = dict(zip(wanted, await asyncio.gather(*map(self._pages.__getitem__, wanted)), strict=True))
        return [had.get(url) or url for url in urls]

    def _may(self, url: str) -> bool:
        return self._trusted is None or url in self._trusted

    async def _fetched(self, url: str) -> str | None:
        page = await self._fetcher.fetch(url)
        if not page.ok or not self._may(page.final_url):
            return None
        end = await parsed(page, "", self._extractor, self._store())
        return end["document"] if end["document"] is None else str(end["document"])

    def _store(self) -> DocumentStore:
        """Opened when it is first needed: the folder is there once the run has claimed it."""
        if self._documents is None:
            self._documents = DocumentStore(self._folder / PAGES)
        return self._documents
