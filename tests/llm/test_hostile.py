"""What no honest provider would send: nothing of it raises, and none of it becomes a score. See
docs/results/attacks.md."""

import os
from typing import Any

import pytest

from conqret.data import Reason
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import ProviderError
from conqret.llm.key_redaction import KeyRedaction, keys_in_use
from conqret.llm.recordings import Recordings
from conqret.llm.replies import rating_distribution
from conqret.llm.request import Completion, TokenLogprobs
from conqret.runs.shared_recordings import export_recordings
from tests.judging.runs import run
from tests.llm.samples import ask_all, options, request
from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("quick")


def served(server: FaultServer, **settings: Any) -> ClientOptions:
    return options(server.url, max_attempts=2, **settings)


def say_logprob(value: Any) -> Any:
    def alter(body: dict[str, Any]) -> None:
        for token in body["choices"][0]["logprobs"]["content"]:
            for one in (token, *token["top_logprobs"]):
                one["logprob"] = value

    return alter


@pytest.mark.parametrize("value", [0.5, float("nan"), "much", None])
def test_odd_log_probabilities_leave_the_rating_itself(tmp_path, value):
    with FaultServer(answer=lambda body: {"rating": 4}, alter=say_logprob(value)) as server:
        outcome = run(tmp_path / "run", name="g-eval", client=served(server), metrics=("groundedness",))
    found = [judgment.measures["groundedness"] for judgment in outcome.rows.rows()]
    assert [(one.raw, one.method) for one in found] == [(4.0, "rating")] * 4
    with Recordings.open_for_replay(tmp_path / "run") as store:
        store.export_jsonl(tmp_path / "export.jsonl")
    Recordings.open_for_replay(tmp_path / "export.jsonl").close()


@pytest.mark.parametrize("odd", [1000.0, 0.5, float("inf"), float("nan")])
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
        store.db.execute("UPDATE recordings SET completion = ?", (spoiled,))
        (again,), _ = await ask_all(options(server.url), [request()], store)
        (third,), _ = await ask_all(options(server.url), [request()], store)
    assert first.value == again.value == third.value
    assert [answer.calls[0].attempts for answer in (first, again, third)] == [1, 1, 0]


KEY = "sk-Zw8imported0815xyz"


@pytest.mark.parametrize(
    ("environment", "text", "shown"),
    [
        (
            {"OPENAI_API_KEY": KEY},
            f"Incorrect API key provided: {KEY}.",
            "Incorrect API key provided: [key].",
        ),
        ({"REPLICATE_API_TOKEN": KEY}, f"Bearer {KEY}", "Bearer [key]"),
        ({"OPENAI_API_KEY": KEY}, f"a part of it: {KEY[:12]}", f"a part of it: {KEY[:12]}"),
        ({"OPENAI_API_KEY": "dummy", "MISTRAL_API_KEY": "none"}, "dummy none", "dummy none"),
        ({"OPENAI_API_KEY": "YOUR_API_KEY_GOES_HERE"}, "YOUR_API_KEY_GOES_HERE", "YOUR_API_KEY_GOES_HERE"),
        ({"SORT_KEY": "rating", "PRIMARY_KEY": "explanation-of-2024", "ADMIN_PASSWORD": KEY}, KEY, KEY),
        ({}, "cannot connect to https://me:hunter2@host/v1", "cannot connect to https://[key]@host/v1"),
    ],
)
def test_whole_keys_of_providers_are_replaced_in_errors(monkeypatch, environment, text, shown):
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    told = KeyRedaction(keys_in_use()).error(ProviderError(Reason.BAD_REQUEST, text))
    assert (str(told), told.code) == (shown, Reason.BAD_REQUEST)


@pytest.mark.parametrize("usage", ["many", {"prompt_tokens": "many"}, {"prompt_tokens": {}}])
async def test_usage_that_is_none_is_no_score_and_no_traceback(usage):
    def alter(body: dict[str, Any]) -> None:
        body["usage"] = usage

    with FaultServer(alter=alter) as server:
        (answer,), _ = await ask_all(served(server), [request()])
    assert answer.value is not None or answer.reason is Reason.SERVER_ERROR
    assert {call.prompt_tokens for call in answer.calls} <= {None}


def say_usage(**usage: Any) -> Any:
    def alter(body: dict[str, Any]) -> None:
        body["usage"] |= usage
        if not usage:
            del body["usage"]

    return alter


@pytest.mark.parametrize(
    "usage",
    [{}, {"prompt_tokens": -5, "completion_tokens": -800}, {"prompt_tokens": 0, "completion_tokens": 0}],
)
async def test_a_budget_stops_where_usage_is_missing_or_no_number_of_tokens(usage):
    with FaultServer(alter=say_usage(**usage)) as server:
        prices = {"input_price": 1_000.0, "output_price": 10_000.0, "budget_usd": 5.0, "max_tokens": 200}
        settings = served(server, max_concurrency=1, **prices)
        answers, client = await ask_all(settings, [request(number) for number in range(20)])
    spent, used = client.progress.cost_usd, answers[0].calls[0]
    assert (used.prompt_tokens, used.completion_tokens, used.cost_usd) == (None, None, None)
    assert spent is not None
    assert 2.0 < spent <= 5.0
    assert 0 < client.progress.estimated == len(server.requests) < 10
    assert {answer.reason for answer in answers} == {None, Reason.BUDGET}


async def test_usage_in_strings_is_usage():
    alter = say_usage(
        prompt_tokens="100", completion_tokens="7", prompt_tokens_details={"cached_tokens": "4"}
    )
    with FaultServer(alter=alter) as server:
        (answer,), _ = await ask_all(served(server), [request()])
    (call,) = answer.calls
    assert (call.prompt_tokens, call.completion_tokens, call.cached_tokens) == (100, 7, 4)


async def test_half_a_surrogate_pair_is_no_error_of_the_server(tmp_path):
    def alter(body: dict[str, Any]) -> None:
        message = body["choices"][0]["message"]
        message["content"] = f"\ud800 {message['content']}" if len(server.requests) > 1 else "\ud800 {"

    with FaultServer(alter=alter) as server, Recordings(tmp_path / "recordings.sqlite") as store:
        (answer,), _ = await ask_all(served(server), [request()], store)
    assert answer.value is not None
    assert [call.error[:12] for call in answer.calls] == ["invalid_json", ""]


def test_keys_stay_in_recordings_and_are_counted_in_exports(tmp_path, monkeypatch):
    completion = Completion(f'{{"why": "required {KEY}, {KEY}"}}', refusal=KEY, model="m")
    labels = {"ask": "rag", "item": "i", "model": "m", "params": {}, "sample": 0}
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-no-key-required")
    with Recordings(tmp_path / "store.sqlite") as store:
        store.put("k", completion, **labels)
        store.export_jsonl(tmp_path / "whole.jsonl")
    with Recordings.open_for_replay(tmp_path / "whole.jsonl") as imported:
        assert imported.get("k") == completion
    done = export_recordings(tmp_path / "store.sqlite", tmp_path / "shared.jsonl")
    assert done.removed == {"key": 3}
    with Recordings.open_for_replay(tmp_path / "shared.jsonl") as shared:
        assert shared.get("k") == Completion('{"why": "required [key], [key]"}', refusal="[key]", model="m")
