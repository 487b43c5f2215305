"""`conqret debate hold` from topics to concluded statements, resumed in the middle of a debate."""

import json
import re

import pytest

from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("model_key")
TOPICS = [
    {
        "topic": "Zoos should be closed.",
        "affirmative": ["Cages harm animals."],
        "negative": ["Zoos save species."],
    },
    {"topic": "Should trams be free?"},
]


@pytest.fixture
def topics(tmp_path):
    path = tmp_path / "topics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in TOPICS))
    return path


def rows(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def said(body):
    """A valid turn of any kind, by its prompt: two questions, and an answer to each that was put."""
    system, user = (body["messages"][place]["content"] for place in (0, 1))
    if "You collect arguments" in system:
        return {"arguments": [f"Reason {n} of {user.split()[-2]}." for n in range(2)]}
    side = re.search(r"You speak for the (\w+) side", system)[1]
    found = {"statement": f"{body['model']} speaks for the {side} side, after {user.count('<turn')} turns."}
    if "It is your turn" in system:
        found["questions"] = [f"Why, {side}?", "Who pays?"]
    if "<questions>" in user:
        found = {"answers": ["Because.", "All."], **found}
    return found


def test_two_models_take_a_side_each_and_are_asked_once(cli, topics, tmp_path):
    out = tmp_path / "out"
    with FaultServer(answer=said) as server:
        call = ("--model", "openai/a", "--against", "openai/b", "--api-base", server.url, "--arguments", "2")
        first = cli("debate", "hold", topics, *call, "-o", out, "--json")
        assert first.code == 0, first.err
        asked = len(server.requests)
        assert asked == 2 + 3 * (2 * 2 + 2)
        again = cli("debate", "hold", topics, *call, "-o", out, "--json")
        assert len(server.requests) == asked
    assert json.loads(again.out) == json.loads(first.out)
    for debate in rows(out / "debates.jsonl"):
        concluded = debate["conclusions"]["negative"]["statement"]
        assert concluded == "b speaks for the negative side, after 4 turns."
        assert [turn["answers"] for turn in debate["rounds"][0]["turns"].values()] == [[], []]
        assert debate["rounds"][1]["turns"][debate["opens"]]["answers"] == ["Because.", "All."]
    replayed = cli(
        "debate", "hold", topics, *call[:4], "--arguments", "2", "--replay", out, "-o", tmp_path / "re"
    )
    assert replayed.code == 0, replayed.err
    assert rows(tmp_path / "re" / "debates.jsonl") == rows(out / "debates.jsonl")


def test_a_declined_turn_leaves_its_debate_unfinished_and_is_asked_for_again(cli, topics, tmp_path):
    topics.write_text(json.dumps(TOPICS[0]) + "\n")
    out, declines = tmp_path / "out", [True]

    def answer(body):
        found = said(body)
        found["statement"] += " <script>alert(1)</script>"
        if declines[0] and "affirmative" in found["statement"] and "answers" in found:
            return {"answers": [], "statement": "", "questions": []}
        return found

    with FaultServer(answer=answer) as server:
        call = ("--model", "openai/a", "--api-base", server.url, "-o", out)
        done = cli("debate", "hold", topics, *call)
        assert done.code == 1
        assert "0 of 1 debate finished, 0 statements concluded" in done.out
        assert "1-1 is not finished: round 2, affirmative: the model declined to answer" in done.out
        assert len(server.requests) == 3  # nothing is asked for after what is missing
        assert rows(out / "statements.jsonl") == []
        assert "&lt;script&gt;alert(1)" in (out / "report.html").read_text()
        declines[0] = False
        (out / "recordings.sqlite").unlink()  # a declined turn is recorded as any answer
        done = cli("debate", "hold", topics, *call)
        assert done.code == 0, done.err
        assert len(server.requests) == 3 + 4
    assert len(rows(out / "statements.jsonl")) == 2


def test_a_long_debate_is_shortened_and_says_so(cli, topics, tmp_path):
    topics.write_text(json.dumps(TOPICS[0]) + "\n")
    long = "Cages harm animals in many ways that nobody can deny. " * 250
    with FaultServer(answer=lambda body: {**said(body), "statement": long}) as server:
        call = ("--model", "openai/a", "--api-base", server.url, "--context-window", "9000")
        done = cli("debate", "hold", topics, *call, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert "1 debate did not fit the window" in done.out
    (debate,) = rows(tmp_path / "out" / "debates.jsonl")
    shares = [trim["after"] / trim["before"] for trim in debate["conclusions"]["affirmative"]["trims"]]
    assert len(shares) == 4
    assert max(shares) - min(shares) < 0.05
    assert "after a shortened record: 4 turns cut" in (tmp_path / "out" / "report.html").read_text()


def test_a_single_argument_is_rebutted_and_only_its_side_concludes(cli, topics, tmp_path):
    def answer(body):
        found = said(body)
        if "your turn to contradict it" in body["messages"][0]["content"]:
            found["questions"] = ["Is it so?", "Who says so?"]
        return found

    out = tmp_path / "out"
    with FaultServer(answer=answer) as server:
        call = ("--model", "openai/a", "--api-base", server.url, "--arguments", "2", "--design", "single")
        done = cli("debate", "hold", topics, *call, "-o", out)
        assert done.code == 0, done.err
        sent = [request.body["messages"] for request in server.requests]
    rebuttals = [user["content"] for system, user in sent if "contradict it" in system["content"]]
    assert len(sent) == 2 + (2 + 4) * (2 * 2 + 1)
    assert len(rebuttals) == (2 + 4) * 2
    assert sum("<other_side_argument>\nCages harm animals.\n" in user for user in rebuttals) == 2
    held = [debate for debate in rows(out / "debates.jsonl") if debate["topic"] == "Zoos should be closed."]
    assert [(one["opens"], list(one["conclusions"])) for one in held] == [
        ("affirmative", ["affirmative"]),
        ("negative", ["negative"]),
    ]
    kept, data = tmp_path / "kept.jsonl", tmp_path / "data"
    for command in (("filter", out, "-o", kept), ("score", out), ("export", out, "-o", data)):
        assert cli("debate", *command).code == 0
    assert rows(kept) == rows(out / "statements.jsonl")
