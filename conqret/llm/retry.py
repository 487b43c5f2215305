"""When a failed request is sent again, and after how long."""

from __future__ import annotations

import asyncio
import email.utils
import random
import time
from collections.abc import Mapping

from conqret.data import Reason
from conqret.errors import ExecutionError

BACKOFF_BASE = 0.5
"""Seconds: the first wait lies between 0 and this, each further one between 0 and twice as much."""

BACKOFF_CAP = 30.0
"""Seconds: no wait drawn by ourselves is longer."""

BREAKER_FAILURES = 8
"""So many requests in a row failed for good, each after all its retries: the provider is down."""

_RETRYABLE = frozenset({Reason.RATE_LIMITED, Reason.SERVER_ERROR, Reason.CONNECTION, Reason.TIMEOUT})


class ProviderError(ExecutionError):
    """A request came to nothing; ``retry_after`` (seconds) is what the provider asked for, if it did."""

    def __init__(self, reason: Reason, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message, reason=reason.value, retryable=reason in _RETRYABLE)
        self.code = reason
        self.retry_after = retry_after
        self.attempts = 0


def backoff(
    attempt: int, rng: random.Random, retry_after: float | None = None, *, base: float = BACKOFF_BASE
) -> float:
    """Seconds to wait after the failed ``attempt`` (counted from 1).

    Full jitter, uniform on [0, min(cap, base * 2^(attempt-1))]; with a Retry-After, that many seconds
    plus a jitter on [0, base], so that the waiting ones do not all come back at one moment.
    """
    if retry_after is not None:
        return retry_after + rng.uniform(0.0, min(base, retry_after))
    return rng.uniform(0.0, min(BACKOFF_CAP, base * 2.0 ** min(attempt - 1, 30)))


def retry_after_of(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """The seconds that response ``headers`` ask to wait; None if they do not say.

    Reads ``retry-after-ms``, ``x-ms-retry-after-ms`` (milliseconds) and ``Retry-After`` (seconds, or an
    HTTP date, compared with ``now``, a Unix time).
    """
    lowered = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    for name in ("retry-after-ms", "x-ms-retry-after-ms"):
        milliseconds = _number(lowered.get(name))
        if milliseconds is not None:
            return milliseconds / 1000.0
    value = lowered.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        date = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, date.timestamp() - (time.time() if now is None else now))


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return number if number is not None and 0.0 <= number < float("inf") else None


class Breaker:
    """Ends a run whose provider is dead: open after :data:`BREAKER_FAILURES` failures in a row, for good.

    A rejected key opens it at once, because every further request would be rejected too.
    """

    def __init__(self) -> None:
        self.failures = 0
        self.last = ""
        self._opened = asyncio.Event()

    @property
    def open(self) -> bool:
        """Whether no further request should be sent."""
        return self._opened.is_set()

    def succeeded(self) -> None:
        """An answer came."""
        self.failures = 0

    def failed(self, error: ProviderError) -> None:
        """A request failed for good."""
        self.failures += 1
        self.last = str(error)
        if self.failures >= BREAKER_FAILURES or error.code is Reason.AUTHENTICATION:
            self._opened.set()

    async def sleep(self, seconds: float) -> None:
        """Wait ``seconds``, or less if the breaker opens meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self._opened.wait()
        except TimeoutError:
            return
