"""What the client library and the operating system raise, in the words of the ledger."""

from __future__ import annotations

import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from conqret.scrapers.fetch.address_guard import ForbiddenAddressError
from conqret.scrapers.fetch.fetched_page import FetchError, FetchStatus

TRANSPORT_ERRORS: tuple[type[Exception], ...] = (
    aiohttp.ClientError,
    HttpProcessingError,
    TimeoutError,
    OSError,
    ValueError,
)
"""All that a request over an untrusted connection raises; ValueError from headers that are no text."""
_ENDS: tuple[tuple[type[Exception], str, bool], ...] = (
    (aiohttp.ConnectionTimeoutError, "timed out while connecting", True),
    (aiohttp.SocketTimeoutError, "timed out waiting for data", True),
    (TimeoutError, "timed out", True),
    (ssl.SSLError, "TLS: {root}", False),
    (aiohttp.ClientConnectorError, "no connection: {root}", True),
    (aiohttp.ServerDisconnectedError, "the server closed the connection", True),
    (aiohttp.ClientPayloadError, "the body breaks off", True),
    (aiohttp.ClientResponseError, "no valid HTTP: {error}", False),
    (HttpProcessingError, "no valid HTTP: {error}", False),
    (ValueError, "no valid HTTP: {error}", False),
    (Exception, "connection: {error}", True),
)
"""By kind of error, the first that fits: what is said of it, and whether asking again may help."""
_MAX_DETAIL = 200


def transport_error(error: Exception, url: str) -> FetchError:
    """Return the error to record; its detail names the cause and never more than one line."""
    causes = _causes(error)
    if any(isinstance(one, ForbiddenAddressError) for one in causes):
        return FetchError(FetchStatus.BLOCKED, _line(causes[-1]), url=url)
    secure = next((one for one in causes if isinstance(one, ssl.SSLError)), None)
    named = error if secure is None or isinstance(error, TimeoutError) else secure
    said, retryable = next((said, again) for kind, said, again in _ENDS if isinstance(named, kind))
    detail = said.format(root=_line(causes[-1]), error=_line(error))
    return FetchError(FetchStatus.ERROR, detail, url=url, retryable=retryable)


def _causes(error: BaseException | None) -> list[BaseException]:
    """An error and what is behind it, down to the first cause."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = getattr(error, "os_error", None) or error.__cause__
    return found


def _line(error: BaseException) -> str:
    text = str(getattr(error, "message", "") or getattr(error, "strerror", None) or error)
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:_MAX_DETAIL] or type(error).__name__
