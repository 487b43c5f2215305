"""The direct way to OpenAI-compatible servers: what it sends is what litellm sends, and it trusts no server."""

import asyncio
import gzip
import json
import os
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.llm.backends.hosted import BACKEND
from conqret.llm.client_options import ClientOptions
from conqret.llm.hosted.direct_http import Direct
from conqret.llm.hosted.servers import AZURE_VERSION, directly, server_of
from conqret.llm.hosted.through_litellm import ThroughLitellm, _stay_here
from conqret.llm.recordings import Recordings
from conqret.llm.request import Plain
from tests.llm.samples import SECRET, Verdict, ask_all, options, request
from tests.llm.scripted import GOOD, body, serving

pytestmark = pytest.mark.usefixtures("quick")

TOKENS = [{"token": "4", "logprob": -0.5, "bytes": None, "top_logprobs": [{"token": "5", "logprob": -1.5}]}]


ASKED = [{}, {"max_tokens": 50, "top_p": 0.9, "temperature": 0.7, "logprobs": True}, {"response": Plain}]


@pytest.mark.parametrize("way", ["direct", "litellm"])
async def test_a_call_says_who_answered(tmp_path, way):
    """Under another name than was asked for, from a system whose name is no one line; recorded, too."""
    said = body() | {"model": "judge-2026-01-31", "system_fingerprint": "fp_1\n" + "x" * 200}
    async with serving(lambda _: web.json_response(said)) as (url, _):
        with Recordings(tmp_path / "store.sqlite") as store:
            for attempts in (1, 0):
                (answer,), _ = await ask_all(
                    options(url, model="openai/judge", client=way), [request()], store
                )
                (call,) = answer.calls
                assert (call.answered_by, call.attempts) == ("judge-2026-01-31", attempts)
                assert call.system_fingerprint is not None
                assert call.system_fingerprint.startswith("fp_1 xxx")
                assert len(call.system_fingerprint) == 100


@pytest.mark.parametrize("model", ["openai/judge", "hosted_vllm/a/b", "azure/my-judge"])
async def test_both_ways_send_the_same_and_record_the_same(tmp_path, model):
    asked = [request(number, **fields) for number, fields in enumerate(ASKED)]
    kept: dict[str, dict[str, Any]] = {}
    sent: dict[str, list[bytes]] = {}
    azure = model.startswith("azure/")
    path = f"/openai/deployments/my-judge/chat/completions?api-version={AZURE_VERSION}"
    async with serving(lambda _: web.json_response(body(logprobs={"content": TOKENS}))) as (url, heard):
        url = url.removesuffix("/v1") if azure else url
        for way in ("direct", "litellm"):
            heard.clear()
            with Recordings(tmp_path / f"{way}.sqlite") as store:
                settings = options(url, model=model, client=way, max_concurrency=1)
                answers, _ = await ask_all(settings, asked, store)
                assert [answer.status for answer in answers] == ["scored"] * 3
                for one in store.recorded():
                    told = replace(one.completion, seconds=0.0, model="")
                    kept.setdefault(way, {})[one.key] = (told, one.params, one.ask, one.item)
            sent[way] = sorted(one.raw for one in heard)
            assert {one.path for one in heard} == {path if azure else "/v1/chat/completions"}
            keys = {(one.headers.get("Authorization"), one.headers.get("api-key")) for one in heard}
            assert keys == {(None, SECRET) if azure else (f"Bearer {SECRET}", None)}
    assert kept["direct"] == kept["litellm"]
    assert [ordered(raw) for raw in sent["direct"]] == [ordered(raw) for raw in sent["litellm"]]


def ordered(raw: bytes) -> Any:
    """A body in which the order counts of all but its first names."""
    return {name: json.dumps(value) for name, value in json.loads(raw).items()}


