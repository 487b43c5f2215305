"""One place that holds the limits of a model for all workers: requests and tokens a minute, and money."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import Any

from conqret.data import Reason
from conqret.llm.rate_limits import Quota, Used
from conqret.llm.retry import ProviderError
from conqret.llm.spending import SpendingLedger


class Governor:
    """The quota of a model, for workers in other processes: an actor of which there is one a model.

    What a worker holds when it is killed counts as spent: the provider may have answered, and asks to be paid.
    """

    def __init__(self, rpm: int | None, tpm: int | None, dollars: float | None) -> None:
        self._quota = Quota(rpm, tpm, dollars)
        self._held: dict[str, dict[int, _HeldRequest]] = {}
        self._numbers = count()

    async def reserve(self, worker: str, tokens: float, dollars: float) -> int | str:
        """Reserve for a request of this worker: a number to settle it by, or why there is no money for it."""
        stack = AsyncExitStack()
        try:
            used = await stack.enter_async_context(self._quota.reserve(tokens, dollars))
        except ProviderError as error:
            return str(error)
        number = next(self._numbers)
        self._held.setdefault(worker, {})[number] = _HeldRequest(stack, used, tokens)
        return number

    async def settle(self, worker: str, number: int, tokens: float | None, dollars: float | None) -> None:
        """Book what a request used (no tokens: nothing; no dollars: what was held), and give back what was held."""
        held = self._held.get(worker, {}).pop(number, None)
        if held is not None:
            async with held.stack:
                if tokens is not None:
                    held.used(tokens, dollars)

    async def begin(self, worker: str) -> None:
        """A worker begins, perhaps in the place of one that was killed."""
        for held in self._held.pop(worker, {}).values():
            async with held.stack:
                held.used(held.tokens, None)


class _HeldRequest:
    __slots__ = ("stack", "tokens", "used")

    def __init__(self, stack: AsyncExitStack, used: Used, tokens: float) -> None:
        self.stack, self.used, self.tokens = stack, used, tokens


class SharedQuota(Quota):
    """The quota that a governor holds, as ``worker`` takes from it."""

    def __init__(self, governor: Any, worker: str) -> None:
        self._governor, self._worker = governor, worker

    @property
    def refused(self) -> bool:
        """Nobody here knows; the governor says so of each request."""
        return False

    def book_in(self, ledger: Callable[[], SpendingLedger]) -> None:
        """The driver books what all workers spend."""

    def begin(self) -> Any:
        """Say that the worker begins: the reference to what the governor answers."""
        return self._governor.begin.remote(self._worker)

    @asynccontextmanager
    async def reserve(self, tokens: float, dollars: float) -> AsyncIterator[Used]:
        """As :meth:`Quota.reserve`, with one call to the governor before and one behind."""
        number = await self._asked(tokens, dollars)
        if isinstance(number, str):
            raise ProviderError(Reason.BUDGET, number)
        booked: tuple[float | None, float | None] = (None, None)

        def used(really: float, spent: float | None) -> None:
            nonlocal booked
            booked = really, spent

        try:
            yield used
        finally:
            self._governor.settle.remote(self._worker, number, *booked)

    async def _asked(self, tokens: float, dollars: float) -> int | str:
        """What the governor answers; where nobody waits for it any more (a deadline), it is given back."""
        reserved = asyncio.ensure_future(
            _answered(self._governor.reserve.remote(self._worker, tokens, dollars))
        )
        try:
            return await asyncio.shield(reserved)
        except asyncio.CancelledError:
            reserved.add_done_callback(self._give_back)
            raise

    def _give_back(self, reserved: asyncio.Future[int | str]) -> None:
        if not reserved.cancelled() and reserved.exception() is None:
            self._governor.settle.remote(self._worker, reserved.result(), None, None)


async def _answered(reference: Any) -> int | str:
    answer: int | str = await reference
    return answer
