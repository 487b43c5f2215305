"""Looking sources up by title, and in the Internet Archive; all on loopback."""

import asyncio
import json

import pytest

from conqret.errors import DeclarationError
from conqret.scrapers.archive import timestamp
from conqret.scrapers.fetch_client import Retries
from conqret.scrapers.search import SearchEngine, SearchResult, WebSearcher, brave, google, providers, searxng
from conqret.scrapers.wire import FetchError, FetchStatus
from tests.scrapers.raw_server import RawServer, reply

KEY = "sk-very-secret"


def answer(value: object) -> bytes:
    return reply(json.dumps(value), Content_Type="application/json")


def searcher(*asked: SearchEngine) -> WebSearcher:
    return WebSearcher(asked, retries=Retries(2, 0.0), delay=0.0)


def engines(server: RawServer) -> tuple[SearchEngine, SearchEngine, SearchEngine]:
    return (
        google(KEY, "cx1", server.url("/google")),
        brave(KEY, server.url("/brave")),
        searxng(server.url("/sx/")),
    )


async def test_the_first_result_of_the_first_provider_that_has_one() -> None:
    async with RawServer() as server:
        server.routes = {
            "/google": answer({"searchInformation": {"totalResults": "0"}}),
            "/brave": answer(
                {"web": {"results": [{"url": "https://one.test/a"}, {"url": "https://two.test/"}]}}
            ),
            "/sx/search": answer({"results": [{"url": "https://three.test/"}]}),
        }
        first, second, third = engines(server)
        find = searcher(first, second, third)
        assert await find.find("Some  title\n (2012)") == SearchResult("https://one.test/a", "brave")
        assert server.seen == [
            f"/google?key={KEY}&cx=cx1&q=Some+title+(2012)&num=5",
            "/brave?q=Some+title+(2012)&count=5",
        ]
        assert f"X-Subscription-Token: {KEY}" in server.headers[1]
        await find.close()
        find = searcher(third)
        assert await find.find("x") == SearchResult("https://three.test/", "searxng")
        assert server.seen[-1] == "/sx/search?q=x&format=json"
        await find.close()


async def test_nothing_found_is_told_from_nobody_answering() -> None:
    async with RawServer() as server:
        server.routes = {
            "/brave": answer({}),
            "/sx/search": reply("", "503 Busy"),
            "/google": answer({"items": []}),
        }
        first, second, third = engines(server)
        for asked, status, detail in (
            ((first, second), FetchStatus.NOT_FOUND, "no search result (google, brave)"),
            ((third, second), FetchStatus.ERROR, "search failed (searxng: HTTP 503)"),
        ):
            find = searcher(*asked)
            with pytest.raises(FetchError) as caught:
                await find.find("x")
            assert (caught.value.status, caught.value.detail) == (status, detail)
            await find.close()
        assert [path.split("?")[0] for path in server.seen].count("/sx/search") == 2  # asked again once


@pytest.mark.parametrize(
    "broken",
    [answer({"items": [{"x": 1}]}), reply("", "403 Forbidden"), reply("[" * 100_000)],
)
async def test_broken_answers_are_errors_and_never_show_the_key(broken: bytes) -> None:
    async with RawServer({"/google": broken}) as server:
        engine = engines(server)[0]
        find = searcher(engine)
        with pytest.raises(FetchError) as caught:
            await find.find("x")
        await find.close()
    seen = [str(caught.value), repr(caught.value), repr(engine), repr(caught.value.__cause__)]
    assert caught.value.status is FetchStatus.ERROR
    assert not any(KEY in text for text in seen)


def test_providers_come_from_the_environment() -> None:
    environment = {
        "GOOGLE_API_KEY": KEY,
        "GOOGLE_CSE_ID": "c",
        "BRAVE_API_KEY": KEY,
        "CONQRET_SEARXNG_URL": "http://sx.test",
    }
    wanted = ["searxng", "google", "brave"]
    assert [provider.name for provider in providers(["searxng", "google", "brave"], environment)] == wanted
    with pytest.raises(DeclarationError, match="BRAVE_API_KEY"):
        providers(["brave"], {})
    with pytest.raises(DeclarationError, match="CONQRET_SEARXNG_URL"):
        providers(["searxng"], {"CONQRET_SEARXNG_URL": "sx.test"})


@pytest.mark.parametrize(
    ("cited", "stamp"),
    [
        ("Jan. 5, 2012", "20120105"),
        ("accessed on September 14th, 2018", "20180914"),
        ("5/31/2012", "20120531"),
        ("13/45/2012", "2012"),
    ],
)
def test_dates_as_printed(cited: str, stamp: str) -> None:
    assert timestamp(cited) == stamp


async def test_more_results_than_a_page_has() -> None:
    """A page turns until enough are there, a result that comes again counts once, and an empty page ends it."""
    async with RawServer() as server:
        first = [f"https://t.test/{n}" for n in range(9)]
        pages = iter([first, ["https://t.test/8", "https://t.test/x"], []])

        async def turned(writer: asyncio.StreamWriter) -> None:
            writer.write(answer({"items": [{"link": url} for url in next(pages)]}))

        server.routes = {"/google": turned}
        find = searcher(engines(server)[0])
        assert [result.url for result in await find.results("trams", 25)] == [*first, "https://t.test/x"]
        asked = [seen.partition("q=trams&")[2] for seen in server.seen]
        assert asked == ["num=10", "num=10&start=11", "num=10&start=21"]
        await find.close()
