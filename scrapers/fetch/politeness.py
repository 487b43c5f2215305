"""How a site wants to be asked: requests at once, the pause between two of them, and robots.txt as RFC 9309 has it.

Section 2.3.1: a robots.txt that is not there (HTTP 400 to 499) allows everything; one that cannot be reached
(5xx, and 429, which means "not now") forbids everything. Where the host gives no answer at all, or is
refused by the guard, the page could not be had either, and that is the reason that is recorded.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from protego import Protego
from yarl import URL

from conqret.scrapers.fetch.fetched_page import FetchedResponse, FetchError, FetchStatus

DELAY = 1.0
"""Seconds between the starts of two requests to one host, before jitter."""
JITTER = 0.5
"""The share by which each pause is drawn shorter or longer, so that hosts are not hit in step."""
PER_HOST = 2
"""Requests to one host at once: as few as a reader's browser would keep busy with one page."""
MAX_CRAWL_DELAY = 60.0
"""Seconds: a longer Crawl-delay is taken as this; robots.txt files with days in them exist."""


@dataclass(slots=True)
class _Host:
    """What one host is doing now; ``free`` is the moment from which it may be asked again."""

    slots: asyncio.Semaphore
    delay: float
    free: float = 0.0


class Politeness:
    """Hands out turns by host name. ``delay`` 0 means: no pause; ``jitter`` 0: each as long as the other."""

    def __init__(
        self,
        *,
        delay: float = DELAY,
        per_host: int = PER_HOST,
        jitter: float = JITTER,
        rng: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._delay, self._jitter, self._clock = delay, jitter, clock
        self._rng = rng or random.Random()
        self._hosts: defaultdict[str, _Host] = defaultdict(lambda: _Host(asyncio.Semaphore(per_host), delay))

    @contextlib.asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait until ``host`` may be asked, and hold one of its places meanwhile."""
        state = self._hosts[host]
        async with state.slots:
            now = self._clock()
            start = max(now, state.free)
            state.free = start + state.delay * self._rng.uniform(1.0 - self._jitter, 1.0 + self._jitter)
            if start > now:
                await asyncio.sleep(start - now)
            yield

    async def ready(self, host: str) -> None:
        """Wait until ``host`` may be asked, without taking the turn."""
        await asyncio.sleep(max(0.0, self._hosts[host].free - self._clock()))

    def crawl_delay(self, host: str, seconds: float) -> None:
        """Take over the pause that the host's robots.txt asks for, if it is longer than ours."""
        self._hosts[host].delay = max(self._delay, min(seconds, MAX_CRAWL_DELAY))

    def hold(self, host: str, seconds: float) -> None:
        """Leave the host alone for some time, because it asked for that."""
        state = self._hosts[host]
        state.free = max(state.free, self._clock() + seconds)


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
        unreachable = error.http >= 500 or error.http == 429
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
