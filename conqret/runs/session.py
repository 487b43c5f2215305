"""Questions to a model, many at a time, from code that is not asynchronous."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from conqret.errors import DeclarationError
from conqret.llm.client import Client
from conqret.llm.options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.prompts import Library

T = TypeVar("T")


class Session:
    """A model, its prompts, and where its answers are recorded; to be shared by transformers.

    ``recordings`` is a store of answers that is read and added to (None records nothing); with ``replay``
    nothing is ever sent. ``prompts`` is a folder of prompts before conqret's own. A budget among the options
    holds for all that the session asks, ``cost_usd`` says what of it was spent (None: unknown).
    """

    def __init__(
        self,
        model: str | ClientOptions,
        *,
        recordings: str | Path | None = None,
        replay: str | Path | None = None,
        prompts: Path | None = None,
    ) -> None:
        if recordings is not None and replay is not None:
            raise DeclarationError("give recordings to add to, or a replay to answer from, not both")
        self.options = model if isinstance(model, ClientOptions) else ClientOptions(model)
        self.library = Library(prompts)
        self.cost_usd: float | None = 0.0
        self._recordings, self._replay = recordings, replay

    def run(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """Do ``work`` with an open client, and wait for it; also from within a running event loop (Jupyter).

        Raises:
            DeclarationError: no such recordings, or a budget for a model whose price is unknown.
        """
        return _wait(self._work(work))

    async def _work(self, work: Callable[[Client], Awaitable[T]]) -> T:
        with self._store() as store:
            async with Client(self._remaining(), store=store, replay=self._replay is not None) as client:
                try:
                    return await work(client)
                finally:
                    cost = client.progress.cost_usd
                    self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost

    def _remaining(self) -> ClientOptions:
        budget = self.options.budget_usd
        return (
            self.options
            if budget is None
            else replace(self.options, budget_usd=max(0.0, budget - (self.cost_usd or 0.0)))
        )

    @contextlib.contextmanager
    def _store(self) -> Iterator[Recordings | None]:
        if self._replay is not None:
            with Recordings.open_for_replay(self._replay) as store:
                yield store
        elif self._recordings is not None:
            with Recordings(self._recordings) as store:
                yield store
        else:
            yield None


async def _completed(work: Awaitable[T]) -> T:
    return await work


def _wait(work: Awaitable[T]) -> T:
    """The result of ``work``; where a loop runs in this thread already, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_completed(work))
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, _completed(work)).result()
