"""What no honest provider would send: nothing of it raises, and none of it becomes a score. See
docs/results/attacks.md."""

import base64
import os
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from conqret.data import Reason
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.llm.redaction import Redaction, secrets_in_use
from conqret.llm.replies import rating_distribution
from conqret.llm.request import Completion, TokenLogprobs
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


def test_a_secret_is_taken_out_in_every_form():
    secret = "a+b/c=dé&f0123456789"
    redaction = Redaction([secret, "short7!", "none"])
    for form in (secret, quote(secret), quote(secret, safe="").lower(), quote_plus(secret), "short7!"):
        assert redaction.text(f"it is {form}, you know") == "it is [key], you know"
    for before in ("", "x", "xy", "Bearer ", "user:"):
        letters = base64.b64encode(f"{before}{secret}!".encode()).decode()
        assert len(redaction.text(f"<{letters}>")) < 22
    for at in range(len(secret) - 7):
        assert redaction.text(f"part {secret[at : at + 8]}.") == "part [key]."
    assert redaction.text("none of it: 0123456") == "none of it: 0123456"
    tokens = tuple(TokenLogprobs(letter, {letter: 0.0}) for letter in secret)
    cleaned = redaction.completion(
        Completion(secret, secret, secret, secret, logprobs=tokens, system_fingerprint=secret)
    )
    assert cleaned == Completion("[key]", "[key]", "[key]", "[key]", system_fingerprint="[key]")


def test_secrets_are_found_where_they_are_used(monkeypatch):
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("TOGETHERAI_API_KEY", "one")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "two")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:thr%2fee@proxy:3128")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    settings = ClientOptions("openai/judge", api_key="four", api_base="https://you:five@host/v1")
    assert set(secrets_in_use(settings)) == {"one", "two", "thr/ee", "me:thr/ee", "four", "five", "you:five"}


@pytest.mark.parametrize("value", ["much", None, 10**400, [], {"a": 1}])
def test_a_body_that_the_library_refuses_is_a_failure_with_its_reason(tmp_path, value):
    with FaultServer(answer=lambda body: {"rating": 4}, alter=say_logprob(value)) as server:
        outcome = run(tmp_path / "run", name="g-eval", client=served(server), metrics=("groundedness",))
    found = [judgment.measures["groundedness"] for judgment in outcome.rows.rows()]
    for one in found:
        assert (one.raw, one.method) == (4.0, "rating") or (one.value, one.reason) == (
            None,
            Reason.SERVER_ERROR,
        )


@pytest.mark.parametrize("usage", ["many", 7, [1], {"prompt_tokens": "many"}, {"prompt_tokens": {}}])
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


SECRETS = {
    "word": "Zw8/fileKey+0815=x",
    "json": '{"type": "service_account", "private_key_id": "Zw8fileid0815",\n "private_key": '
    '"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgE\\n-----END PRIVATE KEY-----\\n", '
    '"token_uri": "https://oauth2.example.org/token"}',
    "ini": "[default]\naws_access_key_id = AKIAZW8EXAMPLE\naws_secret_access_key=wJalrZw8/K7MDENG\n"
    "region = eu-central-1",
}


@pytest.mark.parametrize(
    ("name", "kind", "secrets"),
    [
        ("OPENAI_API_KEY_FILE", "word", ["Zw8/fileKey+0815=x"]),
        ("GOOGLE_APPLICATION_CREDENTIALS", "json",
         ["Zw8fileid0815", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgE"]),
        ("AWS_SHARED_CREDENTIALS_FILE", "ini", ["AKIAZW8EXAMPLE", "wJalrZw8/K7MDENG"]),
    ],
)  # fmt: skip
def test_secrets_in_key_files_are_secrets(tmp_path, monkeypatch, name, kind, secrets):
    (tmp_path / "file").write_text(SECRETS[kind], encoding="utf-8")
    monkeypatch.setenv(name, str(tmp_path / "file"))
    redaction = Redaction(secrets_in_use())
    for secret in secrets:
        assert redaction.text(f"it is {secret}, you know") == "it is [key], you know"
    plain = "a service_account in eu-central-1 with a PRIVATE KEY at https://oauth2.example.org/token"
    assert redaction.text(plain) == plain
    monkeypatch.setenv(name, str(tmp_path / "absent"))
    assert Redaction(secrets_in_use()).text(secrets[0]) == secrets[0]


def test_secrets_in_headers_are_secrets(monkeypatch):
    headers = "X-Api-Key: Zw8headerkey, Authorization=Bearer Zw8bearer0815; Content-Type: application/json"
    monkeypatch.setenv("PROVIDER_CUSTOM_HEADERS", headers)
    told = Redaction(secrets_in_use()).text("Zw8headerkey Zw8bearer0815 application/json Authorization")
    assert told == "[key] [key] application/json Authorization"


def test_keys_in_recordings_of_others_are_taken_out_on_import_and_export(tmp_path, monkeypatch):
    secret = "Zw8/imported+key=0815"
    completion = Completion(f"it is {secret}", refusal=secret, model=secret)
    labels = {"ask": "rag", "item": "i", "model": "m", "params": {}, "sample": 0}
    with Recordings(tmp_path / "theirs.sqlite") as theirs:
        theirs.put("k", completion, **labels)
        theirs.export_jsonl(tmp_path / "theirs.jsonl")
        monkeypatch.setenv("OPENAI_API_KEY", secret)
        theirs.export_jsonl(tmp_path / "mine.jsonl")
    with Recordings.open_for_replay(tmp_path / "theirs.jsonl") as replayed:
        assert replayed.get("k") == Completion("it is [key]", refusal="[key]", model="[key]")
    assert secret in (tmp_path / "theirs.jsonl").read_text()
    assert secret not in (tmp_path / "mine.jsonl").read_text()
    Recordings.open_for_replay(tmp_path / "mine.jsonl").close()
