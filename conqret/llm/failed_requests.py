"""Failed requests: the wait before one is sent again after an error of the server or the connection, and when a run
stops sending.

The request after an invalid response is made elsewhere: in ``Client._request_until_valid`` (``llm/client.py``).
"""

from __future__ import annotations

import asyncio
import email.utils
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from conqret.data import Reason
from conqret.errors import ExecutionError, shortened

BACKOFF_BASE = 0.5
"""Seconds: the first wait lies between 0 and this, each further one between 0 and twice as much."""

BACKOFF_CAP = 30.0
"""Seconds: no wait drawn by ourselves is longer."""

MAX_CONSECUTIVE_FAILURES = 8
"""After so many requests in a row failed for good, each after all its retries, the provider counts as down.

"""

MIN_REQUESTS = 20
"""Requests that are sent before anything is stopped: of models that fail at one question in five, 3 in 1,000 have
failed at ten by then (binomial), and of those that fail at one in ten, none in 100,000."""

_RETRYABLE = frozenset({Reason.RATE_LIMITED, Reason.SERVER_ERROR, Reason.CONNECTION, Reason.TIMEOUT})

_FOR_ALL = frozenset({Reason.AUTHENTICATION, Reason.QUOTA, Reason.NOT_FOUND})
"""What would meet every request: a key, a quota, a model."""

_OF_THE_ITEM = frozenset({Reason.REFUSAL, Reason.CONTEXT_OVERFLOW})
"""What says something of the item that was sent, and nothing of the model."""


class ProviderError(ExecutionError):
    """Raised where a request to a provider fails.

    ``retry_after`` is the delay in seconds that the provider requested, or None.
    """

    def __init__(self, reason: Reason, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message, reason=reason.value, retryable=reason in _RETRYABLE)
        self.code = reason
        self.retry_after = retry_after
        self.attempts = 0


def backoff(attempt: int, rng: random.Random, retry_after: float | None = None) -> float:
    """Return the seconds to wait after the failed ``attempt`` (counted from 1).

    The delay is ``retry_after`` plus a random time, uniform on [0, min(cap, base * 2^(attempt-1))] (full
    jitter). Waiting clients therefore do not all retry at the same moment.
    """
    jitter = rng.uniform(0.0, min(BACKOFF_CAP, BACKOFF_BASE * 2.0 ** min(attempt - 1, 30)))
    return (retry_after or 0.0) + jitter


def retry_after_of(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds that response ``headers`` say to wait; None if they say nothing.

    Reads ``retry-after-ms``, ``x-ms-retry-after-ms`` (milliseconds) and ``Retry-After`` (seconds, or an HTTP
    date, compared with ``now``, a Unix time).
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


class CircuitBreaker:
    """A circuit breaker that stops a run for good after :data:`MAX_CONSECUTIVE_FAILURES` failures in a row.

    An error that affects every request (wrong key, used-up quota, unknown model) opens it at once, if no
    request has succeeded. A request rejected as invalid does not count.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._answered = False
        self.last = ""
        self.open = False  # whether no further request should be sent
        self._opened = asyncio.Event()

    def succeeded(self) -> None:
        """Record that a response came, which resets the count of failures."""
        self.failures, self._answered = 0, True

    def failed(self, error: ProviderError) -> None:
        """Record that a request failed after all retries, and open the circuit breaker if needed."""
        if error.code is Reason.BAD_REQUEST:
            return
        self.failures += 1
        self.last = str(error)
        if self.failures >= MAX_CONSECUTIVE_FAILURES or (error.code in _FOR_ALL and not self._answered):
            self.open = True
            self._opened.set()

    async def sleep(self, seconds: float) -> None:
        """Wait ``seconds``, or until the circuit breaker opens, if that is earlier."""
        try:
            async with asyncio.timeout(seconds):
                await self._opened.wait()
        except TimeoutError:
            return


MAX_EXAMPLE = 300
"""Characters of the first failure of each reason that are kept as an example."""

_NOT_ASKED = frozenset(
    {Reason.BUDGET, Reason.PROVIDER_DOWN, Reason.NOT_RECORDED, Reason.AWAITED, Reason.TOO_MANY_FAILURES}
)


_MEETS_EVERY_REQUEST = frozenset(
    {Reason.AUTHENTICATION, Reason.BAD_REQUEST, Reason.CONNECTION, Reason.NOT_FOUND, Reason.QUOTA}
)
"""Where no request was answered and all failed for these, a user has to correct the key, the model or the address."""


@dataclass(slots=True)
class FailureLimit:
    """A count of failed requests that stops a run once too many have failed.

    A request fails if it has no valid response after all retries. Not counted are refusals and prompts that
    are too long, recorded responses, and requests that were not sent. Rejected requests count only while all
    are rejected. ``failed`` counts by reason, ``examples`` has the first failure of each. ``why`` is the
    reason to stop (empty: continue), and ``tally`` is its first half.
    """

    requested: int = 0
    failed: Counter[Reason] = field(default_factory=Counter)
    examples: dict[Reason, str] = field(default_factory=dict)
    why: str = ""
    tally: str = ""

    @property
    def reasons(self) -> dict[str, str]:
        """An example of each reason for which requests failed, the most frequent reason first."""
        return {str(reason): self.examples[reason] for reason, count in self.failed.most_common() if count}

    @property
    def reason_all_failed(self) -> str:
        """The most frequent reason, if every request failed for reasons that the user has to correct (key,
        model, address, quota); else empty.
        """
        counts = +self.failed
        if counts.total() < max(1, self.requested) or not counts.keys() <= _MEETS_EVERY_REQUEST:
            return ""
        return str(counts.most_common(1)[0][0])

    def count(self, item: str, reason: Reason | None, detail: str) -> None:
        """Count a request about ``item``; ``reason`` and ``detail`` say why it failed (None: it
        succeeded).
        """
        if reason in _NOT_ASKED or reason in _OF_THE_ITEM:
            return
        self.requested += 1
        if reason is not None:
            self.failed[reason] += 1
            self.examples.setdefault(reason, f"item {item}: {shortened(detail, MAX_EXAMPLE)}")

    def count_as_usable(self, reason: Reason) -> None:
        """Undo a failure that was just counted for ``reason``, because parts of the response were usable."""
        self.failed[reason] -= 1

    def check(self, stop_after: float) -> None:
        """Stop the run for good once the share of failures reaches ``stop_after`` (0 to 1), after
        :data:`MIN_REQUESTS` (20) requests.

        Raises:
            ProviderError: with the reason TOO_MANY_FAILURES, if the run is stopped, now or earlier.
        """
        failures = self.failed.total()
        if failures < self.requested:
            failures -= self.failed[Reason.BAD_REQUEST]
        if not self.why and self.requested >= MIN_REQUESTS and failures >= stop_after * self.requested:
            commonest, _ = self.failed.most_common(1)[0]
            self.tally = f"{failures} of {self.requested} requests had no valid response"
            self.why = (
                f"stopped, because {self.tally} (the limit is a share of {stop_after:g}: --stop-after-failures); "
                f"mostly {commonest.replace('_', ' ')}, as for {self.examples[commonest]}"
            )
        if self.why:
            raise ProviderError(Reason.TOO_MANY_FAILURES, f"not sent, because {self.tally}")
