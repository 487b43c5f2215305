"""The run over a corpus: every source in the ledger with the right reason, once, whatever happens."""

import gzip
import json
import socket
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from conqret.scrapers.evidence_fetching import gather_evidence
from conqret.scrapers.search import searxng
from conqret.scrapers.worker_pool import Extractor
from tests.scrapers.evidence_corpus import OPTIONS, corpus_of, documents, extracted_here, ledger
from tests.scrapers.pdf_file import pdf_file
from tests.scrapers.raw_server import PROSE, Handler, RawServer, page, redirect, reply

LINES = [PROSE[:80], PROSE[80:150]]


ROUTES: dict[str, bytes | Handler] = {
    "/robots.txt": reply("User-agent: *\nDisallow: /private", Content_Type="text/plain"),
    "/page": reply(page(PROSE, "The page")),
    "/same": reply(page(PROSE, "The page")),
    "/gzip": reply(gzip.compress(page("Packed: " + PROSE).encode()), Content_Encoding="gzip"),
    "/report": reply(pdf_file([LINES], "The report"), Content_Type="text/html"),
    "/latin": reply(page("Größer: " + PROSE).encode("cp1252"), Content_Type="text/html; charset=utf-8"),
    "/moved": redirect("/moved2"),
    "/moved2": redirect("/page"),
    "/gone": reply("", "410 Gone"),
    "/wall": reply("pay", "403 Forbidden"),
    "/private": reply(page(PROSE)),
    "/picture": reply(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Content_Type="image/png"),
    "/script": reply("<html><body><script>x</script></body></html>"),
    "/huge": b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n",
    "/bomb": reply(gzip.compress(bytes(5_000_000)), Content_Encoding="gzip"),
    "/broken": reply("", "500 Oops"),
    "/inward": redirect("http://169.254.169.254/latest/"),
}
EXPECTED = {
    "/page": ("ok", ""),
    "/page#part": ("ok", ""),
    "/same": ("ok", ""),
    "/gzip": ("ok", ""),
    "/report": ("ok", ""),
    "/latin": ("ok", ""),
    "/moved": ("ok", ""),
    "/nowhere": ("not-found", "HTTP 404"),
    "/gone": ("not-found", "HTTP 410"),
    "/wall": ("blocked", "HTTP 403"),
    "/private": ("robots", "forbidden by"),
    "/picture": ("unparsable", "not a text: binary data"),
    "/script": ("unparsable", "the page holds no main text"),
    "/huge": ("too-large", "more than 200,000 bytes"),
    "/bomb": ("too-large", ""),
    "/broken": ("error", "HTTP 500 after 2 attempts"),
    "/inward": ("blocked", "refused by the guard: 169.254.169.254 is no public address"),
}
ELSEWHERE = {
    "file:///etc/passwd": ("blocked", "refused by the guard: scheme 'file'"),
    "http://user:pass@a.test/": ("blocked", "refused by the guard: the URL holds credentials"),
    "http://unknown.test/": ("not-found", "the host unknown.test does not exist"),
    "": ("not-found", "no URL, and no search was asked for"),
}


class NoNames(AbstractResolver):
    """A name server that knows nobody."""

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    async def close(self) -> None:
        pass


