"""The client against a server that misbehaves: each fault alone, then all together."""

import contextlib
import itertools
import time
from collections import Counter

import pytest

from conqret.data import Reason, Status
from conqret.errors import DeclarationError
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import MAX_CONSECUTIVE_FAILURES
from conqret.llm.hosted.through_litellm import load_litellm
from conqret.llm.providers import check_address, check_key
from tests.llm.samples import SECRET, ask_all, options, request
from tests.server import FAULTS, FaultPlan, FaultServer

pytestmark = pytest.mark.usefixtures("quick")

OUTCOMES = {  # reason, requests sent
    "rate_limit": (Reason.RATE_LIMITED, None),  # until the time limit
    "server_error": (Reason.SERVER_ERROR, 3),
    "drop": (Reason.CONNECTION, 3),
    "bad_body": (Reason.SERVER_ERROR, 3),
    "bomb": (Reason.SERVER_ERROR, 3),
    "endless": (Reason.SERVER_ERROR, 3),
    "odd_packing": (Reason.SERVER_ERROR, 3),
    "bad_json": (Reason.INVALID_JSON, 3),
    "bad_schema": (Reason.INVALID_ANSWER, 3),
    "truncated": (Reason.TRUNCATED, 3),
    "refusal": (Reason.REFUSAL, 1),
    "declines": (Reason.REFUSAL, 1),
    "filtered": (Reason.REFUSAL, 1),
    "policy": (Reason.REFUSAL, 1),
    "drip": (Reason.TIMEOUT, 1),
    "hang": (Reason.TIMEOUT, 1),
    "auth": (Reason.AUTHENTICATION, 1),
    "bad_request": (Reason.BAD_REQUEST, 1),
    "echo": (Reason.BAD_REQUEST, 1),
    "overflow": (Reason.CONTEXT_OVERFLOW, 1),
    "no_schema": (None, 2),
    "no_choices": (Reason.SERVER_ERROR, 3),
}


ONE_OF_A_REASON = "server_error drop bad_json truncated filtered policy auth echo overflow no_schema".split()
SOON = 60.0
"""Seconds: far below what a server asks for, far above what a loaded machine takes."""


@pytest.mark.parametrize(
    ("way", "fault"),
    [*(("direct", fault) for fault in FAULTS), *(("litellm", fault) for fault in ONE_OF_A_REASON)],
)
async def test_a_lasting_fault_ends_with_its_reason(way, fault):
    if way == "litellm":
        load_litellm()  # which takes seconds, the first time
    with FaultServer(FaultPlan(always=fault)) as server:
        began = time.monotonic()
        timeout = 1.0 if fault in ("drip", "hang", "rate_limit") else 20.0  # nothing else ends these
        settings = options(server.url, client=way, max_attempts=3, timeout=timeout)
        (answer,), _ = await ask_all(settings, [request()])
        took = time.monotonic() - began
    reason, sent = OUTCOMES[fault]
    assert answer.reason is reason
    assert sent in (None, len(server.requests))
    assert took < SOON
    assert SECRET not in repr(answer)
    assert "abcdefghijklmnop" not in answer.detail  # the key that the server echoes
    if reason is None:
        assert answer.value is not None
    else:
        assert answer.value is None
        assert answer.detail
        assert answer.calls[-1].error.startswith(reason.value)


@pytest.mark.parametrize("fault", [f for f in FAULTS if OUTCOMES[f][1] in (None, 3)])
async def test_a_passing_fault_leaves_an_answer(fault):
    with FaultServer(FaultPlan(script=(fault,))) as server:
        (answer,), client = await ask_all(options(server.url), [request()])
    assert answer.status is Status.SCORED
    assert sum(call.attempts for call in answer.calls) == client.progress.calls == 2
    assert client.progress.cost_usd is None  # of an unlisted model, unknown and not 0


async def test_a_dead_server_ends_the_run_soon():
    with FaultServer(FaultPlan(always="server_error")) as server:
        began = time.monotonic()
        answers, _ = await ask_all(options(server.url), [request(n) for n in range(500)])
    assert time.monotonic() - began < SOON
    reasons = Counter(answer.reason for answer in answers)
    assert set(reasons) == {Reason.SERVER_ERROR, Reason.PROVIDER_DOWN}
    assert reasons[Reason.PROVIDER_DOWN] > 450
    assert len(server.requests) < 200
    assert all(answer.status is Status.FAILED for answer in answers)


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://me:secret@127.0.0.1:9/v1", r"connection to http://127\.0\.0\.1:9/v1 was refused"),
        ("http://no-such-host.invalid:80/v1", "the name no-such-host.invalid of the address"),
        ("localhost:8000/v1", "is not the address of a server: write one such as http://localhost:8000/v1"),
        ("http://127.0.0.1:99999/v1", "is not the address of a server"),
    ],
)
async def test_what_is_no_address_is_refused_before_the_first_call(url, fault):
    with pytest.raises(DeclarationError, match=fault):
        await ask_all(options(url), [request()])


