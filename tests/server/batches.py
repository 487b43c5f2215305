"""Imitations of OpenAI's and Anthropic's batch interfaces, that misbehave by plan."""

from __future__ import annotations

import datetime
import json
from typing import Any

from aiohttp import web

from tests.server.app import FaultServer


class BatchServer(FaultServer):
    """Takes batches, which are as far as ``status`` says: ``in_progress``, ``completed`` or ``expired``.

    ``outcomes`` says by its number what becomes of a question of the first batch: ``missing``, ``malformed``,
    ``twice``, ``stranger`` (besides, a line that was not asked for), ``limited``, ``rejected``, ``policy``,
    ``expired`` or ``invalid``. ``refuses`` takes no batch at all. ``batches`` holds the questions of each by their ids.
    """

    def __init__(self, **fields: Any) -> None:
        super().__init__(length=1, **fields)
        self.outcomes: dict[int, str] = {}
        self.status = "in_progress"
        self.refuses = False
        self.loses = 0  # so many batches are made, and answered with a 500
        self.lacks_files = False  # completed, and the results are not there yet
        self.metadata: dict[str, dict[str, str]] = {}
        self.made: dict[str, str] = {}
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, list[dict[str, Any]]] = {}

    def add_routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._file)
        app.router.add_post("/v1/batches", self._make)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{id}", self._look)
        app.router.add_get("/v1/messages/batches", self._list)
        app.router.add_post("/v1/messages/batches", self._make_messages)
        app.router.add_get("/v1/messages/batches/{id}", self._look_messages)
        app.router.add_get("/v1/messages/batches/{id}/results", self._messages)

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        name = f"file-{len(self.files)}"
        self.files[name] = form["file"].file.read()  # type: ignore[union-attr]
        return web.json_response({"id": name})

    async def _make(self, request: web.Request) -> web.Response:
        asked = await request.json()
        assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert all(line["method"] == "POST" and line["url"] == asked["endpoint"] for line in lines)
        questions = [{"key": line["custom_id"], "body": line["body"]} for line in lines]
        return self._made(questions, asked.get("metadata") or {})

    async def _make_messages(self, request: web.Request) -> web.Response:
        assert (request.headers["anthropic-version"], bool(request.headers["x-api-key"])) == (
            "2023-06-01",
            True,
        )
        asked = (await request.json())["requests"]
        return self._made([{"key": one["custom_id"], "body": one["params"]} for one in asked])

    async def _list(self, request: web.Request) -> web.Response:
        found = [
            {
                "id": name,
                "metadata": self.metadata[name],
                "created_at": self.made[name],
                "request_counts": {"processing": len(questions)},
            }
            for name, questions in reversed(self.batches.items())
        ]
        return web.json_response({"data": found})

    def _made(self, questions: list[dict[str, Any]], metadata: dict[str, str] | None = None) -> web.Response:
        if self.refuses:
            return web.json_response({"error": {"message": "enqueued token limit reached"}}, status=400)
        assert all(len(question["key"]) <= 64 for question in questions)
        name = f"batch_{len(self.batches)}"
        self.batches[name] = questions
        self.metadata[name] = metadata or {}
        self.made[name] = datetime.datetime.now(datetime.UTC).isoformat()
        if self.loses:
            self.loses -= 1
            return web.json_response({"error": {"message": "internal error"}}, status=500)
        return web.json_response({"id": name, "status": "validating", "processing_status": "in_progress"})

    async def _look(self, request: web.Request) -> web.Response:
        found: dict[str, Any] = {"id": request.match_info["id"], "status": self.status}
        if self.status == "completed" and self.lacks_files:
            found |= {"output_file_id": None, "error_file_id": None}
        elif self.status != "in_progress":
            found |= {"output_file_id": f"out-{found['id']}", "error_file_id": f"err-{found['id']}"}
        return web.json_response(found)

    async def _look_messages(self, request: web.Request) -> web.Response:
        ended = "in_progress" if self.status == "in_progress" else "ended"
        elsewhere = "http://127.0.0.1:9/results"
        return web.json_response({"processing_status": ended, "results_url": elsewhere})

    async def _file(self, request: web.Request) -> web.Response:
        kind, _, name = request.match_info["id"].partition("-")
        lines = []
        for key, outcome, body in self._outcomes(name):
            status, answer = self._answer(body, outcome)
            if outcome in ("malformed", "missing"):
                lines += (
                    [b'{"custom_id": "' + key.encode()] if outcome == "malformed" and kind == "out" else []
                )
            elif outcome == "expired" and kind == "err":
                lines.append(
                    _line(key, response=None, error={"code": "batch_expired", "message": "Too late."})
                )
            elif outcome != "expired" and (kind == "out") == (status == 200):
                line = _line(key, response={"status_code": status, "body": answer}, error=None)
                lines += [line, line] if outcome == "twice" else [line]
            if outcome == "stranger" and kind == "out":
                lines.append(_line("0" * 64, response={"status_code": 200, "body": answer}, error=None))
        body = b"\n".join(lines) + b"\n[1]\n" * (kind == "out" and bool(self.outcomes))
        return web.Response(body=body)

    async def _messages(self, request: web.Request) -> web.Response:
        lines = []
        for key, outcome, body in self._outcomes(request.match_info["id"]):
            status, answer = self._answer(_as_chat(body), outcome)
            if outcome in ("malformed", "missing"):
                lines += [b"{"] if outcome == "malformed" else []
                continue
            result: dict[str, Any] = {"type": "succeeded", "message": _as_message(answer, body)}
            if outcome == "expired":
                result = {"type": "expired"}
            elif status != 200:
                kind = {429: "rate_limit_error"}.get(status, "invalid_request_error")
                result = {
                    "type": "errored",
                    "error": {"type": "error", "error": answer["error"] | {"type": kind}},
                }
            lines += [_line(key, result=result)] * (2 if outcome == "twice" else 1)
            if outcome == "stranger":
                lines.append(_line("0" * 64, result=result))
        return web.Response(body=b"\n".join(lines))

    def _outcomes(self, name: str) -> list[tuple[str, str, dict[str, Any]]]:
        planned = self.outcomes if name == "batch_0" else {}
        late = "expired" if self.status == "expired" else ""
        return [
            (one["key"], planned.get(number, late if number % 2 else ""), one["body"])
            for number, one in enumerate(self.batches[name])
        ]

    def _answer(self, body: dict[str, Any], outcome: str) -> tuple[int, dict[str, Any]]:
        errors = {
            "limited": (429, "Rate limit reached."),
            "rejected": (400, "This parameter is not to my liking."),
            "policy": (400, "Your request was rejected by our safety system."),
        }
        if outcome in errors:
            status, message = errors[outcome]
            return status, {"error": {"message": message}}
        return 200, self._body(body, "0" * 64, "bad_schema" if outcome == "invalid" else None)


def _line(key: str, **fields: Any) -> bytes:
    return json.dumps({"custom_id": key, **fields}).encode()


def _as_chat(params: dict[str, Any]) -> dict[str, Any]:
    function = {"name": "answer", "parameters": params["tools"][0]["input_schema"]}
    assert params["max_tokens"] > 0
    assert params["tool_choice"] == {"type": "tool", "name": params["tools"][0]["name"]}
    return {"model": params["model"], "messages": params["messages"], "tools": [{"function": function}]}


def _as_message(answer: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    if "choices" not in answer:
        return {}
    given = json.loads(answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])
    block = {"type": "tool_use", "name": params["tools"][0]["name"], "input": given}
    usage = {"input_tokens": 60, "output_tokens": 20, "cache_read_input_tokens": 40}
    return {"model": params["model"], "content": [block], "stop_reason": "tool_use", "usage": usage}