async def test_every_source_ends_with_the_right_reason_and_a_second_run_fetches_nothing(
    tmp_path: Path,
) -> None:
    async with RawServer(dict(ROUTES)) as server:
        sources = [(f"Title of {path}", server.url(path)) for path in EXPECTED] + [
            (f"Title of {url}", url) for url in ELSEWHERE
        ]
        corpus = corpus_of(
            tmp_path / "corpus",
            sources,
            [("Again", server.url("/page")), ("Nowhere", server.url("/nowhere"))],
        )
        told: list[str] = []
        summary = await gather_evidence(
            corpus, OPTIONS, on_line=lambda line: told.append(line.status), resolver=NoNames()
        )

        lines = ledger(corpus)
        assert [(line["debate"], line["number"]) for line in lines] == [
            ("debate-1", n) for n in range(1, len(sources) + 1)
        ] + [("debate-2", 1), ("debate-2", 2)]
        for line, (_, url), (status, detail) in zip(
            lines, sources, [*EXPECTED.values(), *ELSEWHERE.values()], strict=False
        ):
            assert (line["status"], line["url"]) == (status, url), line
            assert line["detail"].startswith(detail), line
            assert bool(line["document"]) is (status == "ok")
            assert bool(line["detail"]) is (status != "ok")
        assert Counter(told) == Counter(line["status"] for line in lines)
        texts = documents(corpus)
        by_path = {path: lines[place]["document"] for place, path in enumerate(EXPECTED)}
        assert len({by_path[path] for path in ("/page", "/page#part", "/same", "/moved")}) == 1
        assert lines[-2]["document"] == by_path["/page"]
        assert texts[by_path["/report"]].text == "\n".join(line.strip() for line in LINES)
        assert texts[by_path["/report"]].title == "The report"
        assert "Größer: " + PROSE in texts[by_path["/latin"]].text
        assert set(texts) == {line["document"] for line in lines if line["document"]}
        moved = lines[list(EXPECTED).index("/moved")]
        wanted = (server.url("/page"), 200, "text/html")
        assert (moved["final_url"], moved["http"], moved["content_type"]) == wanted
        assert (summary.cited, summary.extracted, summary.documents) == (23, 8, 4)
        assert summary.by_status == Counter(line["status"] for line in lines)
        assert server.seen.count("/page") == 2  # once for itself and its double, once at the end of /moved

        files = (corpus / "ledger.jsonl", corpus / "documents.jsonl")
        before = (len(server.seen), *(file.read_bytes() for file in files))
        again = await gather_evidence(corpus, OPTIONS, resolver=NoNames())
        assert (len(server.seen), *(file.read_bytes() for file in files)) == before
        assert (again.kept, again.pages, again.by_status) == (23, 0, summary.by_status)


async def test_errors_are_asked_again_on_request_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Extractor, "extract", extracted_here)
    async with RawServer(
        {"/a": reply("", "500 Oops"), "/b": reply("", "404 Not Found"), "/robots.txt": reply("")}
    ) as server:
        corpus = corpus_of(tmp_path / "corpus", [("A", server.url("/a")), ("B", server.url("/b"))])
        await gather_evidence(corpus, OPTIONS)
        server.routes["/a"] = server.routes["/b"] = reply(page(PROSE))
        await gather_evidence(corpus, OPTIONS)
        assert [line["status"] for line in ledger(corpus)] == ["error", "not-found"]
        summary = await gather_evidence(corpus, replace(OPTIONS, retry_errors=True))
        assert [line["status"] for line in ledger(corpus)] == ["ok", "not-found"]
        assert (summary.kept, summary.pages) == (1, 1)


async def test_sources_without_url_are_searched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Extractor, "extract", extracted_here)
    async with RawServer({"/found": reply(f"<body><p>{PROSE}</p><p>{PROSE[40:]}</p></body>")}) as server:
        results = {"results": [{"url": server.url("/found")}]}
        server.routes["/search"] = reply(json.dumps(results), Content_Type="application/json")
        corpus = corpus_of(
            tmp_path / "corpus", [("A study of streets", ""), ("a  STUDY of streets", ""), ("", "")]
        )
        await gather_evidence(corpus, OPTIONS)
        assert ledger(corpus)[0]["detail"] == "no URL, and no search was asked for"
        searching = replace(OPTIONS, providers=(searxng(server.url()),))
        await gather_evidence(corpus, searching)
        first, second, third = ledger(corpus)
        assert (first["status"], first["url"], first["provider"]) == ("ok", server.url("/found"), "searxng")
        assert (second["document"], third["status"]) == (first["document"], "not-found")
        server.routes["/search"] = reply('{"results": []}')
        corpus_of(
            corpus,
            [("A study of streets", ""), ("a  STUDY of streets", ""), ("", ""), ("Nobody has this", "")],
        )
        await gather_evidence(corpus, searching)
        assert ledger(corpus)[3]["detail"] == "no search result (searxng)"
        asked = len(server.seen)
        await gather_evidence(corpus, searching)
        assert len(server.seen) == asked
