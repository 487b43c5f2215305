"""Retrieval by vectors: the search is exact, and a killed build goes on."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from conqret.errors import DeclarationError
from conqret.retrieval import BM25, Fusion, build_index, open_index, vectors
from conqret.retrieval.engines import get_engine
from conqret.retrieval.rescoring import CrossEncoder
from conqret.retrieval.text_encoding import Encoding
from conqret.text.text_passages import passages
from tests.commands import run_conqret
from tests.needed import Needed

Needed("sentence_transformers", reason="the extra dense is not installed")

FIXTURES = Path(__file__).parents[2] / "fixtures" / "corpus"


def _lines(name):
    return [json.loads(line) for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines()]


WORDS = 40


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """Random vectors of words, as sentence-transformers keeps a model."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordLevelTrainer(
        vocab_size=3000, special_tokens=["[PAD]", "[UNK]"], show_progress=False
    )
    words.train_from_iterator((line["text"] for line in _lines("documents.jsonl")), trainer)
    torch.manual_seed(13)
    model = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=64)], device="cpu")
    folder = tmp_path_factory.mktemp("encoder") / "small"
    model.save(str(folder), create_model_card=False)
    return folder


def _brute(index, questions, depth):
    """Every document by the product of its best passage, with the library alone."""
    model = index.searcher.encoder._query._model
    texts = [entry.whole for entry in index.collection.documents()]

    def unit(found):
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    asked = unit(model.encode(questions))
    scores = np.array([(unit(model.encode(passages(text, WORDS))) @ asked.T).max(axis=0) for text in texts]).T
    return [list(np.argsort(-row, kind="stable")[:depth]) for row in scores], scores


def test_the_search_is_exact(encoder, tmp_path, monkeypatch):
    folder = shutil.copytree(FIXTURES, tmp_path / "corpus")
    trained = build_index(folder, engine="dense", settings=Encoding(str(encoder), passage_words=WORDS))
    questions = [line["question"] for line in _lines("topics.jsonl")]
    expected, scores = _brute(trained, questions, 20)
    for scanned, asked in ((vectors.SCANNED, vectors.QUERIES_AT_ONCE), (7, 5)):
        monkeypatch.setattr(vectors, "SCANNED", scanned)
        monkeypatch.setattr(vectors, "QUERIES_AT_ONCE", asked)
        hits = trained.search(questions, 20)
        assert list(hits.queries) == [place for place in range(len(questions)) for _ in range(20)]
        found = hits.documents.reshape(len(questions), 20)
        assert hits.scores == pytest.approx(np.take_along_axis(scores, found, axis=1).ravel(), abs=1e-5)
        assert hits.scores == pytest.approx(
            [scores[row, one] for row, best in enumerate(expected) for one in best], abs=1e-5
        )


def test_fusion_by_hand():
    import pyterrier as pt

    def ranking(scores):
        rows = [("1", "q", name, score, place) for place, (name, score) in enumerate(scores.items())]
        return pt.Transformer.from_df(
            pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank"]), uniform=True
        )

    one, other = ranking({"a": 9.0, "b": 5.0, "c": 1.0}), ranking({"b": 0.5, "d": 0.4})
    asked = pd.DataFrame({"qid": ["1"], "query": ["q"]})
    ranked = Fusion(one, other)(asked)
    assert list(ranked["docno"]) == ["b", "a", "d", "c"]
    assert list(ranked["score"]) == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63])
    scored = Fusion(one, other, weights=(0.4, 0.6))(asked)
    assert list(scored["docno"]) == ["b", "a", "c", "d"]
    assert list(scored["score"]) == pytest.approx([0.8, 0.4, 0, 0])
    assert list((Fusion(one, other) % 2)(asked)["rank"]) == [0, 1]
    with pytest.raises(DeclarationError, match="each of the 2 rankings needs a weight"):
        Fusion(one, other, weights=(-1, 2))


