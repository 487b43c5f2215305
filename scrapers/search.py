"""Find the URL of a source by its title, with Google, Brave or a self-hosted SearXNG.

ConQRet, Appendix B: the first result of Google, and of Bing where Google finds nothing. Keys come from the
environment and stay out of messages and files: errors name the provider and the HTTP status, never a URL.
"""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from yarl import URL

from conqret.errors import DeclarationError, check_known
from conqret.scrapers.fetch_client import Politeness, Retries
from conqret.scrapers.wire import FetchError, FetchStatus, HttpClient, Limits, Policy, checked_url, refusal

GOOGLE_URL = "https://www.googleapis.com/customsearch/v1"
BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
RESULTS = 5
"""The default number of results of a query; the first whose URL may be fetched is used."""


@dataclass(frozen=True, slots=True, repr=False)
class SearchEngine:
    """A search engine: the parameters of its requests, and the place of URLs in its responses.

    - ``name``: its name on the command line and in the ledger
    - ``parameters`` and ``headers``: sent with each query (``q`` is its text); they may hold an API key
    - ``results``: the keys that lead to the list of results in a response; they may be missing without
      results
    - ``address``: the key of a result's URL
    - ``count``: the parameter for the number of results per page (empty: none); ``most``: the usual
      maximum
    - ``turned(page, size)``: the parameters of a further page (1 is the second)
    """

    name: str
    url: str
    results: tuple[str, ...]
    turned: Callable[[int, int], Mapping[str, str]]
    address: str = "url"
    count: str = ""
    most: int = 10
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def asked(self, text: str, wanted: int = RESULTS, page: int = 0) -> dict[str, str]:
        """Return the parameters of a query for ``text``.

        ``wanted`` is the number of results, of which at most ``most`` stand on a page, and ``page`` (from 0)
        the page.
        """
        size = min(wanted, self.most)
        counted = {self.count: str(size)} if self.count else {}
        return {**self.parameters, "q": text, **counted, **(self.turned(page, size) if page else {})}

    def urls(self, answer: Any) -> list[str]:
        """Return the URLs in a parsed response, best first; an unexpected response may raise any error."""
        for key in self.results:
            answer = answer.get(key) or {}
        return [str(result[self.address]) for result in answer]


def google(key: str, engine: str, url: str = GOOGLE_URL) -> SearchEngine:
    """Return the provider for Google Programmable Search (Custom Search JSON API), with an API ``key`` and
    the id of a search ``engine``.
    """
    return SearchEngine(
        "google",
        url,
        ("items",),
        lambda page, size: {"start": str(1 + page * size)},
        address="link",
        count="num",
        parameters={"key": key, "cx": engine, "q": ""},
    )


def brave(key: str, url: str = BRAVE_URL) -> SearchEngine:
    """Return the provider for Brave Search (Web Search API)."""
    headers = {"X-Subscription-Token": key, "Accept": "application/json"}
    return SearchEngine(
        "brave",
        url,
        ("web", "results"),
        lambda page, size: {"offset": str(page)},
        count="count",
        most=20,
        parameters={"q": ""},
        headers=headers,
    )


def searxng(base: str) -> SearchEngine:
    """Return the provider for a self-hosted SearXNG instance that allows the format ``json``.

    Raises:
        DeclarationError: ``base`` is not an http or https URL.
    """
    if not base.startswith(("http://", "https://")):
        raise DeclarationError("CONQRET_SEARXNG_URL must be an address that begins with http:// or https://")
    return SearchEngine(
        "searxng",
        f"{base.rstrip('/')}/search",
        ("results",),
        lambda page, size: {"pageno": str(page + 1)},
        parameters={"q": "", "format": "json"},
    )


PROVIDERS: Mapping[str, tuple[Callable[..., SearchEngine], tuple[str, ...]]] = {
    "google": (google, ("GOOGLE_API_KEY", "GOOGLE_CSE_ID")),
    "brave": (brave, ("BRAVE_API_KEY",)),
    "searxng": (searxng, ("CONQRET_SEARXNG_URL",)),
}
"""For each name, the function that makes the provider, and the environment variables for its arguments."""


