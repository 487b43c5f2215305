"""The fixture site from debate pages to qrels, against its hand-written truth."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conqret.data.corpus import SPLITS
from conqret.io.corpus_folder import CorpusDirectory
from conqret.scrapers.search import WebSearcher
from fixtures.site import BROKEN_DEBATES, Site, read_topics, serving
from fixtures.site_evidence import HIDDEN, SCRIPTED
from tests.commands import run_conqret

pytest.importorskip("trafilatura", reason="the extra scrape is not installed")


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, CorpusDirectory]]:
    folder = tmp_path_factory.mktemp("site")
    urls, corpus = folder / "urls.txt", folder / "corpus"
    with serving() as site:
        urls.write_text("\n".join(site.debates), encoding="utf-8")
        polite = ("--allow-private", "--delay", "0")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CONQRET_SEARXNG_URL", site.url)
            patch.setattr("conqret.scrapers.evidence_fetching.WebSearcher", partial(WebSearcher, delay=0.0))
            for words in (
                ("debates", urls, "-o", corpus, *polite),
                ("evidence", corpus, *polite, "--search", "searxng"),
                ("build", corpus, "--seed", "13", "--json"),
            ):
                done = run_conqret("corpus", *words)
                assert done.code == 0, done.err
        yield site, CorpusDirectory(corpus)


def document_names(site: Site, corpus: CorpusDirectory) -> dict[str, str]:
    """The corpus's document ids to those of the fixtures, by the debates' own numbering."""
    expected = {
        (slug, one["number"]): one["document"]
        for slug, topic in site.truth.items()
        for one in topic["sources"]
    }
    return {one.document: expected[one.debate, one.number] for one in corpus.ledger() if one.document}


def test_every_source_ends_as_it_should(scraped: tuple[Site, CorpusDirectory]) -> None:
    site, corpus = scraped
    expected = {
        (slug, one["number"]): (one["status"], one["document"])
        for slug, topic in site.truth.items()
        for one in topic["sources"]
    }
    names = document_names(site, corpus)
    assert len(set(names.values())) == len(names), "two texts were taken for one document"
    ends = {(one.debate, one.number): (one.status, names.get(one.document or "")) for one in corpus.ledger()}
    assert ends == expected


def test_qrels_are_those_of_the_truth(scraped: tuple[Site, CorpusDirectory]) -> None:
    site, corpus = scraped
    names = document_names(site, corpus)
    for side in ("pro", "con"):
        found: dict[str, set[str]] = {slug: set() for slug in site.truth}
        for pair in corpus.qrels_iter(side):
            if pair.relevance:
                found[pair.query_id].add(names[pair.doc_id])
        assert found == {slug: set(topic[side]) for slug, topic in site.truth.items()}
    split = {topic.id: topic.split for topic in corpus.topics()}
    assert split["homework"] == split["four-day-week"], "they share a document"
    parts = [{pair.doc_id for pair in corpus.qrels_iter("all", part)} for part in SPLITS]
    assert not parts[0] & parts[1]


def test_texts_hold_what_was_written_and_nothing_hidden(scraped: tuple[Site, CorpusDirectory]) -> None:
    site, corpus = scraped
    names = document_names(site, corpus)
    written: dict[str, dict[str, Any]] = {
        one["id"]: one for topic in read_topics().values() for one in topic["documents"]
    }
    for document in corpus.documents():
        assert HIDDEN not in document.text
        assert SCRIPTED not in document.text
        words = set(written[names[document.id]]["text"].split())
        assert len(words & set(document.text.split())) > 0.8 * len(words), names[document.id]


def test_pages_that_cannot_be_read_are_reported(
    scraped: tuple[Site, CorpusDirectory], tmp_path: Path
) -> None:
    site, _ = scraped
    urls, corpus = tmp_path / "urls.txt", CorpusDirectory(tmp_path / "corpus")
    broken = [site.url + path for path in BROKEN_DEBATES]
    urls.write_text("\n".join([site.debates[0], *broken, f"{site.url}/nowhere/"]), encoding="utf-8")
    polite = ("--allow-private", "--delay", "0")
    result = run_conqret("corpus", "debates", urls, "-o", corpus.path, *polite)
    assert result.code == 1
    assert "4 problems" in result.out
    assert len(list(corpus.debates())) == 1
    problems = {
        one["url"]: one["missing"] for one in map(json.loads, corpus.problems_file.open(encoding="utf-8"))
    }
    wanted = ["no layout fits: the ", "cons: no argument fo", "the page is empty"]
    assert [problems[url][0][:20] for url in broken] == wanted
    assert problems[f"{site.url}/nowhere/"] == ["the page: not-found (HTTP 404)"]
