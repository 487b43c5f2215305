"""A corpus for each question: pages of a search in passages, and no question is searched in another's."""

import contextlib
import json

import pandas as pd
import pytest

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")

from conqret.data import Document, Reason
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.debateqa.curation.page_sources import PageEvidence
from conqret.errors import DeclarationError
from conqret.io.questions import SourcedQuestion
from conqret.perspectives.own_corpora import collect_corpora, questions_of
from conqret.retrieval.collection import CORPORA, own_folder
from conqret.retrieval.corpus_index import build_index, open_index
from conqret.retrieval.engines import get_engine
from conqret.retrieval.pipeline import assemble
from conqret.retrieval.system_names import PipelinePlan
from conqret.runs.session import Session

QUESTIONS = [SourcedQuestion("trams", "Do trams pay?"), SourcedQuestion("cats", "Do cats pay?")]
PAGES = {
    "Do trams pay?": [
        ("a", "Trams pay. " + "Rails last long. " * 10),
        ("b", "Cities pay for trams and cats."),
    ],
    "Do cats pay?": [("b", "Cities pay for trams and cats."), ("c", "Cats pay nobody.")],
}


class Web:
    """What a search found, by question; ``broken`` ones give no answer."""

    name = described = "a web in memory"

    def __init__(self, broken=()):
        self.broken, self.asked = set(broken), []
        self.pages = {
            name: PageEvidence(Document(id=name, text=text, title="", url=f"https://e.org/{name}"), "CC0")
            for page in PAGES.values()
            for name, text in page
        }

    def opened(self, folder):
        return contextlib.nullcontext()

    async def search(self, queries, depth):
        (query,) = queries
        self.asked.append(query)
        if query in self.broken:
            raise NoValidResponse(Reason.CONNECTION, "search failed (google: HTTP 503)")
        return [[*(name for name, _ in PAGES[query][:depth]), "https://gone.org"]]

    def read(self, identifiers):
        return [self.pages[identifier] for identifier in identifiers if identifier in self.pages]


def questions_file(folder):
    file = folder / "questions.jsonl"
    rows = [{"id": question.id, "question": question.question} for question in QUESTIONS]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def collect(source, folder):
    """What is collected from a web in memory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("conqret.perspectives.own_corpora.web_source", lambda *given, **settings: source)
        file = questions_file(folder.parent)
        return collect_corpora(file, search="google", user_agent="us", output=folder)[0]


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "web"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("conqret.perspectives.own_corpora.WORDS", 10)
        collect(Web(), folder)
    return folder


def test_each_question_has_its_own_passages(web):
    rows = [json.loads(line) for line in (web / CORPORA).read_text().splitlines()]
    assert [(row["id"], row["results"], row["pages"], row["passages"]) for row in rows] == [
        ("trams", 3, 2, 5),
        ("cats", 3, 2, 2),
    ]
    lines = [
        json.loads(line) for line in (own_folder(web, "trams") / "documents.jsonl").open(encoding="utf-8")
    ]
    assert {len(line["text"].split()) for line in lines[:3]} == {10}
    assert [line["id"] for line in lines] == ["a-1", "a-2", "a-3", "a-4", "b-1"]
    assert (lines[0]["url"], lines[0]["licence"]) == ("https://e.org/a", "CC0")


def test_a_failed_search_is_asked_again_and_nothing_else(tmp_path):
    folder, broken = tmp_path / "web", Web(["Do cats pay?"])
    first = collect(broken, folder)
    assert [one.problem for one in first] == ["", "search failed (google: HTTP 503)"]
    broken.broken.clear()
    again = collect(broken, folder)
    assert broken.asked.count("Do trams pay?") == 1
    assert [one.problem for one in again] == ["", ""]


@pytest.mark.parametrize("engine", ["bm25s", "dense"])
def test_no_question_is_searched_in_anothers_corpus(web, engine):
    given = {"encoder": "tests.retrieval.letters:load"} if engine == "dense" else {}
    index = build_index(web, engine=engine, settings=get_engine(engine).declared(given))
    topics = ["trams", "cats", "cats:opposing", "cats:0:1", "nobody"]
    hits = index.search(["pay for trams and cats"] * 5, 10, topics)
    found = {topic: [] for topic in topics}
    for query, document in zip(hits.queries, hits.documents, strict=True):
        found[topics[query]].append(index.ids[document])
    assert "b-1" in found["trams"]
    assert set(found["trams"]) <= {"a-1", "a-2", "a-3", "a-4", "b-1"}
    assert {"b-1"} <= set(found["cats"]) <= {"b-1", "c-1"}
    assert found["cats"] == found["cats:opposing"] == found["cats:0:1"]
    assert found["nobody"] == []
    # Each is as if it stood alone: the words of one corpus weigh nothing in another.
    alone = open_index(own_folder(web, "cats"), engine if engine == "dense" else None, given)
    own = alone.search(["pay for trams and cats"], 10)
    assert [alone.ids[document] for document in own.documents] == found["cats"]
    assert list(own.scores) == list(hits.scores[hits.queries == 1])
    assert index.entries(["c-1", "zzz"])["c-1"].url == "https://e.org/c"
    with pytest.raises(DeclarationError, match="a corpus for each question"):
        index.search(["pay"], 10)


def test_perspectives_and_mmr_stay_in_the_questions_corpus(web):
    made = assemble(open_index(web, "bm25s"), PipelinePlan(perspectives=True, mmr=0.9), Session("offline"))
    frame = made.pipeline(pd.DataFrame({"qid": ["trams", "cats"], "query": list(PAGES)}))
    by_topic = frame.groupby("qid")["docno"].agg(set)
    assert by_topic["cats"] <= {"b-1", "c-1"}
    assert "a-1" in by_topic["trams"]


def test_corpora_that_cannot_be_searched(tmp_path):
    (tmp_path / CORPORA).write_text('{"id": "q", "passages": 0}\n')
    with pytest.raises(DeclarationError, match="no question has a document"):
        open_index(tmp_path)
    lines = "".join(json.dumps({"id": one, "passages": 1}) + "\n" for one in ("q", "r"))
    (tmp_path / CORPORA).write_text(lines)
    for one in ("q", "r"):
        folder = own_folder(tmp_path, one)
        folder.mkdir(parents=True)
        (folder / "documents.jsonl").write_text(json.dumps({"id": "1", "text": f"About {one}."}) + "\n")
    with pytest.raises(DeclarationError, match="belongs to another text in another"):
        open_index(tmp_path, "bm25s").entries(["1"])


def test_questions_keep_the_ids_under_which_they_are_scored(tmp_path):
    file = tmp_path / "views.jsonl"
    file.write_text(json.dumps({"question": "Do trams pay?", "perspectives": ["Yes.", "No."]}) + "\n")
    assert [question.id for question in questions_of(file)] == ["1"]
    file.write_text('{"question": "Do trams pay?"}\n')
    assert [question.id for question in questions_of(file)] == ["views-1"]
