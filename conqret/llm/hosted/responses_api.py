"""OpenAI's Responses interface, the only one that some of its models have: a request in its form, and its answer in
that of chat completions. Such models take no temperature and no log-probabilities; nothing is stored at OpenAI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conqret.io.jsonl import compact
from conqret.llm.catalogue import mode_of
from conqret.llm.request import Request
from conqret.llm.structured import Format

PATH = "/responses"

NAMED = "responses/"
"""Stands before the name of a model that is not known to have no other interface."""

_NAMES = re.compile(r"responses/|(o\d|gpt-\d[\d.]*)(-mini)?-(pro|codex|deep-research)|codex-mini")


def responses_only(model: str) -> bool:
    """Whether a model of OpenAI's is asked through the Responses interface: by the price list, or by its name."""
    return mode_of(model) == "responses" or _NAMES.match(model) is not None


def responses_body(request: Request[Any], model: str, shaped: Format) -> bytes:
    """The request as it is sent."""
    body: dict[str, Any] = {
        "input": [_input(message) for message in shaped.messages(request.messages)],
        "model": model,
        "store": False,
    }
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    schema = shaped.arguments.get("response_format", {}).get("json_schema")
    if schema:
        body["text"] = {"format": {"type": "json_schema", "strict": False, **schema}}
    if tools := shaped.arguments.get("tools"):
        body["tools"] = [{"type": "function", "strict": False, **tool["function"]} for tool in tools]
        body["tool_choice"] = "required"
    return compact(body)


def as_chat(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """An answer in the form that is read everywhere else; an error stays one."""
    output = body.get("output")
    if body.get("error") or not isinstance(output, list):
        return body
    parts = list(_parts(output))
    texts = [str(part.get("text") or "") for part in parts if part.get("type") == "output_text"]
    refusals = [str(part["refusal"]) for part in parts if part.get("refusal")]
    calls = [
        {"function": entry}
        for entry in output
        if isinstance(entry, Mapping) and entry.get("type") == "function_call"
    ]
    message = {"content": "".join(texts), "refusal": " ".join(refusals) or None, "tool_calls": calls}
    details, usage = _mapping(body.get("incomplete_details")), _mapping(body.get("usage"))
    reason = str(details.get("reason") or "stop")
    return {
        "model": body.get("model"),
        "choices": [
            {"message": message, "finish_reason": "length" if reason == "max_output_tokens" else reason}
        ],
        "usage": {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details"),
        },
    }


def _input(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return message
    parts = [
        {"type": "input_text", "text": part["text"]}
        if part["type"] == "text"
        else {"type": "input_image", "image_url": part["image_url"]["url"]}
        for part in content
    ]
    return {**message, "content": parts}


def _parts(output: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """The parts of the messages among what a model put out; its thoughts are no message."""
    for entry in output:
        content = _mapping(entry).get("content") if _mapping(entry).get("type") == "message" else None
        yield from map(_mapping, content if isinstance(content, list) else ())


def _mapping(sent: Any) -> Mapping[str, Any]:
    return sent if isinstance(sent, Mapping) else {}
