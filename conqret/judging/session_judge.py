"""A judge that is called many times, item by item, over one session, and the loop in which such calls are done."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import uuid
import weakref
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Self, TypeVar, Unpack

from conqret.errors import check_known
from conqret.io.safe_files import Closing
from conqret.judging.judge import ajudge, session_of
from conqret.judging.judge_settings import JudgeSettings

T = TypeVar("T")

PAUSE_SECONDS = 30.0
"""Seconds after which a judge calls a provider again that it gave up: a run would end there, and a notebook goes on."""


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
        """Run a coroutine in the loop, wait for it, and return its result."""
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

        async def last() -> None:
            try:
                await work
            finally:
                self._ended()

        self._submit(last())

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


class SessionJudge(Closing):
    """A judge with fixed settings, for code that judges item by item from any thread or event loop.

    Call ``.judge(items)``, or ``await .ajudge(items)`` in asynchronous code; both return what
    :func:`conqret.judge` returns. The judge itself is not callable.

    All calls share one session: budget, limits, connections and recordings. The session opens with the first
    call. It closes with :meth:`close`, with the last reference to it, or when Python ends. A call after
    :meth:`close` opens it again with the rest of the budget.

    A copy is the same judge, and so is an unpickled one while the judge exists. In another process,
    unpickling makes a judge with the same settings and its own session and budget.

    Raises:
        UnknownNameError: a setting does not exist.
    """

    def __init__(self, **settings: Unpack[JudgeSettings]) -> None:
        check_known("option of judge", JudgeSettings.__annotations__, *settings)
        self._settings = settings
        self._lock = threading.Lock()
        self._work: _Work | None = None
        self._name = uuid.uuid4().hex
        _LIVING[self._name] = self

    def judge(self, items: Any) -> Any:
        """Judge items as :func:`conqret.judge` and return the result; safe to call from several threads."""
        work = self._started()
        return work.loop.run(work.judged(items))

    async def ajudge(self, items: Any) -> Any:
        """Judge items as :meth:`judge`, for asynchronous code."""
        work = self._started()
        return await work.loop.arun(work.judged(items))

    def close(self) -> None:
        """Close connections and recordings, after recording the responses under way."""
        if (work := self._work) is not None and work.process == os.getpid():
            work.close()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, known: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._name, self._settings)

    def _started(self) -> _Work:
        with self._lock:
            # no thread lives on in a forked process
            if self._work is None or self._work.process != os.getpid():
                self._work = _Work(self._settings)
                weakref.finalize(self, self._work.forget).atexit = False
                _OPEN.add(self._work)
            return self._work


class _Work:
    """The session with its loop, apart from the judge, so that they do not keep the judge alive."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.process, self.loop = os.getpid(), BackgroundLoop()
        self._session, self._settings = session_of(settings)

    async def judged(self, items: Any) -> Any:
        if not self._session.is_open:
            await self._session.__aenter__()
        self._session.resume_after(PAUSE_SECONDS)
        try:
            return await ajudge(items, **self._settings)
        finally:
            self._session.resume_after(PAUSE_SECONDS)

    def close(self) -> None:
        self.loop.run(self._end())
        self.loop.close()

    def forget(self) -> None:
        """Close without waiting: the last reference may go in any thread, the loop's own, too."""
        if self._session.is_open and self.process == os.getpid():
            self.loop.finish(self._end())

    async def _end(self) -> None:
        if self._session.is_open:
            await self._session.__aexit__(None, None, None)


_LIVING: weakref.WeakValueDictionary[str, SessionJudge] = weakref.WeakValueDictionary()
_OPEN: weakref.WeakSet[_Work] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for work in list(_OPEN):
        if work.process == os.getpid():
            work.close()


def _unpickled(name: str, settings: JudgeSettings) -> SessionJudge:
    return _LIVING.get(name) or SessionJudge(**settings)
