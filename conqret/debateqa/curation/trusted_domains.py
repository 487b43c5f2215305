"""Documents from trusted domains alone (DebateQA, A.2 and Table 8), one's own list of these, and what finds them."""

from __future__ import annotations

import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conqret.data import Document
from conqret.errors import DeclarationError
from conqret.io.limits import declared_text

TABLE_8 = (".edu", ".org", ".gov", ".info", ".pro")
"""The top-level domains that the paper trusts; .edu and .gov are not open for registration."""

_DOMAIN = re.compile(r"\.?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_LINE_LIMIT = 1_000
"""Characters of a line of a list; a longer one is no domain with a licence."""


@dataclass(frozen=True, slots=True)
class TrustedDomains:
    """Domains whose documents may be evidence; one counts with all that is under it (``.gov``, ``who.int``).

    ``licences`` has for some of them the licence of what they publish; ``refused`` are domains inside trusted ones.
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
        """The licence of what its domain publishes, of the longest domain that has one; empty where none has."""
        host = domain_of(url)
        known = [licence for licence in self.licences if _under(host, licence)]
        return self.licences[max(known, key=len)] if known else ""

    def record(self) -> dict[str, list[str]]:
        """What stands in the record of a run."""
        return {"domains": sorted(self.domains), "refused": sorted(self.refused)}


def read_trusted(path: Path) -> TrustedDomains:
    """The domains of Table 8, and those of a list of one's own.

    A line is a domain, perhaps with the licence of what it publishes behind it (``.gov public domain``); ``-`` in front
    refuses it (``-example.org``), or takes one of Table 8's away (``-.org``). ``#`` begins a remark.

    Raises:
        DeclarationError: the file cannot be read, or a line is no domain.
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
    """The host of an address in lower case; empty where it has none."""
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
    """A document, and the licence that it states (empty: none)."""

    document: Document
    licence: str = ""


class PageSource(ABC):
    """What finds documents. ``name`` stands for it in the record of a run: another name is another run; ``described``
    is what it is, for people."""

    name: str
    described: str

    def opened(self, folder: Path) -> AbstractAsyncContextManager[Any]:
        """What must be held while it is searched; it may keep files in the run's ``folder``."""
        return contextlib.nullcontext()

    @abstractmethod
    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first, ``depth`` at most. Those that :meth:`read` does not
        know were found, and could not be had or are not trusted."""

    @abstractmethod
    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The documents of these ids, in this order; an unknown one is left out."""
