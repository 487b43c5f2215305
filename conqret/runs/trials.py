"""The loop of a run over its trials, many at a time and each once, and the stores of their rows in memory
or in a file.

A trial is one unit of work: an item to be judged, an argument to be written. What is kept already is not done again.

In a folder, finished rows stand in a file of JSON lines to which each is appended as it comes, so that a stopped run
goes on. Only the places of the lines are held, so that memory grows by some hundred bytes a row. A last line that was
cut off by a kill is cut away; of two rows under one key the later counts, unless it is worth less.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Generic, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ValidationError

from conqret.errors import DeclarationError
from conqret.io.safe_files import AppendLog, Closing, replacing, whole_lines
from conqret.llm.tracing import run_span

Row = TypeVar("Row")
StoredRow = TypeVar("StoredRow", bound=BaseModel)
T = TypeVar("T")


KEPT = (
    "conqret: stopped. What was answered so far is kept where the call writes into a folder (output) or a store "
    "(recordings), and the same call goes on from there"
)


class Loop(Closing):
    """An event loop that several synchronous calls share, so that connections stay open between them.

    If this thread already runs an event loop (a notebook), work is done in a separate thread.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._thread: ThreadPoolExecutor | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work``, and return its result; in a thread of its own if a loop already runs in this one. A keyboard
        interrupt is raised with a note on what is kept."""
        with contextlib.suppress(RuntimeError):  # where no loop runs in this thread
            asyncio.get_running_loop()
            self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="conqret-loop")
        try:
            if self._thread is None:
                return self._runner.run(work)
            return self._thread.submit(copy_context().run, self._runner.run, work).result()
        except KeyboardInterrupt as stopped:
            stopped.add_note(KEPT)
            raise

    def close(self) -> None:
        """Close the event loop; the next call starts a new one."""
        runner, thread = self._runner, self._thread
        self._runner, self._thread = asyncio.Runner(), None
        if thread is None:
            runner.close()
        else:
            thread.submit(runner.close).result()
            thread.shutdown()


@dataclass(frozen=True, slots=True)
class Trial(Generic[Row]):
    """One unit of work of a run: the coroutine function ``work`` returns the row stored under ``key``.

    A failed request gives a row with the failure, not an exception. None means that the row cannot be made
    yet, because a response is pending; nothing is stored then.
    """

    key: str
    work: Callable[[], Coroutine[Any, Any, Row | None]]


class Memory(dict[str, Row]):
    """A store of rows in memory, by key."""

    def __init__(self, key: Callable[[Row], str]) -> None:
        self._key = key

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is to be closed."""

    def add(self, row: Row) -> None:
        """Store a row under its key."""
        self[self._key(row)] = row

    replace = add

    def rows(self) -> Iterator[Row]:
        """Return an iterator over the rows, in order."""
        return iter(tuple(self.values()))

    def arrange(self, order: Iterable[str]) -> None:
        """Keep only the rows with these keys, in this order; keys without a row are ignored."""
        wanted = {key: self[key] for key in order if key in self}
        self.clear()
        self.update(wanted)


class _Place(NamedTuple):
    start: int
    length: int
    finished: bool