def providers(names: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[SearchEngine, ...]:
    """Return the search providers with these names, in order, with API keys from the environment.

    Raises:
        UnknownNameError: there is no provider with a name.
        DeclarationError: an environment variable that a provider needs is not set.
    """
    environment_variables = os.environ if environment is None else environment
    chosen_providers = []
    for name in names:
        check_known("search provider", PROVIDERS, name)
        make, variables = PROVIDERS[name]
        values = {variable: environment_variables.get(variable, "").strip() for variable in variables}
        if unset := [variable for variable, value in values.items() if not value]:
            raise DeclarationError(
                f"the search provider {name} needs the environment variable {unset[0]}, which is not set"
            )
        chosen_providers.append(make(*values.values()))
    return tuple(chosen_providers)


MAX_QUERY = 300
"""The most characters of a query; Brave takes 400, and titles with their authors are longer than what
finds them.
"""
SEARCH_DELAY = 1.1
"""Seconds between two queries to one provider: Brave's free plan takes one a second."""
UNSEARCHED = "no URL, and no search was asked for"
"""The detail of sources that a later run with a search continues with."""
_POLICY = Policy(allow_private=True)
"""Providers are named by whoever runs this, and a SearXNG may be on a private address."""
_LIMITS = Limits(max_bytes=4 * 2**20, total_seconds=30.0)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The URL of a source, and the name of the search engine that found it."""

    url: str
    provider: str


class WebSearcher:
    """A client that queries search providers in order until one has results; call :meth:`close` when done.

    ``policy`` says which results may be fetched, and ``delay`` is the pause in seconds between two queries
    to one provider.
    """

    def __init__(
        self,
        providers: Sequence[SearchEngine],
        *,
        policy: Policy | None = None,
        retries: Retries | None = None,
        delay: float = SEARCH_DELAY,
    ) -> None:
        self._providers = tuple(providers)
        self._policy, self._retries = policy or Policy(), retries or Retries()
        self._rng = random.Random()
        self._wire = HttpClient(_POLICY, _LIMITS)
        self._pace = Politeness(delay=delay, per_host=1, jitter=0.0)

    async def find(self, title: str) -> SearchResult:
        """Return the first result that may be fetched for the title of a source.

        Raises:
            FetchError: as :meth:`results`.
        """
        return (await self.results(title))[0]

    async def results(self, query: str, wanted: int = RESULTS) -> list[SearchResult]:
        """Return the fetchable results of the first provider that has any, best first, out of its ``wanted``
        best; long queries are cut.

        Raises:
            FetchError: ``not-found`` if all providers responded without results; ``error`` if one
                failed and no other had results.
        """
        text = " ".join(query.split())[:MAX_QUERY]
        if not text:
            raise FetchError(FetchStatus.NOT_FOUND, "neither a URL nor a title to search for")
        if not self._providers:
            raise FetchError(FetchStatus.NOT_FOUND, UNSEARCHED)
        failures: list[str] = []
        for provider in self._providers:
            try:
                urls = await self._best(provider, text, wanted)
            except FetchError as error:
                failures.append(f"{provider.name}: {error.detail}")
                continue
            if output := [SearchResult(url, provider.name) for url in urls if self._allowed(url)]:
                return output
        if failures:
            raise FetchError(FetchStatus.ERROR, f"search failed ({'; '.join(failures)})")
        names = ", ".join(provider.name for provider in self._providers)
        raise FetchError(FetchStatus.NOT_FOUND, f"no search result ({names})")

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    def _allowed(self, url: str) -> bool:
        try:
            checked_url(url, self._policy)
        except FetchError:
            return False
        return True

    async def _best(self, provider: SearchEngine, text: str, wanted: int) -> list[str]:
        urls: dict[str, None] = {}
        for page in range(math.ceil(wanted / provider.most)):
            before = len(urls)
            ask = partial(self._answer, provider, provider.asked(text, wanted, page))
            more, _ = await self._retries.over(ask, self._rng)
            urls |= dict.fromkeys(more)
            if len(urls) >= wanted or len(urls) == before:
                break
        return list(urls)[:wanted]

    async def _answer(self, provider: SearchEngine, asked: Mapping[str, str]) -> list[str]:
        try:
            async with self._pace.turn(provider.name):
                reply = await self._wire.request(URL(provider.url).update_query(asked), provider.headers)
        except (FetchError, ValueError) as error:
            # The message of what is behind it may hold the address, and with it the key: only the kind is told.
            cause = error.__cause__ or error
            detail = cause.detail if isinstance(cause, FetchError) else type(cause).__name__
            raise FetchError(FetchStatus.ERROR, detail, retryable=True) from None
        if not reply.ok:
            raise refusal(reply)
        if reply.fault is not None:
            raise FetchError(FetchStatus.ERROR, reply.fault.detail)
        try:
            return provider.urls(json.loads(reply.body))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FetchError(FetchStatus.ERROR, "an answer that cannot be read") from None