@pytest.mark.parametrize(
    ("model", "base", "direct"),
    [
        ("gpt-4o-mini", None, True),
        ("gpt-5-mini", None, False),
        ("openai/o3", "http://x/v1", False),
        ("gpt-4o-audio-preview", None, False),
        ("hosted_vllm/m", None, True),
        ("Qwen/Qwen3-8B", "http://x/v1", True),
        ("Qwen/Qwen3-8B", None, False),
        ("anthropic/claude-sonnet", "http://x/v1", False),
    ],
)
def test_who_is_asked_directly(model, base, direct):
    assert directly(ClientOptions(model, api_base=base)) is direct
    assert isinstance(BACKEND.open(ClientOptions(model, api_base=base)), Direct if direct else ThroughLitellm)
    assert not directly(ClientOptions(model, api_base=base, client="litellm"))


@pytest.mark.parametrize(
    ("model", "base", "version", "direct"),
    [
        ("azure/judge", "https://x.openai.azure.com/", "2024-10-21", True),
        ("azure/judge", "https://x.openai.azure.com", "2024-06-01", False),
        ("azure/judge", None, "2024-10-21", False),
    ],
)
def test_which_deployments_are_asked_directly(monkeypatch, model, base, version, direct):
    monkeypatch.setenv("AZURE_API_VERSION", version)
    assert not directly(ClientOptions(model, api_base=base))  # there is no key
    monkeypatch.setenv("AZURE_API_KEY", "k")
    assert directly(ClientOptions(model, api_base=base)) is direct
    if base is None:
        monkeypatch.setenv("AZURE_API_BASE", "https://y.openai.azure.com")
        path = f"/openai/deployments/judge/chat/completions?api-version={version}"
        assert server_of(ClientOptions(model)).url == f"https://y.openai.azure.com{path}"


def test_addresses_and_keys(monkeypatch):
    server = server_of(ClientOptions("a/b", api_base="https://me:p%2Fw@host:1/v1/?version=2"))
    assert (server.url, server.model) == ("https://host:1/v1/chat/completions?version=2", "a/b")
    assert server.headers["Authorization"] == "Basic bWU6cC93"
    assert "Basic" not in repr(server)
    monkeypatch.setenv("OPENAI_API_KEY", " sk-set \n")
    monkeypatch.setenv("OPENAI_ORG_ID", "org")
    server = server_of(ClientOptions("gpt-4o"))
    assert server.url == "https://api.openai.com/v1/chat/completions"
    assert dict(server.headers) == {"Authorization": "Bearer sk-set", "OpenAI-Organization": "org"}
    with pytest.raises(DeclarationError, match="or the environment variable HOSTED_VLLM_API_BASE"):
        server_of(ClientOptions("hosted_vllm/m"))
    with pytest.raises(DeclarationError, match="characters that no key has"):
        server_of(ClientOptions("gpt-4o", api_key="sk-\nX: y"))
    with pytest.raises(DeclarationError, match="it must be 'direct' or 'litellm'"):
        ClientOptions("gpt-4o", client="curl")  # type: ignore[arg-type]


def test_proxies_spare_what_they_spared_before(monkeypatch, no_proxy):
    for before, after in (
        ("corp.example", "corp.example,localhost,127.0.0.1,::1"),
        ("*", "*"),
        ("localhost,127.0.0.1,::1,x", "localhost,127.0.0.1,::1,x"),
    ):
        monkeypatch.setenv("NO_PROXY", before)
        monkeypatch.delenv("no_proxy", raising=False)
        _stay_here()
        assert os.environ["NO_PROXY"] == os.environ.get("no_proxy", before) == after


@pytest.mark.parametrize(
    ("model", "way"),
    [("openai/judge", "direct"), ("openai/judge", "litellm"), ("anthropic/claude-x", "litellm")],
)
async def test_nothing_is_sent_where_a_server_sends_us_on(model, way):
    async with serving() as (elsewhere, others):
        away = web.Response(status=307, headers={"Location": f"{elsewhere}?key=1"})
        async with serving(lambda _: away) as (url, heard):
            (answer,), _ = await ask_all(options(url, model=model, client=way), [request()])
    assert (answer.reason, len(heard), others) == (Reason.BAD_REQUEST, 1, [])
    assert f"sends on to {elsewhere}: give the address itself" in answer.detail


