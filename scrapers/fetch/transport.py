"""What the client library and the operating system raise, in the words of the ledger."""

from __future__ import annotations

import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from conqret.scrapers.fetch.guard import ForbiddenAddressError
from conqret.scrapers.fetch.page import FetchError, Status

TRANSPORT_ERRORS: tuple[type[Exception], ...] = (
    aiohttp.ClientError,
    HttpProcessingError,
    TimeoutError,
    OSError,
    ValueError,
)
"""All that a request over an untrusted connection raises; ValueError from headers that are no text."""
_MAX_DETAIL = 200


def transport_error(error: Exception, url: str) -> FetchError:
    """Return the error to record; its detail names the cause and never more than one line."""
    if _caused_by(error, ForbiddenAddressError):
        return FetchError(Status.BLOCKED, _line(_root(error)), url=url)
    if isinstance(error, TimeoutError):
        return FetchError(Status.ERROR, _timeout(error), url=url, retryable=True)
    if _caused_by(error, ssl.SSLError):
        return FetchError(Status.ERROR, f"TLS: {_line(_root(error))}", url=url)
    if isinstance(error, aiohttp.ClientConnectorError):
        return FetchError(Status.ERROR, f"no connection: {_line(error.os_error)}", url=url, retryable=True)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return FetchError(Status.ERROR, "the server closed the connection", url=url, retryable=True)
    if isinstance(error, aiohttp.ClientPayloadError):
        return FetchError(Status.ERROR, "the body breaks off", url=url, retryable=True)
    if isinstance(error, (aiohttp.ClientResponseError, HttpProcessingError, ValueError)):
        return FetchError(Status.ERROR, f"no valid HTTP: {_line(error)}", url=url)
    return FetchError(Status.ERROR, f"connection: {_line(error)}", url=url, retryable=True)


def _timeout(error: TimeoutError) -> str:
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "timed out while connecting"
    if isinstance(error, aiohttp.SocketTimeoutError):
        return "timed out waiting for data"
    return "timed out"


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    return any(isinstance(one, kind) for one in _chain(error))


def _root(error: Exception) -> BaseException:
    return _chain(error)[-1]


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = getattr(error, "os_error", None) or error.__cause__
    return found


def _line(error: BaseException) -> str:
    text = str(getattr(error, "message", "") or getattr(error, "strerror", None) or error)
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:_MAX_DETAIL] or type(error).__name__
