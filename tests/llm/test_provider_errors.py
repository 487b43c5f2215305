"""What providers' errors mean: whose fault they are, what is tried again, and what ends a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from aiohttp import web

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.llm.batches import service_of
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import MAX_CONSECUTIVE_FAILURES, MIN_REQUESTS
from conqret.llm.hosted.through_litellm import ThroughLitellm, load_litellm
from conqret.llm.provider_errors import error_in
from tests.llm.samples import ask_all, options, request
from tests.llm.scripted import GOOD, body, serving

pytestmark = pytest.mark.usefixtures("quick")


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


GEMINI = [
    error(
        "You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric "
        + "generate_content_requests " * 20
        + "Please retry in 35.2s.",
        code=429,
        status="RESOURCE_EXHAUSTED",
        details=[{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "35s"}],
    )
]
MODERATED = error(
    'some/model requires moderation. Your input was flagged for "violence". No credits were charged.',
    code=403,
    metadata={"reasons": ["violence"], "flagged_input": "…", "provider_name": "Some"},
)

UPSTREAM = {"code": 502, "message": "Upstream"}

MEANT: dict[Reason, list[tuple[int | None, Any]]] = {
    Reason.CONTEXT_OVERFLOW: [
        (400, error("the request exceeds the available context size", type="exceed_context_size_error")),
        (400, error("Input tokens exceed the configured limit of 272000 tokens.")),
        (400, error("string too long", code="string_above_max_length")),
        (400, [error("The input token count is 40 but model only supports up to 32.")]),
        (400, error("Please reduce the length of the messages or completion.")),
        (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096.", "error_type": "validation"}),
        (400, {"object": "error", "message": "The prompt is longer than the maximum model length of 4."}),
        (400, {"error": {"type": "invalid_request_error", "message": "prompt is too long: 201 tokens"}}),
        (400, error("input length and `max_tokens` exceed context limit: 188 + 21 > 200")),
        (400, {"message": "Prompt contains 40 tokens, too large for this model"}),
        (400, {"message": "too many tokens: the tokens in the prompt cannot exceed 4081"}),
        (400, error("Invalid request: Your request exceeded model token limit: 8192")),
        (400, error("Range of input length should be [1, 30720]")),
        (413, "Request Entity Too Large"),
        (
            413,
            error("Too large on tokens per minute (TPM): Limit 6, Requested 8", code="rate_limit_exceeded"),
        ),
        (429, error("Request too large for gpt-4o on tokens per min (TPM): Limit 30, Requested 40.")),
    ],
    Reason.REFUSAL: [
        (400, error("Your prompt was flagged as violating our usage policy.", code="invalid_prompt")),
        (400, error("Blocked.", innererror={"code": "ResponsibleAIPolicyViolation"})),
        (400, {"code": "DataInspectionFailed", "message": "Input data may be wrong."}),
        (400, error("Content Exists Risk", type="invalid_request_error")),
        (400, error("Output blocked by content filtering policy")),
        (403, error("Content violates usage guidelines.")),
        (403, MODERATED),
        (None, error("The answer was blocked", code="PROHIBITED_CONTENT")),
    ],
    Reason.QUOTA: [
        (402, {"detail": "Insufficient Balance"}),
        (400, error("Your credit balance is too low to access the API.")),
        (429, [error("Please retry in 3s.", details=[{"violations": [{"quotaId": "RequestsPerDay"}]}])]),
    ],
    Reason.AUTHENTICATION: [
        (401, {"error": "No auth credentials found"}),
        (403, error("Your account was flagged for potential abuse.")),
        (400, [error("API key not valid.", details=[{"reason": "API_KEY_INVALID"}])]),
    ],
    Reason.NOT_FOUND: [
        (404, error("model 'x' not found, try pulling it first")),
        (403, error("Project `p` does not have access to model `x`", code="model_not_found")),
        (400, {"object": "error", "message": "Model Not Exist"}),
    ],
    Reason.RATE_LIMITED: [
        (429, GEMINI),
        (
            429,
            error("Limit reached on tokens per min (TPM): Limit 30, Used 29, Requested 2. Try again in 2s."),
        ),
        (403, error("slow down", code="rate_limit_exceeded")),
        (None, error("Provider returned error", code=429)),
    ],
    Reason.BAD_REQUEST: [
        (400, error("max_tokens is too large: 9. This model supports at most 4 completion tokens.")),
        (400, error("`max_tokens` must be less than the `context_window` for this model")),
        (None, {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}),
    ],
    Reason.SERVER_ERROR: [
        (500, error("The server had an error")),
        (None, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ],
}


@pytest.mark.parametrize(
    ("status", "said", "reason"), [(*case, reason) for reason, cases in MEANT.items() for case in cases]
)
def test_status_codes_and_words_are_judged_together(status, said, reason):
    judged = error_in(said, status)
    assert judged.code is reason
    passed_on = error("Provider returned error", metadata={"raw": json.dumps(said)})
    if status is not None and isinstance(said, dict):  # as gateways pass on the bodies of others
        assert error_in(passed_on, status).code is reason
        assert error_in(f"SomeException - {json.dumps(said)}", status).code is reason


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (GEMINI, 35.0),
        (error("Please try again in 1m3.5s."), 63.5),
        (error("Rate limit reached. Please try again in 20ms."), 0.02),
        (error("Please wait 2 minutes before retrying."), 120.0),
        ({"detail": "slow down", "retry_after": 7}, 7.0),
        (error("Try again in a moment, in 3 steps."), None),
    ],
)
def test_a_delay_in_the_body_is_read(said, seconds):
    judged = error_in(said, 429)
    assert (judged.code, judged.retry_after) == (Reason.RATE_LIMITED, seconds and pytest.approx(seconds))
    assert error_in(said, 429, {"Retry-After": "9"}).retry_after == 9


def rejected(reject: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], web.Response]:
    """A server that answers what ``reject`` gives for a request, a status and a body, and well where it gives none."""

    def answer(asked: Mapping[str, Any]) -> web.Response:
        status, said = reject(asked) or (200, body())
        return web.json_response(said, status=status)

    return answer


def first_items(status: int, said: Any, count: int) -> Callable[[Mapping[str, Any]], Any]:
    bad = tuple(f"item {number}." for number in range(count))
    return lambda asked: (status, said) if asked["messages"][-1]["content"].endswith(bad) else None


OF_AN_ITEM = [
    (403, MODERATED, Reason.REFUSAL),
    (400, error("exceeds the available context size"), Reason.CONTEXT_OVERFLOW),
    (200, body(None, finish_reason="RECITATION"), Reason.REFUSAL),
    (200, error("Your input was flagged", code=403), Reason.REFUSAL),
]


def by_both_routes(cases: list[tuple[Any, ...]], through_litellm: int) -> list[tuple[Any, ...]]:
    """All cases by the direct route, and the first ones through litellm."""
    return [*(("direct", *case) for case in cases), *(("litellm", *case) for case in cases[:through_litellm])]


@pytest.mark.parametrize(("way", "status", "said", "reason"), by_both_routes(OF_AN_ITEM, 3))
async def test_what_is_an_items_own_ends_no_run(way, status, said, reason):
    count = max(MIN_REQUESTS, MAX_CONSECUTIVE_FAILURES)
    async with serving(rejected(first_items(status, said, count))) as (url, heard):
        settings = options(url, client=way, max_concurrency=1)
        answers, _ = await ask_all(settings, [request(n) for n in range(count + 5)])
    assert [answer.reason for answer in answers] == [reason] * count + [None] * 5
    assert len(heard) == count + 5


async def test_a_rejected_request_ends_no_run_in_which_others_are_answered():
    said = error("This parameter is not to my liking.")
    async with serving(rejected(first_items(400, said, MIN_REQUESTS - 1))) as (url, _):
        settings = options(url, max_concurrency=1)
        answers, _ = await ask_all(settings, [request(n) for n in range(MIN_REQUESTS + 5)])
    assert [answer.reason for answer in answers] == [Reason.BAD_REQUEST] * (MIN_REQUESTS - 1) + [None] * 6
    async with serving(rejected(lambda _: (400, said))) as (url, heard):
        answers, _ = await ask_all(
            options(url, max_concurrency=1), [request(n) for n in range(MIN_REQUESTS + 5)]
        )
    assert len(heard) <= MIN_REQUESTS + 1  # where all are rejected, the rest would be, too
    assert answers[-1].reason is Reason.TOO_MANY_FAILURES


@pytest.mark.parametrize(
    ("status", "said", "reason"),
    [
        (401, error("no"), Reason.AUTHENTICATION),
        (200, error("Insufficient credits", code=402), Reason.QUOTA),
        (404, error("The model `x` does not exist"), Reason.NOT_FOUND),
    ],
)
async def test_what_would_meet_every_request_ends_the_run_at_once(status, said, reason):
    async with serving(rejected(lambda _: (status, said))) as (url, heard):
        answers, _ = await ask_all(options(url, max_concurrency=1), [request(n) for n in range(5)])
    assert [answer.reason for answer in answers] == [reason] + [Reason.PROVIDER_DOWN] * 4
    assert len(heard) == 1


async def test_a_rate_limit_is_waited_for_until_the_time_limit():
    left = [5]  # more than max_attempts

    def reject(_: Mapping[str, Any]) -> Any:
        left[0] -= 1
        return (429, [error("Please retry in 1ms.")]) if left[0] >= 0 else None

    async with serving(rejected(reject)) as (url, heard):
        (answer,), _ = await ask_all(options(url, max_attempts=3), [request()])
    assert (answer.reason, len(heard)) == (None, 6)


INSIDE_A_200 = [
    ({"choices": None, **error("No credits", code=402)}, Reason.QUOTA, "No credits", 1),
    (body(None, finish_reason="error", error=UPSTREAM), Reason.SERVER_ERROR, "error 502: Upstream", 2),
    (body("half a", finish_reason="error"), Reason.SERVER_ERROR, "ended the answer with an error", 2),
]


@pytest.mark.parametrize(("way", "said", "reason", "words", "sent"), by_both_routes(INSIDE_A_200, 2))
async def test_an_error_inside_a_200_is_that_error(way, said, reason, words, sent):
    async with serving(rejected(lambda _: (200, said))) as (url, heard):
        (answer,), _ = await ask_all(options(url, client=way, max_attempts=2), [request()])
    assert (answer.reason, len(heard)) == (reason, sent)
    assert words in answer.detail


SHAPES = [
    ((400, "failed to parse grammar"), (500, "tools param requires --jinja flag")),
    ((400, "Failed to generate JSON. See 'failed_generation' for more details."), None),
    ((400, "Model does not support structured outputs."), (500, "Something went wrong")),
]


@pytest.mark.parametrize(("way", "schema", "tools"), by_both_routes(SHAPES, 2))
async def test_a_rejected_shape_gives_way_to_the_next(way, schema, tools):
    def reject(asked: Mapping[str, Any]) -> Any:
        refusal = schema if "response_format" in asked else tools if "tools" in asked else None
        return None if refusal is None else (refusal[0], error(refusal[1]))

    async with serving(rejected(reject)) as (url, heard):
        settings = options(url, client=way, max_concurrency=1)
        answers, _ = await ask_all(settings, [request(n) for n in range(2)])
    assert [answer.reason for answer in answers] == [None, None]
    tried = 2 if tools is None else 3
    asked_again = tried if "failed_generation" in schema[1] else 1
    assert len(heard) == tried + asked_again


RESPONSE = {
    "model": "gpt-5-pro",
    "status": "completed",
    "error": None,
    "output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": json.dumps(GOOD)}]},
    ],
    "usage": {"input_tokens": 10, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 2}},
}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, None),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, Reason.REFUSAL),
        ({"error": {"code": "context_length_exceeded", "message": "Too much."}}, Reason.CONTEXT_OVERFLOW),
        ({"output": [{"type": "function_call", "name": "Verdict", "arguments": json.dumps(GOOD)}]}, None),
    ],
)
async def test_models_of_the_responses_interface_are_asked_there(more, reason):
    async with serving(rejected(lambda _: (200, RESPONSE | more))) as (url, heard):
        (answer,), _ = await ask_all(options(url, model="gpt-5-pro"), [request(max_tokens=50)])
    assert answer.reason is reason
    (sent,) = (json.loads(one.raw) for one in heard)
    assert heard[0].path == "/v1/responses"
    assert (sent["model"], sent["max_output_tokens"], sent["store"]) == ("gpt-5-pro", 50, False)
    assert sent["text"]["format"]["name"] == "Verdict"
    assert "temperature" not in sent
    if not more:
        assert (answer.calls[0].prompt_tokens, answer.calls[0].completion_tokens) == (10, 5)


async def test_where_the_responses_interface_cannot_be_asked_one_sentence_says_so():
    load_litellm()
    with pytest.raises(
        DeclarationError, match="Responses interface alone, for which litellm needs the package mcp"
    ):
        await ThroughLitellm(ClientOptions("azure/gpt-5-pro", api_base="http://127.0.0.1:9")).prepare()
    with pytest.raises(DeclarationError, match="cannot be used in batches"):
        service_of(ClientOptions("o1-pro"))
    said = error("This model is only supported in v1/responses and not in v1/chat/completions.")
    async with serving(rejected(lambda _: (404, said))) as (url, _):
        (answer,), _ = await ask_all(options(url, model="openai/new"), [request()])
    assert "--model openai/responses/new" in answer.detail
