"""The real providers, through litellm: one request in, one raw completion out, no retry of its own."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import math
import os
import time
import warnings
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.llm.backend import Backend, Connection
from conqret.llm.catalogue import listed
from conqret.llm.options import ClientOptions
from conqret.llm.provider_errors import provider_error, scrub
from conqret.llm.reachable import address, check_address, check_key
from conqret.llm.replies import CONTEXT_OVERFLOW
from conqret.llm.request import Completion, Request, TokenLogprobs
from conqret.llm.retry import ProviderError
from conqret.llm.structured import Shape, choose_shape, format_for

TOP_LOGPROBS = 20
"""The most that OpenAI and vLLM give; other providers get :data:`FEW_LOGPROBS`."""

FEW_LOGPROBS = 5
_MANY_LOGPROBS = frozenset({"openai", "azure", "hosted_vllm"})

NO_KEY = "no-key"
"""Sent to a server of one's own (``api_base``) when no key is set; such servers ignore it."""

_users: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()


class Hosted(Connection):
    """Sends requests with ``litellm.acompletion``; litellm is imported by :meth:`prepare`, not before."""

    def __init__(self, options: ClientOptions) -> None:
        self._options, self._facts = options, options.facts
        self._litellm: Any = None
        self._provider = ""
        self._shape = Shape.SCHEMA
        self._fixed: dict[str, Any] = {}
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Import litellm and settle how this model is asked; does nothing the second time.

        Raises:
            DeclarationError: litellm knows no provider for the model, there is no key for it, or nobody listens at
                the address.
        """
        async with self._preparing:
            if self._litellm is None:
                await self._settle(load_litellm())

    async def _settle(self, litellm: Any) -> None:
        options = self._options
        try:
            _, self._provider, found, _ = litellm.get_llm_provider(options.model, api_base=options.api_base)
        except Exception as error:
            raise DeclarationError(
                f"litellm knows no provider for the model {options.model!r}: write provider/model "
                "(anthropic/…, gemini/…), or openai/… with an api_base for an OpenAI-compatible server"
            ) from error
        check_key(litellm, options, self._provider, found)
        if options.api_base:
            await check_address(options.api_base)
        self._shape = choose_shape(self._provider, self._facts)
        key = options.api_key
        if (
            key is None
            and options.api_base
            and self._provider == "openai"
            and "OPENAI_API_KEY" not in os.environ
        ):
            key = NO_KEY
        self._fixed = {
            "model": options.model,
            "api_base": options.api_base,
            "api_key": key,
            "timeout": options.timeout,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
            "caching": False,
        }
        loop = asyncio.get_running_loop()
        _users[loop] = _users.get(loop, 0) + 1
        self._litellm = litellm

    async def complete(self, request: Request[Any]) -> Completion:
        """Send once. Where the server rejects the shape of the answer, the next lesser one is used from then on.

        Raises:
            ProviderError: no answer came.
        """
        while True:
            shape = self._shape
            began = time.perf_counter()
            try:
                response = await self._call(request, shape)
            except Exception as error:  # noqa: BLE001  whatever a provider's code raises becomes a reason
                failure = provider_error(error)
                if failure.code is Reason.BAD_REQUEST and shape.lesser and _about_shape(str(failure)):
                    self._shape = shape.lesser
                    continue
                stated = _stated(failure)
                if stated is not None:
                    return stated
                if failure.code is Reason.CONNECTION:
                    raise self._placed(failure) from None
                raise failure from None
            return self._completion(response, time.perf_counter() - began)

    async def close(self) -> None:
        """Close the connections of this event loop, unless another client still uses them."""
        if self._litellm is None:
            return
        loop = asyncio.get_running_loop()
        _users[loop] = _users.get(loop, 1) - 1
        if _users[loop] <= 0:
            await _close_connections(self._litellm, loop)
        self._litellm = None

    def _placed(self, failure: ProviderError) -> ProviderError:
        """The failed connection with the address that it was to."""
        base = self._options.api_base
        where = address(base) if base else self._provider
        return ProviderError(failure.code, f"the connection to {where} failed: {failure}")

    async def _call(self, request: Request[Any], shape: Shape) -> Any:
        response: type[BaseModel] = request.response
        shaped = format_for(response, shape)
        arguments: dict[str, Any] = {
            **self._fixed,
            **shaped.arguments,
            "messages": shaped.messages(request.messages),
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
        }
        if request.top_p is not None:
            arguments["top_p"] = request.top_p
        if shape is Shape.TOOLS:
            arguments["_skip_mcp_handler"] = True  # else litellm imports mcp, which it does not depend on
        if request.logprobs:
            arguments["logprobs"] = True
            arguments["top_logprobs"] = TOP_LOGPROBS if self._provider in _MANY_LOGPROBS else FEW_LOGPROBS
        return await self._litellm.acompletion(**arguments)

    def _completion(self, response: Any, seconds: float) -> Completion:
        if not getattr(response, "choices", None):
            raise ProviderError(Reason.SERVER_ERROR, "the server's answer holds no choice")
        choice = response.choices[0]
        message = choice.message
        calls = getattr(message, "tool_calls", None)
        usage = getattr(response, "usage", None)
        text = str((calls[0].function.arguments if calls else message.content) or "")
        prompt = (
            _count(getattr(usage, "prompt_tokens", None)) or None
        )  # litellm says 0 where the server says nothing
        completed = _count(getattr(usage, "completion_tokens", None)) or (None if text else 0)
        cached = _count(getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None))
        return Completion(
            text=text,
            finish_reason="stop" if choice.finish_reason == "tool_calls" else str(choice.finish_reason),
            refusal=_refusal(message),
            model=str(getattr(response, "model", "") or ""),
            prompt_tokens=prompt,
            completion_tokens=completed,
            cached_tokens=cached,
            cost_usd=self._cost(response, prompt, completed, cached),
            seconds=seconds,
            logprobs=_logprobs(choice),
        )

    def _cost(
        self, response: Any, prompt: int | None, completed: int | None, cached: int | None
    ) -> float | None:
        if not self._facts.tiered or prompt is None or completed is None:
            return self._facts.cost(prompt, completed, cached)
        cost = getattr(response, "_hidden_params", {}).get("response_cost")
        return float(cost) if cost is not None else self._facts.cost(prompt, completed, cached)


def _count(sent: Any) -> int | None:
    """The number of tokens; None where it is none (negative, say)."""
    try:
        number = int(sent)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number >= 0 else None


def load_litellm() -> Any:
    """litellm with everything off that prints, reports, fetches or retries. Takes 3 s the first time."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")
    litellm: Any = importlib.import_module("litellm")
    from conqret.llm.bounded import bind  # httpx, which every run would import else

    bind(litellm)
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # a body of other types
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.cache = None
    litellm.num_retries = None
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "instructor"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def _about_shape(message: str) -> bool:
    return any(
        word in message for word in ("response_format", "json_schema", "tool_choice", "tools", "guided")
    )


