"""Algorithm 1: which documents are read, what is filtered and counted, and that a stopped run goes on."""

import json

import pytest
from aiohttp import web

from conqret.data import Reason
from conqret.debateqa.curation import benchmark
from conqret.debateqa.curation.algorithm import UNSTATED, CurationPlan
from conqret.debateqa.curation.page_sources import TrustedDomains
from conqret.debateqa.debateqa_files import read_questions
from conqret.io import open_items
from conqret.llm import failed_requests
from conqret.llm.client_options import ClientOptions
from tests.debateqa.curation.memory import MemorySource, scripted
from tests.server import FaultServer

QUESTIONS = (
    {"id": "q", "question": "Are trams cheap?", "licence": "CC-BY"},
    {"id": "r", "question": "Should trams run?"},
)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Curates the questions with a source in memory."""
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))

    def made(server, folder, source=None, plan=None, trusted=None):
        monkeypatch.setattr(benchmark, "page_source", lambda *named, **how: source or MemorySource())
        monkeypatch.setattr(benchmark, "read_trusted", lambda path: trusted or TrustedDomains())
        return benchmark.curate_benchmark(
            file,
            corpus="memory",
            trusted="mine",
            plan=plan or CurationPlan(),
            output=folder,
            model=ClientOptions("openai/author", api_base=server.url),
        )

    return made


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_benchmark_rests_on_trusted_documents_alone(run, tmp_path):
    source = MemorySource()
    with FaultServer(answer=scripted()) as server:
        done = run(server, tmp_path / "out", source, plan=CurationPlan(keep=4))
    summary = done.summary
    assert (summary.kept, summary.partial_answers, summary.unanswered) == (2, 6, {})
    # Seven are found for each, of which c.com and the one without address are not trusted; five are reranked.
    assert (summary.found, summary.trusted) == (14, 10)
    first, second = lines(tmp_path / "out" / "benchmark.jsonl")
    assert (first["licence"], second["licence"]) == ("CC-BY", UNSTATED)
    # The reranker turns the five around, and four are kept: d7, d5, d4, d2.
    assert [one["documents"] for one in first["partial_answers"]] == [["d7"], ["d7", "d5"], ["d7", "d4"]]
    assert first["partial_answers"][1]["explanation"] == "Because of View 1."
    texts = lines(tmp_path / "out" / "documents.jsonl")
    assert [(text["id"], text["url"]) for text in texts] == [
        ("d7", "https://f.pro/6"),
        ("d5", "http://e.org/5"),
        ("d4", "https://d.edu/4"),
        ("d2", "https://b.gov/2"),
    ]
    assert {text["licence"] for text in texts} == {UNSTATED}
    assert summary.unstated_licences == 4
    read = read_questions(tmp_path / "out" / "benchmark.jsonl")
    wanted = ["View 0.", "View 1.", "View 2."]
    assert [partial_answer.point_of_view for partial_answer in read["q"].partial_answers] == wanted
    items = list(open_items(tmp_path / "out" / "items.jsonl"))
    assert [(item.id, len(item.documents)) for item in items[:2]] == [("q#1", 1), ("q#2", 2)]


def test_what_is_asked_holds_the_documents_without_addresses_and_those_of_the_view_alone(run, tmp_path):
    with FaultServer(answer=scripted()) as server:
        run(server, tmp_path / "out")
        bodies = [request.body["messages"][1]["content"] for request in server.requests]
    views = [
        body
        for body in bodies
        if "</documents>" in body and "<perspective>" not in body and "<question>" in body
    ]
    assert len(views) == 2
    assert all(
        body.count("<document number") == 5 and "https://" not in body and "__" not in body for body in views
    )
    explained = sorted(body.count("<document number") for body in bodies if "<perspective>" in body)
    assert explained == [1, 1, 2, 2, 2, 2]


def test_questions_with_too_little_are_filtered_and_counted(run, tmp_path):
    few = MemorySource(("https://a.org", "https://b.com", "https://c.gov"))
    with FaultServer(answer=scripted()) as server:
        summary = run(server, tmp_path / "few", few).summary
        assert len(server.requests) == 2  # the queries: nothing is asked over two documents
        assert (summary.few_documents, summary.few_views, summary.kept) == (2, 0, 0)
        assert lines(tmp_path / "few" / "filtered.jsonl")[0]["detail"] == "2 trusted documents"
        mine = TrustedDomains((".org", ".gov", "b.com"))
        assert run(server, tmp_path / "mine", few, trusted=mine).summary.kept == 2
    with FaultServer(answer=scripted(views=2)) as server:
        summary = run(server, tmp_path / "views").summary
        assert (summary.few_views, summary.kept) == (2, 0)
        assert lines(tmp_path / "views" / "filtered.jsonl")[1]["why"] == "few points of view"


def test_documents_are_cut_to_the_budget_one_by_one_and_together(run, tmp_path, monkeypatch):
    monkeypatch.setattr("conqret.debateqa.curation.algorithm.DOCUMENT_TOKENS", 300)
    monkeypatch.setattr("conqret.debateqa.curation.algorithm.PROMPT_TOKENS", 450)
    source = MemorySource(("https://a.org", "https://b.org", "https://c.org"), text="word " * 500)
    with FaultServer(answer=scripted()) as server:
        summary = run(server, tmp_path / "out", source).summary
        shown = next(
            request.body["messages"][1]["content"]
            for request in server.requests
            if "2000" not in str(request.body) and "</documents>" in str(request.body)
        )
    assert 400 <= shown.count("word") <= 450
    assert summary.cut_tokens > 0


def test_a_run_that_failed_goes_on_where_it_stopped(run, tmp_path):
    good = scripted()

    def failing(body):
        if "points_of_view" in str(body):
            raise web.HTTPBadRequest
        return good(body)

    with FaultServer(answer=failing) as server:
        summary = run(server, tmp_path / "out").summary
        assert (summary.unanswered, summary.kept) == ({Reason.BAD_REQUEST: 2}, 0)
        asked = len(server.requests)
        server.answer = good
        summary = run(server, tmp_path / "out").summary  # goes on: only what is missing is asked
        assert summary.kept == 2
        assert len(server.requests) == asked + 2 + 6
        assert run(server, tmp_path / "out").session.sent == 0


def test_more_views_sampling_and_another_reranker(run, tmp_path):
    source = MemorySource(tuple(f"https://a.org/{place}" for place in range(7)))
    plan = CurationPlan(
        views=12, rerank="tests.retrieval.letters:overlap", keep=3, temperature=0.7, top_p=0.6
    )
    with FaultServer(answer=scripted(views=12)) as server:
        summary = run(server, tmp_path / "many", source, plan=plan).summary
        bodies = [request.body for request in server.requests]
    assert summary.partial_answers == 24
    assert len(bodies) == 2 * (2 + 12)  # no request ranks documents
    assert {(body["temperature"], body["top_p"]) for body in bodies} == {(0.7, 0.6)}
