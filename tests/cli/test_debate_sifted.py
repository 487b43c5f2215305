"""`conqret debate topics` and `conqret debate filter`, from a file to what is kept of it."""

import json

import pytest

from conqret.llm import failed_requests
from tests.server import FaultServer


@pytest.fixture
def raw(tmp_path):
    path = tmp_path / "raw.csv"
    path.write_text("topic\nZoos\nShould zoos be closed?\nWe should close zoos\nTrams should be free\n")
    return path


@pytest.fixture
def statements(tmp_path):
    path = tmp_path / "mine.jsonl"
    rows = [("Trams?", "pro", "Trams are good."), ("Trams?", "con", "Drivers are vermin.")]
    path.write_text(
        "".join(
            json.dumps(dict(zip(("topic", "side", "statement"), row, strict=True))) + "\n" for row in rows
        )
    )
    return path


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_topics_offline(cli, raw, tmp_path):
    out = tmp_path / "topics.jsonl"
    done = cli("debate", "topics", raw, "-o", out, "--run", tmp_path / "run")
    assert done.code == 0, done.err
    assert "lexical baseline and not a judge" in done.err
    assert "says the same as an earlier one" in done.out
    assert [row["topic"] for row in rows(out)] == ["Should zoos be closed?", "Trams should be free"]
    assert [row["reason"] for row in rows(tmp_path / "topics.dropped.jsonl")] == ["no_claim", "duplicate"]
    assert (tmp_path / "run" / "report.html").exists()


def test_a_model_words_the_claims_and_is_asked_once(cli, raw, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)

    def said(body):
        both = "tram" in body["messages"][1]["content"].lower()
        claim = "Trams should be free of charge" if both else ""
        return {"explanation": "so", "verdict": "two_sided" if both else "matter_of_fact", "claim": claim}

    out = tmp_path / "topics.jsonl"
    with FaultServer(answer=said) as server:
        call = ("debate", "topics", raw, "-o", out, "--run", tmp_path / "run", "--json")
        model = ("--model", "openai/judge", "--api-base", server.url)
        first = cli(*call, *model)
        again = cli(*call, *model)
        assert len(server.requests) == 4
    assert first.code == again.code == 0, first.err
    assert json.loads(first.out) == json.loads(again.out)
    assert json.loads(first.out)["dropped"] == {"matter_of_fact": 3}
    (row,) = rows(out)
    assert (row["topic"], row["collected"]) == ("Trams should be free of charge", "Trams should be free")


def test_export_leaves_out_what_did_not_pass(cli, statements, tmp_path):
    with statements.open("a") as file:
        file.write('{"topic": "Trams?", "side": "con", "statement": "Trams are loud."}\n')
    run, data = tmp_path / "run", tmp_path / "data"
    assert cli("debate", "filter", statements, "-o", tmp_path / "kept.jsonl", "--run", run).code == 0
    done = cli("debate", "export", statements, "--filter", run, "--test-share", 0, "-o", data)
    assert done.code == 0, done.err
    assert "left out: 1 that did not pass the output filter" in done.out
    assert [row["messages"][1]["content"] for row in rows(data / "train.jsonl")] == [
        "Trams are good.",
        "Trams are loud.",
    ]
    assert cli("debate", "export", statements, "--filter", tmp_path, "-o", data).code == 2


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("topics", "{raw}", "-o", "{raw}"), "--output and RAW both name"),
        (("filter", "{raw}", "-o", "{out}"), "holds topics and no statements"),
    ],
)
def test_a_wrong_call_is_told_and_writes_nothing(cli, raw, statements, tmp_path, words, fault):
    out = tmp_path / "kept.jsonl"
    before = raw.read_text()
    done = cli("debate", *(str(word).format(raw=raw, statements=statements, out=out) for word in words))
    assert done.code == 2
    assert fault in done.err.replace("\n", " ")
    assert not out.exists()
    assert raw.read_text() == before
