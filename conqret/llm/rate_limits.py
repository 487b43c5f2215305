"""How many requests may be under way: adaptive concurrency, requests and tokens a minute; and the quota of all who
share them and a budget (:mod:`conqret.llm.spending`)."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from conqret.llm.retry import BACKOFF_BASE
from conqret.llm.spending import Budget, SpendingLedger

DECREASE = 0.5
"""A 429 halves the concurrency, as TCP halves its window; each answer adds 1/limit to it."""

UNLIMITED = 10**15
"""Units a minute where no limit is set: more than anybody sends."""


class AdaptiveGate:
    """Lets at most ``limit`` requests through at once, first come first served.

    The limit starts at ``maximum``; a 429 halves it (once for all requests that were under way together),
    and every full round of answers raises it by one again. ``pause`` holds everybody back.
    """

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self._limit = float(maximum)
        self._free = asyncio.Semaphore(maximum)
        self._places = maximum  # free ones and taken ones; more than the limit where it sank
        self._lowered_at = float("-inf")
        self._paused_until = float("-inf")

    @property
    def limit(self) -> int:
        """The number of requests allowed at once, at least 1."""
        return max(1, int(self._limit))

    async def enter(self) -> None:
        """Wait for a place."""
        await self._free.acquire()
        while self._places > self.limit:  # this place goes, and another is needed
            self._places -= 1
            await self._free.acquire()

    async def unpaused(self, rng: random.Random) -> None:
        """Wait until no pause holds, and then a little more, by ``rng``: those who waited do not come back at once."""
        while (left := self._paused_until - time.monotonic()) > 0:  # noqa: ASYNC110  it may be prolonged
            await asyncio.sleep(left + rng.uniform(0.0, min(BACKOFF_BASE, left)))

    def leave(self) -> None:
        """Give the place back."""
        if self._places > self.limit:
            self._places -= 1
        else:
            self._free.release()

    def answered(self) -> None:
        """An answer came: additive increase."""
        self._limit = min(float(self.maximum), self._limit + 1.0 / self._limit)
        while self._places < self.limit:
            self._places += 1
            self._free.release()

    def throttled(self, sent: float) -> None:
        """A request sent at ``sent`` (``time.monotonic()``) got a 429: multiplicative decrease."""
        if sent >= self._lowered_at:
            self._limit = max(1.0, self._limit * DECREASE)
            self._lowered_at = time.monotonic()

    def pause(self, seconds: float) -> None:
        """Let nobody through for ``seconds``."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)


class TokenBucket:
    """So many units a minute (None: any number), with a burst of one second's worth (at least 1).

    One taker may go into debt: a request bigger than the bucket waits until it is not empty, and those
    after it wait the longer.
    """

    def __init__(self, per_minute: int | None) -> None:
        self.rate = (per_minute or UNLIMITED) / 60.0
        self.capacity = max(1.0, self.rate)
        self._level = self.capacity
        self._at = time.monotonic()
        self._turn = asyncio.Lock()

    async def take(self, units: float) -> None:
        """Wait until the units may be used, in the order of asking."""
        async with self._turn:
            self._refill()
            needed = min(units, self.capacity)
            while self._level < needed - 1e-9:
                await asyncio.sleep((needed - self._level) / self.rate)
                self._refill()
            self._level -= units

    def correct(self, units: float) -> None:
        """Take ``units`` more (or, if negative, give them back) once the real number is known."""
        self._level = min(self.capacity, self._level - units)

    def _refill(self) -> None:
        now = time.monotonic()
        self._level = min(self.capacity, self._level + (now - self._at) * self.rate)
        self._at = now


Used = Callable[[float, float | None], None]
"""What a request is told to have used: tokens in all, and dollars (None: what was held, for a lost answer)."""


class Quota:
    """Requests and tokens a minute, and dollars, of all who share it (None: no limit)."""

    def __init__(self, rpm: int | None, tpm: int | None, dollars: float | None) -> None:
        self._requests, self._tokens = TokenBucket(rpm), TokenBucket(tpm)
        self._limit, self._budget = dollars, Budget(dollars)

    @property
    def refused(self) -> bool:
        """Whether there was no money for the last request that asked for some."""
        return self._budget.refused

    def book_in(self, ledger: Callable[[], SpendingLedger | None]) -> None:
        """Have the budget, where there is one, hold for all that books in a ledger."""
        if self._limit is not None and self._budget.ledger is None and (found := ledger()) is not None:
            self._budget.book_in(found)

    @asynccontextmanager
    async def reserve(self, tokens: float, dollars: float) -> AsyncIterator[Used]:
        """Wait until a request may be sent whose prompt has so many tokens and costs so many dollars, and hold the
        money for it. What is yielded books what it used, where that becomes known.

        Raises:
            ProviderError: with the reason BUDGET, as :meth:`Budget.reserve`.
        """
        await self._requests.take(1)
        await self._tokens.take(tokens)

        async with self._budget.reserve(dollars) as spend:

            def used(really: float, spent: float | None) -> None:
                self._tokens.correct(really - tokens)
                spend(spent)

            yield used
