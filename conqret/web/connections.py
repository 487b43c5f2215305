"""Connections to a local server, none of which is held open for nothing: who connects has to ask for something, say it
to its end, and take the answer, each within a time; where many wait, the one that waits longest gives way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

    _Base = H11Protocol
else:
    _Base = object

REQUEST_SECONDS = 30.0
"""For a whole request, and for an answer that is not taken: applications that read a body allow it less."""
LEAST_WAITING, MOST_WAITING = 16, 4096
"""So many connections may wait for their requests, whatever number of files may be open."""


def open_files() -> int:
    """How many files this process may have open at once."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 2 * MOST_WAITING


def timed(seconds: float | None = None, most: int | None = None) -> type[H11Protocol]:
    """The protocol of a server whose connections have ``seconds``, of which at most ``most`` wait: by default
    :data:`REQUEST_SECONDS`, and half of the files that may be open. The extra ``web`` must be installed."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    allowed = REQUEST_SECONDS if seconds is None else seconds
    many = min(max(open_files() // 2, LEAST_WAITING), MOST_WAITING) if most is None else most
    attributes = {"allowed": allowed, "many": many, "waiting": {}}
    return type("TimedConnection", (_TimedConnection, H11Protocol), attributes)


class _TimedConnection(_Base):
    """One connection."""

    allowed: float
    many: int
    waiting: dict[_TimedConnection, asyncio.TimerHandle]
    """Of the whole server, in the order in which they began to wait."""
    slow = False
    """Whether an answer is not taken."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()
        while len(self.waiting) > self.many:
            next(iter(self.waiting))._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        self._stop()  # the next request has a time of its own
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.slow = True
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.slow = False
        self._stop()
        self._look()

    def _look(self) -> None:
        """Begin to wait for whoever is at the other end, or no longer wait."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        asked = cycle is not None and not cycle.response_complete and not cycle.more_body
        if self.transport.is_closing() or (asked and not self.slow):
            self._stop()
        elif self not in self.waiting:
            self._wait()

    def _wait(self) -> None:
        self.waiting[self] = self.loop.call_later(self.allowed, self._end)

    def _stop(self) -> None:
        if (timer := self.waiting.pop(self, None)) is not None:
            timer.cancel()

    def _end(self) -> None:
        self._stop()
        if self.slow:
            self.transport.abort()
        else:
            self.transport.close()
