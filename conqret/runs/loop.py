"""Asynchronous work for code that is not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
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
        try:
            return self._run(work)
        except KeyboardInterrupt as stopped:
            stopped.add_note(KEPT)
            raise

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._thread is None and _runs_here():
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="conqret-loop")
        if self._thread is None:
            return self._runner.run(work)
        return self._thread.submit(copy_context().run, self._runner.run, work).result()

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
