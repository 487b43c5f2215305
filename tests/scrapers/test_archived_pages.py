"""Debates out of the Internet Archive: its addresses, its frame, and sites that had moved."""

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from conqret.data import Debate
from conqret.io.corpus_folder import CorpusDirectory
from conqret.scrapers.archive import ArchivedPages, InternetArchive
from conqret.scrapers.debate_pages import gather_debates
from conqret.scrapers.debates import LayoutProblem, read_debate
from conqret.scrapers.fetch_client import Fetcher, FetchOptions, Retries
from conqret.scrapers.wire import FetchStatus, Policy
from tests.scrapers.raw_server import RawServer, redirect, reply

OPTIONS = FetchOptions(delay=0.0, retries=Retries(1, 0.0), policy=Policy(allow_private=True))
ZOOS = "http://www.procon.test/zoos/"
PAGE = (
    "<h1>Should zoos exist?</h1><div class=arguments-column-pro><div class=argument-container><p>So [1].</div></div>"
    "<div class=arguments-column-con><div class=argument-container><p>Not so.</div></div>"
)
NOTES = "<table><tr><td>1</td><td><a href='/s'>S</a></td></tr></table>"
NEW = "https://www.britannica.test/procon/zoos-debate"


def answer(url: str) -> bytes:
    closest = {"available": True, "status": "200", "url": url}
    found = {"archived_snapshots": {"closest": closest} if url else {}}
    return reply(json.dumps(found), Content_Type="application/json")


def test_a_page_saved_with_the_archives_frame() -> None:
    toolbar = (
        '<div id="wm-ipp-base" lang=en><div id=wm-ipp><h1>Wayback Machine</h1><p>3 captures</p></div></div>'
    )
    links = NOTES.replace("'/s'", "'/web/20240601000000/https://www.procon.test/s'")
    html = f"{toolbar}{PAGE}<p>Sources</p>{links}"
    debate = read_debate(html, f"https://web.archive.org/web/20240601000000/{ZOOS}")
    assert isinstance(debate, Debate)
    assert (debate.title, debate.sources[0].url) == ("Should zoos exist?", "https://www.procon.test/s")


async def test_a_debate_and_its_footnotes_come_from_the_archive_alone(tmp_path: Path) -> None:
    async with RawServer() as server:
        place = server.url("/web/20240603101112")
        server.routes = {
            "/wayback/available": answer(f"{place}/{ZOOS}"),
            f"/web/20240603101112id_/{ZOOS}": reply(PAGE),
        }
        archive = InternetArchive(server.url(), "202406")
        found = await gather_debates(tmp_path, [ZOOS], OPTIONS, archive=archive)
        assert "footnotes" in found.problems[0].missing[-1]
        asked = [parse_qs(urlsplit(one).query) for one in server.seen if one.startswith("/wayback")]
        assert asked[0] == {"url": [ZOOS], "timestamp": ["202406"]}
        assert asked[1]["url"] == [ZOOS + "footnotes/"]
        server.routes[f"/web/20240603101112id_/{ZOOS}"] = reply(f"{PAGE}<p>Sources</p>{NOTES}")
        found = await gather_debates(tmp_path, [ZOOS], OPTIONS, archive=archive)
        assert not [one for one in server.seen if not one.startswith(("/wayback/", "/web/"))], (
            "robots.txt too"
        )
    (debate,) = CorpusDirectory(tmp_path).debates()
    assert (debate.id, debate.url, debate.archived) == ("zoos", ZOOS, f"{place}id_/{ZOOS}")
    assert debate.sources[0].url == "http://www.procon.test/s"


async def test_a_snapshot_that_leads_to_the_new_site_is_a_problem_with_a_remedy(tmp_path: Path) -> None:
    async with RawServer() as server:
        place = server.url("/web/20250102000000")
        server.routes = {
            "/wayback/available": answer(f"{place}/{ZOOS}"),
            f"/web/20250102000000id_/{ZOOS}": redirect(f"{place}id_/{NEW}"),
            f"/web/20250102000000id_/{NEW}": reply(PAGE),
        }
        archive = InternetArchive(server.url(), "2025")
        (problem,) = (await gather_debates(tmp_path, [ZOOS], OPTIONS, archive=archive)).problems
        assert problem.missing == (
            f"the page: not-found (the archive: its copy of 2025-01-02 leads to {NEW}; the site had moved: "
            "ask for an earlier time, or for the new address)",
        )
        server.routes[f"/web/20250102000000id_/{ZOOS}"] = redirect(server.url("/somewhere"))
        server.routes["/somewhere"] = reply(PAGE)
        async with Fetcher(OPTIONS) as fetcher:
            page = await ArchivedPages(fetcher, archive).fetch(ZOOS)
        assert page.status is FetchStatus.NOT_FOUND
        assert "leads out of it" in page.detail


async def test_an_archive_without_a_copy_is_a_problem_and_never_the_page_of_today(tmp_path: Path) -> None:
    async with RawServer({"/wayback/available": answer("")}) as server:
        url = server.url("/zoos")
        server.routes["/zoos"] = reply(PAGE)
        archive = InternetArchive(server.url(), "2024")
        (problem,) = (await gather_debates(tmp_path, [url], OPTIONS, archive=archive)).problems
        assert isinstance(problem, LayoutProblem)
        assert "the archive has no copy of it" in problem.missing[0]
        assert "/zoos" not in server.seen
