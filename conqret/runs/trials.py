"""The loop over the trials of a run: each once, many at a time, in memory or into a folder.

A trial is one unit of work: an item to be judged, an argument to be written, a debate. What a sink holds already is not
done again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, Protocol, Self, TypeVar

from conqret.llm.tracing import run_span

Row = TypeVar("Row")
Row_contra = TypeVar("Row_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Trial(Generic[Row]):
    """One unit of work: ``work`` makes the row that is kept under ``key``. It never raises for what the world did: that
    is part of the row. None is a row that cannot be made yet, as an answer is still to come."""

    key: str
    work: Callable[[], Coroutine[Any, Any, Row | None]]


class Sink(Protocol[Row_contra]):
    """Where rows go, and where those of an earlier run are."""

    def __contains__(self, key: str) -> bool:
        """Whether the row of this key need not be made."""

    def add(self, row: Row_contra) -> None:
        """Keep a row."""


class Memory(dict[str, Row]):
    """Rows in memory, by key."""

    def __init__(self, key: Callable[[Row], str]) -> None:
        self._key = key

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is to be closed."""

    def add(self, row: Row) -> None:
        """Keep a row."""
        self[self._key(row)] = row

    replace = add

    def rows(self) -> Iterator[Row]:
        """The rows, in their order."""
        return iter(tuple(self.values()))

    def arrange(self, order: Iterable[str]) -> None:
        """Leave only the rows of these keys, in this order."""
        wanted = {key: self[key] for key in order if key in self}
        self.clear()
        self.update(wanted)


async def perform(
    trials: Iterable[Trial[Row]],
    sink: Sink[Row],
    *,
    in_flight: int,
    name: str = "run",
    about: Mapping[str, Any] = MappingProxyType({}),
) -> AsyncGenerator[Row, None]:
    """Do every trial that the sink does not hold, and yield each row once it is kept. A trial whose row cannot be made
    yet is left out. ``name`` and what is to say ``about`` it are those of the run's span, if spans are asked for, and
    each trial is done in a copy of its context.

    Trials are taken as there is room, at most ``in_flight`` are under way at a time, and with ``in_flight`` of 1 they
    are done in their order.
    """
    left = (trial for trial in trials if trial.key not in sink)
    under_way = set[asyncio.Task[Row | None]]()
    done: asyncio.Queue[asyncio.Task[Row | None]] = (
        asyncio.Queue()
    )  # to wait for each of many costs each time
    with run_span(name, about) as inside:

        def started(trial: Trial[Row]) -> asyncio.Task[Row | None]:
            return asyncio.create_task(trial.work(), context=None if inside is None else inside.copy())

        if in_flight == 1:
            for trial in left:
                row = await (trial.work() if inside is None else started(trial))
                if row is not None:
                    sink.add(row)
                    yield row
            return
        try:
            while True:
                while len(under_way) < in_flight and (ready := next(left, None)) is not None:
                    under_way.add(task := started(ready))
                    task.add_done_callback(done.put_nowait)
                    await asyncio.sleep(
                        0
                    )  # it is asked before the next is put together: answers come apart, too
                if not under_way:
                    return
                for task in [await done.get(), *(done.get_nowait() for _ in range(done.qsize()))]:
                    under_way.discard(task)
                    if (row := task.result()) is not None:
                        sink.add(row)
                        yield row
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)


async def collect(works: Iterable[tuple[str, Callable[[], Awaitable[Row]]]], *, in_flight: int) -> list[Row]:
    """Do works that stand alone, each under a key of its own, and return their rows in the order of the works."""
    order: list[str] = []

    async def named(key: str, work: Callable[[], Awaitable[Row]]) -> tuple[str, Row]:
        return key, await work()

    def trials() -> Iterator[Trial[tuple[str, Row]]]:
        for key, work in works:
            order.append(key)
            yield Trial(key, partial(named, key, work))

    kept: Memory[tuple[str, Row]] = Memory(lambda pair: pair[0])
    async for _ in perform(trials(), kept, in_flight=in_flight):
        pass
    return [kept[key][1] for key in order]
