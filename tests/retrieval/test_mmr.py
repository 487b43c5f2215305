"""Maximal marginal relevance on cases worked out by hand."""

import pandas as pd

from conqret.retrieval import MMR


def test_a_copy_falls_behind_something_new(monkeypatch):
    frame = pd.DataFrame(
        {
            "qid": "1",
            "query": "q",
            "docno": list("abc"),
            "score": [9.0, 8.9, 5.0],
            "text": ["trams cost money", "trams cost money", "cyclists fall on rails"],
        }
    )
    assert list(MMR(0.5)(frame)["docno"]) == ["a", "c", "b"]
    assert list(MMR(1.0)(frame)["docno"]) == ["a", "b", "c"]
    monkeypatch.setattr("conqret.retrieval.rescoring.CANDIDATES", 2)
    assert list(MMR(0.5)(frame)["docno"]) == ["a", "b", "c"]
