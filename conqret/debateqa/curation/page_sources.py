"""Where evidence is searched for: the documents of a corpus, or the web; and the domains whose documents are trusted
(DebateQA, A.2 and Table 8)."""

from __future__ import annotations

import asyncio
import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conqret._optional import require
from conqret.data import Document, Reason
from conqret.data.digest import gathered
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.errors import DeclarationError, number
from conqret.io.limits import declared_text

if TYPE_CHECKING:
    from conqret.scrapers.evidence_fetching import EvidenceOptions
    from conqret.scrapers.fetch_ledger import DocumentStore

TABLE_8 = (".edu", ".org", ".gov", ".info", ".pro")
"""The top-level domains that the paper trusts; .edu and .gov are not open for registration."""

_DOMAIN = re.compile(r"\.?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_LINE_LIMIT = 1_000
"""Characters of a line of a list; a longer one is no domain with a license."""


@dataclass(frozen=True, slots=True)
class TrustedDomains:
    """Domains whose documents may be used as evidence; a domain includes its subdomains (``.gov``,
    ``who.int``).

    ``refused`` are domains inside trusted ones that are not trusted. ``licences`` maps domains to the license
    of what they publish.
    """

    domains: tuple[str, ...] = TABLE_8
    refused: tuple[str, ...] = ()
    licences: dict[str, str] = field(default_factory=dict)

    def __contains__(self, url: object) -> bool:
        """Whether a page at this address is trusted."""
        host = domain_of(str(url))
        under = partial(_under, host)
        return bool(host) and any(map(under, self.domains)) and not any(map(under, self.refused))

    def licence(self, url: str) -> str:
        """Return the license of the longest known domain that contains the address; empty where there is
        none."""
        host = domain_of(url)
        known = [licence for licence in self.licences if _under(host, licence)]
        return self.licences[max(known, key=len)] if known else ""

    def record(self) -> dict[str, list[str]]:
        """Return the sorted trusted and refused domains, as stored in a run's record."""
        return {"domains": sorted(self.domains), "refused": sorted(self.refused)}


def read_trusted(path: Path) -> TrustedDomains:
    """Read a file of domains, and return them together with the domains of DebateQA's Table 8.

    Each line is a domain, optionally followed by its license (``.gov public domain``). A ``-`` in front
    refuses the domain (``-example.org``), or removes one of Table 8 (``-.org``). ``#`` starts a comment.

    Raises:
        DeclarationError: the file cannot be read, or a line is not a domain.
    """
    lines = declared_text(path).splitlines()
    added: dict[str, str] = {}
    refused: list[str] = []
    for place, line in enumerate(lines, start=1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        name, _, licence = entry.partition(" ")
        domain = name.removeprefix("-").lower()
        if len(line) > _LINE_LIMIT or not _DOMAIN.fullmatch(domain):
            raise DeclarationError(
                f"{path}:{place} is not a domain: write one on each line, such as .gov or who.int, "
                "without https:// and without a path"
            )
        if name.startswith("-"):
            refused.append(domain)
        else:
            added[domain] = licence.strip()
    kept = tuple(domain for domain in TABLE_8 if domain not in refused)
    return TrustedDomains(
        tuple(dict.fromkeys((*kept, *added))),
        tuple(domain for domain in refused if domain not in TABLE_8),
        {domain: licence for domain, licence in added.items() if licence},
    )


def domain_of(url: str) -> str:
    """Return the host of a web address in lower case; empty where it has none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def _under(host: str, domain: str) -> bool:
    bare = domain.removeprefix(".")
    return host.endswith(f".{bare}") or (host == bare and not domain.startswith("."))


PAGES = "pages.jsonl"
"""The pages of the web that a search has found, in the run's folder; a corpus of its own once it is called
``documents.jsonl``."""


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """A document, and the license that it states (empty: none)."""

    document: Document
    licence: str = ""


class PageSource(ABC):
    """A source in which documents are searched, such as a corpus or the web.

    ``name`` identifies it in the record of a run, and ``described`` describes it in reports.
    """

    name: str
    described: str

    def opened(self, folder: Path) -> AbstractAsyncContextManager[Any]:
        """Return a context manager that must be active during searches; it may store files in the run's
        ``folder``."""
        return contextlib.nullcontext()

    @abstractmethod
    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """Return for each query the ids of its documents, best first, ``depth`` at most.

        Ids that :meth:`read` does not know belong to documents that could not be fetched or are not trusted.
        """

    @abstractmethod
    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """Return the documents with these ids, in this order; unknown ids are skipped."""


class CorpusSource(PageSource):
    """The documents of a corpus directory, searched by its BM25 index, which is built if there is none.

    Raises:
        DeclarationError: there is no such corpus, or it cannot be indexed.
    """

    def __init__(self, folder: Path) -> None:
        from conqret.retrieval.corpus_index import open_index

        self.index = open_index(folder)
        self.name = f"corpus {self.index.fingerprint}"
        self.described = number(len(self.index), "document")

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """Return for each query the ids of its documents, best first, ``depth`` at most."""
        hits = self.index.search(list(queries), depth)
        documents_by_query = gathered(zip(hits.queries.tolist(), hits.documents.tolist(), strict=True))
        return [
            [self.index.ids[document] for document in documents_by_query.get(place, [])]
            for place in range(len(queries))
        ]

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """Return the documents with these ids, in this order; unknown ones and those without text are
        skipped."""
        entries = self.index.entries(identifiers)
        return [
            PageEvidence(
                Document(id=entry.id, text=entry.text, title=entry.title, url=entry.url), entry.licence
            )
            for identifier in identifiers
            if (entry := entries.get(identifier)) is not None and entry.text.strip()
        ]


class WebSource(PageSource):
    """Web pages that search engines find; with ``trusted``, only from these domains.

    Searches are not recorded. Fetched pages are stored in the run's folder, so a continued run uses the same
    texts.
    """

    def __init__(
        self,
        options: EvidenceOptions,
        trusted: TrustedDomains | None,
        *,
        delay: float | None = None,
    ) -> None:
        from conqret.scrapers.search import SEARCH_DELAY

        self._options, self._trusted = options, trusted
        self._delay = SEARCH_DELAY if delay is None else delay
        names = ", ".join(provider.name for provider in options.providers)
        self.name = f"web by {names}"
        self.described = f"the web by {names}"
        self._pages: dict[str, asyncio.Task[str | None]] = {}
        self._folder = Path()
        self._documents: DocumentStore | None = None

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """Return for each query the ids of the fetched pages, and the addresses of those that could not be
        fetched.

        Raises:
            Unanswered: a search engine gave no answer.
        """
        return [await self._one(query, depth) for query in queries]

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """Return the fetched pages with these ids, in this order; unknown ids are skipped."""
        pages = [self._store().get(identifier) for identifier in identifiers]
        return [PageEvidence(page) for page in pages if page is not None]

    @contextlib.asynccontextmanager
    async def opened(self, folder: Path) -> AsyncIterator[None]:
        """Open connections, parsing processes, and the store of pages in ``folder`` for the ``with`` block; all are
        closed at its end. Searching and reading need it."""
        from conqret.scrapers.fetch_client import Fetcher
        from conqret.scrapers.search import WebSearcher
        from conqret.scrapers.worker_pool import Extractor

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
        from conqret.scrapers.wire import FetchError, FetchStatus

        try:
            results = await self._searcher.results(query, depth)
        except FetchError as error:
            if error.status is FetchStatus.NOT_FOUND:
                return []
            raise NoValidResponse(Reason.CONNECTION, error.detail) from error
        urls = [result.url for result in results]
        wanted = list(filter(self._may, urls))
        for url in wanted:  # each page is fetched once however many questions find it
            if url not in self._pages:
                self._pages[url] = asyncio.ensure_future(self._fetched(url))
        had = dict(zip(wanted, await asyncio.gather(*map(self._pages.__getitem__, wanted)), strict=True))
        return [had.get(url) or url for url in urls]

    def _may(self, url: str) -> bool:
        return self._trusted is None or url in self._trusted

    async def _fetched(self, url: str) -> str | None:
        from conqret.scrapers.evidence_fetching import parsed

        page = await self._fetcher.fetch(url)
        if not page.ok or not self._may(page.final_url):
            return None
        end = await parsed(page, "", self._extractor, self._store())
        return end["document"] if end["document"] is None else str(end["document"])

    def _store(self) -> DocumentStore:
        """Opened when it is first needed: the folder is there once the run has claimed it."""
        from conqret.scrapers.fetch_ledger import DocumentStore

        if self._documents is None:
            self._documents = DocumentStore(self._folder / PAGES)
        return self._documents


LIKELY = 5
"""Pages of a question, for a price."""
LIKELY_TEXT = "A page of the web has some two thousand words. " * 250
"""About 2,500 tokens: ConQRet's web documents have some 2,000 words (Table 2)."""


class LikelyPages(PageSource):
    """Placeholder pages of typical length, for estimating the cost of a run without a web search."""

    name = described = "the web"

    def __init__(self, trusted: TrustedDomains) -> None:
        self._domain = next(iter(trusted.domains), ".org").removeprefix(".")

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """Return the ids of the same placeholder pages for each query."""
        return [[str(number) for number in range(LIKELY)]] * len(queries)

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """Return the placeholder pages with these ids."""
        return [
            PageEvidence(Document(id=name, text=LIKELY_TEXT, url=f"https://page.{self._domain}/{name}"))
            for name in identifiers
        ]


def page_source(
    corpus: str | Path | None,
    search: str | Sequence[str] | None,
    user_agent: str | None,
    trusted: TrustedDomains,
    *,
    dry_run: bool,
) -> PageSource:
    """Return the source of evidence: the corpus, or the web (placeholder pages in a dry run).

    Raises:
        DeclarationError: both or none of ``corpus`` and ``search`` is set, or a search engine is not
            known.
        MissingDependencyError: a library that the source needs is not installed.
    """
    if (corpus is None) == (search is None):
        raise DeclarationError("name where to search for evidence: --corpus FOLDER, or --search for the web")
    if corpus is not None:
        return CorpusSource(Path(corpus))
    source = web_source(search or (), user_agent, trusted)
    return LikelyPages(trusted) if dry_run else source


def web_source(
    search: str | Sequence[str], user_agent: str | None, trusted: TrustedDomains | None = None
) -> PageSource:
    """Return the web as a source, searched by the named engines (a list, or a text with commas).

    Raises:
        DeclarationError: no search engine is named, or one is not known.
        MissingDependencyError: a library that fetches pages is not installed.
    """
    require("trafilatura", "pypdf", "protego", "charset_normalizer", extra="scrape")
    names = [one.strip() for one in search.split(",")] if isinstance(search, str) else list(search)
    if not any(names):
        raise DeclarationError("--search must name a search engine: google, brave or searxng")
    from conqret.scrapers.evidence_fetching import EvidenceOptions
    from conqret.scrapers.fetch_client import FetchOptions
    from conqret.scrapers.search import providers
    from conqret.scrapers.wire import USER_AGENT

    fetch = FetchOptions(user_agent=user_agent or USER_AGENT)
    options = EvidenceOptions(fetch, providers(list(filter(None, names))))
    return WebSource(options, trusted)
