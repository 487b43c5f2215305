"""Where evidence is searched for: the documents of a corpus, or the web."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conqret._optional import require
from conqret.data import Document
from conqret.data.digest import gathered
from conqret.debateqa.curation.trusted_domains import PageEvidence, PageSource, TrustedDomains
from conqret.errors import DeclarationError, number


class CorpusSource(PageSource):
    """The documents of a corpus directory, searched with its BM25 index (built where there is none).

    Raises:
        DeclarationError: there is no such corpus, or it cannot be indexed.
    """

    def __init__(self, folder: Path) -> None:
        from conqret.retrieval.corpus_index import open_index

        self.index = open_index(folder)
        self.name = f"corpus {self.index.fingerprint}"
        self.described = number(len(self.index), "document")

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first."""
        hits = self.index.search(list(queries), depth)
        documents_by_query = gathered(zip(hits.queries.tolist(), hits.documents.tolist(), strict=True))
        return [
            [self.index.ids[document] for document in documents_by_query.get(place, [])]
            for place in range(len(queries))
        ]

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


LIKELY = 5
"""Pages of a question, for a price."""
LIKELY_TEXT = "A page of the web has some two thousand words. " * 250
"""About 2,500 tokens: ConQRet's web documents have some 2,000 words (Table 2)."""


class LikelyPages(PageSource):
    """Pages of a usual length in place of those of a search, for a price."""

    name = described = "the web"

    def __init__(self, trusted: TrustedDomains) -> None:
        self._domain = next(iter(trusted.domains), ".org").removeprefix(".")

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """The same pages for each query."""
        return [[str(number) for number in range(LIKELY)]] * len(queries)

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The pages of these ids."""
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
    """Where evidence is searched for: a corpus, or the web, which is not searched in a dry run.

    Raises:
        DeclarationError: both or none of them is named, or a search engine is not known.
        MissingDependencyError: what searches is not installed.
    """
    if (corpus is None) == (search is None):
        raise DeclarationError("name where to search for evidence: --corpus FOLDER, or --search for the web")
    if corpus is not None:
        return CorpusSource(Path(corpus))
    source = web_source(search or (), user_agent, trusted)
    return LikelyPages(trusted) if dry_run else source


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
    from conqret.scrapers.fetch_client import FetchOptions
    from conqret.scrapers.search import RESULTS, providers
    from conqret.scrapers.wire import USER_AGENT

    names = [one.strip() for one in search.split(",")] if isinstance(search, str) else list(search)
    if not any(names):
        raise DeclarationError("--search must name a search engine: google, brave or searxng")
    fetch = FetchOptions(user_agent=user_agent or USER_AGENT)
    options = EvidenceOptions(fetch, providers(list(filter(None, names))))
    return WebSource(options, trusted, results=RESULTS if results is None else results)
