"""britannica.com/procon and Debatabase, as the fixture site has them, from the index to the judged pairs."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from conqret.data import Debate, DebateArgument
from conqret.data.corpus import LedgerEntry
from conqret.io.corpus_folder import CorpusDirectory
from conqret.scrapers.corpus_building import build_corpus
from conqret.text.citations import citations
from fixtures.site import Site, read_other_truth, serving
from tests.commands import run_conqret

TRUTH = {one["id"]: one for one in read_other_truth()}
POLITE = ("--allow-private", "--delay", "0")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def corpus(site: Site, tmp_path_factory: pytest.TempPathFactory) -> CorpusDirectory:
    """Both sites' debates, by the commands that a user types."""
    folder = tmp_path_factory.mktemp("sites")
    for index in ("procon", "resources/debatabase"):
        topics = folder / f"{index.rpartition('/')[2]}.txt"
        listed = run_conqret("corpus", "topics", f"{site.url}/{index}", "-o", str(topics), *POLITE)
        assert listed.code == 0, listed.output
        read = run_conqret("corpus", "debates", str(topics), "-o", str(folder / "corpus"), "--quiet", *POLITE)
        assert read.code == 0, read.output
    return CorpusDirectory(folder / "corpus")


def told(arguments: tuple[DebateArgument, ...]) -> list[dict[str, Any]]:
    return [
        {
            "title": argument.title,
            "paragraphs": len(argument.paragraphs),
            "cites": list(citations(" ".join((argument.title, *argument.paragraphs)))),
            "counterpoint": len(argument.counterpoint),
            "answers": list(citations(" ".join(argument.counterpoint))),
        }
        for argument in arguments
    ]


def test_every_debate_is_read_as_the_truth_has_it(corpus: CorpusDirectory, site: Site) -> None:
    found = {debate.id: debate for debate in corpus.debates()}
    assert set(found) == set(TRUTH)
    for name, debate in found.items():
        truth = TRUTH[name]
        assert debate.url == site.url + truth["path"]
        wanted = (truth["layout"], truth["title"], truth["question"])
        assert (debate.layout, debate.title, debate.question) == wanted
        assert len(re.findall(r"\n\n|$", debate.introduction)) == truth["introduction"]
        assert told(debate.pros) == truth["pros"]
        assert told(debate.cons) == truth["cons"]
        assert {str(source.number): urlsplit(source.url).path for source in debate.sources} == truth[
            "sources"
        ]
        assert "never shown" not in debate.model_dump_json().replace("heard, but never shown", "")


def test_counterpoints_speak_for_the_other_side(corpus: CorpusDirectory) -> None:
    debates = list(corpus.debates())
    homework = next(debate for debate in debates if debate.id == "this-house-would-end-homework-b31")
    assert homework.pros[0].counterpoint == ("Short practice does pay: a trial in 84 schools found so [2].",)
    assert homework.pros[1].counterpoint == ("Bedtimes are for parents to set.",)
    ledger = [
        LedgerEntry(
            debate=debate.id, number=source.number, status="ok", document=_document(source.url, debate)
        )
        for debate in debates
        for source in debate.sources
    ]
    built = build_corpus(debates, ledger)
    for side in ("pro", "con"):
        relevant: dict[str, list[str]] = {}
        for split in ("train", "test"):
            for pair in built.qrels[side, split]:
                if pair.relevance:
                    relevant.setdefault(pair.query_id, []).append(pair.doc_id)
        wanted = {name: sorted(map(_slug, one[side])) for name, one in TRUTH.items() if one[side]}
        assert {name: sorted(found) for name, found in relevant.items()} == wanted


def _document(url: str, debate: Debate) -> str:
    """The document behind a source; the one without address is found by its title."""
    return _slug(urlsplit(url).path) if url else _slug("/evidence/free-transit/zero-fare-panel-study")


def _slug(path: str) -> str:
    return path.strip("/").replace("/", "-")


def test_an_index_lists_debates_under_its_headings(site: Site, tmp_path: Path) -> None:
    listed = tmp_path / "topics.txt"
    found = run_conqret("corpus", "topics", f"{site.url}/procon", "-o", str(listed), *POLITE)
    assert found.code == 0
    assert "2 debates listed on 1 page" in found.output
    assert "1 explainer left as comments: an explainer takes no side" in found.output
    assert listed.read_text(encoding="utf-8").splitlines() == [
        f"# {site.url}/procon",
        "# New",
        f"{site.url}/procon/zoo-elephants-debate",
        "# Transport",
        f"{site.url}/procon/night-trams-debate",
        f"# explainer, without sides: {site.url}/procon/fare-zones-explainer",
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere", "not-found (HTTP 404)"),
        ("", "no layout finds a list of debates on it; it links to 12 pages: "),
    ],
)
def test_what_is_no_index_says_what_it_is(site: Site, tmp_path: Path, path: str, said: str) -> None:
    found = run_conqret("corpus", "topics", f"{site.url}/{path}", "-o", tmp_path / "topics.txt", *POLITE)
    assert found.code != 0
    assert said in found.output
    assert not (tmp_path / "topics.txt").exists()
