"""Send one request over a connection, within the limits, with retries, before its deadline; and count all
of them (``Progress``).
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conqret.data import Reason
from conqret.errors import DeclarationError, shortened
from conqret.llm.client_options import ClientOptions, Connection, ModelFacts
from conqret.llm.failed_requests import (
    CircuitBreaker,
    FailureLimit,
    ProviderError,
    backoff,
)
from conqret.llm.quota import AdaptiveGate, Budget, TokenBucket
from conqret.llm.request import IMAGE_TOKENS, MAX_NAME, Completion, Request
from conqret.llm.tokens import count_tokens


@dataclass(slots=True)
class Progress:
    """Running counts of one client.

    ``calls`` counts requests sent, including retries; ``recorded`` counts responses from the store;
    ``retries`` counts requests sent again after an error. ``limit`` is the current limit on concurrency.
    Tokens and ``cost_usd`` are those of new calls; the cost is None once the price of one is unknown.
    ``estimated`` counts responses whose cost was estimated because the server reported no usage. ``retried``
    counts invalid recorded responses that were requested again. ``others`` counts responses, recorded ones
    too, from a model of another name than requested. ``failure_limit`` counts failed requests.
    """

    calls: int = 0
    recorded: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    limit: int = 0
    estimated: int = 0
    retried: int = 0
    others: Counter[str] = field(default_factory=Counter)
    failure_limit: FailureLimit = field(default_factory=FailureLimit)

    def add(self, completion: Completion, cost: float | None) -> None:
        """Count a new response that cost ``cost`` dollars (None: unknown)."""
        self.estimated += completion.cost_usd is None and cost is not None
        self.prompt_tokens += completion.prompt_tokens or 0
        self.completion_tokens += completion.completion_tokens or 0
        if self.cost_usd is not None:
            self.cost_usd = None if cost is None else self.cost_usd + cost

    def named(self, requested: str, completion: Completion) -> None:
        """Count a response whose model has another name than ``requested``.

        A provider's prefix does not count as another name, nor does a longer version (``gpt-4o-2024-08-06``
        for ``gpt-4o``).
        """
        wanted, actual = requested.lower().rpartition("/")[2], completion.model.lower().rpartition("/")[2]
        if actual and not (actual.startswith(wanted) or wanted.startswith(actual)):
            self.others[shortened(completion.model, MAX_NAME)] += 1


RATE_WINDOW = 60.0
"""Seconds to wait after a rate limit that names no delay: most are limits per minute."""

_MAY_BE_CHARGED = frozenset({Reason.TIMEOUT, Reason.CONNECTION, Reason.SERVER_ERROR})


class Sender:
    """Sends requests with retries, within the limits of rate and budget, and counts what they use.

    Raises:
        DeclarationError: a budget is set for a model of unknown price.
    """

    def __init__(
        self, connection: Connection, options: ClientOptions, facts: ModelFacts, progress: Progress
    ) -> None:
        if options.budget_usd is not None and not facts.priced:
            raise DeclarationError(
                f"a budget needs prices, and the price of {options.model!r} is unknown: give input_price and "
                "output_price, in dollars per million tokens (0 for your own server)"
            )
        self._connection, self._options, self._facts, self._progress = connection, options, facts, progress
        self._timeout = facts.timeout or options.timeout
        self._gate = AdaptiveGate(facts.in_flight or options.max_concurrency)
        self._requests = TokenBucket(options.rpm) if options.rpm is not None else None
        self._tokens = TokenBucket(options.tpm) if options.tpm is not None else None
        self.budget = Budget(options.budget_usd)
        self._estimates = options.tpm is not None or options.budget_usd is not None
        self._breaker = CircuitBreaker()
        self._rng = random.Random()  # no seed: workers that share a provider shall not wake together
        self._under_way: set[asyncio.Task[Any] | None] = set()
        self._stopped = False
        progress.limit = self._gate.limit

    async def send(self, request: Request[Any]) -> tuple[Completion, int]:
        """Send a request with retries, and return the completion and the number of attempts.

        The deadline (``timeout`` of the options) counts from the first attempt; waiting for limits before it
        does not count.

        Raises:
            ProviderError: no response came, the budget is spent, or the run was stopped; its ``attempts`` is
                the number of attempts.
            DeclarationError: the model is unavailable.
        """
        await self._connection.prepare()
        prompt, expected = 0, 0.0
        if self._estimates:
            encode = self._options.backend.encoder(self._options.model)
            prompt = sum(
                count_tokens(message.content, encode) + IMAGE_TOKENS * len(message.images)
                for message in request.messages
            )
            expected = self._facts.cost(prompt, 0) or 0.0
        attempts, last = 0, None
        try:
            async with (
                asyncio.timeout(None) as clock,
                self._gate,
            ):  # a place is kept: a sick server gets fewer requests
                while not self._breaker.open:
                    self._progress.failure_limit.check(self._options.stop_after_failures)
                    await self._gate.unpaused(self._rng)
                    began = time.monotonic()
                    try:
                        if self._requests is not None:
                            await self._requests.take(1)
                        if self._tokens is not None:
                            await self._tokens.take(prompt)
                        async with self.budget.reserve(expected) as spend:
                            began = time.monotonic()
                            if clock.when() is None:
                                clock.reschedule(asyncio.get_running_loop().time() + self._timeout)
                            attempts += 1
                            return await self._attempt(request, prompt, attempts, spend), attempts
                    except ProviderError as error:
                        last = error
                        await self._wait(error, attempts, began, clock.when())
                raise last or ProviderError(
                    Reason.PROVIDER_DOWN, f"not sent, because requests kept failing: {self._breaker.last}"
                )
        except TimeoutError:
            before = f"; the last error before it: {last}" if last else ""
            late = f"no answer within the deadline of {self._timeout:g} s{before}"
            last = ProviderError(Reason.TIMEOUT, late)
        except ProviderError as error:
            last = error
        last.attempts = attempts
        if last.code not in (Reason.BUDGET, Reason.PROVIDER_DOWN, Reason.TOO_MANY_FAILURES):
            self._breaker.failed(last)
        raise last

    @property
    def halt_reason(self) -> str:
        """The reason why no more requests are sent (repeated failures or invalid responses); empty while they
        are.
        """
        return self._breaker.last if self._breaker.open else self._progress.failure_limit.why

    def resume(self) -> None:
        """Send requests again, with all failure counts reset."""
        self._breaker, self._progress.failure_limit = CircuitBreaker(), FailureLimit()

    def stop(self) -> set[asyncio.Task[Any] | None]:
        """Stop all retries and return the tasks whose requests are under way; a second call returns none."""
        under_way = set() if self._stopped else set(self._under_way)
        self._stopped = True
        return under_way

    async def _attempt(
        self, request: Request[Any], prompt: int, attempts: int, spend: Callable[[float | None], None]
    ) -> Completion:
        """Send a request once, count it, and return the completion; ``spend`` books its cost, and errors are
        raised without keys.

        For a request whose response was lost (a time-out, a broken connection, a server's error, a stop) the
        reserved amount is booked, because the provider may charge it. One that was refused costs nothing.
        """
        progress, task = self._progress, asyncio.current_task()
        progress.calls += 1
        progress.retries += attempts > 1
        self._under_way.add(task)
        try:
            completion = await self._connection.complete(request)
        except ProviderError as error:
            from conqret.llm.key_redaction import KeyRedaction, keys_in_use

            if error.code in _MAY_BE_CHARGED:
                spend(None)
            raise KeyRedaction(keys_in_use(self._options.api_key)).error(error) from None
        except BaseException:
            spend(None)
            raise
        finally:
            self._under_way.discard(task)
        self._breaker.succeeded()
        self._gate.answered()
        progress.limit = self._gate.limit
        cost = completion.cost_usd
        if (
            cost is None and self._options.budget_usd is not None
        ):  # estimated where the server says nothing of tokens
            answer = completion.completion_tokens
            if answer is None:
                answer = count_tokens(completion.text, self._options.backend.encoder(self._options.model))
            cost = self._facts.cost(completion.prompt_tokens or prompt, answer)
        progress.add(completion, cost)
        spend(cost or 0.0)
        if self._tokens is not None:
            used = (completion.prompt_tokens or prompt) + (completion.completion_tokens or 0)
            self._tokens.correct(used - prompt)
        return completion

    async def _wait(self, error: ProviderError, attempts: int, began: float, deadline: float | None) -> None:
        """Wait before the next attempt, or raise ``error`` if there is none: it cannot be retried, the attempts or the
        time until the ``deadline`` are used up, or sending has stopped. After a status 429 fewer requests are sent at
        once, and all pause as long as the provider says. ``began`` is the time of the failed attempt
        (``time.monotonic()``).

        Raises:
            ProviderError: ``error`` itself.
        """
        if error.code is Reason.RATE_LIMITED:
            self._gate.throttled(began)
            # no request waits beyond its deadline, and the circuit breaker counts it
            if error.retry_after and error.retry_after < self._timeout:
                self._gate.pause(error.retry_after)
            self._progress.limit = self._gate.limit
        now, last = asyncio.get_running_loop().time(), attempts >= self._options.max_attempts
        if last and error.code is Reason.RATE_LIMITED and deadline is not None:
            # a rate limit passes after the time that it names, or with its minute
            last = not error.retry_after and now >= deadline - self._timeout + RATE_WINDOW
        if self._stopped or not error.retryable or last or self._breaker.open:
            raise error
        delay = backoff(attempts, self._rng, error.retry_after)
        if deadline is not None and now + delay >= deadline:
            raise error
        await self._breaker.sleep(delay)
        if self._breaker.open:
            raise error
