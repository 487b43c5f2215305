"""``conqret generate arguments`` and ``conqret experiment`` from the command line."""

import json
import sys

import pytest

from conqret.cli.main import main
from conqret.io.trec import ScoredDoc, write_run
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


def conqret(monkeypatch, *arguments) -> int:
    monkeypatch.setattr(sys, "argv", ["conqret", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_corpus(tmp_path / "corpus")
    write_run(tmp_path / "pro.res", [ScoredDoc("buses", f"buses-{n}", 9.0 - n) for n in (1, 2, 3)])
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_generate(folder, monkeypatch, capsys):
    given = (
        "generate",
        "arguments",
        "corpus",
        "--run",
        "pro.res",
        "--stance",
        "pro",
        "--shots",
        "2",
        "-k",
        "2",
    )
    assert conqret(monkeypatch, *given) == 0
    printed = capsys.readouterr()
    assert "1 of 1 argument written" in printed.out
    assert "lexical baseline and no author" in printed.err
    assert (folder / "runs" / "pro-offline" / "items.jsonl").is_file()
    assert conqret(monkeypatch, *given, "--json", "-q") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["session"] == {
        "sent": 0,
        "recorded": 0,
        "kept": 1,
        "cost_usd": 0.0,
        "estimated": 0,
        "retried": 0,
        "failures": {},
        "stopped": "",
        "others": {},
    }
    assert printed.err == ""
    assert conqret(monkeypatch, "judge", "runs/pro-offline/items.jsonl", "-q", "-o", "judged") == 0


def test_generate_names_what_is_wrong(folder, monkeypatch, capsys):
    given = ("generate", "arguments", "corpus", "--run", "pro.res", "--stance", "pro", "-o", "out")
    for extra, words in (
        (("--shots", "9"), "lower --shots"),
        (("-k", "0"), "-k"),
        (("--prompts", "nowhere"), "not a folder"),
        (("--strategy", "citd"), "did you mean 'cited'"),
        (("--strategy", "extractive", "--model", "gpt-4o"), "extractive uses no model; leave out --model"),
        (("--model", "local/gpt2"), "an argument needs a response in a given structure"),
        (("--replay", "nowhere"), "no recordings"),
    ):
        assert conqret(monkeypatch, *given, *extra) == 2
        assert words in " ".join(capsys.readouterr().err.split())
        assert not (folder / "out").exists() or "--replay" in extra
    assert conqret(monkeypatch, *given[:3], "no.res", *given[4:]) == 2
    (folder / "corpus" / "debates.jsonl").unlink()
    assert conqret(monkeypatch, *given) == 2
    assert "conqret corpus debates" in capsys.readouterr().err


def test_generate_without_a_model(folder, monkeypatch, capsys):
    given = (
        "generate",
        "arguments",
        "corpus",
        "--run",
        "pro.res",
        "--stance",
        "pro",
        "--strategy",
        "extractive",
    )
    assert conqret(monkeypatch, *given) == 0
    printed = capsys.readouterr()
    assert "1 argument by extractive: sentences of the documents" in printed.err
    assert (folder / "runs" / "pro-extractive" / "items.jsonl").is_file()


def test_run(folder, monkeypatch, capsys):
    pytest.importorskip("pyterrier")
    pytest.importorskip("ir_measures")
    assert conqret(monkeypatch, "experiment", "experiment.toml") == 0
    printed = capsys.readouterr()
    assert "given+floor" in printed.out
    out = folder / "runs" / "tiny-one"
    for name in ("scores.parquet", "summary.json", "report.html", "tables.md"):
        assert (out / name).is_file()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "judgments/given+floor/rag-fine-grained-offline/report.html" in page
    assert (out / "judgments" / "given+floor" / "rag-fine-grained-offline" / "report.html").is_file()
    assert "tiny / one" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert conqret(monkeypatch, "experiment", "experiment.toml", "-q", "--json") == 0
    assert json.loads(capsys.readouterr().out)["arguments"]["given+floor"]["written"] == 1
    (out / "report.html").unlink()
    assert conqret(monkeypatch, "runs", "report", str(out)) == 0
    assert "given+floor" in capsys.readouterr().out
    assert (out / "report.html").read_text(encoding="utf-8") == page
    assert conqret(monkeypatch, "runs", "report", str(out), "--to", "page.html") == 2
    assert "whose page is already in its folder" in capsys.readouterr().err


def test_run_names_what_is_wrong(folder, monkeypatch, capsys):
    (folder / "experiment.toml").write_text(EXPERIMENT.replace('"rag-fine-grained"', '"rag-fine"'))
    assert conqret(monkeypatch, "experiment", "experiment.toml") == 2
    assert "experiment.toml:13 judges[0].format" in capsys.readouterr().err
