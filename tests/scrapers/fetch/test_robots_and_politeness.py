"""robots.txt as RFC 9309 has it, and the pauses between requests."""

import asyncio
from dataclasses import replace

import pytest

from conqret.scrapers.fetch_client import MAX_CRAWL_DELAY, Fetcher, FetchOptions, Retries
from conqret.scrapers.wire import FetchStatus, Policy
from tests.scrapers.raw_server import Handler, RawServer, redirect, reply

OPTIONS = FetchOptions(
    delay=0.0, retries=Retries(1, 0.0), policy=Policy(allow_private=True), user_agent="conqret/1.0 (test)"
)
PAGE = reply("hello")


def robots(text: str) -> bytes:
    return reply(text, Content_Type="text/plain")


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (robots("User-agent: *\nDisallow: /"), FetchStatus.ROBOTS),
        (robots("User-agent: conqret\nDisallow: /\n\nUser-agent: *\nAllow: /"), FetchStatus.ROBOTS),
        (robots("User-agent: *\nDisallow: /\n\nUser-agent: conqret\nAllow: /"), FetchStatus.OK),
        (reply("", "500 Oops"), FetchStatus.ROBOTS),
        (redirect("file:///etc/passwd"), FetchStatus.ROBOTS),
        (robots("User-agent: *\nDisallow: /" + "*a" * 900 + "\n"), FetchStatus.OK),
    ],
)
async def test_the_rules(answer: bytes, word: FetchStatus) -> None:
    routes: dict[str, bytes | Handler] = {
        "/robots.txt": answer,
        "/x": PAGE,
    }
    async with RawServer(routes) as server, Fetcher(OPTIONS) as client:
        page = await client.fetch(server.url("/x"))
        assert page.status is word, page
        assert ("/x" in server.seen) is (word is FetchStatus.OK)


async def test_robots_txt_is_asked_once_a_site() -> None:
    async with RawServer({"/robots.txt": robots(""), "/x": PAGE}) as server, Fetcher(OPTIONS) as client:
        await asyncio.gather(*(client.fetch(server.url("/x")) for _ in range(5)))
        assert server.seen.count("/robots.txt") == 1


async def test_a_redirect_is_checked_against_the_rules_of_where_it_leads() -> None:
    async with (
        RawServer({"/robots.txt": robots("User-agent: *\nDisallow: /"), "/x": PAGE}) as closed,
        RawServer({"/robots.txt": robots(""), "/x": redirect(closed.url("/x"))}) as open_,
        Fetcher(OPTIONS) as client,
    ):
        page = await client.fetch(open_.url("/x"))
        assert (page.status, closed.seen) == (FetchStatus.ROBOTS, ["/robots.txt"])


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.slept: list[float] = []
        real = asyncio.sleep

        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)
            self.now += seconds
            await real(0)

        monkeypatch.setattr("conqret.scrapers.fetch_client.asyncio.sleep", sleep)

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("asked", "delay", "pause"), [("30", 0.0, 30.0), ("1000000", 0.0, MAX_CRAWL_DELAY), ("0.1", 40.0, 40.0)]
)
async def test_a_longer_crawl_delay_is_obeyed_up_to_a_minute(
    monkeypatch: pytest.MonkeyPatch, asked: str, delay: float, pause: float
) -> None:
    clock = Clock(monkeypatch)
    rules = robots(f"User-agent: *\nCrawl-delay: {asked}")
    async with (
        RawServer({"/robots.txt": rules, "/x": PAGE}) as server,
        Fetcher(replace(OPTIONS, delay=delay)) as client,
    ):
        client._politeness._clock = clock
        await client.fetch(server.url("/x"))
        clock.slept.clear()
        await client.fetch(server.url("/x"))
    assert 0.5 * pause <= sum(clock.slept) <= 1.5 * pause


async def test_a_host_that_asks_for_a_pause_is_left_alone_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    busy = reply("", "503 Service Unavailable", Retry_After="7")
    async with RawServer({"/busy": busy, "/x": PAGE}) as server, Fetcher(OPTIONS) as client:
        client._politeness._clock = clock
        await client.fetch(server.url("/busy"))
        assert clock.slept == []
        assert (await client.fetch(server.url("/x"))).ok
    assert clock.slept == [7.0]
