"""A limit on what may be computed for one piece of work: for whoever serves others, and cannot wait for a text that was
made to be slow. Long loops call :func:`check_computing`; without a limit that does nothing.

Only the time that the thread itself computes for this work is counted, neither waiting nor what it does for others in
between: from one check to the next, where both belong to the same work.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from conqret.errors import DeclarationError


class ComputingLimitError(DeclarationError):
    """A piece of work takes longer to compute than it may."""


@dataclass(slots=True, eq=False)
class _Allowance:
    seconds: float
    used: float = 0.0


class _Last(threading.local):
    """The work that a thread checked last, and when, in seconds that it computed."""

    work: _Allowance | None = None
    at: float = 0.0


_allowance: ContextVar[_Allowance | None] = ContextVar("allowance", default=None)
_last = _Last()


@contextlib.contextmanager
def computing_limit(seconds: float) -> Iterator[None]:
    """What is done inside, in tasks that begin there, too, may compute for ``seconds``."""
    token = _allowance.set(_Allowance(seconds))
    try:
        check_computing()
        yield
    finally:
        _allowance.reset(token)


def check_computing() -> None:
    """Count what was computed since the last check.

    Raises:
        ComputingLimitError: it is more than the limit around this work allows.
    """
    work = _allowance.get()
    if work is None:
        return
    now = time.thread_time()
    if _last.work is work:
        work.used += now - _last.at
    _last.work, _last.at = work, now
    if work.used > work.seconds:
        raise ComputingLimitError(f"the computation takes more than {work.seconds:g} s")
