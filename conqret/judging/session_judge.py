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
    """Runs the coroutines of all threads in one event loop, so that connections, limits and locks are shared.

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
        except BaseException:  # the caller was interrupted: the work ends, too
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
        """End the loop after ``work``, without waiting for either: for callers that must not wait."""

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
    """:func:`conqret.judge` with these settings, for code that calls it item by item from any thread or event loop.

    Budget, limits, connections and recordings are those of one session: they hold for all calls together. The session
    opens with the first call. It is closed by :meth:`close`, with the last reference, or as Python ends; a call after
    :meth:`close` opens it again, and the budget is what was left of it.

    A copy is the same judge, and so is what is unpickled where the judge still lives. Another process gets a judge with
    the same settings and a session (a budget, too) of its own.

    Raises:
        UnknownNameError: there is no such setting.
    """

    def __init__(self, **settings: Unpack[JudgeSettings]) -> None:
        check_known("option of judge", JudgeSettings.__annotations__, *settings)
        self._settings = settings
        self._lock = threading.Lock()
        self._work: _Work | None = None
        self._name = uuid.uuid4().hex
        _LIVING[self._name] = self

    def judge(self, items: Any) -> Any:
        """As :func:`conqret.judge`, and as thread-safe."""
        work = self._started()
        return work.loop.run(work.judged(items))

    async def ajudge(self, items: Any) -> Any:
        """The same for code that is asynchronous."""
        work = self._started()
        return await work.loop.arun(work.judged(items))

    def close(self) -> None:
        """Let go of connections and recordings; answers under way are recorded first."""
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