async def test_an_address_without_v1_is_asked_about():
    async with serving(lambda _: web.Response(status=404, text="Not Found")) as (url, heard):
        (whole,), _ = await ask_all(options(url), [request()])
        bare = url.removesuffix("/v1")
        (short,), _ = await ask_all(options(bare), [request()])
    assert (short.reason, len(heard)) == (Reason.NOT_FOUND, 2)
    assert f"should the address end in /v1: --api-base {bare}/v1?): Not Found" in short.detail
    assert "should" not in whole.detail


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"\xff\xfe\x00", "is not valid JSON"),
        (b"[1]", "is not a JSON object"),
        (b"[" * 100_000, "is not valid JSON"),
        (b'{"choices": [7]}', "contains no choice"),
        (b'{"choices": [{"message": ' + b"1" * 5000 + b"}]}", "is not valid JSON"),
    ],
)
async def test_bodies_that_are_no_answer(raw, told):
    async with serving(lambda _: web.Response(body=raw)) as (url, heard):
        (answer,), _ = await ask_all(options(url, max_attempts=2), [request()])
    assert (answer.reason, len(heard)) == (Reason.SERVER_ERROR, 2)
    assert told in answer.detail


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ([{"type": "text", "text": json.dumps(GOOD)}], {}),
        (f"<think>maybe {{}}</think>\n{json.dumps(GOOD)}", {}),
        (None, {"message": {"tool_calls": [{"function": {"name": "Verdict", "arguments": GOOD}}]}}),
        (None, {"finish_reason": ["length"]}),
        (None, {"logprobs": {"content": [7]}}),
    ],
)
async def test_odd_answers_are_answers(content, more):
    async with serving(lambda _: web.json_response(body(GOOD if content is None else content, **more))) as (
        url,
        _,
    ):
        (answer,), _ = await ask_all(options(url), [request()])
    assert answer.value == Verdict.model_validate(GOOD, context={"documents": 3})
    assert answer.calls[0].finish_reason == "stop"


@pytest.fixture
def no_proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        for one in (name, name.upper()):
            monkeypatch.setenv(one, "")  # so that it is as it was, whatever litellm's way sets
            monkeypatch.delenv(one)


async def test_a_password_in_netrc_takes_no_keys_place(tmp_path, monkeypatch, no_proxy):
    (tmp_path / "netrc").write_text("default login somebody password something\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    async with serving() as (url, heard):
        (answer,), _ = await ask_all(options(url), [request()])
    assert (answer.reason, heard[0].headers["Authorization"]) == (None, f"Bearer {SECRET}")


@pytest.mark.parametrize(("client", "host"), [("direct", "127.0.0.1"), ("litellm", "localhost")])
async def test_this_machine_is_asked_without_the_proxy(monkeypatch, no_proxy, host, client):
    async with serving() as (proxy, others), serving() as (url, heard):
        monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1"))
        (answer,), _ = await ask_all(options(url.replace("127.0.0.1", host), client=client), [request()])
    assert (answer.reason, len(heard), others) == (None, 1, [])


async def test_others_are_asked_through_the_proxy(monkeypatch, no_proxy):
    async with serving() as (proxy, heard):
        at = proxy.removesuffix("/v1").replace("http://", "http://me:mine@")
        monkeypatch.setenv("http_proxy", at)
        (answer,), _ = await ask_all(options("http://judge.invalid/v1"), [request()])
    assert (answer.reason, heard[0].headers["Host"]) == (None, "judge.invalid")
    assert heard[0].headers["Proxy-Authorization"].startswith("Basic ")


async def test_a_proxy_before_a_safe_address_gets_no_key(monkeypatch, no_proxy):
    said = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        (answer,), _ = await ask_all(options("https://judge.invalid/v1", max_attempts=1), [request()])
    assert answer.value is None
    assert said[0].startswith(b"CONNECT judge.invalid:443")
    assert SECRET.encode() not in said[0]


async def test_packed_answers_are_unpacked():
    packed = gzip.compress(json.dumps(body()).encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    async with serving(lambda _: web.Response(body=packed, headers=headers)) as (url, heard):
        (answer,), _ = await ask_all(options(url), [request()])
    assert answer.value is not None
    assert heard[0].headers["Accept-Encoding"] == "gzip, deflate"
