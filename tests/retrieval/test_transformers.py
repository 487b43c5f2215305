"""The transformers keep PyTerrier's contract."""

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from conqret.errors import DeclarationError
from conqret.retrieval import BM25, MMR, ListwiseReranker, PerspectiveExpansion, Texts, build_index

QUESTIONS = pd.DataFrame(
    {"qid": ["cats", "none"], "query": ["Should cats be kept indoors?", "axolotl"], "more": [1, 2]}
)


@pytest.fixture
def bm25(corpus):
    return BM25(build_index(corpus), depth=8)


def test_columns_ranks_and_texts(bm25):
    found = bm25(QUESTIONS)
    assert list(found.columns) == ["qid", "query", "more", "docno", "score", "rank", "title", "text"]
    assert set(found["qid"]) == {"cats"}
    assert list(found["rank"]) == list(range(len(found)))
    assert found["score"].is_monotonic_decreasing
    assert all(name.startswith("cats") for name in found["docno"][:4])


def test_nothing_in_nothing_out(bm25):
    pipeline = bm25 >> ListwiseReranker("offline", "pro") >> MMR()
    found = pipeline(QUESTIONS.iloc[:0])
    assert len(found) == 0
    assert {"qid", "docno", "score", "rank", "failed_windows"} <= set(found.columns)
    assert len(PerspectiveExpansion(bm25, "offline")(QUESTIONS.iloc[:0])) == 0


def test_they_stand_in_an_experiment(bm25):
    qrels = pd.DataFrame({"qid": ["cats"] * 2, "docno": ["cats-pro-1", "cats-pro-2"], "label": [1, 1]})
    table = pt.Experiment(
        [bm25, bm25 >> ListwiseReranker("offline", "pro")],
        QUESTIONS.iloc[:1],
        qrels,
        [ir_measures.nDCG @ 10],
        names=["bm25", "pro"],
    )
    assert list(table["name"]) == ["bm25", "pro"]
    assert table["nDCG@10"][1] == 1.0


def test_texts_for_rankings_that_hold_ids_alone(bm25):
    ranking = pd.DataFrame({"qid": "1", "query": "q", "docno": ["bread", "cats-pro-1"], "score": [2.0, 1.0]})
    found = (pt.Transformer.from_df(ranking) >> Texts(bm25.index)).transform(
        ranking[["qid", "query"]].iloc[:1]
    )
    assert found["text"][0].startswith("Knead")
    with pytest.raises(DeclarationError, match="no document 'elsewhere'"):
        Texts(bm25.index)(ranking.assign(docno=["elsewhere", "bread"]))
