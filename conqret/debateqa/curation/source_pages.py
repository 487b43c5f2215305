"""Where evidence is searched for: the documents of a corpus, or the web."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.data import Document
from conqret.data.digest import gathered
from conqret.debateqa.curation.algorithm import PageEvidence, PageSource
from conqret.debateqa.curation.trusted_domains import TrustedDomains
from conqret.errors import DeclarationError, number
from conqret.retrieval.corpus_index import Index, open_index


class CorpusSource:
    """The documents of a corpus directory, searched with its BM25 index (built where there is none).

    Raises:
        DeclarationError: there is no such corpus, or it cannot be indexed.
    """

    def __init__(self, folder: Path) -> None:
        self.index: Index = open_index(folder)
        self.name = f"corpus {self.index.fingerprint}"
        self.described = f"{number(len(self.index), 'document')}"

    def opened(self, folder: Path) -> AbstractAsyncContextManager[Any]:
        """Nothing needs to be held."""
        return contextlib.nullcontext()

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first."""
        return self._found(queries, depth)

    def likely(self, question: str, depth: int) -> list[Document]:
        """What the question itself finds."""
        return [page.document for page in self.read(self._found([question], depth)[0])]

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The documents of these ids, in this order."""
        entries = self.index.entries(identifiers)
        return [
            PageEvidence(
                Document(id=entry.id, text=entry.text, title=entry.title, url=entry.url), entry.licence
            )
            for identifier in identifiers
            if (entry := entries.get(identifier)) is not None and entry.text.strip()
        ]

    def _found(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        hits = self.index.search(list(queries), depth)
        documents_by_query = gathered(zip(hits.queries.tolist(), hits.documents.tolist(), strict=True))
        return [
            [self.index.ids[document] for document in documents_by_query.get(place, [])]
            for place in range(len(queries))
        ]


def page_source(
    corpus: str | Path | None,
    search: str | Sequence[str] | None,
    user_agent: str | None,
    trusted: TrustedDomains,
) -> PageSource:
    """Where evidence is searched for: a corpus, or the web.

    Raises:
        DeclarationError: both or none of them is named, or a search engine is not known.
        MissingDependencyError: what searches is not installed.
    """
    if (corpus is None) == (search is None):
        raise DeclarationError("name where to search for evidence: --corpus FOLDER, or --search for the web")
    if corpus is not None:
        return CorpusSource(Path(corpus))
    return web_source(search or (), user_agent, trusted)


def web_source(
    search: str | Sequence[str],
    user_agent: str | None,
    trusted: TrustedDomains | None = None,
    *,
    results: int | None = None,
) -> PageSource:
    """The web by the search engines that are named, in a list or with commas; ``results`` of a search are read.

    Raises:
        DeclarationError: none is named, or one is not known.
        MissingDependencyError: what fetches pages is not installed.
    """
    require("trafilatura", "pypdf", "protego", "charset_normalizer", extra="scrape")
    from conqret.debateqa.curation.web import WebSource
    from conqret.scrapers.evidence_fetching import EvidenceOptions
    from conqret.scrapers.fetch import USER_AGENT, FetchOptions
    from conqret.scrapers.search import RESULTS, providers

    names = [one.strip() for one in search.split(",")] if isinstance(search, str) else list(search)
    if not any(names):
        raise DeclarationError("--search must name a search engine: google, brave or searxng")
    fetch = FetchOptions(user_agent=user_agent or USER_AGENT)
    options = EvidenceOptions(fetch, providers(list(filter(None, names))))
    return WebSource(options, trusted, results=RESULTS if results is None else results)
