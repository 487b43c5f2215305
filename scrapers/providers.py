"""The search engines that can be asked: how each is asked, and where its answer holds the addresses.

Keys come from the environment and stay out of messages and files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conqret.errors import DeclarationError, UnknownNameError

GOOGLE_URL = "https://www.googleapis.com/customsearch/v1"
BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
RESULTS = 5
"""Results that are asked for; the first whose address may be fetched is taken."""


@dataclass(frozen=True, slots=True)
class Query:
    """One HTTP request to a provider; ``headers`` and ``parameters`` may hold a key."""

    url: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]


class Provider(Protocol):
    """A search engine: how it is asked, and where its answer holds the addresses."""

    @property
    def name(self) -> str:
        """The name on the command line and in the ledger."""
        ...

    def query(self, text: str) -> Query:
        """The request for a text."""
        ...

    def urls(self, answer: Any) -> list[str]:
        """The addresses in a parsed answer, best first; any mistake in it may raise."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Google:
    """Google Programmable Search (Custom Search JSON API)."""

    key: str
    engine: str
    url: str = GOOGLE_URL
    name: str = "google"

    def query(self, text: str) -> Query:
        """The request for a text."""
        return Query(self.url, {"key": self.key, "cx": self.engine, "q": text, "num": str(RESULTS)}, {})

    def urls(self, answer: Any) -> list[str]:
        """``items[].link``; no ``items`` where nothing was found."""
        return [str(item["link"]) for item in answer.get("items", [])]


@dataclass(frozen=True, slots=True, repr=False)
class Brave:
    """Brave Search (Web Search API)."""

    key: str
    url: str = BRAVE_URL
    name: str = "brave"

    def query(self, text: str) -> Query:
        """The request for a text."""
        headers = {"X-Subscription-Token": self.key, "Accept": "application/json"}
        return Query(self.url, {"q": text, "count": str(RESULTS)}, headers)

    def urls(self, answer: Any) -> list[str]:
        """``web.results[].url``; no ``web`` where nothing was found."""
        return [str(item["url"]) for item in (answer.get("web") or {}).get("results", [])]


@dataclass(frozen=True, slots=True)
class SearxNG:
    """A SearXNG instance of one's own, with ``json`` among its formats; it may be on a private address."""

    base: str
    name: str = "searxng"

    def query(self, text: str) -> Query:
        """The request for a text."""
        return Query(f"{self.base.rstrip('/')}/search", {"q": text, "format": "json"}, {})

    def urls(self, answer: Any) -> list[str]:
        """``results[].url``."""
        return [str(item["url"]) for item in answer.get("results", [])][:RESULTS]


def _google(environment: Mapping[str, str]) -> Provider:
    return Google(
        _variable(environment, "google", "GOOGLE_API_KEY"), _variable(environment, "google", "GOOGLE_CSE_ID")
    )


def _brave(environment: Mapping[str, str]) -> Provider:
    return Brave(_variable(environment, "brave", "BRAVE_API_KEY"))


def _searxng(environment: Mapping[str, str]) -> Provider:
    base = _variable(environment, "searxng", "CONQRET_SEARXNG_URL")
    if not base.startswith(("http://", "https://")):
        raise DeclarationError("CONQRET_SEARXNG_URL is no address that begins with http:// or https://")
    return SearxNG(base)


PROVIDERS: Mapping[str, Callable[[Mapping[str, str]], Provider]] = {
    "google": _google,
    "brave": _brave,
    "searxng": _searxng,
}
"""By name: what makes a provider from the environment."""


def providers(names: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[Provider, ...]:
    """The providers of these names, in this order.

    Raises:
        UnknownNameError: there is no provider of a name.
        DeclarationError: a variable of the environment that a provider needs is not set.
    """
    for name in names:
        if name not in PROVIDERS:
            raise UnknownNameError("search provider", name, PROVIDERS)
    return tuple(PROVIDERS[name](os.environ if environment is None else environment) for name in names)


def _variable(environment: Mapping[str, str], provider: str, name: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise DeclarationError(
            f"the search provider {provider} needs {name} in the environment, and it is not set"
        )
    return value
