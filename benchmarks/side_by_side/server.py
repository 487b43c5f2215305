"""The server that all the libraries ask: that of the tests, which fills whatever schema is sent with the same values
each time, and beside it what those want that send no schema.

    python benchmarks/side_by_side/server.py [--latency 0.05] [--fault rate_limit=0.05 …]

It prints its address. ``GET /counts`` says how many questions came, with how many characters of prompt, and how many
of them were dealt a fault.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.server.answers import fill, schema_of
from tests.server.app import FaultServer
from tests.server.faults import FAULTS, FaultPlan

LENGTH = 3
"""Entries of every list: claims, statements, verdicts, nuggets. A library asks more often for longer lists."""
RETRY_AFTER = "1"
"""Seconds that a 429 asks for."""
SCORE = 2
"""A whole ``score`` whose range stands in the prompt alone (TruLens: 0 to 3)."""
EMBEDDING = [0.1] * 256
WITHOUT_SCHEMA = {
    # inspect_ai
    "GRADE: $LETTER": "The submission follows from what is given.\n\nGRADE: C",
    # nuggetizer
    "Updated Nugget List:": '["cities have tried it", "costs fell", "critics doubt the figures"]',
    "either a vital or okay": '["vital", "vital", "okay"]',
    "labeled as partial_support": '["support", "partial_support", "not_support"]',
    # TruLens
    "Return each sentence on a new line.": "Cities have tried it.\nCosts fell.\nCritics doubt the figures.",
    "IMPORTANT STATEMENTS:": '["Cities have tried it.", "Costs fell.", "Critics doubt the figures."]',
    "Score: <": "Criteria: support by the source\nSupporting Evidence: the second document\nScore: 2",
    "Output ONLY the JSON": '{"criteria": "support", "supporting_evidence": "the second document", "score": 2}',
}
"""What stands in a prompt without a schema, and what its library reads out of an answer."""


class PeerServer(FaultServer):
    """Chat completions with faults, embeddings without, and counts of both."""

    def __init__(self, plan: FaultPlan, latency: float) -> None:
        super().__init__(
            plan,
            answer=self._answer_to,
            latency=latency,
            retry_after={"Retry-After": RETRY_AFTER},
            keep_bodies=False,
        )
        self.characters = self.embeddings = 0
        self._filled: dict[str, str] = {}

    def add_routes(self, app: web.Application) -> None:
        """Embeddings, Responses, and the counts."""
        app.router.add_post("/v1/embeddings", self._embed)
        app.router.add_post("/v1/responses", self._complete)
        app.router.add_get("/counts", self._counts)

    def _answer_to(self, body: Mapping[str, Any]) -> str:
        schema = schema_of(body)
        if schema is None:
            text = "\n".join(str(message["content"]) for message in body["messages"])
            return next((answer for mark, answer in WITHOUT_SCHEMA.items() if mark in text), "I cannot say.")
        name = json.dumps(schema)
        if name not in self._filled:
            filled = fill(schema, random.Random(0), length=LENGTH)
            if schema.get("properties", {}).get("score", {}).get("type") == "integer":
                filled["score"] = SCORE
            self._filled[name] = json.dumps(filled)
        return self._filled[name]

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        try:
            body = json.loads(await request.read())
        except ConnectionError:  # killed in the middle of a question
            return web.Response()
        if "input" in body:  # OpenAI's Responses, which TruLens asks first
            body = _as_chat(body)
            request._read_bytes = json.dumps(body).encode()
        self.characters += sum(len(str(message["content"] or "")) for message in body["messages"])
        return await super()._complete(request)

    def _body(self, body: Mapping[str, Any], body_hash: str, fault: str | None) -> dict[str, Any]:
        answer = super()._body(body, body_hash, fault)
        return _as_response(answer) if body.get("as_response") else answer

    async def _embed(self, request: web.Request) -> web.Response:
        given = (await request.json())["input"]
        self.embeddings += 1
        rows = [
            {"object": "embedding", "index": place, "embedding": EMBEDDING}
            for place, _ in enumerate(given if isinstance(given, list) else [given])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return web.json_response({"object": "list", "data": rows, "model": "embedding", "usage": usage})

    async def _counts(self, _: web.Request) -> web.Response:
        dealt = {name: number for name, number in self.faults().items() if name}
        return web.json_response(
            {
                "calls": len(self.requests),
                "characters": self.characters,
                "embeddings": self.embeddings,
                "faults": sum(dealt.values()),
                **dealt,
                "under_way": self.running,
            }
        )


def _as_chat(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request to Responses as one to chat completions."""
    wanted = body.get("text", {}).get("format", {})
    schema = (
        {"type": "json_schema", "json_schema": {"schema": wanted["schema"]}} if "schema" in wanted else {}
    )
    given = {"model": body["model"], "messages": body["input"], "temperature": body.get("temperature")}
    return given | {"response_format": schema, "as_response": True}


def _as_response(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer of chat completions as one of Responses."""
    choice = answer["choices"][0]
    cut = choice["finish_reason"] == "length"
    said = {"type": "output_text", "text": choice["message"]["content"], "annotations": []}
    message = {
        "type": "message",
        "id": "msg-1",
        "role": "assistant",
        "status": "completed",
        "content": [said],
    }
    usage = {
        "input_tokens": answer["usage"]["prompt_tokens"],
        "output_tokens": answer["usage"]["completion_tokens"],
        "total_tokens": answer["usage"]["total_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": answer["id"],
        "object": "response",
        "created_at": 1,
        "model": answer["model"],
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [message],
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "usage": usage,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE", help=", ".join(FAULTS))
    options = parser.parse_args()
    rates = {name: float(share) for name, share in (fault.split("=") for fault in options.fault)}
    server = PeerServer(FaultPlan(rates), options.latency)
    asyncio.run(server.serve(0, lambda port: print(f"http://127.0.0.1:{port}/v1", flush=True)))


if __name__ == "__main__":
    main()
