"""Where a request may go: a guard against server-side request forgery.

A page can cite any URL and redirect to any other, and both would be asked from inside our network. So each
URL is checked as it is parsed (scheme, credentials, port, host), the host is resolved by us, every address
that comes back is checked, and the connection is made to one of the checked addresses and to nothing else:
a name that answers differently the second time gains nothing. The socket itself is checked once more.
"""

from __future__ import annotations

import asyncio
import functools
import re
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address

from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from conqret.scrapers.fetch.addresses import Address, forbidden, parse_ip
from conqret.scrapers.fetch.fetched_page import FetchError, FetchStatus

PORTS = frozenset({80, 443})
"""Where the web is served; any other port is more likely somebody's database."""
MAX_URL = 8_192
"""Characters of a URL; browsers and servers stop between 2,000 and 8,192."""
RESOLVER_THREADS = 16
"""Name look-ups at once; getaddrinfo blocks its thread for up to half a minute on a dead name server."""
REMEMBERED = 4_096
"""Checked URLs that are kept, because each is looked at by the planning, the lane and the fetch."""
MAX_ADDRESSES = 16
"""Addresses of one name that are tried."""

Lookup = Callable[[str], Awaitable[list[str]]]
"""A host name to all its addresses; raises ``OSError`` (``socket.gaierror``) if there are none."""
AddressInfo = tuple[int, int, int, str, tuple[object, ...]]


_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


class ForbiddenAddressError(OSError):
    """A socket was about to be opened to an address that did not pass the guard."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What is allowed.

    ``allow_private`` opens loopback, private and carrier-grade NAT addresses, and with them any port (for
    test servers and intranets); link-local and metadata addresses stay shut. ``ports``: the ports that may
    be asked; None for any.
    """

    allow_private: bool = False
    ports: frozenset[int] | None = PORTS

    def check_address(self, address: Address) -> None:
        """Raise ``blocked`` if the address may not be connected to."""
        if kind := forbidden(address, allow_private=self.allow_private):
            raise blocked(f"{kind} address {address}")

    def check_port(self, port: int) -> None:
        """Raise ``blocked`` if the port may not be asked."""
        if self.ports is not None and not self.allow_private and port not in self.ports:
            raise blocked(f"port {port} is not one of {', '.join(map(str, sorted(self.ports)))}")


def blocked(rule: str) -> FetchError:
    """The error for a request that the guard refuses."""
    return FetchError(FetchStatus.BLOCKED, f"refused by the guard: {rule}")


@functools.lru_cache(REMEMBERED)
def checked_url(text: str, policy: Policy) -> URL:
    """Parse a URL and check all that can be checked without the network.

    Returns the very object that is then asked for, with the host in its canonical form (addresses as four
    decimal numbers, no trailing dot) and without fragment: no second parser may read it differently.

    Raises:
        FetchError: ``blocked``, naming the rule.
    """
    text = text.strip(" \t\r\n\f")
    if len(text) > MAX_URL:
        raise blocked(f"the URL has more than {MAX_URL:,} characters")
    if _CONTROLS.search(text):
        raise blocked("the URL holds control characters")
    if "\\" in text.partition("?")[0]:
        raise blocked("the URL holds a backslash")
    try:
        url = URL(text).with_fragment(None)
        port = url.port
    except (ValueError, TypeError, RecursionError) as error:
        raise blocked(f"the URL cannot be parsed ({str(error)[:100]})") from error
    if url.scheme not in ("http", "https"):
        raise blocked(f"scheme {url.scheme[:20]!r} is not http or https")
    if url.user is not None or url.password is not None:
        raise blocked("the URL holds credentials")
    host = canonical_host(url.raw_host or "", policy)
    policy.check_port(port or 0)
    try:
        return url.with_host(host)
    except ValueError as error:
        raise blocked(f"{host[:80]!r} is no host name") from error


def canonical_host(host: str, policy: Policy) -> str:
    """Return the host as it is looked up: lower case, addresses in the usual notation and checked."""
    host = host.lower().removesuffix(".")
    if not host:
        raise blocked("the URL names no host")
    if "%" in host:
        raise blocked("the host is percent-encoded or has a zone")
    try:
        address = parse_ip(host)
    except ValueError as error:
        raise blocked(str(error)) from error
    if address is not None:
        policy.check_address(address)
        return str(address)
    labels = host.split(".")
    if len(host) > 253 or not all(0 < len(label) <= 63 for label in labels):
        raise blocked(f"{host[:80]!r} is no host name")
    if not all(char.isascii() and (char.isalnum() or char in "-_") for label in labels for char in label):
        raise blocked(f"{host[:80]!r} is no host name")
    return host


class GuardedResolver(AbstractResolver):
    """Resolves names for the connector, and gives it only addresses that passed.

    One forbidden address among several refuses the name altogether: an honest site has no such mixture.
    """

    def __init__(self, policy: Policy, lookup: Lookup | None = None) -> None:
        self._policy = policy
        self._threads: ThreadPoolExecutor | None = None
        self._lookup = lookup or self._system_lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the checked addresses of ``host``.

        Raises:
            FetchError: ``not-found`` for a name that does not exist, ``error`` where the look-up failed,
                ``blocked`` where it leads to a forbidden address.
        """
        try:
            resolved = await self._lookup(host)
        except socket.gaierror as error:
            raise _lookup_error(host, error) from error
        except (OSError, UnicodeError) as error:
            raise FetchError(FetchStatus.ERROR, f"looking up {host} failed", retryable=True) from error
        addresses = [ip_address(fromkey) for fromkey in dict.fromkeys(resolved)]
        if not addresses:
            raise FetchError(FetchStatus.NOT_FOUND, f"the host {host} has no address")
        for address in addresses:
            try:
                self._policy.check_address(address)
            except FetchError as error:
                raise blocked(f"{host} resolves to the {error.detail.split(': ', 1)[1]}") from error
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses[:MAX_ADDRESSES]
            if family in (socket.AF_UNSPEC, socket.AF_INET if address.version == 4 else socket.AF_INET6)
        ]

    async def close(self) -> None:
        """Let the look-up threads go; one that hangs is not waited for."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    async def _system_lookup(self, host: str) -> list[str]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(RESOLVER_THREADS, thread_name_prefix="conqret-dns")
        answers = await asyncio.get_running_loop().run_in_executor(self._threads, _getaddrinfo, host)
        return [str(answer[4][0]) for answer in answers]


def socket_factory(policy: Policy) -> Callable[[AddressInfo], socket.socket]:
    """Return a maker of sockets that looks at the address which is about to be connected to."""

    def make(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, target = info
        try:
            policy.check_address(ip_address(str(target[0])))
        except FetchError as error:
            raise ForbiddenAddressError(error.detail) from error
        return socket.socket(family=family, type=kind, proto=protocol)

    return make


def _getaddrinfo(host: str) -> list[tuple[object, object, object, str, tuple[str | int, ...]]]:
    return list(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM))  # type: ignore[arg-type]


def _lookup_error(host: str, error: socket.gaierror) -> FetchError:
    missing = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
    if error.errno in missing:
        return FetchError(FetchStatus.NOT_FOUND, f"the host {host} does not exist")
    return FetchError(FetchStatus.ERROR, f"looking up {host} failed ({error.strerror})", retryable=True)
