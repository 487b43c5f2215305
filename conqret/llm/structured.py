"""How a provider is made to answer in the shape of a response model.

A JSON schema is sent as it is. For tool calls and JSON in Markdown instructor knows what goes into a request; it is
asked once for each response model, and the outcome kept. Its patched client is not used: with a validation context it
renders Jinja templates that stand in the messages, and our messages hold hostile documents.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from conqret.llm.backend import ModelFacts
from conqret.llm.request import Message, Plain, image_name

SCHEMA_ENDPOINTS = frozenset(
    "anthropic azure custom_openai gemini hosted_vllm litellm_proxy lm_studio llamafile ollama ollama_chat openai "
    "openai_like".split()
)
"""Providers where a schema is tried first for models that the price list lacks: servers of one's own, mostly
with guided decoding, and those for which litellm translates a schema whatever the model."""

KEPT = 256
"""So many formats are kept; a run has a handful."""

_MARK = "\x00"


class Shape(StrEnum):
    """The ways to ask for a typed answer, best first: a JSON schema, a tool call, JSON in Markdown.

    Their values are the names of instructor's modes.
    """

    SCHEMA = "JSON_SCHEMA"
    TOOLS = "TOOLS"
    MARKDOWN = "MD_JSON"

    @property
    def lesser(self) -> Shape | None:
        """What to try where a server rejects this shape."""
        return {Shape.SCHEMA: Shape.TOOLS, Shape.TOOLS: Shape.MARKDOWN}.get(self)


def choose_shape(provider: str, facts: ModelFacts) -> Shape:
    """A schema (a tenth cheaper for the client than a tool call) where it works, else tools, else Markdown."""
    if facts.schema or (not facts.listed and provider in SCHEMA_ENDPOINTS):
        return Shape.SCHEMA
    return Shape.TOOLS if facts.tools else Shape.MARKDOWN


@dataclass(frozen=True, slots=True)
class Format:
    """What a shape adds to a request: arguments of the call, and text after the system and user messages."""

    arguments: Mapping[str, Any]
    system_suffix: str = ""
    user_suffix: str = ""

    def messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The chat messages to send, with our texts exactly as they are. A text with images becomes a list of parts."""
        sent: list[dict[str, Any]] = [
            {"role": message.role, "content": message.content} for message in messages
        ]
        if self.system_suffix:
            if not sent or sent[0]["role"] != "system":
                sent.insert(0, {"role": "system", "content": ""})
            sent[0]["content"] += self.system_suffix
        if self.user_suffix:
            sent[-1]["content"] += self.user_suffix
        for place, message in enumerate(messages, start=len(sent) - len(messages)):
            if message.images:
                sent[place]["content"] = [_text(sent[place]["content"]), *_parts(message.images)]
        return sent


def _parts(images: Sequence[tuple[int, str]]) -> Iterator[dict[str, Any]]:
    for number, url in images:
        yield _text(image_name(number))
        yield {"type": "image_url", "image_url": {"url": url}}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@functools.lru_cache(maxsize=KEPT)
def format_for(response: type[BaseModel], shape: Shape) -> Format:
    """What ``shape`` adds to a request for ``response``, nothing for a plain text; made once for each pair."""
    if issubclass(response, Plain):
        return Format({})
    if shape is Shape.SCHEMA:
        schema = {"name": response.__name__, "schema": response.model_json_schema()}
        return Format({"response_format": {"type": "json_schema", "json_schema": schema}})
    from instructor import Mode
    from instructor.processing import handle_response_model

    blank = [{"role": "system", "content": _MARK}, {"role": "user", "content": _MARK}]
    _, arguments = handle_response_model(response, mode=Mode[shape], messages=blank)
    contents = [str(message["content"]) for message in arguments.pop("messages")]
    return Format(arguments, contents[0].removeprefix(_MARK), contents[-1].removeprefix(_MARK))
