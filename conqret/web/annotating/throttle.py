"""How often something may happen: a bucket that fills again."""

from __future__ import annotations

import time
from collections.abc import Callable

AT_ONCE = 20
A_MINUTE = 20
"""Wrong links of all strangers together; nobody finds one of 2^128 at that rate."""


class Throttle:
    """``take`` says whether there is one left; ``a_minute`` come anew, up to ``at_once``."""

    def __init__(
        self, at_once: int = AT_ONCE, a_minute: float = A_MINUTE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._rate, self._clock = at_once, a_minute / 60, clock
        self._left, self._at = float(at_once), clock()

    def take(self) -> bool:
        """Take one, if there is one."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
