"""What both ways to a hosted model have in common: the shape of the answer, and what an error means."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from conqret.data import Reason
from conqret.llm.backend import Connection
from conqret.llm.client_options import ClientOptions
from conqret.llm.hosted.response_bodies import completion_of
from conqret.llm.provider_check import address
from conqret.llm.provider_errors import about_generation, about_shape, provider_error
from conqret.llm.replies import CONTEXT_OVERFLOW
from conqret.llm.request import Completion, Request
from conqret.llm.retry import ProviderError
from conqret.llm.structured import Shape

TOP_LOGPROBS = 20
"""The most that OpenAI and vLLM give; other providers get :data:`FEW_LOGPROBS`."""

FEW_LOGPROBS = 5
_MANY_LOGPROBS = frozenset({"openai", "azure", "hosted_vllm"})

NO_KEY = "no-key"
"""Sent to a server of one's own (``api_base``) when no key is set; such servers ignore it."""


class HostedConnection(Connection):
    """One way to a hosted model. ``provider`` is litellm's word for who serves it, ``shape`` what it is asked for."""

    def __init__(self, options: ClientOptions) -> None:
        self.options, self.facts = options, options.facts
        self.provider = ""
        self.shape = Shape.SCHEMA
        self._accepted: set[Shape] = set()

    async def complete(self, request: Request[Any]) -> Completion:
        """Send once. Where the server rejects the shape of the answer, the next lesser one is tried, and used from then
        on unless the server accepted the shape before.

        Raises:
            ProviderError: no answer came.
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
        """Send once, and return the body of the answer as plain data in OpenAI's form."""

    def cost(self, prompt: int | None, completed: int | None, cached: int | None) -> float | None:
        """Dollars for tokens."""
        return self.facts.cost(prompt, completed, cached)

    def settings(self, request: Request[Any]) -> dict[str, Any]:
        """The settings of a request by OpenAI's names, but model, messages and shape."""
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
    """Two errors are the model's own verdict on the prompt: they are recorded like answers."""
    if error.code is Reason.CONTEXT_OVERFLOW:
        return Completion(str(error), finish_reason=CONTEXT_OVERFLOW, cost_usd=0.0)
    if error.code is Reason.REFUSAL:
        return Completion("", finish_reason="content_filter", refusal=str(error), cost_usd=0.0)
    return None