def test_a_changed_model_is_refused(corpus, encoder, tmp_path):
    build_index(corpus, engine="dense", settings=Encoding(str(encoder), passage_words=5))
    copy = shutil.copytree(encoder, tmp_path / "copy")
    moved = open_index(corpus, "dense", {"encoder": str(copy)})
    assert not moved.fresh
    settings = copy / "config_sentence_transformers.json"
    settings.write_text(settings.read_text() + " ")
    with pytest.raises(DeclarationError, match=r"another model than .*copy has now.*--engine dense"):
        open_index(corpus, "dense", {"encoder": str(copy)})
    assert build_index(corpus, engine="dense", settings=Encoding(str(copy))).fresh
    assert BM25(corpus).index.engine != "dense"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_build_goes_on(tmp_path, monkeypatch):
    rows = [{"id": f"d{n}", "text": f"tram {n} " * 30} for n in range(60)]
    (tmp_path / "documents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(vectors, "BLOCK", 10)
    chosen, seen = Encoding("tests.retrieval.letters:load", passage_words=20), []

    def killed():
        seen.append(1)
        if len(seen) == 45:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        try:
            build_index(tmp_path, engine="dense", settings=chosen, on_document=killed)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    (left,) = tmp_path.glob(".index-dense.*/index/engine/passages.i32")
    assert 0 < left.stat().st_size // 4 < 60
    index = build_index(tmp_path, engine="dense", settings=chosen)
    assert len(index) == len(index.searcher.vectors.counts) == 60
    assert len(index.searcher.vectors.rows) == 180


def test_known_models_have_their_settings(tmp_path):
    def settled(name, **given):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text("{}")
        return Encoding(str(folder), **given).settled(get_engine("dense"))

    e5 = settled("e5-base-v2")
    wanted = ("query: ", "passage: ", "mean", True)
    assert (e5.query_prefix, e5.passage_prefix, e5.pooling, e5.normalise) == wanted
    assert settled("e5-base-v2", query_prefix="").query_prefix == ""
    settled("dpr-question_encoder-single-nq-base")
    dpr = settled("dpr-ctx_encoder-single-nq-base")
    assert dpr.query_encoder == str(tmp_path / "dpr-question_encoder-single-nq-base")
    assert dpr.pooling == "pooler"
    assert "dot product" in str(dpr)


def test_bare_models_are_pooled_as_declared(tmp_path):
    import torch
    from transformers import AutoModel, AutoTokenizer, DPRConfig, DPRContextEncoder, DPRQuestionEncoder

    from conqret.retrieval.vectors import load
    from tests.local.small_seq2seq import encoder as small_bert

    def vectors_of(folder, **given):
        return load(Encoding(str(folder), **given).settled(get_engine("dense")))

    texts = ["Cars should go.", "It depends on whom you ask: drivers and walkers see it differently.", "No."]
    (tmp_path / "bert").mkdir()
    folder = Path(small_bert(tmp_path / "bert"))
    own = vectors_of(folder).passages(texts)
    (folder / "modules.json").unlink()
    words, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        states = [model(**words(text, return_tensors="pt")).last_hidden_state[0] for text in texts]
    by_hand = {"mean": [state.mean(0) for state in states], "cls": [state[0] for state in states]}
    by_hand["last"] = [state[-1] for state in states]
    for pooling, expected in by_hand.items():
        bare = vectors_of(folder, pooling=pooling, max_tokens=64)
        assert bare.passages(texts) == pytest.approx(torch.stack(expected).numpy(), abs=1e-5)
    assert vectors_of(folder, normalise=True, max_tokens=24).queries(texts) == pytest.approx(own, abs=1e-5)

    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    small = DPRConfig(vocab_size=len(words), **sizes, max_position_embeddings=64)
    for kind, made in (("ctx", DPRContextEncoder), ("question", DPRQuestionEncoder)):
        place = tmp_path / f"dpr-{kind}_encoder"
        words.save_pretrained(place)
        made(small).eval().save_pretrained(place)
    dpr = vectors_of(tmp_path / "dpr-ctx_encoder")
    for kind, made, found in (
        ("ctx", DPRContextEncoder, dpr.passages),
        ("question", DPRQuestionEncoder, dpr.queries),
    ):
        model = made.from_pretrained(tmp_path / f"dpr-{kind}_encoder").eval()
        with torch.inference_mode():
            expected = model(**words(texts[1:2], return_tensors="pt")).pooler_output.numpy()
        assert found(texts)[1:2] == pytest.approx(expected, abs=1e-5)


def test_a_library_that_would_run_a_models_code_is_refused(monkeypatch, corpus, encoder):
    library = pytest.importorskip("sentence_transformers")
    monkeypatch.setattr(library, "__version__", "5.6.1")
    with pytest.raises(DeclarationError, match=r"runs code that comes with a model.*conqret\[dense\]"):
        build_index(corpus, engine="dense", settings=Encoding(str(encoder)))
    with pytest.raises(DeclarationError, match="runs code that comes with a model"):
        CrossEncoder(str(encoder))


def test_an_adapter(corpus):
    index = build_index(corpus, engine="dense", settings=Encoding("tests.retrieval.letters:load"))
    assert "an adapter, which runs code of its own" in str(index.settings)
    (first, *_) = index.search(["cab"], 3).documents
    assert index.ids[first] == "trams-pro-2"
    for name, told in (("nothing", "must return an encoder"), ("missing", "cannot be loaded")):
        with pytest.raises(DeclarationError, match=told):
            build_index(corpus, engine="dense", settings=Encoding(f"tests.retrieval.letters:{name}"))


class Running:
    """What runs code where it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch ran",)


@pytest.mark.parametrize(
    ("encoder", "told"),
    [
        ("corpus/model", "cannot be loaded"),
        ("corpus.readme_tools:make", "--encoder corpus.readme_tools:make"),
    ],
)
def test_a_strangers_corpus_runs_no_code(encoder, told, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (corpus / "model").mkdir()
    (corpus / "index-dense").mkdir()
    own = {"AutoModel": "readme_tools.make", "AutoConfig": "readme_tools.make"}
    config = {"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    manifest = {"fingerprint": "0" * 16, "engine": "dense", "settings": {"encoder": encoder}}
    for name, said in {
        "model/modules.json": [{"idx": 0, "name": "0", "path": "", "type": "corpus.readme_tools.make"}],
        "model/config.json": {**config, "architectures": ["BertModel"], "auto_map": own},
        "index-dense/index.json": manifest,
    }.items():
        (corpus / name).write_text(json.dumps(said))
    for folder in (corpus, corpus / "model"):
        (folder / "readme_tools.py").write_text("import pathlib\npathlib.Path('ran').touch()\nmake = 9\n")
    (corpus / "model" / "pytorch_model.bin").write_bytes(pickle.dumps(Running()))
    done = run_conqret("retrieve", "run", "corpus", "--engine", "dense", "-o", "out.res")
    assert not (tmp_path / "ran").exists()
    assert done.code == 2
    assert told in done.err
