"""A model that reads question and passage together: the best passage counts, and an instruction is read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from conqret.retrieval import BM25, CrossEncoder, build_index
from conqret.text.text_passages import passages
from tests.needed import Needed
from tests.retrieval import letters

Needed("sentence_transformers", reason="the extra dense is not installed")

RANKED = pd.DataFrame(
    {
        "qid": ["1"] * 3 + ["2"],
        "query": ["trams run late"] * 3 + ["cats"],
        "docno": list("abcd"),
        "title": ["", "late", "", ""],
        "score": [3.0, 2.0, 1.0, 1.0],
        "text": ["trams of towns", "nothing at all", "x y z trams run late", "cats"],
    }
)


def test_the_best_passage_counts(monkeypatch):
    monkeypatch.setattr("conqret.retrieval.rescoring.WORDS", 3)
    found = CrossEncoder("tests.retrieval.letters:overlap")(RANKED)
    assert list(found["docno"]) == ["c", "a", "b", "d"]
    assert list(found["score"]) == [3, 1, 1, 1]
    assert list(found["rank"]) == [0, 1, 2, 0]
    assert list(CrossEncoder("tests.retrieval.letters:overlap", candidates=1)(RANKED)["docno"]) == ["a", "d"]


def test_an_instruction_stands_beside_the_question():
    letters.READ.clear()
    CrossEncoder("tests.retrieval.letters:overlap", instruction="Find both sides.")(RANKED.iloc[:1])
    assert letters.READ == [("Find both sides. [SEP] trams run late", "trams of towns")]


@pytest.mark.parametrize("labels", [1, 2])
def test_a_model_scores_as_it_does_alone(labels, corpus, tmp_path, monkeypatch):
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    from tests.local.small_seq2seq import encoder as small_bert

    words = AutoTokenizer.from_pretrained(small_bert(tmp_path))
    words.save_pretrained(tmp_path / "reranker")
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    sizes |= {"max_position_embeddings": 64, "initializer_range": 0.5}
    config = BertConfig(vocab_size=len(words), **sizes, num_labels=labels)
    model = BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path / "reranker")
    monkeypatch.setattr("conqret.retrieval.rescoring.WORDS", 9)
    pipeline = BM25(build_index(corpus)) % 3 >> CrossEncoder(str(tmp_path / "reranker"))
    found = pipeline.search("Should cats be kept indoors?")
    assert found["score"].is_monotonic_decreasing
    for text, score in zip(found["text"], found["score"], strict=True):
        logits = []
        for passage in passages(text, 9):
            read = words("Should cats be kept indoors?", passage, truncation=True, return_tensors="pt")
            with torch.inference_mode():
                logits.append(model(**read).logits[0].numpy())
        best = max(logit[1] - logit[0] if labels == 2 else 1 / (1 + np.exp(-logit[0])) for logit in logits)
        assert score == pytest.approx(best, abs=1e-4)
