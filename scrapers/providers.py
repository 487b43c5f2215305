"""The search engines that can be asked: how each is asked, and where its answer holds the addresses.

Keys come from the environment and stay out of messages and files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conqret.errors import DeclarationError, check_known

GOOGLE_URL = "https://www.googleapis.com/customsearch/v1"
BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
RESULTS = 5
"""Results that are asked for, unless somebody wants more; the first whose address may be fetched is taken."""


@dataclass(frozen=True, slots=True, repr=False)
class Provider:
    """A search engine: how it is asked, and where its answer holds the addresses.

    ``name`` is what it is called on the command line and in the ledger; ``parameters`` and ``headers`` go with every
    query (``q`` is its text) and may hold a key; ``results`` are the keys that lead to the list of results in a
    parsed answer (where nothing was found, they may be missing), and ``address`` is the key of a result's address.
    ``count`` is the parameter for the results of a page (empty: there is none), ``most`` how many a page has at most
    (where nobody can say, usually), and ``turned`` makes the parameters of the page of a number (from 1, the second)
    with so many results.
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
        """The parameters of the query for a text, and for one of the pages where ``wanted`` results take several."""
        size = min(wanted, self.most)
        counted = {self.count: str(size)} if self.count else {}
        return {**self.parameters, "q": text, **counted, **(self.turned(page, size) if page else {})}

    def urls(self, answer: Any) -> list[str]:
        """The addresses in a parsed answer, best first; any mistake in it may raise."""
        for key in self.results:
            answer = answer.get(key) or {}
        return [str(result[self.address]) for result in answer]


def google(key: str, engine: str, url: str = GOOGLE_URL) -> Provider:
    """Google Programmable Search (Custom Search JSON API)."""
    return Provider(
        "google", url, ("items",), lambda page, size: {"start": str(1 + page * size)},
        address="link", count="num", parameters={"key": key, "cx": engine, "q": ""},
    )  # fmt: skip


def brave(key: str, url: str = BRAVE_URL) -> Provider:
    """Brave Search (Web Search API)."""
    headers = {"X-Subscription-Token": key, "Accept": "application/json"}
    return Provider(
        "brave", url, ("web", "results"), lambda page, size: {"offset": str(page)},
        count="count", most=20, parameters={"q": ""}, headers=headers,
    )  # fmt: skip


def searxng(base: str) -> Provider:
    """A SearXNG instance of one's own, with ``json`` among its formats; it may be on a private address.

    Raises:
        DeclarationError: ``base`` is no address.
    """
    if not base.startswith(("http://", "https://")):
        raise DeclarationError("CONQRET_SEARXNG_URL must be an address that begins with http:// or https://")
    return Provider(
        "searxng", f"{base.rstrip('/')}/search", ("results",), lambda page, size: {"pageno": str(page + 1)},
        parameters={"q": "", "format": "json"},
    )  # fmt: skip


PROVIDERS: Mapping[str, tuple[Callable[..., Provider], tuple[str, ...]]] = {
    "google": (google, ("GOOGLE_API_KEY", "GOOGLE_CSE_ID")),
    "brave": (brave, ("BRAVE_API_KEY",)),
    "searxng": (searxng, ("CONQRET_SEARXNG_URL",)),
}
"""By name: what makes a provider, and the variables of the environment that it is made of."""


def providers(names: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[Provider, ...]:
    """The providers of these names, in this order.

    Raises:
        UnknownNameError: there is no provider of a name.
        DeclarationError: a variable of the environment that a provider needs is not set.
    """
    environment_variables = os.environ if environment is None else environment
    chosen_providers = []
    for name in names:
        check_known("search provider", PROVIDERS, name)
        make, variables = PROVIDERS[name]
        chosen_providers.append(
            make(*(_variable(environment_variables, name, variable) for variable in variables))
        )
    return tuple(chosen_providers)


def _variable(environment: Mapping[str, str], provider: str, name: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise DeclarationError(
            f"the search provider {provider} needs the environment variable {name}, which is not set"
        )
    return value
