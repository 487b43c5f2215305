"""`conqret corpus import`: all of a file or nothing, and a corpus that can be indexed."""

import json

import pytest

from conqret.io.corpus_folder import CorpusDirectory
from tests.io.test_passages import WIKIPEDIA


def test_passages_become_a_corpus(cli, tmp_path):
    pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")
    good, bad = tmp_path / "good.tsv", tmp_path / "bad.jsonl"
    good.write_text(WIKIPEDIA, encoding="utf-8")
    bad.write_text('{"id": "1"}\n', encoding="utf-8")
    out = tmp_path / "corpus"
    refused = cli("corpus", "import", good, bad, "-o", out)
    assert refused.code == 2
    assert "Give the document its text" in refused.err
    assert not CorpusDirectory(out).documents_file.exists()
    assert cli("corpus", "import", good, "--url", "{text}").code == 2
    done = cli("corpus", "import", good, "-o", out, "--json")
    assert (done.code, json.loads(done.out)["passages"]) == (0, 2)
    assert [document.title for document in CorpusDirectory(out).documents()] == ["Aaron", "Tram (vehicle)"]
    assert json.loads(cli("retrieve", "index", out, "--engine", "bm25s", "--json").out)["documents"] == 2
    again = cli("corpus", "import", good, good, "-o", tmp_path / "twice")
    assert again.code == 2
    assert "good.tsv:2 [id] is '1', as in an earlier row" in " ".join(again.err.split())
    assert not CorpusDirectory(tmp_path / "twice").documents_file.exists()


def test_a_table_of_qrels_with_sides_makes_those_of_each_side(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.csv").write_text("id,text\na,yes\nb,no\nc,both\n", encoding="utf-8")
    (tmp_path / "topics.csv").write_text("id,question\nt,Why?\n", encoding="utf-8")
    rows = "query,doc,relevance,side\nt,a,1,pro\nt,b,1,Con\nt,c,1,con\nt,c,0,pro\n"
    (tmp_path / "sides.csv").write_text(rows, encoding="utf-8")
    typed = ("corpus", "import", "docs.csv", "--topics", "topics.csv", "--qrels", "sides.csv")
    assert cli(*typed, "-o", "c").code == 0
    corpus = CorpusDirectory(tmp_path / "c")
    found = {view: {row.doc_id: row.relevance for row in corpus.qrels_iter(view)} for view in corpus.views()}
    assert found == {"pro": {"a": 1, "c": 0}, "con": {"b": 1, "c": 1}, "all": {"a": 1, "b": 1, "c": 1}}
    (tmp_path / "sides.csv").write_text(rows.replace("pro", "for"), encoding="utf-8")
    refused = cli(*typed, "-o", "d")
    assert "sides.csv:2, 5 [side] is 'for', which is not a valid side" in " ".join(refused.err.split())
