"""The loop over the trials of a run: each once, many at a time, in memory or into a folder.

A trial is one unit of work: an item to be judged, an argument to be written, the turn of a debate. Most stand alone;
those that wait for others (the second round of a debate waits for the first) get the rows of these when their turn
comes. What a sink holds already is not done again.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, Protocol, Self, TypeVar

from conqret.errors import DeclarationError
from conqret.llm.tracing import run_span

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Trial(Generic[Row]):
    """One unit of work: ``work`` makes the row that is kept under ``key``, from the rows of the trials ``after`` which
    it comes, by their keys. It never raises for what the world did: that is part of the row. None is a row that cannot
    be made yet, as an answer is still to come."""

    key: str
    work: Callable[[Mapping[str, Row]], Coroutine[Any, Any, Row | None]]
    after: tuple[str, ...] = ()


class Sink(Protocol[Row]):
    """Where rows go, and where those of an earlier run are."""

    def __contains__(self, key: str) -> bool:
        """Whether the row of this key need not be made."""

    def get(self, key: str) -> Row | None:
        """The row of a key; None where there is none."""

    def add(self, row: Row) -> None:
        """Keep a row."""


class Rows(Sink[Row], AbstractContextManager["Rows[Row]"], Protocol[Row]):
    """All rows of a run, to be put in order in the end."""

    def __len__(self) -> int:
        """How many there are that need not be made."""

    def rows(self) -> Iterator[Row]:
        """The rows that count."""

    def replace(self, row: Row) -> None:
        """Put a row in the place of the one of its key, whatever it is worth."""

    def arrange(self, order: Iterable[str]) -> None:
        """Leave only the rows of these keys, in this order."""


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
    yet is left out, with those that come after it. ``name`` and what is to say ``about`` it are those of the run's
    span, if spans are asked for.

    Trials are taken as there is room, at most ``in_flight`` are under way at a time, and with ``in_flight`` of 1 they
    are done in their order.

    Raises:
        DeclarationError: trials wait for others that never come.
    """
    with run_span(name, about) as inside:
        async with contextlib.aclosing(_performed(_Queue(trials, sink), in_flight, inside)) as rows:
            async for row in rows:
                yield row


async def _performed(
    queue: _Queue[Row], in_flight: int, inside: contextvars.Context | None
) -> AsyncGenerator[Row, None]:
    """What :func:`perform` yields; each trial is done in a copy of the context ``inside`` the run's span."""

    def started(trial: Trial[Row]) -> asyncio.Task[Row | None]:
        context = None if inside is None else inside.copy()
        return asyncio.create_task(trial.work(queue.earlier(trial)), context=context)

    if in_flight == 1:
        for trial in queue:
            row = await (trial.work(queue.earlier(trial)) if inside is None else started(trial))
            queue.keep(trial, row)
            if row is not None:
                yield row
        queue.check()
        return
    under_way: dict[asyncio.Task[Row | None], Trial[Row]] = {}
    done: asyncio.Queue[asyncio.Task[Row | None]] = (
        asyncio.Queue()
    )  # to wait for each of many costs each time
    try:
        while True:
            while len(under_way) < in_flight and (ready := next(queue, None)) is not None:
                task = started(ready)
                under_way[task] = ready
                task.add_done_callback(done.put_nowait)
                await asyncio.sleep(0)  # it is asked before the next is put together: answers come apart, too
            if not under_way:
                queue.check()
                return
            for task in [await done.get(), *(done.get_nowait() for _ in range(done.qsize()))]:
                queue.keep(under_way.pop(task), row := task.result())
                if row is not None:
                    yield row
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def collect(works: Iterable[tuple[str, Callable[[], Awaitable[Row]]]], *, in_flight: int) -> list[Row]:
    """Do works that stand alone, each under a key of its own, and return their rows in the order of the works."""
    order: list[str] = []

    def trial(key: str, work: Callable[[], Awaitable[Row]]) -> Trial[tuple[str, Row]]:
        async def named(earlier: object) -> tuple[str, Row]:
            return key, await work()

        order.append(key)
        return Trial(key, named)

    kept: Memory[tuple[str, Row]] = Memory(lambda pair: pair[0])
    async for _ in perform((trial(key, work) for key, work in works), kept, in_flight=in_flight):
        pass
    return [kept[key][1] for key in order]


class _Queue(Generic[Row]):
    """The trials that can be done now: those that wait come up again when what they wait for is kept."""

    def __init__(self, trials: Iterable[Trial[Row]], sink: Sink[Row]) -> None:
        self._source, self._sink = iter(trials), sink
        self._waiting: dict[str, Trial[Row]] = {}
        self._ready: list[Trial[Row]] = []
        self._kept: set[str] = set()
        self._left_out = False

    def __iter__(self) -> Iterator[Trial[Row]]:
        return self

    def __next__(self) -> Trial[Row]:
        if self._ready:
            return self._ready.pop(0)
        for trial in self._source:
            if trial.key in self._sink:
                continue
            if self._can(trial):
                return trial
            self._waiting[trial.key] = trial
        raise StopIteration

    def keep(self, trial: Trial[Row], row: Row | None) -> None:
        """Keep the row of a trial, if there is one, and call up those that waited for it."""
        if row is None:
            self._left_out = True
            return
        self._sink.add(row)
        self._kept.add(trial.key)
        called = [other for other in self._waiting.values() if trial.key in other.after and self._can(other)]
        for waiting in called:
            del self._waiting[waiting.key]
        self._ready += called

    def earlier(self, trial: Trial[Row]) -> Mapping[str, Row]:
        """The rows that a trial waited for."""
        rows = {key: self._sink.get(key) for key in trial.after}
        return {key: row for key, row in rows.items() if row is not None}

    def check(self) -> None:
        """Nothing may be left that waits, but for what was left out."""
        if self._waiting and not self._left_out:
            trial = next(iter(self._waiting.values()))
            lacking = next(key for key in trial.after if not self._there(key))
            raise DeclarationError(f"{trial.key} waits for {lacking}, which no trial produces")

    def _can(self, trial: Trial[Row]) -> bool:
        return all(map(self._there, trial.after))

    def _there(self, key: str) -> bool:
        """A row that an earlier run could not finish is made again first; one that fails now is an answer, too."""
        return key in self._kept or key in self._sink
