"""Every way in which a server may answer, and the word that the ledger gets for it."""

import asyncio
import zlib
from dataclasses import replace

import pytest

from conqret.scrapers.fetch_client import Fetcher, FetchOptions, Retries
from conqret.scrapers.wire import FetchStatus, Limits, Page, Policy
from tests.scrapers.raw_server import Handler, RawServer, redirect, reply

LIMITS = Limits(max_bytes=200_000, total_seconds=1.0, connect_seconds=1.0, read_seconds=0.5)
OPTIONS = FetchOptions(
    delay=0.0,
    per_host=8,
    robots=False,
    retries=Retries(2, 0.0),
    policy=Policy(allow_private=True),
    limits=LIMITS,
)


async def fetched(answer: bytes | Handler) -> Page:
    async with RawServer({"/x": answer}) as server, Fetcher(OPTIONS) as client:
        return await client.fetch(server.url("/x"))


async def test_a_server_that_recovers_is_heard() -> None:
    answers = [reply("", "503 Service Unavailable", Retry_After="0"), reply("here")]

    async def next_one(writer: asyncio.StreamWriter) -> None:
        writer.write(answers.pop(0))

    page = await fetched(next_one)
    assert (page.ok, page.attempts, page.body) == (True, 2, b"here")


async def test_redirects_are_followed_and_loops_are_left() -> None:
    routes = {
        "/a": redirect("/b"),
        "/b": redirect("c?d=e#f"),
        "/c?d=e": reply("end"),
        "/loop": redirect("/loop2"),
        "/loop2": redirect("/loop"),
    }
    async with RawServer(routes) as server, Fetcher(OPTIONS) as client:
        page = await client.fetch(server.url("/a"))
        assert (page.body, page.final_url) == (b"end", server.url("/c?d=e"))
        page = await client.fetch(server.url("/loop"))
        assert (page.status, page.detail) == (FetchStatus.ERROR, "redirects in a circle")
        server.routes.update({f"/{n}": redirect(f"/{n + 1}") for n in range(30)})
        page = await client.fetch(server.url("/0"))
        assert (page.status, page.detail) == (FetchStatus.ERROR, "more than 10 redirects")


async def endless_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        writer.write(b"x" * 8192)
        await writer.drain()


async def endless_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: and more\r\n" * 100)
        await writer.drain()


async def slow_drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.05)


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


HOSTILE: dict[str, tuple[bytes | Handler, FetchStatus]] = {
    "endless body": (endless_body, FetchStatus.TOO_LARGE),
    "endless headers": (endless_headers, FetchStatus.ERROR),
    "slow drip": (slow_drip, FetchStatus.ERROR),
    "hang up": (hang_up, FetchStatus.ERROR),
    "garbage": (bytes(range(256)) * 40, FetchStatus.ERROR),
    "deflate bomb": (
        reply(zlib.compress(bytes(20_000_000), 9), Content_Encoding="deflate"),
        FetchStatus.TOO_LARGE,
    ),
    "location of 100,000 characters": (redirect("/" + "a" * 100_000), FetchStatus.ERROR),
}


@pytest.mark.parametrize(("answer", "word"), HOSTILE.values(), ids=HOSTILE)
async def test_hostile_servers(answer: bytes | Handler, word: FetchStatus) -> None:
    async with asyncio.timeout(15):
        page = await fetched(answer)
    assert page.status is word, page
    assert page.detail
    assert "\n" not in page.detail


async def test_we_say_who_we_are_and_carry_nothing_along() -> None:
    routes: dict[str, bytes | Handler] = {"/a": reply("x", Set_Cookie="id=1; Path=/")}
    async with (
        RawServer(routes) as server,
        Fetcher(replace(OPTIONS, user_agent="ours/1.0 (mailto:a@b.c)")) as client,
    ):
        await client.fetch(server.url("/a"))
        await client.fetch(server.url("/a"))
    assert "User-Agent: ours/1.0 (mailto:a@b.c)" in server.headers[1]
    assert "cookie" not in server.headers[1].lower()
    assert server.connections == 1


async def test_concurrency_is_bounded_over_all_hosts() -> None:
    now = most = 0

    async def count(writer: asyncio.StreamWriter) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        writer.write(reply("x"))

    async with RawServer({"/x": count}) as server, Fetcher(replace(OPTIONS, concurrency=3)) as client:
        pages = await asyncio.gather(*(client.fetch(server.url("/x")) for _ in range(20)))
    assert all(page.ok for page in pages)
    assert most == 3
