"""The fetcher: one shared client, and for every URL a page or a reason, never an exception."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

import aiohttp
from yarl import URL

from conqret.errors import DeclarationError
from conqret.scrapers.fetch.guard import GuardedResolver, Lookup, Policy, checked_url, socket_factory
from conqret.scrapers.fetch.limits import Limits, read
from conqret.scrapers.fetch.page import FetchError, Page, Reply, Status, refusal
from conqret.scrapers.fetch.politeness import DELAY, PER_HOST, Politeness
from conqret.scrapers.fetch.redirects import MAX_REDIRECT_BODY, MAX_REDIRECTS, REDIRECTS, next_url
from conqret.scrapers.fetch.retry import Retries
from conqret.scrapers.fetch.robots import ROBOTS_REDIRECTS, Robots
from conqret.scrapers.fetch.transport import TRANSPORT_ERRORS, transport_error

CONCURRENCY = 32
"""Requests under way at once, over all hosts."""
AGENT = "conqret"
"""The product token that robots.txt files may name."""
USER_AGENT = f"{AGENT} (research corpus builder; set a contact with --user-agent)"
ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
KEEP_ALIVE = 10.0
"""Seconds that an idle connection is kept; hosts differ from URL to URL, so not for long."""
DNS_SECONDS = 300
"""How long checked addresses are used again."""

OnReply = Callable[[Reply], Awaitable[None]]


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
            raise DeclarationError("the user agent is empty or holds control characters; name yourself in it")
        if self.concurrency < 1 or self.per_host < 1 or self.retries.attempts < 1:
            raise DeclarationError("concurrency, requests a host and attempts are at least 1")
        if not 0.0 <= self.delay < float("inf"):
            raise DeclarationError(f"the delay is a number of seconds from 0 on, not {self.delay}")


class Fetcher:
    """Fetches URLs over one connection pool; an async context manager.

    ``on_reply`` is awaited with every HTTP response, redirects and robots.txt included, before its page is
    returned (this is where responses are stored). ``lookup`` replaces the system's name resolution.
    """

    def __init__(
        self,
        options: FetchOptions | None = None,
        *,
        on_reply: OnReply | None = None,
        lookup: Lookup | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.options = options or FetchOptions()
        self._on_reply, self._lookup = on_reply, lookup
        self._rng = rng or random.Random()
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        options = self.options
        self._slots = asyncio.Semaphore(options.concurrency)
        self._politeness = Politeness(delay=options.delay, per_host=options.per_host, rng=self._rng)
        self._robots = Robots(self._ask_robots, _product(options.user_agent), self._politeness.crawl_delay)
        self._resolver = GuardedResolver(options.policy, self._lookup)
        limits = options.limits
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,  # the semaphore counts, so that a wait for a place is not counted as a slow host
                resolver=self._resolver,
                ttl_dns_cache=DNS_SECONDS,
                keepalive_timeout=KEEP_ALIVE,
                socket_factory=socket_factory(options.policy),
            ),
            headers={"User-Agent": options.user_agent, "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"},
            timeout=aiohttp.ClientTimeout(
                total=limits.total_seconds,
                sock_connect=limits.connect_seconds,
                sock_read=limits.read_seconds,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            requote_redirect_url=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._robots.close()
        if self._session is not None:
            await self._session.close()
        await self._resolver.close()

    async def fetch(self, url: str, *, robots: bool = True) -> Page:
        """Fetch one URL; whatever happens is in the page's status and detail.

        ``robots`` off skips robots.txt for this one: for a service that is asked through its API.
        """
        started = time.monotonic()
        try:
            reply, attempts = await self.options.retries.over(
                lambda: self._whole(url, robots=robots and self.options.robots), self._rng
            )
            page = _page(url, reply, attempts)
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

    async def _whole(self, url: str, *, robots: bool) -> Reply:
        """The successful and whole response for a URL; raises :class:`FetchError` if it is none."""
        reply = await self._followed(url, robots=robots)
        if reply.fault is not None:
            raise reply.fault
        return reply

    async def _followed(self, url: str, *, robots: bool, limit: int = MAX_REDIRECTS) -> Reply:
        """Ask for a URL, follow its redirects, and return a successful response; else raise :class:`FetchError`."""
        seen = [checked_url(url, self.options.policy)]
        while True:
            if robots:
                await self._robots.check(seen[-1])
            reply = await self._exchange(seen[-1])
            target = next_url(reply, seen, self.options.policy, limit)
            if target is None:
                break
            seen.append(target)
        if not reply.ok:
            raise refusal(reply)
        return reply

    async def _ask_robots(self, url: URL) -> Reply:
        reply, _ = await self.options.retries.over(
            lambda: self._followed(str(url), robots=False, limit=ROBOTS_REDIRECTS), self._rng
        )
        return reply

    async def _exchange(self, url: URL) -> Reply:
        """One request and its response, the body read within the limits."""
        host = url.raw_host or ""
        async with self._politeness.turn(host), self._slots:
            try:
                reply = await self._request(url)
            except FetchError as error:
                error.url = str(url)
                raise
            except TRANSPORT_ERRORS as error:
                raise transport_error(error, str(url)) from error
        if reply.retry_after is not None and not reply.ok:
            self._politeness.hold(host, reply.retry_after)
        if self._on_reply is not None:
            await self._on_reply(reply)
        return reply

    async def _request(self, url: URL) -> Reply:
        if self._session is None:
            raise DeclarationError("the fetcher is used inside `async with`")
        async with self._session.get(url, allow_redirects=False) as response:
            headers = tuple(
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers
            )
            lowered = {name.lower(): value for name, value in headers}
            limits = self.options.limits
            raw, body, fault = b"", b"", None
            size = response.content_length
            if response.status in REDIRECTS:
                if size is not None and size <= MAX_REDIRECT_BODY:
                    raw = await response.read()
            elif size is not None and size > limits.max_bytes:
                fault = FetchError(
                    Status.TOO_LARGE, f"{size:,} bytes, more than {limits.max_bytes:,}", http=response.status
                )
            else:
                encoding = lowered.get("content-encoding", "")
                raw, body, fault = await read(response.content.iter_any(), encoding, limits)
            if fault is not None:
                response.close()
                fault.http, fault.url = response.status, str(url)
            return Reply(
                str(url), response.status, response.reason or "", headers, raw, body, fault, lowered=lowered
            )


def _page(url: str, reply: Reply, attempts: int) -> Page:
    kind, charset = content_type_of(reply.lowered)
    return Page(url, Status.OK, "", reply.http, reply.url, reply.body, kind, charset, attempts=attempts)


def content_type_of(headers: Mapping[str, str]) -> tuple[str, str]:
    """Media type and charset that the headers (names in lower case) claim; empty where they claim none."""
    kind, _, parameters = headers.get("content-type", "").partition(";")
    charset = ""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'").lower()[:40]
    return kind.strip().lower()[:100], charset


def _product(user_agent: str) -> str:
    """The product token of a user agent: what stands before the first slash or blank."""
    return user_agent.split("/", 1)[0].split()[0]
