"""Which IP addresses may be connected to: those of the public Internet, and nothing that leads elsewhere.

Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890 and its updates). For IPv6
the rule is the other way round: only global unicast (2000::/3) passes, less what is carved out of it.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_PRIVATE = "private"
_OPENABLE = frozenset({_PRIVATE, "loopback", "shared (carrier-grade NAT)"})
"""What ``allow_private`` opens. Link-local, where the metadata services of clouds live, stays shut."""

_V4 = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", _PRIVATE),
        ("100.100.100.200/32", "metadata service"),
        ("100.64.0.0/10", "shared (carrier-grade NAT)"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "metadata service"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", _PRIVATE),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "reserved"),
        ("192.52.193.0/24", "reserved"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", _PRIVATE),
        ("192.175.48.0/24", "reserved"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_V6 = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("::ffff:0:0:0/96", "IPv4-translated"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard-only"),
        ("2001::/32", "Teredo"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("fd00:ec2::254/128", "metadata service"),
        ("fc00::/7", _PRIVATE),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_PART = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


def forbidden(address: Address, *, allow_private: bool = False) -> str:
    """Say what kind of address this is if it must not be connected to; empty if it may.

    IPv4-mapped, NAT64 (RFC 6052) and ISATAP addresses count as the IPv4 address inside them; 6to4 and
    Teredo never pass, because nobody serves pages there and both carry an IPv4 address along.
    """
    kind = _kind(address)
    return "" if allow_private and kind in _OPENABLE else kind


def _kind(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _V4 if address in network), "")
    if address.scope_id:
        return "scoped"
    inner = _inside(address)
    if inner is not None:
        return _kind(inner)
    kind = next((kind for network, kind in _V6 if address in network), "")
    return kind or ("" if address in _GLOBAL_V6 else "reserved")


def _inside(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for."""
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped is not None or address in _NAT64:
        return low
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP and _kind(low):
        return low
    return None


def parse_ip(host: str) -> Address | None:
    """Read a host as an IP address in any notation that some resolver accepts; ``None`` if it is a name.

    Besides the usual forms: one to four parts, each decimal, octal (``0177``) or hexadecimal (``0x7f``), the
    last filling all bytes that are left (WHATWG URL, "IPv4 parser").

    Raises:
        ValueError: the last part is a number, so this is an address and no name, but it is no valid one.
    """
    if ":" in host:
        return ipaddress.IPv6Address(host)
    parts = host.removesuffix(".").split(".")
    if not _PART.fullmatch(parts[-1]):
        return None
    try:
        packed = socket.inet_aton(".".join(parts)) if all(map(_PART.fullmatch, parts)) else b""
    except OSError:
        packed = b""
    if not packed:
        raise ValueError(f"{host!r} ends like an IPv4 address and is none")
    return IPv4Address(packed)
