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
    again = cli("corpus", "import", good, good, "-o", out)  # that an id stands twice the index says
    assert again.code == 0
    assert "repeats the id '1'" in cli("retrieve", "index", out, "--engine", "bm25s").err
