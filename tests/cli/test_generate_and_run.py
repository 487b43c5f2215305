"""``conqret generate arguments`` and ``conqret experiment`` from the command line."""

import json

import pytest

from conqret.io.trec import ScoredDoc, write_run
from tests.commands import run_conqret
from tests.generation.corpora import write_corpus

EXPERIMENT = """name = "tiny / one"
corpus = "corpus"
stances = ["pro"]
topics = ["buses"]
[retrievers.given]
run = "pro.res"
[generators.floor]
shots = 1
[[systems]]
retriever = ["given"]
generator = ["floor"]
[[judges]]
format = "rag-fine-grained"
[models."gpt-4o-mini"]
rpm = 5
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_corpus(tmp_path / "corpus")
    write_run(tmp_path / "pro.res", [ScoredDoc("buses", f"buses-{n}", 9.0 - n) for n in (1, 2, 3)])
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_generate(folder):
    given = (
        *("generate", "arguments", "corpus", "--run", "pro.res", "--stance", "pro", "--shots", "2"),
        *("-k", "2"),
    )
    printed = run_conqret(*given)
    assert printed.code == 0
    assert "1 of 1 argument written" in printed.out
    assert "lexical baseline and no author" in printed.err
    assert (folder / "runs" / "pro-offline" / "items.jsonl").is_file()
    printed = run_conqret(*given, "--json", "-q")
    assert printed.code == 0
    session = json.loads(printed.out)["session"]
    assert (session["sent"], session["kept"], session["cost_usd"]) == (0, 1, 0.0)
    assert printed.err == ""
    printed = run_conqret("judge", "runs/pro-offline/items.jsonl", "-q", "-o", "judged")
    assert printed.code == 0


def test_generate_names_what_is_wrong(folder):
    given = ("generate", "arguments", "corpus", "--run", "pro.res", "--stance", "pro", "-o", "out")
    for extra, words in (
        (("--shots", "9"), "lower --shots"),
        (("--strategy", "extractive", "--model", "gpt-4o"), "extractive uses no model; leave out --model"),
    ):
        printed = run_conqret(*given, *extra)
        assert (printed.code, words in " ".join(printed.err.split())) == (2, True)
        assert not (folder / "out").exists()
    (folder / "corpus" / "debates.jsonl").unlink()
    printed = run_conqret(*given)
    assert printed.code == 0
    assert "no expert arguments (debates.jsonl), so the prompt has no examples" in printed.err


def test_run(folder):
    pytest.importorskip("pyterrier")
    pytest.importorskip("ir_measures")
    printed = run_conqret("experiment", "experiment.toml")
    assert printed.code == 0
    assert "given+floor" in printed.out
    out = folder / "runs" / "tiny-one"
    for name in ("scores.parquet", "summary.json", "tables.md"):
        assert (out / name).is_file()
    page = (out / "report.html").read_text(encoding="utf-8")
    judged = "judgments/given+floor/rag-fine-grained-offline/report.html"
    assert judged in page
    assert (out / judged).is_file()
    printed = run_conqret("experiment", "experiment.toml", "-q", "--json")
    assert json.loads(printed.out)["arguments"]["given+floor"]["written"] == 1
    (out / "report.html").unlink()
    assert run_conqret("runs", "report", str(out)).code == 0
    assert (out / "report.html").read_text(encoding="utf-8") == page
    printed = run_conqret("runs", "report", str(out), "--to", "page.html")
    assert (printed.code, "whose page is already in its folder" in printed.err) == (2, True)
