"""Whether a site wants to be asked: robots.txt as RFC 9309 has it.

Section 2.3.1: a robots.txt that is not there (HTTP 400 to 499) allows everything; one that cannot be reached
(5xx, and 429, which means "not now") forbids everything. Where the host gives no answer at all, or is
refused by the guard, the page could not be had either, and that is the reason that is recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from protego import Protego
from yarl import URL

from conqret.scrapers.fetch.fetched_page import FetchedResponse, FetchError, FetchStatus

MAX_ROBOTS = 512_000
"""Bytes of a robots.txt that are read; RFC 9309, section 2.5, asks for at least 500 KiB."""
MAX_RULE = 2_048
"""Characters of one line; a longer one is no path that anybody serves."""
ROBOTS_REDIRECTS = 5
"""Hops to a robots.txt (RFC 9309, section 2.3.1.2: at least five)."""


class Robots:
    """Rules by origin, each fetched once; ``ask`` gets a successful response, redirects followed."""

    def __init__(
        self,
        ask: Callable[[URL], Awaitable[FetchedResponse]],
        agent: str,
        on_crawl_delay: Callable[[str, float], None],
    ) -> None:
        self._ask, self._agent, self._on_crawl_delay = ask, agent, on_crawl_delay
        self._rules: dict[URL, asyncio.Task[Protego | None]] = {}

    async def check(self, url: URL) -> None:
        """Return if the URL may be asked.

        Raises:
            FetchError: ``robots``, or what kept robots.txt from being read where the host is out of reach.
        """
        origin = url.origin()
        task = self._rules.get(origin)
        if task is None:
            task = self._rules[origin] = asyncio.create_task(self._load(origin))
        try:
            rules = await asyncio.shield(task)
        except FetchError as error:
            raise FetchError(error.status, error.detail, http=error.http, url=str(url)) from error
        if rules is not None and not rules.can_fetch(str(url), self._agent):
            raise FetchError(FetchStatus.ROBOTS, f"forbidden by {origin}/robots.txt", url=str(url))

    async def close(self) -> None:
        """Stop what is still loading."""
        for task in self._rules.values():
            task.cancel()
        await asyncio.gather(*self._rules.values(), return_exceptions=True)

    async def _load(self, origin: URL) -> Protego | None:
        """The rules of an origin; None where everything is allowed."""
        try:
            reply = await self._ask(origin / "robots.txt")
        except FetchError as error:
            refused = _refused(error, origin)
            if refused is None:
                return None
            raise refused from error
        if reply.fault is not None and not reply.body:
            raise _forbidden(f"cannot be read ({reply.fault.detail})")
        parsed = await asyncio.to_thread(_parse, reply.body)
        delay = parsed.crawl_delay(self._agent)
        if delay:
            self._on_crawl_delay(origin.raw_host or "", float(delay))
        return parsed


def _refused(error: FetchError, origin: URL) -> FetchError | None:
    """Why nothing of ``origin`` may be asked if its robots.txt ended so; None where everything may."""
    if error.reply is not None:
        unreachable = error.http >= 500 or error.http == HTTPStatus.TOO_MANY_REQUESTS
        return _forbidden(f"unreachable (HTTP {error.http})", " (RFC 9309)") if unreachable else None
    elsewhere = error.http or (error.url and URL(error.url).origin() != origin)
    if error.status is FetchStatus.BLOCKED and elsewhere:
        return _forbidden(f"cannot be read ({error.detail})")
    where = "robots.txt: " if error.status is FetchStatus.ERROR else ""
    return FetchError(error.status, where + error.detail, http=error.http)


def _forbidden(why: str, source: str = "") -> FetchError:
    return FetchError(FetchStatus.ROBOTS, f"robots.txt {why}: taken as forbidden{source}")


def _parse(body: bytes) -> Protego:
    text = body[:MAX_ROBOTS].decode("utf-8", "replace").removeprefix("\ufeff")
    return Protego.parse("\n".join(line for line in text.splitlines() if len(line) <= MAX_RULE))
