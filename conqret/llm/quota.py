"""Limits on requests: concurrency that adapts to status 429, requests and tokens per minute, and the budget
in US dollars.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from conqret.data import Reason
from conqret.llm.failed_requests import BACKOFF_BASE, ProviderError

if TYPE_CHECKING:
    from conqret.llm.spending_ledger import SpendingLedger

PATIENCE = 5.0
"""Seconds that a process without requests under way waits for the money that other processes on its store
have reserved.
"""

POLL = 0.1


class Budget:
    """A limit on spending in US dollars (None: no limit).

    For each call it reserves the mean cost of a response so far, and at least the cost of the call's prompt.
    A call may be sent if spending and reservations stay within ``limit``. Spending can therefore exceed the
    limit only by how much the calls under way cost more than the mean. Before the first response, only one
    call at a time is sent. With a ``ledger``, all spending on the model in its store counts, including that
    of other processes.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = float("inf") if limit is None else limit
        self.ledger: SpendingLedger | None = None
        self.spent = 0.0
        self._reserved = 0.0
        self._running = 0
        self._settled = asyncio.Event()
        self._answers, self._answered = 0, 0.0
        self._patience = PATIENCE
        self.refused = False

    def book_in(self, ledger: SpendingLedger) -> None:
        """Apply the limit to all spending in ``ledger`` from now on; the first ledger stays."""
        if self.ledger is None:
            answers, cost = ledger.answered()
            self.ledger = ledger
            self._answers, self._answered = self._answers + answers, self._answered + cost

    @asynccontextmanager
    async def reserve(self, prompt: float) -> AsyncIterator[Callable[[float | None], None]]:
        """Reserve the expected cost of a call inside the ``with`` block; waits while only calls under way
        block it.

        The block gets a function that records the call's cost in dollars (None, for a lost response: the
        reserved amount). ``prompt`` is the cost of the prompt in dollars.

        Raises:
            ProviderError: with the reason BUDGET, if the money is spent and nothing is under way.
        """
        while not self._hold(held := max(prompt, self._answered / max(1, self._answers))):
            await self._wait(held)
        self._running += 1
        cost, answers = 0.0, 0

        def spend(dollars: float | None) -> None:
            nonlocal cost, answers
            cost += held if dollars is None else dollars
            answers += dollars is not None

        try:
            yield spend
        finally:
            self.spent += cost
            if answers:
                self._answers, self._answered = self._answers + answers, self._answered + cost
            self._running -= 1
            self._reserved = self._reserved - held if self._running else 0.0
            if self.ledger is not None:
                self.ledger.release_and_record(held, cost, answers)
            self._settled.set()

    def _hold(self, dollars: float) -> bool:
        """Reserve so many dollars for a call, and return True if spending and reservations stay within the limit; then
        ``refused`` is reset. False, too, while the first call is under way, because the cost of a response is not known
        yet. Without a limit nothing is reserved.

        Raises:
            StoreError: the ledger's store cannot be written.
        """
        if self.limit == float("inf"):
            return True
        if not self._answers and self._running:  # the cost of a response is unknown yet
            return False
        if self.ledger is not None:
            fits = self.ledger.hold(dollars, self.limit)
        else:
            fits = self.spent + self._reserved + dollars <= self.limit
        if fits:
            self._reserved += dollars
            self.refused = False
        return fits

    async def _wait(self, dollars: float) -> None:
        """Wait until calls under way are settled, here or in other processes.

        Raises:
            ProviderError: with the reason BUDGET: nothing is under way.
        """
        if self._running:
            self._settled.clear()
            await self._settled.wait()
            return
        spent, held = (self.spent, 0.0) if self.ledger is None else self.ledger.total()
        if held and self._patience > 0:
            self._patience -= POLL
            await asyncio.sleep(POLL)
            return
        self.refused = True
        lost = f" and ${held:.6f} held for calls whose answers never came" if held else ""
        raise ProviderError(
            Reason.BUDGET,
            f"the budget of ${self.limit:g} does not cover this call: ${spent:.6f} spent{lost}, about ${dollars:.6f} "
            "needed",
        )


DECREASE = 0.5
"""The factor on the concurrency after a status 429, as in TCP; each response adds 1/limit to it."""


class AdaptiveGate:
    """A limit on concurrent requests that adapts to rate limits; ``async with`` waits for a place, in order
    of arrival.

    The limit starts at ``maximum``. A status 429 halves it (at least 1), once for all requests under way
    together; each full round of responses raises it by one. ``pause`` stops all requests for a while.
    """

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self.limit = maximum  # requests that are allowed at once, at least 1
        self._limit = float(maximum)
        self._free = asyncio.Semaphore(maximum)
        self._places = maximum  # free ones and taken ones; more than the limit where it sank
        self._lowered_at = float("-inf")
        self._paused_until = float("-inf")

    async def __aenter__(self) -> None:
        """Wait for a place."""
        await self._free.acquire()
        while self._places > self.limit:  # this place goes, and another is needed
            self._places -= 1
            await self._free.acquire()

    async def unpaused(self, rng: random.Random) -> None:
        """Wait until the pause ends, plus a random delay of at most half a second, so that waiting requests
        do not all restart at once.
        """
        while (left := self._paused_until - time.monotonic()) > 0:  # noqa: ASYNC110  it may be prolonged
            await asyncio.sleep(left + rng.uniform(0.0, min(BACKOFF_BASE, left)))

    async def __aexit__(self, *error: object) -> None:
        """Give the place back."""
        if self._places > self.limit:
            self._places -= 1
        else:
            self._free.release()

    def answered(self) -> None:
        """Raise the limit a little after a response (additive increase)."""
        self._limit = min(float(self.maximum), self._limit + 1.0 / self._limit)
        self.limit = int(self._limit)
        while self._places < self.limit:
            self._places += 1
            self._free.release()

    def throttled(self, sent: float) -> None:
        """Halve the limit after a status 429 for a request sent at ``sent`` (``time.monotonic()``)."""
        if sent >= self._lowered_at:
            self._limit = max(1.0, self._limit * DECREASE)
            self.limit = int(self._limit)
            self._lowered_at = time.monotonic()

    def pause(self, seconds: float) -> None:
        """Let no request through for the next ``seconds``."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)


class TokenBucket:
    """A rate limit of units per minute, with a burst of one second's worth (at least 1).

    A request larger than the bucket waits until the bucket is full and then overdraws it, so that later
    requests wait longer.
    """

    def __init__(self, per_minute: int) -> None:
        self.rate = per_minute / 60.0
        self.capacity = max(1.0, self.rate)
        self._level = self.capacity
        self._at = time.monotonic()
        self._turn = asyncio.Lock()

    async def take(self, units: float) -> None:
        """Wait until ``units`` may be used, in the order of the calls."""
        async with self._turn:
            self._refill()
            needed = min(units, self.capacity)
            while self._level < needed - 1e-9:
                await asyncio.sleep((needed - self._level) / self.rate)
                self._refill()
            self._level -= units

    def correct(self, units: float) -> None:
        """Deduct ``units`` more once the real number is known; a negative number gives units back."""
        self._level = min(self.capacity, self._level - units)

    def _refill(self) -> None:
        now = time.monotonic()
        self._level = min(self.capacity, self._level + (now - self._at) * self.rate)
        self._at = now
