"""A worker of a cluster: a process that judges the items that it is handed, and records the answers in its shard."""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from conqret._optional import require
from conqret.data import Item, Judgment
from conqret.judging.engines.governor import SharedQuota
from conqret.judging.engines.shards import Shard
from conqret.judging.instrument import Instrument, judge_item
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.progress import Progress


class WorkerResult(NamedTuple):
    """What a worker hands back: the judgment, and what it has counted so far, in the process of this number."""

    judgment: Judgment
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
        self._judging: set[asyncio.Task[Judgment]] = set()
        self._shard = Shard(shard, others)
        if quota is not None:
            require("ray", extra="ray").get(quota.begin())
        self._client = Client(options, store=self._shard, quota=quota)

    async def judge(self, item: Item, name: str, instrument: Sequence[Any]) -> WorkerResult:
        """What an instrument says of an item; ``instrument`` holds the reference to it, of which ``name`` is new
        wherever it is."""
        if name not in self._instruments:
            self._instruments[name] = await instrument[0]
        task = asyncio.ensure_future(judge_item(item, replace(self._instruments[name], client=self._client)))
        self._judging.add(task)
        try:
            judgment = await task
        finally:
            self._judging.discard(task)
        return WorkerResult(judgment, os.getpid(), copy.deepcopy(self._client.progress))

    async def stop(self) -> None:
        """Ask nothing more; what is under way is recorded if it comes soon, and the shard is closed."""
        for task in self._judging:
            task.cancel()
        await asyncio.gather(*self._judging, return_exceptions=True)
        await self._client.close()
        self._shard.close()
