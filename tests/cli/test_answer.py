"""`conqret debateqa answer`: questions in, answers and their page out, by every strategy; offline, and by two
models."""

import json
import shutil
from pathlib import Path

import pytest

from conqret.debateqa.answering.rag_session import ANSWER_STRATEGIES
from tests.server import FaultServer

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fixtures") / "corpus"
    folder.mkdir()
    shutil.copy(FIXTURES / "corpus" / "documents.jsonl", folder)
    return folder


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    file = tmp_path_factory.mktemp("questions") / "three.jsonl"
    file.write_text("".join((FIXTURES / "questions.jsonl").open().readlines()[4:7]))
    return file


def answers(folder):
    return [json.loads(line) for line in (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("strategy", "chunks", "searches"), [("react", 9, 3), ("cited", 10, 1)])
def test_strategies_answer_offline(cli, corpus, questions, tmp_path, strategy, chunks, searches):
    out = tmp_path / "out"
    index = ("--index", corpus)
    done = cli("debateqa", "answer", questions, "--strategy", strategy, *index, "-o", out)
    assert done.code == 0
    assert "lexical baseline and not an author" in done.err
    found = answers(out)
    assert len(found) == 3
    assert all(one["generation"] and len(one["documents"]) == chunks for one in found)
    assert all([bool(step["query"]) for step in one["trace"]] == [True] * searches for one in found)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(one["question"] in page for one in found)
    assert f"<b>{strategy}</b>, {ANSWER_STRATEGIES[strategy].summary}" in page
    replayed = cli(
        "debateqa", "answer", questions, "--strategy", strategy, *index, "--replay", out, "-o", tmp_path / "r"
    )
    assert replayed.code == 0
    assert (tmp_path / "r" / "answers.jsonl").read_bytes() == (out / "answers.jsonl").read_bytes()
    if strategy == "react":
        assert "searched for <span" in page
        other = cli("debateqa", "answer", questions, "--strategy", "rag", *index, "-o", out)
        assert (other.code, "strategy" in other.err) == (2, True)
        judged = cli(
            *(
                f"debateqa score --metric dispute-awareness {out}/answers.jsonl --references {questions} -o "
                f"{tmp_path}/scores"
            ).split(),
        )
        assert (judged.code, "3 of 3" in judged.out) == (0, True)


def test_agent_and_answerer_are_two_models(cli, corpus, questions, tmp_path):
    def said(body):
        if body["model"] == "agent":
            return {"thought": "Costs are missing.", "query": f"cost {len(server.requests)}"}
        return "Views differ."

    with FaultServer(answer=said) as server:
        call = (
            f"debateqa answer {questions} --strategy react --index {corpus} -m openai/writer --agent "
            f"openai/agent --api-base {server.url} --top-p 0.9 -o {tmp_path}/out"
        ).split()
        done = cli(*call)
        assert done.code == 0, done.err
        asked = [request.body for request in server.requests]
        assert sorted(one["model"] for one in asked) == ["agent"] * 6 + ["writer"] * 3
        assert {one.get("top_p") for one in asked if one["model"] == "writer"} == {0.9}
        assert not any("top_p" in one for one in asked if one["model"] == "agent")
        assert cli(*call, "--quiet").code == 0
        assert len(server.requests) == len(asked)
    assert {answer["generation"] for answer in answers(tmp_path / "out")} == {"Views differ."}
    assert "Costs are missing." in (tmp_path / "out" / "report.html").read_text()
    other = cli(*call[:-2], "--agent", "openai/other", "-o", tmp_path / "out")
    assert (other.code, "agent" in other.err) == (2, True)


def test_each_question_is_searched_in_its_own_web_pages(cli, questions, tmp_path):
    asked = [json.loads(line) for line in questions.read_text().splitlines()]
    pages = [
        {
            "question": asked[place]["id"],
            "url": f"https://{place}.{end}/",
            "text": f"Some ask: {asked[place]['question'][:-1]}, and say so. " * (3000 // 60),
        }
        for place, end in ((0, "org"), (1, "com"))
    ]
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in pages))
    collected = tmp_path / "web"
    assert cli("perspectives", "collect", questions, "--pages", file, "-o", collected).code == 0
    command = ("debateqa", "answer", questions, "--strategy", "rag", "--index", collected)
    done = cli(*command, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    first, second, without = (row["documents"] for row in answers(tmp_path / "out"))
    assert (len(first), len(second), without) == (2, 2, [])  # two chunks each
    assert not {*first} & {*second}
    trusted = cli(*command, "--trusted", "standard", "-o", tmp_path / "trusted")
    assert [len(row["documents"]) for row in answers(tmp_path / "trusted")] == [2, 0, 0], trusted.err
    others = tmp_path / "others.jsonl"
    others.write_text('{"id": "other", "question": "Should trams run?"}')
    refused = cli("debateqa", "answer", others, *command[3:])
    assert (refused.code, "but for none of these" in refused.err) == (2, True)
