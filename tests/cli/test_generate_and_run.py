"""``conqret generate arguments`` and ``conqret experiment`` from the command line."""

import json
import sys

import pytest

from conqret.cli.main import main
from conqret.io.trec import ScoredDoc, write_run
from conqret.llm.client import Client
from conqret.llm.request import Answer
from tests.generation.corpora import write_corpus
from tests.server import FaultPlan, FaultServer

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


def test_no_evidence_is_said_and_is_no_success(folder, monkeypatch, capsys):
    async def nothing(client, request):
        return Answer(request.response.model_validate({"conclusions": [], "left_out": []}), ())

    monkeypatch.setattr(Client, "ask", nothing)
    given = (
        "generate",
        "arguments",
        "corpus",
        "--run",
        "pro.res",
        "--stance",
        "pro",
        "--shots",
        "1",
        "-o",
        "out",
    )
    assert conqret(monkeypatch, *given) == 1  # nothing at all was written
    printed = capsys.readouterr()
    assert "0 of 1 argument written" in printed.out
    assert "1 arguments are left out, because the model found no evidence" in " ".join(printed.err.split())
    assert "requests them again" not in printed.err
    assert (folder / "out" / "items.jsonl").read_bytes() == b""


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


def test_a_replay_that_lacks_every_answer_ends_with_2(folder, monkeypatch, capsys):
    (folder / "empty.jsonl").write_text("")
    given = (
        "generate",
        "arguments",
        "corpus",
        "--run",
        "pro.res",
        "--stance",
        "pro",
        "-o",
        "out",
        "--replay",
        "empty.jsonl",
    )
    assert conqret(monkeypatch, *given) == 2
    assert "were not written: the recording holds no answer" in capsys.readouterr().err


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


def test_dry_run(folder, monkeypatch, capsys):
    pytest.importorskip("pyterrier")
    text = EXPERIMENT.replace("shots = 1", 'shots = 1\nmodel = "gpt-4o-mini"')
    (folder / "experiment.toml").write_text(text)
    assert conqret(monkeypatch, "experiment", "experiment.toml", "--dry-run", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["calls"] == 2
    assert found["cost_usd"] > 0
    assert [one["stage"] for one in found["stages"]] == [
        "generate given+floor",
        "judge given+floor by rag-fine-grained-offline",
    ]
    assert not (folder / "runs").exists()
    assert conqret(monkeypatch, "experiment", "experiment.toml", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "$0.00" in out
    assert max(map(len, out.splitlines())) <= 80
    assert {"given+floor", "rag-fine-grained-offline", "gpt-4o-mini"} <= set(out.split())


def test_run_names_what_is_wrong(folder, monkeypatch, capsys):
    (folder / "experiment.toml").write_text(EXPERIMENT.replace('"rag-fine-grained"', '"rag-fine"'))
    assert conqret(monkeypatch, "experiment", "experiment.toml") == 2
    assert "experiment.toml:13 judges[0].format" in capsys.readouterr().err


def test_run_without_its_extra_makes_no_folder(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyterrier", None)
    for more in ((), ("--dry-run",)):
        assert conqret(monkeypatch, "experiment", "experiment.toml", *more) == 2
        assert "pip install 'conqret[retrieval]'" in capsys.readouterr().err
    assert not (folder / "runs").exists()


def with_judge(folder, model: str, more: str = "") -> None:
    text = EXPERIMENT.replace(
        'format = "rag-fine-grained"', f'format = "rag-fine-grained"\nmodel = "{model}"'
    )
    (folder / "experiment.toml").write_text(text + more)


def test_a_model_without_a_key_is_refused_before_the_first_stage(folder, monkeypatch, capsys):
    with_judge(folder, "gpt-4o-mini")
    assert conqret(monkeypatch, "experiment", "experiment.toml") == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err
    assert not (folder / "runs").exists()
    assert conqret(monkeypatch, "experiment", "experiment.toml", "--dry-run", "--json") == 0


def test_a_judge_without_any_score_is_never_exit_0(folder, monkeypatch, capsys):
    with FaultServer(FaultPlan(always="bad_schema")) as server:
        with_judge(folder, "openai/judge", f'[models."openai/judge"]\napi_base = "{server.url}"\n')
        assert conqret(monkeypatch, "experiment", "experiment.toml", "--trust-file") == 1
    err = capsys.readouterr().err
    assert "0 of 1 scored, invalid_answer: buses-pro" in err
    assert "this is missing, and it has to be there" in err
    assert "parts of the experiment failed (judge 1)" in err
