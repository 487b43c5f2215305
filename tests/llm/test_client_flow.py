"""What the client asks, in which order, and what it keeps."""

import asyncio
import json
from dataclasses import replace

import pytest

from conqret.data import Reason, Status
from conqret.llm.client import Client
from conqret.llm.recordings import Recordings
from conqret.llm.replies import rating_distribution
from conqret.llm.request import Message
from tests.llm.samples import SECRET, ask_all, options, request
from tests.server import FaultPlan, FaultServer

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def store(tmp_path):
    with Recordings(tmp_path / "recordings.sqlite") as opened:
        yield opened


async def test_an_invalid_answer_is_asked_again_with_its_fault_named(store):
    with FaultServer(FaultPlan(script=("bad_schema",)), length=3) as server:
        (answer,), _ = await ask_all(options(server.url), [request()], store)
    assert answer.status is Status.SCORED
    assert [call.attempts for call in answer.calls] == [1, 1]
    assert "documents: this is missing" in answer.calls[0].error
    again = server.requests[1].body["messages"]
    assert again[:2] == server.requests[0].body["messages"]
    assert again[2] == {"role": "assistant", "content": json.dumps({"unexpected": ["shape", 1]})}
    assert "documents: this is missing" in again[3]["content"]


async def test_a_truncated_answer_gets_twice_the_room(store):
    with FaultServer(FaultPlan(always="truncated")) as server:
        (answer,), _ = await ask_all(options(server.url, max_tokens=100), [request()], store)
    assert [received.body["max_tokens"] for received in server.requests] == [100, 200, 400]
    assert answer.reason is Reason.TRUNCATED


async def test_recorded_answers_are_not_asked_again_and_reasks_replay_too(store):
    requests = [request(n) for n in range(12)]
    with FaultServer(FaultPlan({"bad_schema": 0.3, "truncated": 0.2}, seed=2)) as server:
        first, _ = await ask_all(options(server.url), requests, store)
        sent = len(server.requests)
        second, client = await ask_all(options(server.url, retry_unscored=False), requests, store)
        assert len(server.requests) == sent
    assert [a.value for a in second] == [a.value for a in first]
    assert client.progress.calls == 0
    assert all(call.recorded and call.attempts == 0 for a in second for call in a.calls)
    replayed, client = await ask_all(options(), requests, store, replay=True)
    assert [a.value for a in replayed] == [a.value for a in first]
    assert client.missing == {}


async def test_refusals_and_overflows_replay_as_such(store):
    for fault, reason in (("policy", Reason.REFUSAL), ("overflow", Reason.CONTEXT_OVERFLOW)):
        asked = request(0, ask=fault, sample=len(fault))
        with FaultServer(FaultPlan(always=fault)) as server:
            await ask_all(options(server.url), [asked], store)
        (answer,), _ = await ask_all(options(), [asked], store, replay=True)
        assert answer.reason is reason


async def test_identical_requests_in_flight_are_sent_once(store):
    with FaultServer(latency=0.1) as server:
        answers, client = await ask_all(options(server.url), [request()] * 20, store)
    assert len(server.requests) == 1
    assert len({answer.value.model_dump_json() for answer in answers}) == 1
    assert sum(not call.recorded for answer in answers for call in answer.calls) == 1
    assert (client.progress.calls, client.progress.recorded) == (1, 19)


async def test_a_cancelled_asker_does_not_take_the_others_along():
    with FaultServer(latency=0.2) as server:
        async with Client(options(server.url), store=None) as client:
            first = asyncio.create_task(client.request(request()))
            await asyncio.sleep(0)
            second = asyncio.create_task(client.request(request()))
            await asyncio.sleep(0.05)
            first.cancel()
            answer = await second
            with pytest.raises(asyncio.CancelledError):
                await first
            after = await client.request(request(1))
    assert answer.value is not None
    assert after.value is not None


async def test_templates_in_messages_stay_as_they_are():
    text = "{{ 7*7 }} {% for x in y %} {{ cycler.__init__.__globals__ }}"
    hostile = replace(
        request(context={"documents": 3}), messages=[Message("system", "s"), Message("user", text)]
    )
    for model in ("openai/judge", "together_ai/unlisted"):
        with FaultServer() as server:
            await ask_all(options(server.url, model=model), [hostile])
        assert server.requests[0].body["messages"][1]["content"].startswith(text)


async def test_typed_answers_by_schema_by_tools_and_in_markdown():
    for model, sign in (
        ("openai/gpt-4o-mini", "response_format"),
        ("openai/gpt-4", "tools"),
        ("together_ai/x", None),
    ):
        with FaultServer() as server:
            (answer,), _ = await ask_all(options(server.url, model=model), [request()])
        body = server.requests[0].body
        assert answer.value is not None
        assert ("response_format" in body, "tools" in body) == (sign == "response_format", sign == "tools")


async def test_the_cost_is_known_for_listed_models_and_by_given_prices():
    with FaultServer() as server:
        (listed,), _ = await ask_all(options(server.url, model="openai/gpt-4o-mini"), [request()])
        (priced,), _ = await ask_all(options(server.url, input_price=1.0, output_price=2.0), [request()])
        (unlisted,), _ = await ask_all(options(server.url), [request()])
    call = listed.calls[0]
    halved = (call.prompt_tokens - call.cached_tokens) * 0.15e-6 + call.cached_tokens * 0.075e-6
    assert call.cost_usd == pytest.approx(halved + call.completion_tokens * 0.6e-6)
    call = priced.calls[0]
    assert call.cost_usd == pytest.approx(call.prompt_tokens * 1e-6 + call.completion_tokens * 2e-6)
    assert unlisted.calls[0].cost_usd is None


async def test_logprobs_come_back_and_replay(store):
    with FaultServer() as server:
        (answer,), _ = await ask_all(options(server.url), [request(logprobs=True)], store)
    assert server.requests[0].body["top_logprobs"] == 20
    (replayed,), _ = await ask_all(options(), [request(logprobs=True)], store, replay=True)
    for each in (answer, replayed):
        shares = rating_distribution(each.logprobs, "overall", range(6))
        assert shares is not None
        assert max(shares, key=shares.__getitem__) == answer.value.overall


async def test_no_secret_is_kept_anywhere(store, tmp_path):
    settings = options()
    for fault in (None, "auth", "bad_schema"):
        with FaultServer(FaultPlan(always=fault) if fault else None) as server:
            settings = options(server.url)
            (answer,), client = await ask_all(settings, [request(sample=len(fault or ""))], store)
        assert server.requests[0].headers["Authorization"] == f"Bearer {SECRET}"
        assert SECRET not in repr((answer, settings.identity, client.progress, settings))
    store.export_jsonl(tmp_path / "export.jsonl")
    store.close()
    for path in tmp_path.iterdir():
        assert SECRET.encode() not in path.read_bytes()
