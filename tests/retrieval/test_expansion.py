"""Perspectives: asked for, searched with, merged."""

import pandas as pd
import pytest

from conqret.data import Reason
from conqret.llm import failed_requests
from conqret.llm.client_options import ClientOptions
from conqret.retrieval import BM25, PerspectiveExpansion, build_index
from conqret.retrieval.first_stage import round_robin
from tests.server import FaultPlan, FaultServer

QUESTION = pd.DataFrame({"qid": ["cats"], "query": ["Should cats be kept indoors?"]})


@pytest.fixture
def bm25(corpus):
    return BM25(build_index(corpus))


def perspectives(*texts):
    return lambda body: {
        "perspectives": [{"name": f"view {n}", "text": text} for n, text in enumerate(texts, 1)]
    }


def options(server, **more):
    return ClientOptions("openai/writer", api_base=server.url, api_key="sk-test", timeout=20.0, **more)


def test_round_robin_by_hand():
    assert round_robin([list("abc"), list("bd"), []]) == [("a", 0), ("b", 1), ("d", 1), ("c", 0)]
    assert round_robin([list("abc"), list("xyz")], 3) == [("a", 0), ("x", 1), ("b", 0)]
    assert round_robin([]) == []


def test_each_perspective_brings_its_best_document_in_turn(bm25):
    with FaultServer(answer=perspectives("bake dough", "cyclists dangerous trams")) as server:
        expansion = PerspectiveExpansion(bm25, options(server))
        found = expansion(QUESTION)
    assert list(found["docno"][:2]) == ["bread", "trams-con-2"]
    assert list(found["perspective"][:2]) == ["view 1", "view 2"]
    assert found["docno"].is_unique
    assert set(found["query"]) == {"Should cats be kept indoors?"}
    assert set(found["qid"]) == {"cats"}
    assert list(found["rank"]) == list(range(len(found)))
    assert found["expanded"].all()
    assert [perspective.name for perspective in expansion.expanded[0].perspectives] == ["view 1", "view 2"]


def test_without_perspectives_the_question_itself_is_searched_with(bm25, monkeypatch):
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)
    with FaultServer(FaultPlan(always="server_error")) as server:
        expansion = PerspectiveExpansion(bm25, options(server, max_attempts=1))
        found = expansion(QUESTION)
    assert list(found["docno"]) == list(bm25(QUESTION)["docno"])
    assert not found["expanded"].any()
    assert expansion.expanded[0].reason is Reason.SERVER_ERROR
