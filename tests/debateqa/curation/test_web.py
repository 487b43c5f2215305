"""Evidence from the web, all on loopback: only trusted pages are fetched, each once, and a run goes on with them."""

import asyncio
import json

import pytest

from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.debateqa.curation.page_sources import PAGES, TrustedDomains, WebSource
from conqret.scrapers.evidence_fetching import EvidenceOptions
from conqret.scrapers.fetch_client import FetchOptions, Retries
from conqret.scrapers.search import searxng
from conqret.scrapers.wire import Policy
from tests.scrapers.raw_server import PROSE, RawServer, page, reply


def source(server, trusted=("127.0.0.1",)):
    fetch = FetchOptions(delay=0.0, retries=Retries(2, 0.0), policy=Policy(allow_private=True), robots=False)
    options = EvidenceOptions(fetch, (searxng(server.url()),), workers=1)
    return WebSource(options, TrustedDomains(trusted), delay=0.0)


def results(*urls):
    found = {"results": [{"url": url} for url in urls]}
    return reply(json.dumps(found), Content_Type="application/json")


async def test_trusted_pages_are_fetched_once_and_kept(tmp_path):
    async with RawServer({"/a": reply(page("Trams. " + PROSE)), "/b": reply("", "404 Not Found")}) as server:
        spam = "http://spam.test/x"
        server.routes["/search"] = results(server.url("/a"), spam, server.url("/b"))
        web = source(server)
        async with web.opened(tmp_path):
            first, second = await asyncio.gather(web.search(["trams"], 20), web.search(["trams cost"], 20))
            assert first == second
            (names,) = first
            (evidence,) = web.read(names)
        assert names == [evidence.document.id, spam, server.url("/b")]
        assert evidence.document.url == server.url("/a")
        assert "Trams" in evidence.document.text
        assert [seen for seen in server.seen if not seen.startswith("/search")].count("/a") == 1
        again = source(server)
        async with again.opened(tmp_path):  # what a run that goes on reads
            assert again.read(names) == [evidence]
        assert len((tmp_path / PAGES).read_text().splitlines()) == 1
        nobody = source(server, ("example.org",))
        seen = len(server.seen)
        async with nobody.opened(tmp_path / "other"):
            assert await nobody.search(["trams"], 20) == [[server.url("/a"), spam, server.url("/b")]]
        assert [one for one in server.seen[seen:] if not one.startswith("/search")] == []


async def test_as_many_results_are_read_as_are_wanted(tmp_path):
    async with RawServer({}) as server:
        urls = [f"http://spam.test/{number}" for number in range(10)]
        server.routes["/search"] = results(*urls)
        web = source(server)
        async with web.opened(tmp_path):
            assert await web.search(["trams"], 20) == [urls]
            assert await web.search(["trams"], 2) == [urls[:2]]


async def test_nothing_found_is_no_failure_and_a_search_that_fails_is_one(tmp_path):
    async with RawServer({"/search": results()}) as server:
        web = source(server)
        async with web.opened(tmp_path):
            assert await web.search(["trams"], 20) == [[]]
            server.routes["/search"] = reply("{}", "500 Internal Server Error")
            with pytest.raises(NoValidResponse) as caught:
                await web.search(["trams"], 20)
        assert caught.value.reason == "connection"
        assert "search failed (searxng" in caught.value.detail
