"""Fetch URLs politely (:class:`Fetcher`): one shared client with robots.txt, delays per host, redirects
and retries; for every URL a page or a reason, never an exception.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import TypeVar

from aiohttp.abc import AbstractResolver
from protego import Protego
from yarl import URL

from conqret.errors import DeclarationError
from conqret.scrapers.wire import (
    REDIRECTS,
    USER_AGENT,
    FetchedResponse,
    FetchError,
    FetchStatus,
    HttpClient,
    Limits,
    Page,
    Policy,
    checked_url,
    refusal,
)

DELAY = 1.0
"""Seconds between the starts of two requests to one host, before jitter."""
JITTER = 0.5
"""The share by which each pause is randomly shorter or longer, so that hosts are not hit in step."""
PER_HOST = 2
"""The most requests to one host at once, as few as a reader's browser needs for one page."""
MAX_CRAWL_DELAY = 60.0
"""The longest Crawl-delay in seconds that is observed; robots.txt files with days in them exist."""


@dataclass(slots=True)
class _Host:
    """What one host is doing now; ``free`` is the moment from which it may be asked again."""

    slots: asyncio.Semaphore
    delay: float
    free: float = 0.0


class Politeness:
    """A scheduler that spaces out requests to each host.

    ``delay`` is the pause between requests in seconds, and ``jitter`` its random variation as a share; 0
    disables either. ``per_host`` is the most requests to one host at once.
    """

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
        """Context manager that waits until ``host`` may receive a request, and occupies one of its slots
        meanwhile.
        """
        state = self._hosts[host]
        async with state.slots:
            now = self._clock()
            start = max(now, state.free)
            state.free = start + state.delay * self._rng.uniform(1.0 - self._jitter, 1.0 + self._jitter)
            if start > now:
                await asyncio.sleep(start - now)
            yield

    async def ready(self, host: str) -> None:
        """Wait until ``host`` may receive a request, without occupying a slot."""
        await asyncio.sleep(max(0.0, self._hosts[host].free - self._clock()))

    def crawl_delay(self, host: str, seconds: float) -> None:
        """Use the host's crawl delay from its robots.txt, if it is longer than the default delay; at most
        :data:`MAX_CRAWL_DELAY` seconds."""
        self._hosts[host].delay = max(self._delay, min(seconds, MAX_CRAWL_DELAY))

    def hold(self, host: str, seconds: float) -> None:
        """Send no requests to the host for some seconds, as it requested."""
        state = self._hosts[host]
        state.free = max(state.free, self._clock() + seconds)


MAX_ROBOTS = 512_000
"""The most bytes of a robots.txt that are read (RFC 9309, section 2.5: at least 500 KiB)."""
MAX_RULE = 2_048
"""The most characters of one line; a longer one is no path that anybody serves."""
ROBOTS_REDIRECTS = 5
"""The most redirects to a robots.txt (RFC 9309, section 2.3.1.2: at least five)."""


