"""The fetcher: one shared client, and for every URL a page or a reason, never an exception."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TypeVar

from aiohttp.abc import AbstractResolver
from yarl import URL

from conqret.errors import DeclarationError
from conqret.scrapers.fetch.fetched_page import FetchedResponse, FetchError, FetchStatus, Page, refusal
from conqret.scrapers.fetch.politeness import DELAY, PER_HOST, ROBOTS_REDIRECTS, Politeness, Robots
from conqret.scrapers.fetch.wire import REDIRECTS, USER_AGENT, Limits, Policy, Wire, checked_url

ATTEMPTS = 3
"""Rounds for one URL, the first included."""
BACKOFF_BASE = 1.0
"""Seconds: the first wait lies between 0 and this, each further one between 0 and twice as much."""
MAX_RETRY_AFTER = 120.0
"""Seconds: a server that asks for a longer pause is not asked again in this run."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently; ``base`` in seconds, 0 for tests."""

    attempts: int = ATTEMPTS
    base: float = BACKOFF_BASE

    async def over(self, ask: Callable[[], Awaitable[T]], rng: random.Random) -> tuple[T, int]:
        """What ``ask`` gives, and how often it was asked: again after a wait, as long as that may help.

        Raises:
            FetchError: what the last round came to, the rounds counted in its ``attempts``.
        """
        attempt = 1
        while True:
            try:
                return await ask(), attempt
            except FetchError as error:
                error.attempts = attempt
                wait = self.wait(error, attempt, rng)
                if wait is None:
                    raise
            attempt += 1
            await asyncio.sleep(wait)

    def wait(self, error: FetchError, attempt: int, rng: random.Random) -> float | None:
        """Seconds to wait after the failed ``attempt`` (counted from 1); None if it was the last.

        Full jitter, uniform on [0, base * 2^(attempt-1)], on top of a Retry-After if there is one.
        """
        if not error.retryable or attempt >= self.attempts:
            return None
        asked = error.retry_after or 0.0
        return None if asked > MAX_RETRY_AFTER else asked + rng.uniform(0.0, self.base * 2.0 ** (attempt - 1))


