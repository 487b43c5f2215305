"""An event loop in a thread of its own, for callers in any thread and in any other event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from conqret.io.safe_files import Closing

T = TypeVar("T")


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
