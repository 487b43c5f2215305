"""An event loop in a thread of its own, for programs that call judges or models from many threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from conqret.io.safe_files import Closing

T = TypeVar("T")


class BackgroundLoop(Closing):
    """An event loop in a thread of its own that runs the coroutines of all threads.

    Connections, limits and locks are shared. The thread starts with the first coroutine and ends with
    :meth:`close`; a later coroutine starts a new one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop = asyncio.Event()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop, wait for it, and return its result; an interrupt of the caller cancels
        it.
        """
        future = self._submit(work)
        try:
            return future.result()
        except BaseException:  # the caller was interrupted: the work ends, too
            future.cancel()
            raise

    async def arun(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and await its result, without blocking the caller's event loop."""
        return await asyncio.wrap_future(self._submit(work))

    def close(self) -> None:
        """Stop the loop and wait for its thread to end."""
        if (thread := self._ended()) is not None:
            thread.join()

    def finish(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a last coroutine, then stop the loop; returns at once, for callers that must not wait."""
        self._submit(work).add_done_callback(lambda _: self._ended())

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:  # so that no other thread ends the loop in between
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
