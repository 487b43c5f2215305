"""How hard one host is pressed: requests at once, and the pause between two of them."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

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
        state = self._hosts[host]
        await asyncio.sleep(max(0.0, state.free - self._clock()))

    def crawl_delay(self, host: str, seconds: float) -> None:
        """Take over the pause that the host's robots.txt asks for, if it is longer than ours."""
        state = self._hosts[host]
        state.delay = max(self._delay, min(seconds, MAX_CRAWL_DELAY))

    def hold(self, host: str, seconds: float) -> None:
        """Leave the host alone for some time, because it asked for that."""
        state = self._hosts[host]
        state.free = max(state.free, self._clock() + seconds)
