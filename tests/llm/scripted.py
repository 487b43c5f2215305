"""A server on the loopback that a test answers for, request by request."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

GOOD = {"documents": [{"number": n, "explanation": "é", "rating": n} for n in (1, 2, 3)], "overall": 3}


def body(content: Any = GOOD, **choice: Any) -> dict[str, Any]:
    """A chat completion; what is neither a text nor None is its content as JSON."""
    text = json.dumps(content) if isinstance(content, dict) else content
    first = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"} | choice
    usage = {"prompt_tokens": 9, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}
    said = {"id": "1", "object": "chat.completion", "created": 1, "model": "judge"}
    return {**said, "choices": [first], "usage": usage}


@dataclass
class Heard:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    raw: bytes
    peer: Any


@asynccontextmanager
async def serving(
    answer: Callable[[Mapping[str, Any]], web.StreamResponse] = lambda asked: web.json_response(body()),
) -> AsyncIterator[tuple[str, list[Heard]]]:
    """The server's address, and the requests that came; ``answer`` gets the body of each."""
    heard: list[Heard] = []

    async def handle(given: web.Request) -> web.StreamResponse:
        peer = given.transport.get_extra_info("peername") if given.transport else None
        heard.append(Heard(given.path_qs, dict(given.headers), await given.read(), peer))
        return answer(json.loads(heard[-1].raw or b"{}"))

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", heard
    finally:
        await runner.cleanup()