CONCURRENCY = 32
"""Requests under way at once, over all hosts."""
MAX_REDIRECTS = 10
"""Hops; browsers stop at 20, and chains on the live web rarely pass five."""
OnReply = Callable[[FetchedResponse], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to fetch. ``delay`` in seconds a host; ``robots`` off only for sites that gave their leave."""

    user_agent: str = USER_AGENT
    concurrency: int = CONCURRENCY
    per_host: int = PER_HOST
    delay: float = DELAY
    robots: bool = True
    retries: Retries = field(default_factory=Retries)
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not self.user_agent.strip() or any(not char.isprintable() for char in self.user_agent):
            raise DeclarationError(
                "the user agent is empty or contains control characters; write your name and contact into it"
            )
        if self.concurrency < 1 or self.per_host < 1 or self.retries.attempts < 1:
            raise DeclarationError("concurrency, requests a host and attempts must be at least 1")
        if not 0.0 <= self.delay < float("inf"):
            raise DeclarationError(f"the delay must be at least 0 seconds, not {self.delay}")


class Fetcher(AbstractAsyncContextManager["Fetcher"]):
    """Fetches URLs over one connection pool; an async context manager.

    ``on_reply`` is awaited with every HTTP response, redirects and robots.txt included, before its page is
    returned (this is where responses are stored). ``resolver`` replaces the system's name resolution.
    """

    def __init__(
        self,
        options: FetchOptions | None = None,
        *,
        on_reply: OnReply | None = None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self.options = options or FetchOptions()
        self._on_reply, self._rng = on_reply, random.Random()
        self._slots = asyncio.Semaphore(self.options.concurrency)
        self._politeness = Politeness(delay=self.options.delay, per_host=self.options.per_host, rng=self._rng)
        product = self.options.user_agent.split("/", 1)[0].split()[0]
        self._robots = Robots(self._ask_robots, product, self._politeness.crawl_delay)
        self._wire = Wire(self.options.policy, self.options.limits, self.options.user_agent, resolver)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._robots.close()
        await self._wire.close()

    async def fetch(self, url: str, *, robots: bool = True) -> Page:
        """Fetch one URL; whatever happens is in the page's status and detail.

        ``robots`` off skips robots.txt for this one: for a service that is asked through its API.
        """
        started = time.monotonic()
        try:
            reply, attempts = await self.options.retries.over(
                lambda: self._whole(url, robots=robots and self.options.robots), self._rng
            )
            kind, charset = content_type_of(reply.lowered)
            page = Page(
                url, FetchStatus.OK, "", reply.http, reply.url, reply.body, kind, charset, attempts=attempts
            )
        except FetchError as error:
            after = f" after {error.attempts} attempts" if error.attempts > 1 else ""
            page = Page(
                url, error.status, error.detail + after, error.http, error.url, attempts=error.attempts
            )
        return replace(page, seconds=time.monotonic() - started)

    async def ready(self, url: str) -> None:
        """Wait until the URL's host may be asked again, so that a wait holds no place of another."""
        try:
            host = checked_url(url, self.options.policy).raw_host
        except FetchError:
            return
        await self._politeness.ready(host or "")

    async def _whole(self, url: str, *, robots: bool) -> FetchedResponse:
        """The successful and whole response for a URL; raises :class:`FetchError` if it is none."""
        reply = await self._followed(url, robots=robots)
        if reply.fault is not None:
            raise reply.fault
        return reply

    async def _followed(self, url: str, *, robots: bool, limit: int = MAX_REDIRECTS) -> FetchedResponse:
        """Ask for a URL, follow its redirects, and return a successful response; else raise :class:`FetchError`."""
        seen = [checked_url(url, self.options.policy)]
        while True:
            if robots:
                await self._robots.check(seen[-1])
            reply = await self._exchange(seen[-1])
            target = _next_url(reply, seen, self.options.policy, limit)
            if target is None:
                break
            seen.append(target)
        if not reply.ok:
            raise refusal(reply)
        return reply

    async def _ask_robots(self, url: URL) -> FetchedResponse:
        reply, _ = await self.options.retries.over(
            lambda: self._followed(str(url), robots=False, limit=ROBOTS_REDIRECTS), self._rng
        )
        return reply

    async def _exchange(self, url: URL) -> FetchedResponse:
        """One request and its response, the body read within the limits."""
        host = url.raw_host or ""
        async with self._politeness.turn(host), self._slots:
            reply = await self._wire.request(url)
        if reply.retry_after is not None and not reply.ok:
            self._politeness.hold(host, reply.retry_after)
        if self._on_reply is not None:
            await self._on_reply(reply)
        return reply


def _next_url(reply: FetchedResponse, seen: Sequence[URL], policy: Policy, limit: int) -> URL | None:
    """The URL that ``reply``, to the last of the URLs ``seen``, points to, checked; None if it is no redirect.

    Raises:
        FetchError: there were ``limit`` redirects already, or it is a loop (``error``); the target is refused
            (``blocked``).
    """
    location = reply.lowered.get("location", "")
    if reply.http not in REDIRECTS or not location:
        return None
    here = str(seen[-1])
    if len(seen) > limit:
        raise FetchError(FetchStatus.ERROR, f"more than {limit} redirects", http=reply.http, url=here)
    try:
        target = checked_url(str(seen[-1].join(URL(location))), policy)
    except ValueError as error:
        raise FetchError(
            FetchStatus.ERROR, "redirect to something that is no URL", http=reply.http, url=here
        ) from error
    except FetchError as error:
        error.detail = f"redirect {error.detail}"
        error.http, error.url = reply.http, here
        raise
    if target in seen:
        raise FetchError(FetchStatus.ERROR, "redirects in a circle", http=reply.http, url=str(target))
    return target


def content_type_of(headers: Mapping[str, str]) -> tuple[str, str]:
    """Media type and charset that the headers (names in lower case) claim; empty where they claim none."""
    kind, _, parameters = headers.get("content-type", "").partition(";")
    charset = ""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'").lower()[:40]
    return kind.strip().lower()[:100], charset