class RowStore(Closing, Generic[StoredRow]):
    """A store of a run's rows in a file of JSON lines.

    Args:
        path: the file; it is created with the first row.
        model: the type of a line.
        key: a function that returns a row's key, or None to ignore the row.
        finished: a function that returns True if a row need not be made again.
        foreign: the error message, after the place, for a line of another type. If empty, such a line
            is skipped and its row is made again.

    Raises:
        DeclarationError: a line has another type, and ``foreign`` is given.
    """

    def __init__(
        self,
        path: Path,
        model: type[StoredRow],
        key: Callable[[StoredRow], str | None],
        *,
        finished: Callable[[StoredRow], bool] = lambda row: True,
        foreign: str = "",
    ) -> None:
        self.path = path
        self._model, self._key, self._finished = model, key, finished
        self._places: dict[str, _Place] = {}
        self._log: AppendLog | None = None
        self._end = 0
        for number, line in whole_lines(path):
            row = self._parsed(line)
            if row is not None:
                self._index(row, len(line))
            elif foreign:
                raise DeclarationError(f"{path}:{number} {foreign}")
            self._end += len(line)

    def __contains__(self, key: str) -> bool:
        """Whether a finished row is there."""
        place = self._places.get(key)
        return place is not None and place.finished

    def __len__(self) -> int:
        """How many finished rows are there."""
        return sum(map(attrgetter("finished"), self._places.values()))

    def get(self, key: str) -> StoredRow | None:
        """Return the row with this key, finished or not, or None."""
        place = self._places.get(key)
        if place is None:
            return None
        with self.path.open("rb") as file:
            return self._parsed(_line(file, place))

    def add(self, row: StoredRow) -> None:
        """Append a row to the file and flush it at once."""
        if self._log is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._log = AppendLog(self.path)
        self._index(row, length := self._log.append(row))
        self._end += length

    def replace(self, row: StoredRow) -> None:
        """Append a row that replaces the earlier row with its key."""
        self._places.pop(self._key(row) or "", None)
        self.add(row)

    def rows(self) -> Iterator[StoredRow]:
        """Yield the current row of each key, finished or not, in file order."""
        if not self._places:
            return
        with self.path.open("rb") as file:
            for place in sorted(self._places.values()):
                row = self._parsed(_line(file, place))
                if row is not None:
                    yield row

    def arrange(self, order: Iterable[str]) -> None:
        """Rewrite the file with only the rows of these keys, in this order; keys without a row are ignored."""
        places: dict[str, _Place] = {}
        end, moved = 0, False
        for key in order:
            if (place := self._places.get(key)) is not None and key not in places:
                places[key] = place._replace(start=end)
                moved = moved or place.start != end
                end += place.length
        self.close()
        size = self.path.stat().st_size if self.path.exists() else 0
        if not moved and end == size:
            return
        with replacing(self.path) as arranged, self.path.open("rb") as file:
            for key in places:
                arranged.write(_line(file, self._places[key]))
        self._places, self._end = places, end

    def close(self) -> None:
        """Close the file after its content is on disk."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def _parsed(self, line: bytes) -> StoredRow | None:
        try:
            return self._model.model_validate_json(line)
        except ValidationError:
            return None

    def _index(self, row: StoredRow, length: int) -> None:
        key = self._key(row)
        if key is not None:
            finished = self._finished(row)
            if finished or key not in self:
                self._places[key] = _Place(self._end, length, finished)


def _line(file: BinaryIO, place: _Place) -> bytes:
    file.seek(place.start)
    return file.read(place.length)


Rows = RowStore[StoredRow] | Memory[StoredRow]
"""The rows of a run, in a file or in memory."""


async def perform(
    trials: Iterable[Trial[Row]],
    rows: RowStore[Any] | Memory[Row],
    *,
    in_flight: int,
    name: str = "run",
    about: Mapping[str, Any] = MappingProxyType({}),
) -> AsyncGenerator[Row, None]:
    """Run every trial whose row is not stored as finished yet, and yield each row when it is stored, in the
    order of completion.

    At most ``in_flight`` trials run at a time; with ``in_flight`` of 1 they run in order. If tracing is on,
    the run has a span with ``name`` and the attributes ``about``, and trials run inside it. An exception of
    a trial ends the run and cancels the others.
    """
    left = iter(trials)
    under_way: set[asyncio.Task[Row | None]] = set()
    done: asyncio.Queue[asyncio.Task[Row | None]] = (
        asyncio.Queue()
    )  # to wait for each of many costs each time
    with run_span(name, about) as inside:
        try:
            while True:
                while len(under_way) < in_flight and (ready := next(left, None)) is not None:
                    if ready.key in rows:
                        continue
                    context = None if inside is None else inside.copy()
                    task = asyncio.create_task(ready.work(), context=context)
                    under_way.add(task)
                    task.add_done_callback(done.put_nowait)
                    await asyncio.sleep(0)  # sent before the next is put together: responses differ, too
                if not under_way:
                    return
                finished = [await done.get()]
                while not done.empty():
                    finished.append(done.get_nowait())
                for task in finished:
                    under_way.remove(task)
                    if (row := task.result()) is not None:
                        rows.add(row)
                        yield row
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)


async def collect(works: Iterable[tuple[str, Callable[[], Awaitable[Row]]]], *, in_flight: int) -> list[Row]:
    """Run works concurrently, at most ``in_flight`` at a time, and return their rows in the order of the
    works.

    Each work is a unique key and a function that returns an awaitable row.
    """
    order: list[str] = []

    def trial(key: str, work: Callable[[], Awaitable[Row]]) -> Trial[tuple[str, Row]]:
        async def named() -> tuple[str, Row]:
            return key, await work()

        order.append(key)
        return Trial(key, named)

    kept: Memory[tuple[str, Row]] = Memory(lambda pair: pair[0])
    async for _ in perform((trial(key, work) for key, work in works), kept, in_flight=in_flight):
        pass
    return [kept[key][1] for key in order]
