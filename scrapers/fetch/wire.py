"""Single requests over one pool of connections: past the guard, a body up to a limit, no redirect followed."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from conqret.scrapers.fetch.address_guard import REFUSED, Policy, socket_factory
from conqret.scrapers.fetch.fetched_page import FetchedResponse, FetchError, FetchStatus

AGENT = "conqret"
"""The product token that robots.txt files may name."""
USER_AGENT = f"{AGENT} (research corpus builder; set a contact with --user-agent)"
ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
KEEP_ALIVE = 10.0
"""Seconds that an idle connection is kept; hosts differ from URL to URL, so not for long."""
DNS_SECONDS = 300
"""How long the addresses of a name are used again."""
REDIRECTS = frozenset(
    {
        HTTPStatus.MOVED_PERMANENTLY,
        HTTPStatus.FOUND,
        HTTPStatus.SEE_OTHER,
        HTTPStatus.TEMPORARY_REDIRECT,
        HTTPStatus.PERMANENT_REDIRECT,
    }
)
_ENDS: tuple[tuple[type[Exception], str, bool], ...] = (
    (TimeoutError, "timed out", True),
    (ssl.SSLError, "TLS: ", False),
    (aiohttp.ClientConnectorError, "no connection: ", True),
    (aiohttp.ServerDisconnectedError, "the server closed the connection", True),
    (aiohttp.ClientPayloadError, "the body breaks off", True),
    (aiohttp.ClientOSError, "connection: ", True),
    (Exception, "no valid HTTP: ", False),
)
"""By kind of error, the first that fits: what is said of it, and whether asking again may help."""
_MAX_DETAIL = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one answer: bytes after decompression (long reports as PDF have some 5 to 10 MB), and seconds in
    all, for the connection, and between two reads."""

    max_bytes: int = 32 * 2**20
    total_seconds: float = 60.0
    connect_seconds: float = 10.0
    read_seconds: float = 20.0


def transport_error(error: Exception, url: str) -> FetchError:
    """Return the error to record; its detail names the cause and never more than one line."""
    cause = getattr(error, "os_error", None) or error
    detail = _line(cause)
    if REFUSED in str(cause):
        return FetchError(FetchStatus.BLOCKED, detail, url=url)
    if isinstance(cause, socket.gaierror):
        if cause.errno in {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}:
            return FetchError(FetchStatus.NOT_FOUND, f"the host {URL(url).host} does not exist", url=url)
        detail = f"looking up {URL(url).host} failed ({detail})"
    named = cause if isinstance(cause, ssl.SSLError) else error
    said, retryable = next((said, again) for kind, said, again in _ENDS if isinstance(named, kind))
    return FetchError(
        FetchStatus.ERROR, said + detail if said.endswith(" ") else said, url=url, retryable=retryable
    )


def _line(error: BaseException) -> str:
    text = str(getattr(error, "message", "") or getattr(error, "strerror", None) or error)
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:_MAX_DETAIL] or type(error).__name__


class Wire:
    """Asks for one URL at a time; no cookies, no proxies of the environment. The pool opens with the first request.

    ``resolver`` replaces the system's name resolution.
    """

    def __init__(
        self,
        policy: Policy,
        limits: Limits,
        user_agent: str = USER_AGENT,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._policy, self._limits, self._user_agent = policy, limits, user_agent
        self._resolver = resolver
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def request(self, url: URL, headers: Mapping[str, str] | None = None) -> FetchedResponse:
        """One request and its response, the body read up to the limit.

        Raises:
            FetchError: the guard refuses the address, or no response came.
        """
        if self._session is None:
            self._session = self._opened()
        try:
            async with self._session.get(url, headers=headers, allow_redirects=False) as response:
                return await self._reply(url, response)
        except (aiohttp.ClientError, HttpProcessingError, TimeoutError, OSError, ValueError) as error:
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
            trust_env=False,
        )

    async def _reply(self, url: URL, response: aiohttp.ClientResponse) -> FetchedResponse:
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers
        )
        body, fault = b"", None
        if response.status not in REDIRECTS:
            body, fault = await self._body(response)
        lowered = {name.lower(): value for name, value in headers}
        return FetchedResponse(
            str(url), response.status, response.reason or "", headers, body, fault, lowered=lowered
        )

    async def _body(self, response: aiohttp.ClientResponse) -> tuple[bytes, FetchError | None]:
        """The body, as far as the limit allows, and what kept it from being whole."""
        most = self._limits.max_bytes
        pieces, size = [], response.content_length or 0
        if size <= most:
            size = 0
            async for piece in response.content.iter_any():
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    break
        if size <= most:
            return b"".join(pieces), None
        fault = FetchError(
            FetchStatus.TOO_LARGE,
            f"more than {most:,} bytes",
            http=response.status,
            url=str(response.url),
        )
        response.close()
        return b"".join(pieces)[:most], fault
