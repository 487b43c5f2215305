"""The server that all the libraries ask: that of the tests, which fills whatever schema is sent with the same values
each time.

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
EMBEDDING = [0.1] * 256


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
        """Embeddings, and the counts."""
        app.router.add_post("/v1/embeddings", self._embed)
        app.router.add_get("/counts", self._counts)

    def _answer_to(self, body: Mapping[str, Any]) -> str:
        schema = schema_of(body)
        if schema is None:
            return "I cannot say."
        name = json.dumps(schema)
        if name not in self._filled:
            self._filled[name] = json.dumps(fill(schema, random.Random(0), length=LENGTH))
        return self._filled[name]

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        try:
            body = json.loads(await request.read())
        except ConnectionError:  # killed in the middle of a question
            return web.Response()
        self.characters += sum(len(str(message["content"] or "")) for message in body["messages"])
        return await super()._complete(request)

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
