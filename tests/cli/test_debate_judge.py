"""`conqret debate two-turn judge` from questions to a sentence, resumed without asking twice."""

import json

import pytest

from tests.io.test_two_turn import OWN
from tests.server import FaultPlan, FaultServer

pytestmark = pytest.mark.usefixtures("model_key")
JUDGE = ("debate", "two-turn", "judge")


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "debates.jsonl"
    rows = [{**OWN, "id": f"q{n}", "passage_id": f"p{n}"} for n in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def by_place(body):
    """Surely the option of Kane with arguments, whichever place it has; else surely the first."""
    user = body["messages"][1]["content"]
    first = user.index("Kane alone") < user.index("A crew")
    return {"explanation": "so it is", "slider": -3 if first or "Argument for it" not in user else 3}


def answers_of(folder):
    return [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]


def test_offline_judges_the_pilot_beside_judges_that_understand_nothing(cli, questions, tmp_path):
    out = tmp_path / "pilot"
    done = cli(*JUDGE, questions, "--design", "pilot", "-o", out, "--instruction", "simple")
    assert done.code == 0, done.err
    assert "always the longer side" in done.out
    assert {row["turn"] for row in answers_of(out)} == {1, 2, 3}
    floors = json.loads(cli("debate", "two-turn", "outcomes", out / "floors.jsonl", "--json").out)
    assert floors["judges"] == 3


def test_a_model_is_asked_once_for_each(cli, questions, tmp_path):
    out = tmp_path / "out"
    with FaultServer(answer=by_place) as server:
        call = ("--model", "openai/judge", "--api-base", server.url, "--instruction", "simple", "-o", out)
        first = cli(*JUDGE, questions, *call, "--json")
        assert first.code == 0, first.err
        asked = len(server.requests)
        again = cli(*JUDGE, questions, *call, "--json")
        assert len(server.requests) == asked
    found = json.loads(first.out)
    assert json.loads(again.out) == found
    # with arguments always right; without them the first option, right in one of both orders
    assert found["debate"]["having"]["value"] == 1
    assert found["debate"]["without"]["value"] == 0.5
    assert "+50.0 points, with no interval: no variation between passages" in found["verdict"]
    before = [row for row in answers_of(out) if row["turn"] == 2]
    assert len(before) == 4 * 2 * 2


def test_an_allowance_goes_with_each_request_and_is_not_widened(cli, questions, tmp_path):
    out = tmp_path / "out"
    questions.write_text("\n".join(questions.read_text().splitlines()[:2]))
    with FaultServer(FaultPlan(always="truncated"), answer=by_place) as server:
        call = ("--model", "openai/judge", "--api-base", server.url, "--instruction", "simple", "-o", out)
        done = cli(*JUDGE, questions, *call, "--allowance", 150, "--passage-tokens", 8)
    assert {request.body["max_tokens"] for request in server.requests} == {150}
    assert len(server.requests) == 8  # both questions are the same to the model
    assert done.code == 1  # an answer that was cut off is none, and is not asked for again
    record = json.loads((out / "run.json").read_text())
    assert record["allowance"] == 150
    assert all(before > after for before, after in record["shortened"].values())
    assert "passages are shortened" in done.err
    assert {row["reason"] for row in answers_of(out)} == {"truncated"}
