"""The transformers keep PyTerrier's contract."""

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from conqret.errors import DeclarationError, UnknownNameError
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
    assert "text" not in BM25(bm25.index, texts=False)(QUESTIONS).columns


def test_nothing_in_nothing_out(bm25):
    pipeline = bm25 >> ListwiseReranker("offline", "pro") >> MMR()
    found = pipeline(QUESTIONS.iloc[:0])
    assert len(found) == 0
    assert {"qid", "docno", "score", "rank", "failed_windows"} <= set(found.columns)
    assert len(PerspectiveExpansion(bm25, "offline")(QUESTIONS.iloc[:0])) == 0


@pytest.mark.parametrize("name", ["bm25", "rerank", "mmr", "expansion"])
def test_pyterrier_can_look_into_them(bm25, name):
    transformer = {
        "bm25": bm25,
        "rerank": ListwiseReranker("offline", "con"),
        "mmr": MMR(),
        "expansion": PerspectiveExpansion(bm25, "offline"),
    }[name]
    inputs = pt.inspect.transformer_inputs(transformer)
    assert inputs
    for columns in inputs:
        assert {"qid", "docno"} <= set(pt.inspect.transformer_outputs(transformer, columns))


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


def test_wrong_calls(bm25):
    with pytest.raises(UnknownNameError, match="stance"):
        ListwiseReranker("offline", "both")
    with pytest.raises(DeclarationError, match="window"):
        ListwiseReranker("offline", window=5, step=6)
    with pytest.raises(DeclarationError, match="between 0 and 1"):
        MMR(1.5)
    with pytest.raises(DeclarationError, match="depth"):
        BM25(bm25.index, depth=0)
    with pytest.raises(DeclarationError, match="depth"):
        PerspectiveExpansion(bm25, "offline", depth=0)


def test_texts_for_rankings_that_hold_ids_alone(bm25):
    ranking = pd.DataFrame({"qid": "1", "query": "q", "docno": ["bread", "cats-pro-1"], "score": [2.0, 1.0]})
    found = (pt.Transformer.from_df(ranking) >> Texts(bm25.index)).transform(
        ranking[["qid", "query"]].iloc[:1]
    )
    assert found["text"][0].startswith("Knead")
    with pytest.raises(DeclarationError, match="no document 'elsewhere'"):
        Texts(bm25.index)(ranking.assign(docno=["elsewhere", "bread"]))
