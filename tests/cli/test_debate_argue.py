"""`conqret debate two-turn write`: questions in, debates out that `conqret debate two-turn judge` reads; resumed
without asking twice."""

import json
import re
from pathlib import Path

import pytest

from tests.io.test_two_turn import OWN
from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("model_key")
FIXTURE = Path(__file__).parents[2] / "fixtures" / "two_turn_debates.jsonl"
WRITE = ("debate", "two-turn", "write")


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.jsonl"
    bare = {**OWN, "arguments": None, "counter_arguments": None}
    rows = [{**bare, "id": f"q{n}", "question": f"Who is on board of {n}?"} for n in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def fair(body):
    """A snippet of the passage, and the option and the writer as the text."""
    option = re.search(r"Argue for option (\d)", body["messages"][1]["content"])[1]
    return {"snippets": ["The ship hummed"], "text": f"{body['model']} for {option} (#1)."}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_two_models_debate_each_question_twice_and_are_asked_once(cli, questions, tmp_path):
    out = tmp_path / "out"
    with FaultServer(answer=fair) as server:
        call = ("--model", "openai/a", "--against", "openai/b", "--api-base", server.url, "-o", out, "--json")
        first = cli(*WRITE, questions, *call)
        assert first.code == 0, first.err
        asked = len(server.requests)
        again = cli(*WRITE, questions, *call)
        assert len(server.requests) == asked == 3 * 8
    assert json.loads(again.out) == json.loads(first.out)
    found = lines(out / "debates.jsonl")
    assert [one["id"] for one in found[:2]] == ["q0-1", "q0-2"]
    assert [one["writers"] for one in found[:2]] == [["openai/a", "openai/b"], ["openai/b", "openai/a"]]
    assert [one["text"] for one in found[1]["arguments"]] == ["b for 1 (#1).", "a for 2 (#1)."]
    assert [one["text"] for one in found[1]["counter_arguments"]] == ["a for 2 (#1).", "b for 1 (#1)."]


def test_an_invented_snippet_is_asked_for_again_and_then_told_with_its_reason(cli, questions, tmp_path):
    def invents(body):
        second = "Argue for option 2." in body["messages"][1]["content"]
        wrong = second and "of 1?" in body["messages"][1]["content"]
        return {**fair(body), "snippets": ["The crew sang"]} if wrong else fair(body)

    out = tmp_path / "out"
    with FaultServer(answer=invents) as server:
        call = ("--model", "openai/a", "--api-base", server.url, "-o", out)
        done = cli(*WRITE, questions, *call)
        assert done.code == 1
        # q1: one argument thrice, and neither answer can be asked for
        assert len(server.requests) == 2 * 4 + 1 + 3
    told = [str(request.body["messages"][2:]) for request in server.requests]
    assert sum("is not a literal quotation from the passage" in one for one in told) == 2
    assert "2 of 3 debates are whole" in done.out
    assert "'The crew sang'" in done.err
    assert [line["id"] for line in lines(out / "debates.jsonl")] == ["q0", "q2"]
    summary = json.loads((out / "summary.json").read_text())
    assert summary["unwritten"] == {"invalid_answer": 1, "nothing_to_judge": 2}


def test_the_rubric_has_a_row_for_either_option(cli, tmp_path):
    done = cli("debate", "two-turn", "judge", "--rubric", FIXTURE, "-o", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    assert [one["argues_for"] for one in json.loads(done.out)["grades"]] == ["right", "wrong", None]


def test_two_writers_are_judged_and_rated(cli, questions, tmp_path):
    def answered(body):
        user = body["messages"][1]["content"]
        if "Argue for option" in user:
            return fair(body)
        first = user.index("Kane alone") < user.index("A crew")
        own = "a for 1" in user  # whoever hears model a for the first option, Kane, follows it
        return {"explanation": "so", "slider": (-3 if first else 3) if own else 1}

    with FaultServer(answer=answered) as server:
        call = ("--api-base", server.url, "--model", "openai/a")
        cli(*WRITE, questions, *call, "--against", "openai/b", "-o", tmp_path / "written")
        judged = cli(
            "debate",
            "two-turn",
            "judge",
            tmp_path / "written" / "debates.jsonl",
            *call,
            *"--consultancy --instruction simple -o".split(),
            tmp_path / "judged",
        )
    assert judged.code == 0, judged.err
    assert "Whom judges go with" in judged.out
    answers = tmp_path / "judged" / "answers.jsonl"
    assert {line.get("consultant") for line in lines(answers)} == {None, "right", "wrong"}
    found = json.loads(cli("debate", "two-turn", "outcomes", "--writers", answers, "--json").out)
    assert [one["writer"] for one in found] == ["openai/a", "openai/b"]
    assert found[0]["right"]["followed"]["value"] == 1
