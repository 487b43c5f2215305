"""Asynchronous work for code that is not asynchronous."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from conqret.io.safe_files import Closing

T = TypeVar("T")

KEPT = (
    "conqret: stopped. What was answered so far is kept where the call writes into a folder (output) or a store "
    "(recordings), and the same call goes on from there"
)


class Loop(Closing):
    """One event loop for all that a piece of code asks for, so that connections live from one call to the next.

    Where a loop runs in this thread already (a notebook), the work is done in a thread of its own.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._thread: ThreadPoolExecutor | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for ``work`` and return its result; whoever interrupts it is told what is kept."""
        if self._thread is None and _runs_here():
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="conqret-loop")
        try:
            if self._thread is None:
                return self._runner.run(work)
            return self._thread.submit(copy_context().run, self._runner.run, work).result()
        except KeyboardInterrupt as stopped:
            stopped.add_note(KEPT)
            raise

    def close(self) -> None:
        """End the loop; the next call begins another."""
        runner, thread = self._runner, self._thread
        self._runner, self._thread = asyncio.Runner(), None
        if thread is None:
            runner.close()
        else:
            thread.submit(runner.close).result()
            thread.shutdown()


def _runs_here() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class BackgroundLoop(Closing):
    """Runs coroutines in one event loop, whoever hands them in, so that connections, limits and locks are shared.

    The thread begins with the first coroutine and ends with :meth:`close`; the next coroutine begins another.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop = asyncio.Event()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for ``work``, and return its result."""
        future = self._submit(work)
        try:
            return future.result()
        except BaseException:  # whoever waits was interrupted: the work ends, too
            future.cancel()
            raise

    async def arun(self, work: Coroutine[Any, Any, T]) -> T:
        """The same for code that is asynchronous; the event loop that waits goes on meanwhile."""
        return await asyncio.wrap_future(self._submit(work))

    def close(self) -> None:
        """End the loop, and wait for its end."""
        if (thread := self._ended()) is not None:
            thread.join()

    def finish(self, work: Coroutine[Any, Any, object]) -> None:
        """End the loop after ``work``, without waiting for either: for whoever must not wait."""

        async def last() -> None:
            try:
                await work
            finally:
                self._ended()

        self._submit(last())

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:  # so that nobody ends the loop in between
            if self._loop is None:
                begun: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(
                    target=asyncio.run, args=[self._run(begun)], name="conqret-background", daemon=True
                )
                self._thread.start()
                self._loop = begun.result()
            # The task gets a copy of the caller's context: spans of a trace stay inside the caller's.
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _run(self, begun: Future[asyncio.AbstractEventLoop]) -> None:
        self._stop = stop = asyncio.Event()
        begun.set_result(asyncio.get_running_loop())
        await stop.wait()

    def _ended(self) -> threading.Thread | None:
        with self._lock:
            loop, thread, stop = self._loop, self._thread, self._stop
            self._loop = self._thread = None
            if loop is not None:
                loop.call_soon_threadsafe(stop.set)
        return thread
