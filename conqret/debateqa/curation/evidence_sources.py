"""Where evidence is searched for, by the names that users give: a corpus, or the web by some search engines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conqret._optional import require
from conqret.debateqa.curation.source_pages import CorpusSource, PageSource
from conqret.debateqa.curation.trusted_domains import TrustedDomains
from conqret.errors import DeclarationError


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
    from conqret.scrapers.providers import RESULTS, providers

    names = [one.strip() for one in search.split(",")] if isinstance(search, str) else list(search)
    if not any(names):
        raise DeclarationError("--search must name a search engine: google, brave or searxng")
    fetch = FetchOptions(user_agent=user_agent or USER_AGENT)
    options = EvidenceOptions(fetch, providers(list(filter(None, names))))
    return WebSource(options, trusted, results=RESULTS if results is None else results)
