"""Judging in batches: handed in, left, collected by the same command, whatever the provider does with it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from conqret import judge
from conqret.errors import ConqretError, DeclarationError
from conqret.judging.judge import expected_cost
from conqret.llm.recordings import batches_beside
from conqret.runs.run_folder import STORE_NAME
from tests.runs.killed import Forks
from tests.server.batches import BatchServer

MODELS = ["openai/m", "anthropic/claude-m"]
COUNT = 4


@pytest.fixture
def items(tmp_path: Path) -> Path:
    rows = [
        {"id": f"i{n}", "topic": f"Topic {n}?", "documents": ["One. Two."], "argument": "So it is [1]."}
        for n in range(COUNT)
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture(params=MODELS)
def asked(request: pytest.FixtureRequest, items: Path, tmp_path: Path) -> Iterator[Any]:
    """The same call, again and again, and the server that it is made to."""
    with BatchServer() as server:

        def call(**more: Any) -> Any:
            settings = {"input_price": 100.0, "output_price": 100.0, "batch": True, **more}
            return judge(
                items,
                model=request.param,
                api_base=server.url,
                api_key="sk-test-123456",
                output=tmp_path / "run",
                **settings,
            )

        call.server = server  # type: ignore[attr-defined]
        yield call


def told(caplog: pytest.LogCaptureFixture) -> str:
    text = " | ".join(record.getMessage() for record in caplog.records)
    caplog.clear()
    return text


def states(found: Any) -> list[str]:
    return [str(judgment.status) for judgment in found]


def test_a_batch_is_handed_in_left_and_collected(asked, tmp_path, caplog):
    server = asked.server
    first = asked()
    assert (len(first), first.summary.outstanding, first.session.sent) == (0, COUNT, COUNT)
    assert "batch batch_0: 4 requests submitted, at half the price" in told(caplog)
    again = asked()
    assert (again.summary.outstanding, again.session.sent, len(server.batches)) == (COUNT, 0, 1)
    assert "batch batch_0 is in progress" in told(caplog)
    server.status = "completed"
    done = asked()
    assert (states(done), done.summary.outstanding) == (["scored"] * COUNT, 0)
    assert "batch batch_0 has ended" in told(caplog)
    assert (len(server.batches), server.requests) == (1, [])
    used = done["i0"].trace.calls[0]
    assert used.cost_usd == pytest.approx((used.prompt_tokens + used.completion_tokens) * 100e-6 / 2)
    assert done.session.cost_usd == pytest.approx(COUNT * used.cost_usd)
    assert asked().session.kept == COUNT
    replayed = judge(tmp_path / "items.jsonl", replay=tmp_path / "run")
    assert [one.measures for one in replayed] == [one.measures for one in done]


def test_what_fails_is_asked_again_in_a_second_batch_and_what_is_final_is_not(asked, caplog):
    server = asked.server
    server.outcomes = {0: "malformed", 1: "limited", 2: "rejected", 3: "policy"}
    asked()
    server.status = "completed"
    told(caplog)
    found = asked()
    heard = told(caplog)
    assert "2 with an error" in heard
    assert "that cannot be read" in heard
    assert "batch_1: 2 requests submitted" in heard
    assert {one.item: str(one.measures["groundedness"].reason) for one in found} == {
        "i2": "bad_request",
        "i3": "refusal",
    }
    assert found.summary.outstanding == 2
    done = asked()
    assert sorted(states(done)) == ["failed", "scored", "scored", "unscored"]
    assert len(server.batches) == 2


def test_lines_that_come_twice_are_missing_or_were_never_asked_for(asked, caplog):
    server = asked.server
    server.outcomes = {0: "twice", 1: "stranger", 2: "missing"}
    asked()
    server.status = "completed"
    told(caplog)
    assert states(asked()) == ["scored"] * 3
    heard = told(caplog)
    assert "1 of requests that were not sent" in heard
    assert "1 without an answer" in heard
    assert [one["key"] for one in server.batches["batch_1"]] == [server.batches["batch_0"][2]["key"]]
    assert states(asked()) == ["scored"] * COUNT


def test_an_expired_batch_leaves_what_it_had_and_the_rest_is_handed_in_again(asked):
    server = asked.server
    asked()
    server.status = "expired"
    half = asked()
    assert (states(half), half.summary.outstanding) == (["scored"] * 2, 2)
    server.status = "completed"
    assert states(asked()) == ["scored"] * COUNT
    assert [len(batch) for batch in server.batches.values()] == [4, 2]


def test_what_no_batch_answers_is_given_up(asked):
    server = asked.server
    server.outcomes = {0: "limited"}
    asked()
    server.status = "completed"
    server._outcomes_of = server._outcomes
    server._outcomes = lambda name: [
        (key, "limited" if name != "batch_0" else outcome, body)
        for key, outcome, body in server._outcomes_of(name)
    ]
    for _ in range(2):
        asked()
    last = asked()
    assert len(server.batches) == 3
    assert (last["i0"].measures["groundedness"].reason, last.summary.outstanding) == ("rate_limited", 0)


def test_an_invalid_answer_is_asked_again_with_its_fault_in_the_next_batch(asked):
    server = asked.server
    server.outcomes = {1: "invalid"}
    asked()
    server.status = "completed"
    asked()
    (again,) = server.batches["batch_1"]
    assert "could not be used" in json.dumps(again["body"]["messages"])
    done = asked()
    assert states(done) == ["scored"] * COUNT
    assert len(done["i1"].trace.calls) == 2


def test_a_batch_that_is_not_taken_is_an_error_and_leaves_nothing_under_way(asked, tmp_path):
    asked.server.refuses = True
    with pytest.raises(ConqretError, match="the batch was not taken: enqueued token limit"):
        asked()
    assert json.loads(batches_beside(tmp_path / "run" / STORE_NAME).read_text()) == {"batches": []}
    asked.server.refuses = False
    asked()
    asked.server.status = "completed"
    assert states(asked()) == ["scored"] * COUNT


def test_a_batch_whose_handing_in_was_cut_off_is_looked_for_and_else_handed_in_again(asked, tmp_path, caplog):
    server = asked.server
    asked()
    kept = batches_beside(tmp_path / "run" / STORE_NAME)

    def cut_off() -> None:
        found = json.loads(kept.read_text())
        found["batches"][-1]["id"] = None
        kept.write_text(json.dumps(found))
        told(caplog)

    cut_off()
    asked()
    assert "batch batch_0: 4 requests were submitted" in told(caplog)
    assert len(server.batches) == 1
    cut_off()
    lost = server.batches.pop("batch_0")  # it never came
    asked()
    assert "the provider has no such batch" in told(caplog)
    assert list(server.batches.values()) == [lost]
    kept.write_text("{")
    with pytest.raises(DeclarationError, match="is not a list of batches that conqret wrote"):
        asked()


def test_a_dry_run_expects_half_the_price(items):
    settings = {"model": "gpt-4o-mini", "api_base": "http://localhost:1/v1"}
    whole, half = expected_cost(items, **settings), expected_cost(items, batch=True, **settings)
    assert whole.cost_usd is not None
    assert half.cost_usd == pytest.approx(whole.cost_usd / 2)
    assert half.calls == whole.calls
    with pytest.raises(DeclarationError, match="cannot be used in batches"):
        expected_cost(items, batch=True, model="offline")


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (401, "batch batch_0 cannot be collected: not for you"),
        (429, "batch batch_0 cannot be collected: not for you"),
        (404, r"not for you.*\(take it out of .*batches.json, and its"),
    ],
)
def test_a_provider_that_does_not_say_is_not_waited_for_and_its_echo_shows_no_key(
    items, tmp_path, status, fault
):
    class Echo(BatchServer):
        async def _look(self, request: web.Request) -> web.Response:
            said = {"error": {"message": f"not for you: {request.headers['Authorization']} is no key"}}
            return web.json_response(said, status=status, headers={"Retry-After": "86400"})

    with Echo() as server:
        settings = {"model": "openai/m", "api_base": server.url, "output": tmp_path / "run", "batch": True}
        judge(items, api_key="words-of-my-own", **settings)
        with pytest.raises(ConqretError, match=fault) as caught:
            judge(items, api_key="words-of-my-own", **settings)
    assert "words" not in str(caught.value)


def test_a_batch_that_was_made_and_answered_with_an_error_is_not_paid_for_again(asked, caplog):
    server = asked.server
    server.loses = 1
    with pytest.raises(ConqretError, match=r"looks for it first: .*internal error"):
        asked()
    assert len(server.batches) == 1
    told(caplog)
    asked()
    assert "confirmation was lost" in told(caplog)
    server.status = "completed"
    assert states(asked()) == ["scored"] * COUNT
    assert len(server.batches) == 1


def test_a_completed_batch_whose_files_are_not_there_yet_is_waited_for(items, tmp_path, caplog):
    with BatchServer() as server:
        settings = {"model": "openai/m", "api_base": server.url, "output": tmp_path / "run", "batch": True}
        judge(items, **settings)
        server.status, server.lacks_files = "completed", True
        told(caplog)
        assert judge(items, **settings).summary.outstanding == COUNT
        assert "its results are not there yet" in told(caplog)
        server.lacks_files = False
        assert states(judge(items, **settings)) == ["scored"] * COUNT
        assert len(server.batches) == 1


@pytest.mark.slow
def test_runs_that_share_a_store_hand_in_each_question_once(forks: Forks, items, tmp_path):
    """Two processes at once, twice: what one hands in the others wait for; nothing is taken for a killed one's."""
    keys = {"OPENAI_API_KEY": "k"}
    command = ["judge", items, *"--format direct --batch -q --model openai/m".split()]
    with BatchServer(latency=0.2) as server:
        command += ["--api-base", server.url, "--recordings", tmp_path / "shared.sqlite"]

        def together() -> None:
            said = [tmp_path / f"said-{number}" for number in range(2)]
            started = [
                forks.start(*command, "-o", tmp_path / f"run-{number}", err=file, environment=keys)
                for number, file in enumerate(said)
            ]
            for number, file in zip(started, said, strict=True):
                forks.end(number)
                errors = file.read_text()
                assert "Traceback" not in errors, errors
                assert "while it submitted" not in errors

        together()
        asked = [question["key"] for questions in server.batches.values() for question in questions]
        assert len(asked) == len(set(asked)) > 0
        server.status = "completed"
        together()
        assert [question["key"] for questions in server.batches.values() for question in questions] == asked
    for number in range(2):
        summary = json.loads((tmp_path / f"run-{number}" / "summary.json").read_text())
        assert summary["scored"] == COUNT


def test_what_to_do_about_a_batch_that_the_provider_does_not_know(items, tmp_path):
    class Forgetful(BatchServer):
        async def _look(self, request: web.Request) -> web.Response:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)

    with Forgetful() as server:
        settings = {"model": "openai/m", "api_base": server.url, "output": tmp_path / "run", "batch": True}
        judge(items, **settings)
        with pytest.raises(ConqretError, match=r"no such batch \(take it out of .*batches.json, and its"):
            judge(items, **settings)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"model": "gemini/gemini-pro", "output": True}, "cannot be used in batches"),
        ({"model": "gpt-4o-mini", "output": True, "budget_usd": 1.0}, "no budget can be enforced"),
        ({"model": "gpt-4o-mini"}, "name the run's folder"),
        ({"model": "claude-sonnet-4-5", "output": True}, "environment variable ANTHROPIC_API_KEY"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is(items, tmp_path, monkeypatch, settings, fault):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DeclarationError, match=fault):
        judge(items, batch=True, **settings)
    assert not (tmp_path / "runs").exists()