def _stated(error: ProviderError) -> Completion | None:
    """Two errors are the model's own verdict on the prompt: they are recorded like answers."""
    if error.code is Reason.CONTEXT_OVERFLOW:
        return Completion(str(error), finish_reason=CONTEXT_OVERFLOW, cost_usd=0.0)
    if error.code is Reason.REFUSAL:
        return Completion("", finish_reason="content_filter", refusal=str(error), cost_usd=0.0)
    return None


def _refusal(message: Any) -> str | None:
    refusal = getattr(message, "refusal", None)
    if refusal is None:
        refusal = (getattr(message, "provider_specific_fields", None) or {}).get("refusal")
    return scrub(str(refusal)) if refusal else None


def _logprobs(choice: Any) -> tuple[TokenLogprobs, ...] | None:
    """Those of all tokens; None where any is no finite number, of which none could be trusted (nor exported)."""
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not content:
        return None
    try:
        return tuple(
            TokenLogprobs(
                str(token.token),
                {str(one.token): _finite(one.logprob) for one in (token, *(token.top_logprobs or ()))},
            )
            for token in content
        )
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None


def _finite(sent: Any) -> float:
    number = float(sent)
    if not math.isfinite(number):
        raise ValueError(f"{number} is no log-probability")
    return number


async def _close_connections(litellm: Any, loop: asyncio.AbstractEventLoop) -> None:
    """litellm keeps its HTTP clients in a cache whose keys end with the event loop's id."""
    cache = litellm.in_memory_llm_clients_cache.cache_dict
    for name in [name for name in cache if str(name).endswith(f"-{id(loop)}")]:
        client = cache.pop(name)
        for close in ("close", "aclose"):
            if asyncio.iscoroutinefunction(getattr(client, close, None)):
                with contextlib.suppress(Exception):
                    await getattr(client, close)()
                break


BACKEND = Backend(
    prefix="",
    open=Hosted,
    cannot=(
        "reads the log-probabilities of a given text, which hosted chat models do not give: use --model local/FOLDER "
        "(a transformers model on this machine), or offline"
    ),
    facts=listed,
)
