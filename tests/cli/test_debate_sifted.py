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
