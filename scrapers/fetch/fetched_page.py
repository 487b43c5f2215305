"""What became of one URL: a page, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from conqret.errors import ExecutionError
from conqret.llm.retry import retry_after_of


class FetchStatus(StrEnum):
    """How a source ended.

    ``ok``: there is a body (and later: a text). ``not-found``: 404, 410, an unknown host name, no search
    result. ``blocked``: 401, 403, 407, 451, 429 to the end, or refused by our own guard. ``robots``: the
    site's robots.txt asks us to stay away. ``unparsable``: an answer that holds no readable text.
    ``too-large``: beyond a size limit, a decompression bomb among them. ``error``: no usable answer (time,
    connection, 5xx to the end); the only one worth trying again another day.
    """

    OK = "ok"
    NOT_FOUND = "not-found"
    BLOCKED = "blocked"
    ROBOTS = "robots"
    UNPARSABLE = "unparsable"
    TOO_LARGE = "too-large"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Page:
    """The end of one fetch. ``body`` is decompressed, and empty unless the status is ``ok``.

    ``detail`` is empty for ``ok`` and says why otherwise; ``http`` is the last HTTP status, 0 if there was
    none; ``content_type`` (lower case, no parameters) and ``charset`` are what the header claimed;
    ``seconds`` is wall time with all waits; ``attempts`` counts rounds of the whole chain of redirects.
    """

    url: str
    status: FetchStatus
    detail: str = ""
    http: int = 0
    final_url: str = ""
    body: bytes = b""
    content_type: str = ""
    charset: str = ""
    seconds: float = 0.0
    attempts: int = 1

    @property
    def ok(self) -> bool:
        """Whether there is a body."""
        return self.status is FetchStatus.OK


@dataclass(frozen=True, slots=True)
class FetchedResponse:
    """One HTTP response, its body decompressed, and cut where it was too large.

    ``headers`` are in the order of the wire, and by lower-case name in ``lowered``; ``fault`` says why the
    body is not whole, and is None if it is.
    """

    url: str
    http: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    fault: FetchError | None = None
    version: str = "HTTP/1.1"
    lowered: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the HTTP status is one of success."""
        return 200 <= self.http < 300

    @property
    def retry_after(self) -> float | None:
        """Seconds for which the server asks to be left alone; None if it does not."""
        return retry_after_of(self.lowered) if "retry-after" in self.lowered else None


class FetchError(ExecutionError):
    """A fetch came to nothing; it never leaves the fetcher, but becomes the status of a :class:`Page`.

    ``reply`` is the response that came, where its HTTP status is the reason.
    """

    def __init__(
        self,
        status: FetchStatus,
        detail: str,
        *,
        http: int = 0,
        url: str = "",
        retryable: bool = False,
        retry_after: float | None = None,
        reply: FetchedResponse | None = None,
    ) -> None:
        super().__init__(detail, reason=status.value, retryable=retryable)
        self.status, self.detail, self.http, self.url = status, detail, http, url
        self.retry_after, self.reply, self.attempts = retry_after, reply, 1


_NOT_FOUND = (404, 410)
_BLOCKED = (401, 403, 407, 429, 451)
"""A login or a payment is asked for, we are not wanted, ask too often, or the law forbids it."""
_PASSING = (408, 425, 429)
"""Asking again may help."""


def refusal(reply: FetchedResponse) -> FetchError:
    """The error that an HTTP status outside 200 to 299 stands for."""
    if reply.http in _NOT_FOUND:
        status = FetchStatus.NOT_FOUND
    else:
        status = FetchStatus.BLOCKED if reply.http in _BLOCKED else FetchStatus.ERROR
    return FetchError(
        status,
        f"HTTP {reply.http}",
        http=reply.http,
        url=reply.url,
        retryable=reply.http >= 500 or reply.http in _PASSING,
        retry_after=reply.retry_after,
        reply=reply,
    )
