"""Tricks that lead a fetcher into its own network. Behind each waits a server that must never be asked."""

import errno
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address

import pytest
from aiohttp import ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult

from conqret.scrapers.fetch_client import Fetcher, FetchOptions, Retries
from conqret.scrapers.wire import Address, FetchStatus, Policy, socket_factory
from tests.scrapers.raw_server import RawServer, redirect, reply

OPEN = "127.0.0.2"  # plays the public Internet
SECRET = "127.0.0.1"


class OpenPolicy(Policy):
    """Takes one loopback address for a public one, and nothing else."""

    def check_address(self, address: Address) -> None:
        if str(address) != OPEN:
            Policy.check_address(self, address)

    def check_port(self, port: int | None) -> None:
        if port is not None and port < 10_000:
            Policy.check_port(self, port)


class Names(AbstractResolver):
    """A name server; every name may answer differently each time. What it does not know is left to the system."""

    def __init__(self, **names: list[list[str]]) -> None:
        self.names = {name.replace("_", "."): list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        self.asked.append(host)
        answers = self.names.get(host)
        if answers is None:
            return await ThreadedResolver().resolve(host, port)
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass


@asynccontextmanager
async def two_sites() -> AsyncIterator[tuple[RawServer, RawServer]]:
    """The open and the secret site, on one port number: only the address tells them apart."""
    for _ in range(20):
        try:
            async with RawServer({}, host=OPEN) as public:
                secret = RawServer({"/": reply("the secret"), "/robots.txt": reply("")}, host=SECRET)
                secret.port = public.port
                async with secret:
                    yield public, secret
                    return
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                pytest.skip("this system has no 127.0.0.2")
            if error.errno != errno.EADDRINUSE:
                raise
    raise AssertionError("no port is free on both addresses")


def fetcher(names: Names | None = None, *, robots: bool = False) -> Fetcher:
    options = FetchOptions(delay=0.0, robots=robots, retries=Retries(1, 0.0), policy=OpenPolicy())
    return Fetcher(options, resolver=names or Names())


WRITTEN = [
    "http://2130706433:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://１２７.0.0.1:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://127.0.0.1%00.example.org:{port}/",
    "http://user@127.0.0.1:{port}/",
    "http://open.test:{port}\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\r\nHost: open.test/",
    "//127.0.0.1:{port}/",
    "file:///etc/passwd",
    "http://open.test:6379/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.test/computeMetadata/v1/",
    "http://private.test:{port}/",
    "http://mixed.test:{port}/",
    "http://nat64.test:{port}/",
]


@pytest.mark.parametrize("trick", WRITTEN)
async def test_no_way_of_writing_an_address_gets_through(trick: str) -> None:
    names = Names(
        open_test=[[OPEN]],
        localhost=[[SECRET, "::1"]],
        private_test=[[SECRET]],
        mixed_test=[[OPEN, SECRET]],
        nat64_test=[["64:ff9b::7f00:1"]],
        metadata_test=[["169.254.169.254"]],
    )
    async with two_sites() as (public, secret), fetcher(names) as client:
        page = await client.fetch(trick.format(port=public.port))
        assert page.status in (FetchStatus.BLOCKED, FetchStatus.NOT_FOUND, FetchStatus.ERROR), page
        assert (secret.connections, page.body) == (0, b"")


REDIRECTS = [
    "//127.0.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://mixed.test:{port}/",
    "\\\\127.0.0.1:{port}/",
    "file:///etc/passwd",
    "http://open.test:6379/",
    "/twice",
]


@pytest.mark.parametrize("target", REDIRECTS)
async def test_no_redirect_gets_through(target: str) -> None:
    names = Names(
        open_test=[[OPEN]], localhost=[[SECRET]], private_test=[[SECRET]], mixed_test=[[OPEN, SECRET]]
    )
    async with two_sites() as (public, secret), fetcher(names) as client:
        public.routes["/"] = redirect(target.format(port=public.port))
        public.routes["/twice"] = redirect(f"http://127.0.0.1:{public.port}/")
        page = await client.fetch(f"http://open.test:{public.port}/")
        assert public.seen
        assert (page.ok, secret.connections) == (False, 0), page


async def test_a_name_that_changes_its_answer_gains_nothing() -> None:
    names = Names(rebind_test=[[OPEN], [SECRET]])
    async with two_sites() as (public, secret), fetcher(names) as client:
        public.routes["/"] = reply("hello", Connection="close")
        url = f"http://rebind.test:{public.port}/"
        first = await client.fetch(url)
        client._wire._session.connector.clear_dns_cache()  # type: ignore[union-attr]
        second = await client.fetch(url)
        assert (first.status, second.status, secret.connections) == (FetchStatus.OK, FetchStatus.BLOCKED, 0)
        assert names.asked == ["rebind.test", "rebind.test"]


PUBLIC = "8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::8.8.8.8"
PRIVATE = (
    "127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 ::1 fd00::1 ::ffff:127.0.0.1 64:ff9b::127.0.0.1"
)
NEVER = (
    "0.0.0.0 100.100.100.200 168.63.129.16 169.254.169.254 224.0.0.1 240.0.0.1 255.255.255.255 :: fe80::1 fec0::1 "
    "ff02::1 4000::1 fd00:ec2::254 ::ffff:169.254.169.254 64:ff9b::169.254.169.254"
)


@pytest.mark.parametrize(
    ("addresses", "opened"), [(PUBLIC, (True, True)), (PRIVATE, (False, True)), (NEVER, (False, False))]
)
def test_a_socket_is_made_for_public_addresses_alone(addresses: str, opened: tuple[bool, bool]) -> None:
    for address in addresses.split():
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        made = []
        for private in (False, True):
            try:
                socket_factory(Policy(private))((family, socket.SOCK_STREAM, 6, "", (address, 80))).close()
                made.append(True)
            except OSError as error:
                assert str(error) == f"refused by the guard: {ip_address(address)} is no public address"  # noqa: PT017
                made.append(False)
        assert tuple(made) == opened, address
