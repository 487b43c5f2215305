"""`conqret debate score` from statements to a table of controllability."""

import json

import pytest

from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("model_key")
ROWS = [
    ("Trams?", "affirmative", "Trams are cheap."),
    ("Trams?", "negative", "Trams are loud."),
    ("Dogs?", "affirmative", "I cannot say."),
    ("Dogs?", "negative", "Dogs are loud, but good."),
]


@pytest.fixture
def statements(tmp_path):
    path = tmp_path / "ours.jsonl"
    keys = ("topic", "side", "response")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in ROWS))
    return path


def by_words(body):
    shown = body["messages"][1]["content"]
    assert "affirmative" not in json.dumps(body["messages"])
    supporting = 100 if "cheap" in shown else 20 if "good" in shown else 0
    if "cannot" in shown:
        return {"explanation": "declines", "content": "refusal", "supporting": 0, "opposing": 0}
    return {"explanation": "so", "content": "argues", "supporting": supporting, "opposing": 100 - supporting}


def call(server):
    return ("--model", "openai/judge", "--api-base", server.url)


def test_a_model_is_asked_once_and_another_threshold_asks_nothing(cli, statements, tmp_path):
    out = tmp_path / "out"
    with FaultServer(answer=by_words) as server:
        first = cli("debate", "score", statements, "-o", out, *call(server), "--json")
        assert first.code == 0, first.err
        relaxed = cli("debate", "score", statements, "-o", out, *call(server), "--json", "--good-from", 80)
        assert len(server.requests) == 4
        assert "4 of 4 judgments kept from an earlier run" in relaxed.err
        replayed = cli(
            "debate", "score", statements, "-o", tmp_path / "b", "--json", "--replay", out
        )  # it knows by which model it was answered
        assert len(server.requests) == 4
    strict, loose = (json.loads(done.out)["systems"][0] for done in (first, relaxed))
    assert (strict["positive"]["value"], strict["negative"]["value"]) == (0.5, 0.5)
    assert (loose["positive"]["value"], loose["negative"]["value"]) == (0.5, 1)
    assert strict["refusals"] == loose["refusals"] == 1
    assert json.loads(replayed.out) == json.loads(first.out)
