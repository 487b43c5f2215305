"""The server itself: an aiohttp application, run in a thread of the test or in a process of its own."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import hashlib
import json
import random
import re
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import quote

from aiohttp import web

from tests.server.answers import fill, schema_in_request, schema_of
from tests.server.faults import FaultPlan

AnswerFunction = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Received:
    """One request as the server saw it."""

    at: float
    body_hash: str
    body: Mapping[str, Any]
    fault: str | None
    headers: Mapping[str, str]


class FaultServer:
    """Answers ``POST /v1/chat/completions``, after ``latency`` seconds, with the faults of ``plan``.

    ``answer`` maps the request's body to the content (a string, or data to be dumped); without it the
    schema in the request is filled, lists with ``length`` entries. ``retry_after`` is the header of a 429
    (text, as it is sent). ``constant`` answers the same to each schema, which is fast. ``alter`` changes a body
    before it is sent. As a context manager the server runs in a thread; ``url`` is its base.
    """

    def __init__(
        self,
        plan: FaultPlan | None = None,
        *,
        answer: AnswerFunction | None = None,
        latency: float = 0.0,
        retry_after: Mapping[str, str] | None = None,
        length: int = 3,
        constant: bool = False,
        alter: Callable[[dict[str, Any]], None] = lambda body: None,
        keep_bodies: bool = True,
    ) -> None:
        self.plan = plan or FaultPlan()
        self.answer, self.latency, self.length = answer, latency, length
        self.retry_after = {"Retry-After": "0"} if retry_after is None else retry_after
        self.constant, self.keep_bodies = constant, keep_bodies
        self.alter = alter
        self.requests: list[Received] = []
        self.counts: Counter[str] = Counter()
        self.running = self.most_at_once = 0
        self.port = 0
        self._constants: dict[str, str] = {}
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def faults(self) -> Counter[str | None]:
        """How often each fault was dealt out."""
        return Counter(request.fault for request in self.requests)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve(0)), daemon=True)
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(10)

    async def serve(self, port: int, announce: Callable[[int], None] = lambda port: None) -> None:
        """Serve on the loopback until stopped; ``announce`` gets the port."""
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._complete)
        self.add_routes(app)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        self.port = runner.addresses[0][1]
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        announce(self.port)
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    def add_routes(self, app: web.Application) -> None:
        """What a server has besides."""

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body_hash = hashlib.sha256(raw).hexdigest()
        fault = self.plan.draw(body_hash, self.counts[body_hash], len(self.requests))
        self.counts[body_hash] += 1
        body = json.loads(raw)
        kept = body if self.keep_bodies else {}
        self.requests.append(Received(time.monotonic(), body_hash, kept, fault, dict(request.headers)))
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            return await self._respond(request, body, body_hash, fault)
        finally:
            self.running -= 1

    async def _respond(
        self, request: web.Request, body: Mapping[str, Any], body_hash: str, fault: str | None
    ) -> web.StreamResponse:
        if fault == "hang":
            await asyncio.sleep(3600)
        error = _error(fault, body, request.headers.get("Authorization", ""))
        if error is not None:
            headers = self.retry_after if fault == "rate_limit" else {}
            return web.json_response(error[1], status=error[0], headers=headers)
        if fault == "bad_body":
            return web.Response(text='{"id": "cmpl-1", "choices": [{"mess', content_type="application/json")
        if fault in ("bomb", "odd_packing"):
            packing = {"bomb": "gzip", "odd_packing": "br"}[fault]
            return web.Response(
                body=_bomb(), content_type="application/json", headers={"Content-Encoding": packing}
            )
        if fault == "endless":
            return await self._endlessly(request)
        answer = self._body(body, body_hash, fault)
        self.alter(answer)
        text = json.dumps(answer)
        if fault in ("drop", "drip"):
            return await self._slowly(request, text.encode(), drop=fault == "drop")
        return web.Response(text=text, content_type="application/json")

    async def _endlessly(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):  # the client hung up
            while True:
                await response.write(b" " * 2**16)
        return response

    async def _slowly(self, request: web.Request, data: bytes, *, drop: bool) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "application/json", "Content-Length": str(len(data))}
        )
        await response.prepare(request)
        if drop:
            await response.write(data[: len(data) // 2])
            if request.transport is not None:
                request.transport.close()
            return response
        with contextlib.suppress(ConnectionError):  # the client hung up
            for place in range(len(data)):
                await response.write(data[place : place + 1])
                await asyncio.sleep(0.2)
        return response

    def _content(self, body: Mapping[str, Any], body_hash: str) -> str:
        if self.answer is not None:
            answer = self.answer(body)
            return answer if isinstance(answer, str) else json.dumps(answer)
        schema = schema_of(body)
        if schema is None:  # a plain text is asked for
            return f"So it is: {body_hash}."
        if not self.constant:
            content = json.dumps(fill(schema, random.Random(body_hash), length=self.length))
            return content if schema_in_request(body) else f"Here it is:\n```json\n{content}\n```"
        name = json.dumps(schema)
        if name not in self._constants:
            self._constants[name] = json.dumps(fill(schema, random.Random(0), length=self.length))
        return self._constants[name]

    def _body(self, body: Mapping[str, Any], body_hash: str, fault: str | None) -> dict[str, Any]:
        content: str | None = self._content(body, body_hash)
        finish, refusal = "stop", None
        if fault == "bad_json":
            content = "Here is my judgment: relevance four out of five {"
        elif fault == "bad_schema":
            content = json.dumps({"unexpected": ["shape", 1]})
        elif fault == "truncated":
            content, finish = (content or "")[: len(content or "") // 2], "length"
        elif fault == "refusal":
            content, refusal = None, "I will not judge this."
        elif fault == "declines":
            content = "I'm sorry, but I can't assist with that request."
        elif fault == "filtered":
            content, finish = "", "content_filter"
        message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": refusal}
        if body.get("tools") and fault not in ("refusal", "declines", "filtered"):
            name = body["tools"][0]["function"]["name"]
            call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": content}}
            message |= {"content": None, "tool_calls": [call]}
            finish = "tool_calls" if finish == "stop" else finish
        choice = {"index": 0, "message": message, "finish_reason": finish}
        if body.get("logprobs") and content:
            choice["logprobs"] = {"content": _logprobs(content, body.get("top_logprobs", 0))}
        prompt = sum(len(m["content"] or "") for m in body["messages"]) // 4
        completed = len(content or "") // 4
        return {
            "id": f"cmpl-{body_hash[:12]}",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [] if fault == "no_choices" else [choice],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completed,
                "total_tokens": prompt + completed,
                "prompt_tokens_details": {"cached_tokens": prompt // 2},
            },
        }


def leaks(secret: str) -> str:
    """A sentence that gives the secret away, in every form that is known."""
    letters = base64.b64encode(f"Bearer {secret}".encode()).decode()
    return f"I got {secret}, {quote(secret, safe='')}, {letters}, and {secret[: len(secret) // 2]} to begin with."


def _error(
    fault: str | None, body: Mapping[str, Any], authorization: str
) -> tuple[int, dict[str, Any]] | None:
    errors: dict[str, tuple[int, str, str]] = {
        "rate_limit": (429, "rate_limit_exceeded", "Rate limit reached, slow down."),
        "server_error": (500, "server_error", "The server had an error."),
        "auth": (401, "invalid_api_key", "Incorrect API key provided: sk-abcdefghijklmnopqrstuvwxyz."),
        "bad_request": (400, "invalid_request", "This parameter is not to my liking."),
        "echo": (400, "invalid_request", leaks(authorization.removeprefix("Bearer "))),
        "policy": (400, "content_policy_violation", "Your request was rejected by our safety system."),
        "overflow": (
            400,
            "context_length_exceeded",
            "This model's maximum context length is 8192 tokens. However, your messages had 9000 tokens.",
        ),
    }
    if fault == "no_schema" and "response_format" in body:
        return 400, {
            "error": {"message": "response_format json_schema is not supported here", "code": "unsupported"}
        }
    if fault not in errors:
        return None
    status, code, message = errors[fault]
    return status, {"error": {"message": message, "type": code, "code": code, "param": None}}


def _logprobs(content: str, top: int) -> list[dict[str, Any]]:
    """Tokens are digits and what stands between them; a digit has its neighbours as alternatives."""
    tokens = []
    for token in re.findall(r"\d|\D+", content):
        shares = {token: 0.0}
        if token.isdigit() and top:
            shares = {token: -0.5, str((int(token) + 1) % 10): -1.2, " many": -3.0}
        ranked = [{"token": t, "logprob": p, "bytes": None} for t, p in shares.items()]
        tokens.append({"token": token, "logprob": shares[token], "bytes": None, "top_logprobs": ranked[:top]})
    return tokens


@functools.cache
def _bomb() -> bytes:
    """A gigabyte in a megabyte; its end does not matter, as nobody should come to it."""
    packer = zlib.compressobj(9, wbits=31)
    first, *_, last = (packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(3))
    return first + 1023 * last
