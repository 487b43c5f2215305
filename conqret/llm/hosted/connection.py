"""What both routes to a hosted model have in common: the method for structured output (:class:`Shape`), the
retry with a simpler one, and the reading of responses and errors.
"""

from __future__ import annotations

import functools
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from conqret.data import Reason
from conqret.llm.client_options import ClientOptions, Connection, ModelFacts
from conqret.llm.failed_requests import ProviderError
from conqret.llm.hosted.response_bodies import completion_of
from conqret.llm.provider_errors import about_generation, about_shape, provider_error
from conqret.llm.providers import address
from conqret.llm.replies import CONTEXT_OVERFLOW
from conqret.llm.request import Completion, Message, Plain, Request, image_name

SCHEMA_ENDPOINTS = frozenset(
    "anthropic azure custom_openai gemini hosted_vllm litellm_proxy lm_studio llamafile ollama ollama_chat openai "
    "openai_like".split()
)
"""Providers where a JSON schema is tried first for models that the price list lacks: servers of one's own,
mostly with guided decoding, and those for which litellm translates a schema whatever the model.
"""

KEPT = 256
"""The most formats in the cache; a run has a handful."""

_MARK = "\x00"


class Shape(StrEnum):
    """The methods to request structured output, best first: a JSON schema, a tool call, JSON in Markdown.

    Their values are the names of instructor's modes.
    """

    SCHEMA = "JSON_SCHEMA"
    TOOLS = "TOOLS"
    MARKDOWN = "MD_JSON"

    @property
    def lesser(self) -> Shape | None:
        """The next simpler method for structured output, where a server rejects this one; None for the last."""
        return {Shape.SCHEMA: Shape.TOOLS, Shape.TOOLS: Shape.MARKDOWN}.get(self)


def choose_shape(provider: str, facts: ModelFacts) -> Shape:
    """Return the best method for structured output that the model supports: JSON schema, else tools, else
    Markdown.

    ``facts`` are those of the model, and ``provider`` (litellm's name) decides where they are unknown.
    """
    if facts.schema or (not facts.listed and provider in SCHEMA_ENDPOINTS):
        return Shape.SCHEMA
    return Shape.TOOLS if facts.tools else Shape.MARKDOWN


@dataclass(frozen=True, slots=True)
class Format:
    """What a method for structured output adds to a request: call arguments, and texts after the system
    message and after the last message.
    """

    arguments: Mapping[str, Any]
    system_suffix: str = ""
    user_suffix: str = ""

    def messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return the chat messages to send, with all texts unchanged; a text with images becomes a list of
        parts.
        """
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
    """Return what ``shape`` adds to a request for ``response``; nothing for plain text.

    Results are cached.
    """
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


TOP_LOGPROBS = 20
"""Alternatives requested for each token: the most that OpenAI, Azure and vLLM return; other providers get
:data:`FEW_LOGPROBS`.
"""

FEW_LOGPROBS = 5
_MANY_LOGPROBS = frozenset({"openai", "azure", "hosted_vllm"})

NO_KEY = "no-key"
"""Sent to a server of one's own (``api_base``) when no key is set; such servers ignore it."""


class HostedConnection(Connection):
    """A connection to a hosted model.

    ``provider`` is litellm's name of its provider, and ``shape`` the method for structured output.
    """

    def __init__(self, options: ClientOptions) -> None:
        self.options, self.facts = options, options.facts
        self.provider = ""
        self.shape = Shape.SCHEMA
        self._accepted: set[Shape] = set()

    async def complete(self, request: Request[Any]) -> Completion:
        """Send a request once and return its completion.

        Where the server rejects the method for structured output, the next one is tried. It is used from then
        on, unless the server accepted the former method before. An error that is the model's verdict on the
        prompt (a refusal, an overflow) becomes a completion.

        Raises:
            ProviderError: no response came.
        """
        shape, rejected = self.shape, False
        while True:
            began = time.perf_counter()
            try:
                body = await self.exchange(request, shape)
                completion = completion_of(body, self.cost, time.perf_counter() - began)
            except Exception as error:  # noqa: BLE001  whatever a provider's code raises becomes a reason
                failure = provider_error(error)
                unsaid = rejected and failure.code in (Reason.BAD_REQUEST, Reason.SERVER_ERROR)
                if shape.lesser and not request.plain and (about_shape(failure) or unsaid):
                    if about_generation(failure):
                        self._accepted.add(shape)
                    shape, rejected = shape.lesser, True
                    continue
                stated = stated_by(failure)
                if stated is not None:
                    return stated
                if failure.code is Reason.CONNECTION:
                    raise self._placed(failure) from None
                raise failure from None
            if rejected and self.shape not in self._accepted:
                self.shape = shape
            self._accepted.add(shape)
            return completion

    @abstractmethod
    async def exchange(self, request: Request[Any], shape: Shape) -> Mapping[str, Any]:
        """Send a request once, and return the response body as plain data in the format of OpenAI's chat
        completions.

        Raises:
            Exception: any error of the route; :meth:`complete` converts it to a ProviderError.
        """

    def cost(self, prompt: int | None, completed: int | None, cached: int | None) -> float | None:
        """Return the dollars for these tokens (prompt, response, and cached ones among the prompt's); None
        where a price or a count is unknown.
        """
        return self.facts.cost(prompt, completed, cached)

    def settings(self, request: Request[Any]) -> dict[str, Any]:
        """Return a request's settings by OpenAI's parameter names, without model, messages and response
        format.
        """
        settings: dict[str, Any] = {"temperature": request.sampling_temperature}
        if request.max_tokens is not None:
            settings["max_tokens"] = request.max_tokens
        if request.top_p is not None:
            settings["top_p"] = request.top_p
        if request.logprobs:
            settings["logprobs"] = True
            settings["top_logprobs"] = TOP_LOGPROBS if self.provider in _MANY_LOGPROBS else FEW_LOGPROBS
        return settings

    def _placed(self, failure: ProviderError) -> ProviderError:
        """The failed connection with the address that it was to."""
        base = self.options.api_base
        where = address(base) if base else self.provider
        return ProviderError(failure.code, f"the connection to {where} failed: {failure}")


def stated_by(error: ProviderError) -> Completion | None:
    """Return the completion to record for an error that is the model's own verdict on the prompt; else None.

    These errors are refusals and prompts that exceed the context window.
    """
    if error.code is Reason.CONTEXT_OVERFLOW:
        return Completion(str(error), finish_reason=CONTEXT_OVERFLOW, cost_usd=0.0)
    if error.code is Reason.REFUSAL:
        return Completion("", finish_reason="content_filter", refusal=str(error), cost_usd=0.0)
    return None
