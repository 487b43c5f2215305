"""A worker of a cluster: a process that judges the items and asks the questions that it is handed, and records the
answers in its shard."""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from conqret._optional import require
from conqret.data import Item
from conqret.judging.engines.governor import SharedQuota
from conqret.judging.engines.shards import Shard
from conqret.judging.instrument import Instrument, judge_item
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.progress import Progress
from conqret.llm.request import Request


class WorkerResult(NamedTuple):
    """What a worker hands back: the judgment or answer, and what it has counted so far, in the process of this
    number."""

    value: Any
    process: int
    progress: Progress


class Worker:
    """An actor: ``options`` hold its share of the concurrency, ``quota`` the limits of all workers.

    One that comes for one that was killed goes on with its shard, and asks nothing that stands there.
    """

    def __init__(
        self, options: ClientOptions, shard: Path, others: Sequence[Path], quota: SharedQuota | None
    ) -> None:
        self._instruments: dict[str, Instrument] = {}
        self._under_way: set[asyncio.Task[Any]] = set()
        self._shard = Shard(shard, others)
        if quota is not None:
            require("ray", extra="ray").get(quota.begin())
        self._client = Client(options, store=self._shard, quota=quota)

    async def judge(self, item: Item, name: str, instrument: Sequence[Any]) -> WorkerResult:
        """What an instrument says of an item; ``instrument`` holds the reference to it, of which ``name`` is new
        wherever it is."""
        if name not in self._instruments:
            self._instruments[name] = await instrument[0]
        return await self._done(judge_item(item, replace(self._instruments[name], client=self._client)))

    async def ask(self, request: Request[Any]) -> WorkerResult:
        """What the model answers."""
        return await self._done(self._client.ask(request))

    async def _done(self, work: Coroutine[Any, Any, Any]) -> WorkerResult:
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        try:
            value = await task
        finally:
            self._under_way.discard(task)
        return WorkerResult(value, os.getpid(), copy.deepcopy(self._client.progress))

    async def stop(self) -> None:
        """Ask nothing more; what is under way is recorded if it comes soon, and the shard is closed."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._client.close()
        self._shard.close()
