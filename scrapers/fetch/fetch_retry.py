"""When a URL is asked again, and after how long."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from conqret.scrapers.fetch.fetched_page import FetchError

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
