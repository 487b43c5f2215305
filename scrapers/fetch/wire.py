"""Single requests over one pool of connections: past the guard, within the limits, no redirect followed."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from conqret.scrapers.fetch.address_guard import (
    ForbiddenAddressError,
    GuardedResolver,
    Lookup,
    Policy,
    socket_factory,
)
from conqret.scrapers.fetch.fetch_limits import Limits, read
from conqret.scrapers.fetch.fetched_page import FetchedResponse, FetchError, FetchStatus
from conqret.scrapers.fetch.redirects import MAX_REDIRECT_BODY, REDIRECTS

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
    if any(isinstance(cause, ForbiddenAddressError) for cause in causes):
        return FetchError(FetchStatus.BLOCKED, _line(causes[-1]), url=url)
    secure = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    named = error if secure is None or isinstance(error, TimeoutError) else secure
    message, retryable = next((message, again) for kind, message, again in _ENDS if isinstance(named, kind))
    detail = message.format(root=_line(causes[-1]), error=_line(error))
    return FetchError(FetchStatus.ERROR, detail, url=url, retryable=retryable)


def _causes(error: BaseException | None) -> list[BaseException]:
    """An error and what is behind it, down to the first cause."""
    causes: list[BaseException] = []
    while error is not None and error not in causes:
        causes.append(error)
        error = getattr(error, "os_error", None) or error.__cause__
    return causes


def _line(error: BaseException) -> str:
    text = str(getattr(error, "message", "") or getattr(error, "strerror", None) or error)
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:_MAX_DETAIL] or type(error).__name__


AGENT = "conqret"
"""The product token that robots.txt files may name."""
USER_AGENT = f"{AGENT} (research corpus builder; set a contact with --user-agent)"
ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
KEEP_ALIVE = 10.0
"""Seconds that an idle connection is kept; hosts differ from URL to URL, so not for long."""
DNS_SECONDS = 300
"""How long checked addresses are used again."""


class Wire:
    """Asks for one URL at a time; no cookies, no proxies of the environment. The pool opens with the first request.

    ``lookup`` replaces the system's name resolution.
    """

    def __init__(
        self, policy: Policy, limits: Limits, user_agent: str = USER_AGENT, lookup: Lookup | None = None
    ) -> None:
        self._policy, self._limits, self._user_agent = policy, limits, user_agent
        self._resolver = GuardedResolver(policy, lookup)
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
        await self._resolver.close()

    async def request(self, url: URL, headers: Mapping[str, str] | None = None) -> FetchedResponse:
        """One request and its response, the body read within the limits.

        Raises:
            FetchError: the guard refuses the address, or no response came.
        """
        if self._session is None:
            self._session = self._opened()
        try:
            async with self._session.get(url, headers=headers, allow_redirects=False) as response:
                return await self._reply(url, response)
        except FetchError as error:
            error.url = str(url)
            raise
        except TRANSPORT_ERRORS as error:
            raise transport_error(error, str(url)) from error

    def _opened(self) -> aiohttp.ClientSession:
        limits = self._limits
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,  # who asks counts, so that a wait for a place is not counted as a slow host
                resolver=self._resolver,
                ttl_dns_cache=DNS_SECONDS,
                keepalive_timeout=KEEP_ALIVE,
                socket_factory=socket_factory(self._policy),
            ),
            headers={"User-Agent": self._user_agent, "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"},
            timeout=aiohttp.ClientTimeout(
                total=limits.total_seconds,
                sock_connect=limits.connect_seconds,
                sock_read=limits.read_seconds,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            requote_redirect_url=False,
        )

    async def _reply(self, url: URL, response: aiohttp.ClientResponse) -> FetchedResponse:
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers
        )
        lowered = {name.lower(): value for name, value in headers}
        limits = self._limits
        raw, body, fault = b"", b"", None
        size = response.content_length
        if response.status in REDIRECTS:
            if size is not None and size <= MAX_REDIRECT_BODY:
                raw = await response.read()
        elif size is not None and size > limits.max_bytes:
            fault = FetchError(
                FetchStatus.TOO_LARGE, f"{size:,} bytes, more than {limits.max_bytes:,}", http=response.status
            )
        else:
            encoding = lowered.get("content-encoding", "")
            raw, body, fault = await read(response.content.iter_any(), encoding, limits)
        if fault is not None:
            response.close()
            fault.http, fault.url = response.status, str(url)
        return FetchedResponse(
            str(url), response.status, response.reason or "", headers, raw, body, fault, lowered=lowered
        )
