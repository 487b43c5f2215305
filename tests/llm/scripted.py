"""A server on the loopback that a test answers for, request by request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

GOOD = {"documents": [{"number": n, "explanation": "x", "rating": n} for n in (1, 2, 3)], "overall": 3}


def body(content: str | None, **choice: Any) -> dict[str, Any]:
    """A chat completion."""
    message = {"role": "assistant", "content": content}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "judge",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"} | choice],
        "usage": {"prompt_tokens": 9, "completion_tokens": 7},
    }


@asynccontextmanager
async def scripted(
    answer: Callable[[Mapping[str, Any]], web.Response],
) -> AsyncIterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """The server's address, and the path and body of each request as it came."""
    heard: list[tuple[str, dict[str, Any]]] = []

    async def handle(given: web.Request) -> web.StreamResponse:
        asked = await given.json()
        heard.append((given.path, asked))
        return answer(asked)

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", heard
    finally:
        await runner.cleanup()
