"""What no honest provider would send: nothing of it raises, and none of it becomes a score. See docs/reliability.md."""

from typing import Any

import pytest

from conqret.llm import ClientOptions, TokenLogprobs, rating_distribution
from conqret.llm.recordings import Recordings
from tests.judging.runs import run
from tests.llm.samples import ask_all, options, request
from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("quick")

ODD = [1000, 709.5, 0.5, float("inf"), float("-inf"), float("nan"), "inf"]


def served(server: FaultServer, **settings: Any) -> ClientOptions:
    return options(server.url, max_attempts=2, **settings)


def say_logprob(value: Any) -> Any:
    def alter(body: dict[str, Any]) -> None:
        for token in body["choices"][0]["logprobs"]["content"]:
            for one in (token, *token["top_logprobs"]):
                one["logprob"] = value

    return alter


@pytest.mark.parametrize("value", ODD)
def test_odd_log_probabilities_leave_the_rating_itself(tmp_path, value):
    with FaultServer(answer=lambda body: {"rating": 4}, alter=say_logprob(value)) as server:
        outcome = run(tmp_path / "run", name="g-eval", client=served(server), metrics=("groundedness",))
    found = [judgment.measures["groundedness"] for judgment in outcome.rows.rows()]
    assert [(one.raw, one.method) for one in found] == [(4.0, "rating")] * 4
    with Recordings.open_for_replay(tmp_path / "run") as store:
        store.export_jsonl(tmp_path / "export.jsonl")
    Recordings.open_for_replay(tmp_path / "export.jsonl").close()


@pytest.mark.parametrize("odd", [1000.0, 709.5, 0.5, float("inf"), float("-inf"), float("nan")])
def test_recorded_numbers_that_are_no_log_probabilities(odd):
    lead = TokenLogprobs('{"rating": ', {'{"rating": ': 0.0})
    assert rating_distribution([lead, TokenLogprobs("4", {"4": -0.5, "5": odd})], "rating", [4, 5]) is None
    long = {"4": 1e-6, "5" * 5000: -9999.0}
    assert rating_distribution([lead, TokenLogprobs("4", long)], "rating", [4, 5]) == {4: 1.0, 5: 0.0}


@pytest.mark.parametrize(
    "spoiled", ["{", "[]", '{"text": 5}', '{"text": "x", "logprobs": [["4", {"4": null}]]}']
)
async def test_a_recorded_answer_that_cannot_be_used_is_asked_again(tmp_path, spoiled):
    with FaultServer() as server, Recordings(tmp_path / "recordings.sqlite") as store:
        (first,), _ = await ask_all(options(server.url), [request()], store)
        store._db.execute("UPDATE recordings SET completion = ?", (spoiled,))
        (again,), _ = await ask_all(options(server.url), [request()], store)
        (third,), _ = await ask_all(options(server.url), [request()], store)
    assert first.value == again.value == third.value
    assert [answer.calls[0].attempts for answer in (first, again, third)] == [1, 1, 0]
