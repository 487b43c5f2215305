"""The route to all other providers, through litellm: one request in, one raw completion out, without
litellm's retries.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import os
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any
from urllib.request import getproxies_environment
from weakref import WeakKeyDictionary

import httpx
from pydantic import BaseModel

from conqret.errors import DeclarationError
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import ProviderError
from conqret.llm.hosted.connection import NO_KEY, HostedConnection, Shape, choose_shape, format_for
from conqret.llm.hosted.response_bodies import ACCEPTED, packing, unpacked
from conqret.llm.hosted.servers import NAMED
from conqret.llm.providers import HERE, check_address, check_key, mode_of, sent_on
from conqret.llm.request import Request

_users: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()


class ThroughLitellm(HostedConnection):
    """A connection that sends requests with ``litellm.acompletion``; :meth:`prepare` imports litellm."""

    def __init__(self, options: ClientOptions) -> None:
        super().__init__(options)
        self._litellm: Any = None
        self._fixed: dict[str, Any] = {}
        self._stated_cost: float | None = None
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Import litellm and find the provider for this model; does nothing the second time.

        Raises:
            DeclarationError: litellm knows no provider for the model, it has no key, or no server listens at
                the address.
        """
        async with self._preparing:
            if self._litellm is None:
                await self._settle(load_litellm())

    async def _settle(self, litellm: Any) -> None:
        options = self.options
        by_responses = mode_of(options.model) == "responses" or f"/{NAMED}" in options.model
        if by_responses and importlib.util.find_spec("mcp") is None:
            raise DeclarationError(
                f"the model {options.model} is served by the Responses interface alone, for which litellm needs the "
                "package mcp: pip install mcp, or name another model"
            )
        try:
            named = litellm.get_llm_provider(options.model, api_base=options.api_base)
        except Exception as error:
            raise DeclarationError(
                f"litellm does not know the provider of the model {options.model!r}: write provider/model "
                "(anthropic/…, gemini/…), or openai/… with an api_base for an OpenAI-compatible server"
            ) from error
        _, self.provider, provider_key, _ = named
        check_key(litellm, options, self.provider, provider_key)
        if options.api_base:
            await check_address(options.api_base)
        self.shape = choose_shape(self.provider, self.facts)
        key = options.api_key
        own_server = options.api_base and self.provider == "openai"
        if key is None and own_server and "OPENAI_API_KEY" not in os.environ:
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

    async def exchange(self, request: Request[Any], shape: Shape) -> Mapping[str, Any]:
        """Send a request with litellm and return the response body in OpenAI's chat format."""
        response: type[BaseModel] = request.response
        shaped = format_for(response, shape)
        arguments: dict[str, Any] = {
            **self._fixed,
            **shaped.arguments,
            **self.settings(request),
            "messages": shaped.messages(request.messages),
        }
        if shape is Shape.TOOLS:
            arguments["_skip_mcp_handler"] = True  # else litellm imports mcp, which it does not depend on
        answer = await self._litellm.acompletion(**arguments)
        self._stated_cost = getattr(answer, "_hidden_params", {}).get("response_cost")
        body: dict[str, Any] = answer.model_dump(warnings="none")
        return body

    def cost(self, prompt: int | None, completed: int | None, cached: int | None) -> float | None:
        """Return the dollars for these tokens; litellm's own figure where the price depends on the prompt's
        length.
        """
        if self.facts.tiered and None not in (prompt, completed) and self._stated_cost is not None:
            return float(self._stated_cost)
        return super().cost(prompt, completed, cached)

    async def close(self) -> None:
        """Close the connections of this event loop, unless another client still uses them."""
        if self._litellm is None:
            return
        loop = asyncio.get_running_loop()
        _users[loop] = _users.get(loop, 1) - 1
        if _users[loop] <= 0:
            await _close_connections(self._litellm, loop)
        self._litellm = None


def load_litellm() -> Any:
    """Import litellm (3 s the first time) and return it, with its logging, telemetry, downloads and retries off. Sets
    environment variables of litellm, and bounds the responses of its HTTP clients, for the whole process."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")
    _stay_here()
    litellm: Any = importlib.import_module("litellm")
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


def _stay_here() -> None:
    """Set the environment so that requests to this machine bypass its proxies, which would get the keys;
    none: no change.
    """
    proxies = getproxies_environment()
    spared = proxies.get("no", "").split(",")
    if proxies and spared != ["*"] and not {*HERE} <= {*spared}:
        names = filter(None, dict.fromkeys([*spared, *HERE]))
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(names)


async def _close_connections(litellm: Any, loop: asyncio.AbstractEventLoop) -> None:
    """Close the HTTP clients that litellm holds for an event loop, and remove them from its cache, whose keys end with
    the loop's id. Errors on closing are ignored."""
    cache = litellm.in_memory_llm_clients_cache.cache_dict
    for name in [name for name in cache if str(name).endswith(f"-{id(loop)}")]:
        client = cache.pop(name)
        for close in ("close", "aclose"):
            if asyncio.iscoroutinefunction(getattr(client, close, None)):
                with contextlib.suppress(Exception):
                    await getattr(client, close)()
                break


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, packed: str) -> None:
        self._stream, self._packed = stream, packed

    def __aiter__(self) -> AsyncIterator[bytes]:
        return unpacked(self._stream, self._packed)

    async def aclose(self) -> None:
        await self._stream.aclose()


def bounded(
    send: Callable[[httpx.Request], Awaitable[httpx.Response]],
) -> Callable[[httpx.Request], Awaitable[httpx.Response]]:
    """Wrap a transport's ``handle_async_request`` with limits on responses.

    The wrapped function raises :class:`ProviderError` for a response that is too long, or redirects to
    another server.
    """

    async def handle(request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = ACCEPTED
        response = await send(request)
        stream = response.stream
        if not isinstance(stream, httpx.AsyncByteStream):
            return response
        if response.has_redirect_location and not _same(request.url, response.headers["Location"]):
            await stream.aclose()
            raise sent_on(str(request.url), str(request.url.join(response.headers["Location"])))
        try:
            packed = packing(response.headers.get("Content-Encoding"))
        except ProviderError:
            await stream.aclose()
            raise
        headers = [header for header in response.headers.raw if header[0].lower() != b"content-encoding"]
        bounded_stream, more = _BoundedStream(stream, packed), response.extensions
        return httpx.Response(response.status_code, headers=headers, stream=bounded_stream, extensions=more)

    return handle


def _same(requested: httpx.URL, location: str) -> bool:
    """Whether an address is of the same server, as safe or safer."""
    target = requested.join(location)
    return target.host == requested.host and (
        target.scheme == "https" or (target.scheme, target.port) == (requested.scheme, requested.port)
    )


def bind(litellm: Any) -> None:
    """Make every asynchronous HTTP client of litellm use :func:`bounded` responses; does nothing the second
    time.
    """
    handler = litellm.llms.custom_httpx.http_handler.AsyncHTTPHandler
    make = handler.create_async_transport
    if getattr(make, "bounded", False):
        return

    def made(*arguments: Any, **named: Any) -> Any:
        transport = make(*arguments, **named) or httpx.AsyncHTTPTransport()
        transport.handle_async_request = bounded(transport.handle_async_request)  # type: ignore[method-assign]
        return transport

    made.bounded = True  # type: ignore[attr-defined]
    handler.create_async_transport = handler._create_async_transport = staticmethod(made)