async def test_a_server_that_goes_away_is_a_connection_error_with_its_address():
    server = FaultServer()
    with contextlib.ExitStack() as running:
        running.enter_context(server)
        async with Client(options(server.url, max_attempts=2), store=None) as client:
            assert (await client.request(request())).value is not None
            running.close()
            answer = await client.request(request(1))
    assert answer.reason is Reason.CONNECTION
    assert f"the connection to {server.url} failed: " in answer.detail


async def test_a_proxy_stands_between(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    await check_address("http://judge.invalid/v1")
    with pytest.raises(DeclarationError, match="was refused"):  # none before this machine itself
        await check_address("http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("model", "names"),
    [("gpt-4o-mini", "OPENAI_API_KEY"), ("gemini/gemini-1.5-pro", "GOOGLE_API_KEY or GEMINI_API_KEY")],
)
async def test_a_missing_key_is_named_before_the_first_call(model, names):
    with pytest.raises(DeclarationError, match=f"environment variable {names}, or give"):
        await ask_all(ClientOptions(model), [request()])


async def test_a_key_that_is_there_is_not_missed(monkeypatch):
    litellm = load_litellm()
    check_key(litellm, ClientOptions("gpt-4o-mini", api_key="sk-given"), "openai", None)
    check_key(litellm, ClientOptions("gpt-4o-mini", api_base="http://localhost:1/v1"), "openai", None)
    check_key(litellm, ClientOptions("groq/llama3-8b-8192"), "groq", "found by litellm")
    check_key(
        litellm, ClientOptions("bedrock/anthropic.claude-v2"), "bedrock", None
    )  # it has other credentials
    check_key(litellm, ClientOptions("ollama/llama3"), "ollama", None)  # it has none
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(DeclarationError, match="environment variable OPENAI_API_KEY, or give"):
        check_key(litellm, ClientOptions("gpt-4o-mini"), "openai", " ")
    monkeypatch.setenv("CO_API_KEY", "set")
    check_key(litellm, ClientOptions("cohere/command-r"), "cohere", None)


async def test_the_deadline_covers_all_retries():
    with FaultServer(FaultPlan(script=("server_error", "drip"))) as server:
        (answer,), _ = await ask_all(options(server.url, timeout=1.5), [request()])
    assert answer.reason is Reason.TIMEOUT
    assert answer.calls[0].attempts == 2
    assert "the last error before it" in answer.detail


async def test_retry_after_holds_everybody_back():
    plan = FaultPlan(script=("rate_limit",))
    with FaultServer(plan, retry_after={"retry-after-ms": "400"}) as server:
        answers, _ = await ask_all(options(server.url, max_concurrency=4), [request(n) for n in range(4)])
    assert all(answer.value is not None for answer in answers)
    times = sorted(received.at for received in server.requests)
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert max(gaps) >= 0.35


async def test_a_retry_after_of_a_day_stalls_nobody_else_and_opens_the_breaker():
    began = time.monotonic()
    with FaultServer(FaultPlan(always="rate_limit"), retry_after={"Retry-After": "100000"}) as server:
        settings = options(server.url, timeout=20, max_concurrency=2)
        answers, _ = await ask_all(settings, [request(n) for n in range(MAX_CONSECUTIVE_FAILURES + 12)])
    assert time.monotonic() - began < SOON
    assert {answer.reason for answer in answers} == {Reason.RATE_LIMITED, Reason.PROVIDER_DOWN}
    assert len(server.requests) <= MAX_CONSECUTIVE_FAILURES + 2


async def test_concurrency_sinks_on_429_and_stays_under_the_maximum():
    with FaultServer(FaultPlan({"rate_limit": 0.3}, seed=1), latency=0.01) as server:
        settings = options(server.url, max_concurrency=8)
        answers, client = await ask_all(settings, [request(n) for n in range(60)])
    assert all(answer.value is not None for answer in answers)
    assert server.most_at_once <= 8
    assert client.progress.limit < 8
