"""Queues that are worked off beside each other."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def work_off(lanes: Iterable[tuple[deque[T], int]], work: Callable[[T], Awaitable[None]]) -> None:
    """Do ``work`` on everything in the queues, on so many of each queue at a time; the first error ends it all."""

    async def worker(queue: deque[T]) -> None:
        while queue:
            await work(queue.popleft())

    try:
        async with asyncio.TaskGroup() as group:
            for queue, width in lanes:
                for _ in range(min(width, len(queue))):
                    group.create_task(worker(queue))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
