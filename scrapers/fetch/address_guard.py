"""Where a request may go: a page can cite any URL and redirect to any other, and both would be asked from inside our
network. So of each URL scheme, credentials and port are looked at, and each connection, whatever its name resolved to,
is opened to a public address alone.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from yarl import URL

from conqret.scrapers.fetch.fetched_page import FetchError, FetchStatus

PORTS = frozenset({80, 443})
"""Where the web is served; any other port is more likely somebody's database."""
MAX_URL = 8_192
"""Characters of a URL; browsers and servers stop between 2,000 and 8,192."""
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
    """What is allowed. ``allow_private`` opens loopback, private and carrier-grade NAT addresses, and with them any
    port (for test servers and intranets); where clouds keep their metadata stays shut."""

    allow_private: bool = False

    def check_address(self, address: Address) -> None:
        """Raise ``blocked`` if the address may not be connected to. An IPv6 address that carries an IPv4 address along
        counts as that one."""
        inner = _inner(address)
        private = self.allow_private and (
            inner.is_loopback
            or (isinstance(inner, IPv4Address) and inner in _SHARED)
            or (
                inner.is_private
                and not (
                    inner.is_link_local or inner.is_multicast or inner.is_unspecified or inner.is_reserved
                )
            )
        )
        public = inner.is_global and not inner.is_multicast
        if isinstance(inner, IPv6Address):
            public = public and inner in _UNICAST
        if inner in _METADATA or not (public or private):
            raise blocked(f"{address} is no public address")

    def check_port(self, port: int | None) -> None:
        """Raise ``blocked`` if the port may not be asked."""
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
    """The error for a request that the guard refuses."""
    return FetchError(FetchStatus.BLOCKED, REFUSED + rule)


def checked_url(text: str, policy: Policy) -> URL:
    """A URL, without its fragment, checked for all that can be checked without the network.

    Raises:
        FetchError: ``blocked``, naming the rule.
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
    if not url.raw_host:
        raise blocked("the URL names no host")
    policy.check_port(port)
    return url


def socket_factory(policy: Policy) -> Callable[[AddressInfo], socket.socket]:
    """Return a maker of sockets that looks at the address which is about to be connected to."""

    def make(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, target = info
        try:
            policy.check_address(ip_address(str(target[0]).partition("%")[0]))
        except FetchError as error:
            raise OSError(error.detail) from error
        return socket.socket(family=family, type=kind, proto=protocol)

    return make
