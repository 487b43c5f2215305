"""Fetching debate pages, with a stand-in for the network."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from conqret.data import Debate
from conqret.io.corpus_folder import CorpusDirectory
from conqret.scrapers.debate_pages import gather_debates, scrape_debate
from conqret.scrapers.debates import LayoutProblem
from conqret.scrapers.fetch_client import FetchOptions
from conqret.scrapers.wire import FetchStatus, Page, Policy
from tests.scrapers.raw_server import RawServer, reply

BODY = (
    "<h1>Should zoös exist?</h1><div class=arguments-column-pro><div class=argument-container><p>So [1].</div></div>"
    "<div class=arguments-column-con><div class=argument-container><p>Not so [1].</div></div>"
)
TABLE = "<p>Sources</p><table><tr><td>1</td><td><a href='/s'>S</a></td></tr></table>"


@dataclass
class Shelf:
    """Pages by address; anything else is not found."""

    pages: dict[str, Page]

    async def fetch(self, url: str) -> Page:
        self.pages.setdefault(url, Page(url, FetchStatus.NOT_FOUND, "HTTP 404", 404))
        return self.pages[url]


async def test_footnotes_are_fetched_where_the_page_has_no_table() -> None:
    url = "https://x.example/a/"
    pages = {
        address: Page(
            address, FetchStatus.OK, final_url=address, body=html.encode(), content_type="text/html"
        )
        for address, html in ((url, BODY), (url + "footnotes/", TABLE))
    }
    found = await scrape_debate(url, Shelf(pages))
    assert isinstance(found, Debate)
    assert [source.title for source in found.sources] == ["S"]
    without = await scrape_debate(url, Shelf({url: pages[url]}))
    assert isinstance(without, LayoutProblem)
    assert without.missing[-1] == "its page https://x.example/a/footnotes/: not-found (HTTP 404)"


async def test_what_was_read_before_a_stop_is_kept(tmp_path: Path) -> None:
    def stop(result: Debate | LayoutProblem) -> None:
        raise OSError("stopped")

    options = FetchOptions(delay=0.0, policy=Policy(allow_private=True))
    async with RawServer({"/a": reply(BODY + TABLE), "/robots.txt": reply("")}) as server:
        urls = [server.url("/a"), server.url("/gone")]
        with pytest.raises(OSError, match="stopped"):
            await gather_debates(tmp_path / "corpus", urls[:1], options, on_result=stop)
        found = await gather_debates(tmp_path / "corpus", urls, options)
        assert (found.kept, found.read, len(found.problems)) == (1, (), 1)
        assert server.seen.count("/a") == 1
    assert [debate.id for debate in CorpusDirectory(tmp_path / "corpus").debates()] == ["a"]