class Robots:
    """The robots.txt rules of each origin, each fetched once.

    ``ask`` returns a response after redirects, and raises FetchError unless it is successful: HTTP 429 and
    5xx then forbid the whole origin, other HTTP errors allow it. ``agent`` is the product name that rules
    are matched with. ``on_crawl_delay`` is called with host and seconds.
    """

    def __init__(
        self,
        ask: Callable[[URL], Awaitable[FetchedResponse]],
        agent: str,
        on_crawl_delay: Callable[[str, float], None],
    ) -> None:
        self._ask, self._agent, self._on_crawl_delay = ask, agent, on_crawl_delay
        self._rules: dict[URL, asyncio.Task[Protego | None]] = {}

    async def check(self, url: URL) -> None:
        """Check that robots.txt allows fetching the URL.

        Raises:
            FetchError: robots.txt forbids it, or it cannot be read because the host is unreachable.
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
        """Cancel robots.txt requests that are in progress."""
        for task in self._rules.values():
            task.cancel()
        await asyncio.gather(*self._rules.values(), return_exceptions=True)

    async def _load(self, origin: URL) -> Protego | None:
        """Return the rules of an origin; None if everything is allowed. A crawl delay is reported to
        ``on_crawl_delay``.

        Raises:
            FetchError: robots.txt cannot be reached or read, so that nothing may be fetched.
        """
        try:
            reply = await self._ask(origin / "robots.txt")
        except FetchError as error:
            if error.reply is not None and error.http < 500 and error.http != 429:
                return None  # RFC 9309: there are no rules
            if error.http or (error.url and URL(error.url).origin() != origin):
                raise _forbidden(f"cannot be read ({error.detail})") from error
            raise
        if reply.fault is not None and not reply.body:
            raise _forbidden(f"cannot be read ({reply.fault.detail})")
        text = reply.body[:MAX_ROBOTS].decode("utf-8", "replace").removeprefix("\ufeff")
        lines = (line for line in text.splitlines() if len(line) <= MAX_RULE)
        parsed = await asyncio.to_thread(Protego.parse, "\n".join(lines))
        delay = parsed.crawl_delay(self._agent)
        if delay:
            self._on_crawl_delay(origin.raw_host or "", float(delay))
        return parsed


def _forbidden(why: str) -> FetchError:
    return FetchError(FetchStatus.ROBOTS, f"robots.txt {why}: taken as forbidden (RFC 9309)")


ATTEMPTS = 3
"""The most attempts for one URL, the first included."""
BACKOFF_BASE = 1.0
"""The first wait, in seconds, lies between 0 and this, each further one between 0 and twice as much."""
MAX_RETRY_AFTER = 120.0
"""A URL whose server requests a longer pause (in seconds) is not requested again in this run."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retries:
    """A retry policy: the number of attempts, and the base of the waiting time in seconds (0 for tests)."""

    attempts: int = ATTEMPTS
    base: float = BACKOFF_BASE

    async def over(self, ask: Callable[[], Awaitable[T]], rng: random.Random) -> tuple[T, int]:
        """Call ``ask`` until it succeeds or the retries end, and return its result and the number of
        attempts.

        Raises:
            FetchError: the error of the last attempt, with the number of attempts in ``attempts``.
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
        """Return the seconds to wait after the failed ``attempt`` (counted from 1); None if it was the last,
        or the error is not worth a retry, or Retry-After is above :data:`MAX_RETRY_AFTER`.

        The wait is uniform on [0, base * 2^(attempt-1)] (full jitter), added to a Retry-After if there is
        one.
        """
        if not error.retryable or attempt >= self.attempts:
            return None
        asked = error.retry_after or 0.0
        return None if asked > MAX_RETRY_AFTER else asked + rng.uniform(0.0, self.base * 2.0 ** (attempt - 1))


CONCURRENCY = 32
"""The most requests at once, over all hosts."""
MAX_REDIRECTS = 10
"""The most redirects; browsers stop at 20, and chains on the live web rarely pass five."""
OnReply = Callable[[FetchedResponse], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """Options of a fetcher.

    ``concurrency`` is the number of requests at once over all hosts, ``per_host`` that to one host, and
    ``delay`` the seconds between two requests to one host. Set ``robots`` to False only for sites that gave
    permission. ``policy`` says which addresses may be contacted, and ``limits`` bound one response.

    Raises:
        DeclarationError: a value is out of its range.
    """

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
        if not 0.0 <= self.delay < float("inf"):
            raise DeclarationError(f"the delay must be at least 0 seconds, not {self.delay}")


class Fetcher(AbstractAsyncContextManager["Fetcher"]):
    """A client that fetches URLs over one connection pool, to be used as an async context manager.

    ``on_reply`` is awaited with every HTTP response, redirects and robots.txt included, before its page is
    returned (responses are stored there). ``resolver`` replaces the system's name resolution.
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
        self._wire = HttpClient(self.options.policy, self.options.limits, self.options.user_agent, resolver)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._robots.close()
        await self._wire.close()

    async def fetch(self, url: str, *, robots: bool = True) -> Page:
        """Fetch one URL and return its page; failures are in the page's status and detail, and never raised.

        With ``robots`` False, robots.txt is ignored for this request, as for an API.
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
        """Wait until the URL's host may receive a request again, without occupying a slot."""
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
        """Request a URL, follow its redirects, and return a successful response.

        Raises:
            FetchError: robots.txt or the policy forbids one of the addresses, there are too many redirects, or the
                status is not 200 to 299.
        """
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
        ask = partial(self._followed, str(url), robots=False, limit=ROBOTS_REDIRECTS)
        return (await self.options.retries.over(ask, self._rng))[0]

    async def _exchange(self, url: URL) -> FetchedResponse:
        """Send one request, when the host's turn comes, and return the response, whose body is read within the limits.
        A failed one that says when to come back holds back further requests to the host."""
        host = url.raw_host or ""
        async with self._politeness.turn(host), self._slots:
            reply = await self._wire.request(url)
        if reply.retry_after is not None and not reply.ok:
            self._politeness.hold(host, reply.retry_after)
        if self._on_reply is not None:
            await self._on_reply(reply)
        return reply


def _next_url(reply: FetchedResponse, seen: Sequence[URL], policy: Policy, limit: int) -> URL | None:
    """Return the checked URL to which ``reply`` (of the last of the URLs ``seen``) redirects; None if it is
    no redirect.

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
    """Return the media type and charset in the headers (names in lower case); empty strings if missing."""
    kind, _, parameters = headers.get("content-type", "").partition(";")
    charset = ""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'").lower()[:40]
    return kind.strip().lower()[:100], charset
