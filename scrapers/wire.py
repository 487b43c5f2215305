"""Send single requests over one pool of connections: guarded against internal addresses, a body up to a
limit, no redirect followed.

Where a request may go: a page can cite any URL and redirect to any other, and both would be asked from inside our
network. So of each URL scheme, credentials and port are looked at, and each connection, whatever its name resolved to,
is opened to a public address alone.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from conqret.errors import ExecutionError
from conqret.llm.failed_requests import retry_after_of


class FetchStatus(StrEnum):
    """The status of a source after its fetch.

    - ``ok``: there is a body (and later a text)
    - ``not-found``: HTTP 404 or 410, an unknown host, or no search result
    - ``blocked``: HTTP 401, 403, 407, 451, persistent 429, or refused by conqret's address checks
    - ``robots``: the site's robots.txt forbids it
    - ``unparsable``: the response has no readable text
    - ``too-large``: a size limit was exceeded, as by a decompression bomb
    - ``error``: no usable response (timeout, connection, persistent 5xx); only this is worth retrying
      later
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
    """The result of one fetch; ``body`` is decompressed, and empty unless the status is ``ok``.

    ``detail`` says why the status is not ``ok``. ``http`` is the last HTTP status (0: none).
    ``content_type`` (lower case, without parameters) and ``charset`` come from the header. ``seconds`` is
    the total time with waits. ``attempts`` counts attempts, each with all its redirects.
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
        """True if the fetch succeeded, so that there is a body."""
        return self.status is FetchStatus.OK


@dataclass(frozen=True, slots=True)
class FetchedResponse:
    """One HTTP response with its decompressed body, which is cut if it is too large.

    ``headers`` are in the order received; ``lowered`` has them by lower-case name. ``fault`` says why the
    body is incomplete; None if it is complete.
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
        """True if the HTTP status is from 200 to 299."""
        return 200 <= self.http < 300

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait that the server's Retry-After header states; None without such a header."""
        return retry_after_of(self.lowered) if "retry-after" in self.lowered else None


class FetchError(ExecutionError):
    """An error of a fetch, which the fetcher converts into the status of a :class:`Page`.

    ``reply`` is the response, if its HTTP status is the reason.
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
    """Return the error for a response with an HTTP status outside 200 to 299."""
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


PORTS = frozenset({80, 443})
"""The ports of the web; behind any other port there may be a database or another service."""
MAX_URL = 8_192
"""The most characters of a URL; browsers and servers stop between 2,000 and 8,192."""
REFUSED = "refused by the guard: "

Address = IPv4Address | IPv6Address
AddressInfo = tuple[int, int, int, str, tuple[object, ...]]

_SHARED = IPv4Network("100.64.0.0/10")
_NAT64 = IPv6Network("64:ff9b::/96")
_UNICAST = IPv6Network("2000::/3")
_METADATA = frozenset(map(ip_address, ("100.100.100.200", "168.63.129.16", "fd00:ec2::254")))
"""Services of clouds outside of 169.254.0.0/16."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy on which addresses and ports may be contacted.

    ``allow_private`` allows loopback, private and carrier-grade NAT addresses and any port (for test
    servers and intranets). Metadata addresses of cloud providers are always blocked.
    """

    allow_private: bool = False

    def check_address(self, address: Address) -> None:
        """Check that the address may be contacted; of an IPv6 address that embeds an IPv4 address, the latter
        is checked.

        Raises:
            FetchError: ``blocked``, if the address is not allowed.
        """
        inner = _inner(address)
        old = isinstance(inner, IPv4Address)
        special = inner.is_link_local or inner.is_multicast or inner.is_unspecified or inner.is_reserved
        inside = inner.is_loopback or (old and inner in _SHARED) or (inner.is_private and not special)
        private = self.allow_private and inside
        public = inner.is_global and not inner.is_multicast and (old or inner in _UNICAST)
        if inner in _METADATA or not (public or private):
            raise blocked(f"{address} is no public address")

    def check_port(self, port: int | None) -> None:
        """Check that the port may be contacted.

        Raises:
            FetchError: ``blocked``, if the port is not allowed.
        """
        if port not in PORTS and not self.allow_private:
            raise blocked(f"port {port} is not one of {', '.join(map(str, sorted(PORTS)))}")


def _inner(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for (mapped, NAT64, 6to4, Teredo), or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or [address])[-1]


def blocked(rule: str) -> FetchError:
    """Return the ``blocked`` error for a request that violates ``rule``."""
    return FetchError(FetchStatus.BLOCKED, REFUSED + rule)


def checked_url(text: str, policy: Policy) -> URL:
    """Parse a URL, remove its fragment, and check it as far as possible without the network.

    Raises:
        FetchError: ``blocked``, with the rule that the URL violates.
    """
    if len(text) > MAX_URL:
        raise blocked(f"the URL has more than {MAX_URL:,} characters")
    try:
        url = URL(text.strip(" \t\r\n\f")).with_fragment(None)
        port = url.port
    except (ValueError, TypeError, RecursionError) as error:
        raise blocked(f"the URL cannot be parsed ({str(error)[:100]})") from error
    if url.scheme not in ("http", "https"):
        raise blocked(f"scheme {url.scheme[:20]!r} is not http or https")
    if url.user is not None or url.password is not None:
        raise blocked("the URL holds credentials")
    if not url.raw_host or any(map(str.isspace, url.raw_host)):
        raise blocked("the URL names no host")
    policy.check_port(port)
    return url


def socket_factory(policy: Policy) -> Callable[[AddressInfo], socket.socket]:
    """Return a function that creates sockets, and that raises OSError for an address that the policy blocks."""

    def make(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, target = info
        try:
            policy.check_address(ip_address(str(target[0]).partition("%")[0]))
        except FetchError as error:
            raise OSError(error.detail) from error
        return socket.socket(family=family, type=kind, proto=protocol)

    return make


AGENT = "conqret"
"""The product name by which robots.txt files may name conqret."""
USER_AGENT = f"{AGENT} (research corpus builder; set a contact with --user-agent)"
ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
KEEP_ALIVE = 10.0
"""Seconds for which an idle connection is kept; hosts differ from URL to URL, so not for long."""
DNS_SECONDS = 300
"""Seconds for which the addresses of a host name are reused."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
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
    """The limits of one response: bytes after decompression, and seconds in total, to connect, and between
    reads.
    """

    max_bytes: int = 32 * 2**20
    total_seconds: float = 60.0
    connect_seconds: float = 10.0
    read_seconds: float = 20.0


def transport_error(error: Exception, url: str) -> FetchError:
    """Return the fetch error for a network error; its detail names the cause on one line."""
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


class HttpClient:
    """An HTTP client that requests one URL at a time, without redirects, cookies or proxies.

    Connections open with the first request. ``resolver`` replaces the system's name resolution.
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
        """Send one GET request and return its response of any HTTP status, with the body read up to the limit.

        Raises:
            FetchError: the policy blocks the address, or there was no response.
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
                total=limits.total_seconds, sock_connect=limits.connect_seconds, sock_read=limits.read_seconds
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
        """Return the body, cut at the limit, and the error that says so (None if it is whole). A body announced as too
        large is not read."""
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
            FetchStatus.TOO_LARGE, f"more than {most:,} bytes", http=response.status, url=str(response.url)
        )
        response.close()
        return b"".join(pieces)[:most], fault
