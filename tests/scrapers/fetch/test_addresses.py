"""Which addresses are public, and every way of writing one."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.scrapers.fetch.addresses import forbidden, parse_ip

FORBIDDEN = {
    "0.0.0.0": "unspecified",
    "10.1.2.3": "private",
    "100.64.0.1": "shared (carrier-grade NAT)",
    "100.100.100.200": "metadata service",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "168.63.129.16": "metadata service",
    "169.254.169.254": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.8": "reserved",
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4 relay",
    "192.168.0.1": "private",
    "198.18.0.1": "benchmarking",
    "198.51.100.1": "documentation",
    "203.0.113.7": "documentation",
    "224.0.0.1": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::7f00:1": "IPv4-compatible",
    "::ffff:10.0.0.1": "private",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:0:7f00:1": "IPv4-translated",
    "64:ff9b::127.0.0.1": "loopback",
    "64:ff9b::169.254.169.254": "link-local",
    "64:ff9b:1::1": "local NAT64",
    "100::1": "discard-only",
    "2001::1": "Teredo",
    "2001:10::1": "reserved",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4",
    "2002:808:808::1": "6to4",
    "2606:4700::5efe:10.0.0.1": "private",
    "3fff::1": "documentation",
    "4000::1": "reserved",
    "fc00::1": "private",
    "fd00:ec2::254": "metadata service",
    "fd12:3456::1": "private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "scoped",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
}
PUBLIC = [
    "8.8.8.8",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]


@pytest.mark.parametrize(("address", "kind"), FORBIDDEN.items())
def test_what_is_not_public_is_named(address: str, kind: str) -> None:
    assert forbidden(ipaddress.ip_address(address)) == kind


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    assert forbidden(ipaddress.ip_address(address)) == ""


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd00::1", "::ffff:127.0.0.1"]
)
def test_the_flag_opens_private_networks(address: str) -> None:
    assert forbidden(ipaddress.ip_address(address), allow_private=True) == ""


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fe80::1",
        "0.0.0.0",
        "224.0.0.1",
        "fd00:ec2::254",
        "100.100.100.200",
        "2002:7f00:1::",
    ],
)
def test_the_flag_opens_nothing_else(address: str) -> None:
    assert forbidden(ipaddress.ip_address(address), allow_private=True)


@given(st.ip_addresses(v=4))
def test_nothing_passes_that_python_calls_private(address: ipaddress.IPv4Address) -> None:
    if not address.is_global and address not in ipaddress.ip_network("192.0.0.0/24"):
        assert forbidden(address)


@given(st.ip_addresses(v=6))
def test_only_global_unicast_passes(address: ipaddress.IPv6Address) -> None:
    if not forbidden(address) and address.ipv4_mapped is None:
        assert address in ipaddress.ip_network("2000::/3") or address in ipaddress.ip_network("64:ff9b::/96")


@given(st.ip_addresses(v=4))
def test_an_ipv6_form_is_judged_as_what_is_inside(address: ipaddress.IPv4Address) -> None:
    kind = forbidden(address)
    for prefix in ("::ffff:", "64:ff9b::"):
        assert forbidden(ipaddress.IPv6Address(f"{prefix}{address}")) == kind
    assert forbidden(ipaddress.IPv6Address((0x2002 << 112) | (int(address) << 80)))


@given(st.ip_addresses(v=4), st.sampled_from(["d", "#o", "#x"]), st.integers(1, 4))
def test_every_notation_reads_as_the_same_address(
    address: ipaddress.IPv4Address, base: str, parts: int
) -> None:
    def write(number: int) -> str:
        return "0" + format(number, "o") if base == "#o" else format(number, base)

    octets = list(address.packed)
    heads, rest = octets[: parts - 1], octets[parts - 1 :]
    written = ".".join([*map(write, heads), write(int.from_bytes(rest, "big"))])
    assert parse_ip(written) == address


@pytest.mark.parametrize(
    "host", ["example.org", "a.b", "1.2.3.4.example", "0xabc.org", "localhost", "1e100.net", "x1"]
)
def test_names_are_no_addresses(host: str) -> None:
    assert parse_ip(host) is None


@pytest.mark.parametrize(
    "host", ["1.2.3.4.5", "256.1.1.1", "1.2.3.256", "08.1.1.1", "4294967296", "a.1", "::g", "1" * 5000]
)
def test_what_is_neither_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match=r"IPv|octal|address|digits"):
        parse_ip(host)
