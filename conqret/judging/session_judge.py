"""A judge that is called many times, item by item, over one session, and the loop in which such calls are done."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import Any, Self, TypeVar, Unpack

from conqret.errors import check_known
from conqret.io.safe_files import Closing
from conqret.judging.judge import ajudge, session_of
from conqret.judging.judge_settings import JudgeSettings
from conqret.runs.background_loop import BackgroundLoop
from conqret.runs.session import Session

T = TypeVar("T")

PAUSE_SECONDS = 30.0
"""Seconds after which a judge calls a provider again that it gave up: a run would end there, and a notebook goes on."""


class SessionJudge(Closing):
    """A judge with fixed settings, for code that judges item by item from any thread or event loop.

    Call ``.judge(items)``, or ``await .ajudge(items)`` in asynchronous code; both return what
    :func:`conqret.judge` returns. The judge itself is not callable.

    All calls share one session: budget, limits, connections and recordings. The session opens with the first
    call. It closes with :meth:`close`, with the last reference to the judge, or when Python ends. A call
    after :meth:`close` opens it again with the rest of the budget.

    A copy is the same judge. Unpickling makes a judge with the same settings and its own session and budget,
    and so does a forked process.

    Raises:
        UnknownNameError: a setting does not exist.
    """

    def __init__(self, **settings: Unpack[JudgeSettings]) -> None:
        check_known("option of judge", JudgeSettings.__annotations__, *settings)
        self._settings = settings
        self._lock = threading.Lock()
        self._process = 0
        _OPEN.add(self)

    def judge(self, items: Any) -> Any:
        """Judge items as :func:`conqret.judge` and return the result; safe to call from several threads."""
        return self._started().run(self._judged(items))

    async def ajudge(self, items: Any) -> Any:
        """Judge items as :meth:`judge`, for asynchronous code."""
        return await self._started().arun(self._judged(items))

    def close(self) -> None:
        """Close connections and recordings, after recording the responses under way."""
        if self._process == os.getpid():
            self._loop.run(_ended(self._session))
            self._loop.close()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, known: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._settings,)

    def _started(self) -> BackgroundLoop:
        with self._lock:
            if self._process != os.getpid():  # no thread lives on in a forked process
                self._loop = BackgroundLoop()
                self._session, self._of_each_call = session_of(self._settings)
                self._process = os.getpid()
                weakref.finalize(self, _forget, self._loop, self._session).atexit = False
            return self._loop

    async def _judged(self, items: Any) -> Any:
        if not self._session.is_open:
            await self._session.__aenter__()
        self._session.resume_after(PAUSE_SECONDS)
        try:
            return await ajudge(items, **self._of_each_call)
        finally:
            self._session.resume_after(PAUSE_SECONDS)


async def _ended(session: Session) -> None:
    if session.is_open:
        await session.__aexit__(None, None, None)


def _forget(loop: BackgroundLoop, session: Session) -> None:
    """Close the session, if it is open, without waiting, because the last reference may go in any thread,
    also the loop's.
    """
    if session.is_open:
        loop.finish(_ended(session))


_OPEN: weakref.WeakSet[SessionJudge] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for judge in list(_OPEN):
        judge.close()


def _made(settings: JudgeSettings) -> SessionJudge:
    return SessionJudge(**settings)
