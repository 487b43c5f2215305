"""The direct route to servers with OpenAI's interface, over aiohttp: bodies, sessions and the reading of
error responses.

litellm would send the same bodies, at ten times the work and after seconds of import.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import certifi
from pydantic import BaseModel

from conqret._version import __version__
from conqret.data import Reason
from conqret.io.jsonl import compact
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import ProviderError
from conqret.llm.hosted.connection import KEPT, HostedConnection, Shape, choose_shape, format_for
from conqret.llm.hosted.response_bodies import ACCEPTED, packing, unpacked
from conqret.llm.hosted.servers import NAMED, OPENAI, Server, as_chat, responses_body, server_of
from conqret.llm.provider_errors import error_in
from conqret.llm.providers import address, check_address, proxy_of, sent_on
from conqret.llm.request import Request

KEEP_ALIVE = 30.0
"""Seconds for which an idle connection is kept: under the 60 and 75 after which servers close theirs."""

NOWHERE = 404
"""The HTTP status of an address without a service, and of a model that the server does not have."""

_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": ACCEPTED,
    "Content-Type": "application/json",
    "User-Agent": f"conqret/{__version__}",
}


class Poster:
    """Posts JSON to one server over persistent connections, which are opened once.

    ``find`` returns the server, or raises a DeclarationError where there is none.
    """

    def __init__(self, find: Callable[[], Awaitable[Server]]) -> None:
        self._find = find
        self._open: tuple[Server, aiohttp.ClientSession] | None = None
        self._opening = asyncio.Lock()

    async def opened(self) -> tuple[Server, aiohttp.ClientSession]:
        """Return the server and the session, opened if needed.

        Raises:
            DeclarationError: there is no server, or no key for it.
        """
        async with self._opening:
            if self._open is None:
                server = await self._find()
                self._open = server, session_of(server)
            return self._open

    async def post(self, data: bytes) -> Mapping[str, Any]:
        """Post a body once, and return the JSON object of the response.

        Raises:
            ProviderError: the server returns an error, or an invalid body.
        """
        server, session = await self.opened()
        sent = session.post(server.url, data=data, headers=server.headers, allow_redirects=False)
        async with sent as response:
            raw = await body_of(response)
        if response.status != 200:
            raise status_error(server, response.status, response.headers, raw)
        return parsed(raw)

    async def close(self) -> None:
        """Close the connections."""
        opened, self._open = self._open, None
        if opened is not None:
            await opened[1].close()


class Direct(HostedConnection):
    """A connection that posts to a server's chat completions (or its Responses interface) over persistent connections,
    without litellm."""

    def __init__(self, options: ClientOptions) -> None:
        super().__init__(options)
        self._poster = Poster(self._server)

    async def prepare(self) -> None:
        """Find the server for this model and check that it listens; does nothing the second time.

        Raises:
            DeclarationError: the model has no address or no key, or no server listens at the address.
        """
        await self._poster.opened()

    async def _server(self) -> Server:
        server = server_of(self.options)
        if server.base:
            await check_address(server.base)
        self.provider, self.shape = server.provider, choose_shape(server.provider, self.facts)
        return server

    async def exchange(self, request: Request[Any], shape: Shape) -> Mapping[str, Any]:
        """Post a request and return the response body in OpenAI's chat format.

        Raises:
            ProviderError: the server returns an error, or an invalid body.
        """
        server, _ = await self._poster.opened()
        if not server.responses:
            return await self._poster.post(self.body(request, server.model, shape))
        answer: type[BaseModel] = request.response
        return as_chat(
            await self._poster.post(responses_body(request, server.model, format_for(answer, shape)))
        )

    def body(self, request: Request[Any], model: str, shape: Shape) -> bytes:
        """Return the body of a request as JSON bytes: messages and model first, then the other parameters by
        name.
        """
        response: type[BaseModel] = request.response
        shaped = format_for(response, shape)
        parts = {name: compact(value) for name, value in self.settings(request).items()}
        parts |= _arguments(response, shape)
        first = {"messages": compact(shaped.messages(request.messages)), "model": compact(model)}
        members = (*first.items(), *sorted(parts.items()))
        return b"{%s}" % b",".join(b'"%s":%s' % (name.encode(), value) for name, value in members)

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()


def session_of(server: Server) -> aiohttp.ClientSession:
    """Open an HTTP session for a server.

    Headers are set per request, because those of the session would also go to a proxy. ``.netrc`` is not
    read, because it would override the key.
    """
    proxy = proxy_of(server.url)
    connector = aiohttp.TCPConnector(
        limit=0, keepalive_timeout=KEEP_ALIVE, ssl=_trusted() if server.url.startswith("https") else True
    )
    return aiohttp.ClientSession(
        connector=connector,
        headers=_HEADERS,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),  # the sender has a deadline
        auto_decompress=False,
        proxy=proxy if proxy and proxy.startswith("http") else None,
    )


async def body_of(response: aiohttp.ClientResponse) -> bytes:
    """Read the whole body of a response and decompress it.

    Raises:
        ProviderError: the body is too long, or has an unsupported compression.
    """
    packed = packing(response.headers.get("Content-Encoding"))
    return b"".join([piece async for piece in unpacked(response.content.iter_any(), packed)])


def _trusted() -> ssl.SSLContext:
    """The certificates of the machine, and those that come with Python's packages where it has none."""
    context = ssl.create_default_context()
    with contextlib.suppress(OSError):
        context.load_verify_locations(certifi.where())
    return context


@functools.lru_cache(maxsize=KEPT)
def _arguments(response: type[BaseModel], shape: Shape) -> Mapping[str, bytes]:
    """The arguments of a shape, each as JSON; made once for each pair, as schemas are long."""
    return {name: compact(value) for name, value in format_for(response, shape).arguments.items()}


def status_error(server: Server, status: int, headers: Mapping[str, str], raw: bytes) -> ProviderError:
    """Return the provider error for a response with a status other than 200, from its ``headers`` and its
    ``raw`` body.

    A redirect becomes an error of its own, so that the key goes nowhere else; a 404 has a hint where the
    address should probably end in ``/v1``.
    """
    if 300 <= status < 400:
        return sent_on(server.url, headers.get("Location", ""))
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        body = raw.decode("utf-8", "replace")
    error = error_in(body, status, headers)
    if status == NOWHERE and server.base and not urlsplit(server.base).path.strip("/"):
        longer = f"{address(server.base).rstrip('/')}/v1"
        hint = f"404 at {address(server.url)} (should the address end in /v1: --api-base {longer}?)"
        return ProviderError(error.code, f"{hint}: {error}")
    if "v1/responses" in str(error) and not server.responses:
        return ProviderError(error.code, f"{error} (name it so: --model {OPENAI}/{NAMED}{server.model})")
    return error


def parsed(raw: bytes) -> Mapping[str, Any]:
    """Parse a body as a JSON object.

    Raises:
        ProviderError: it is not one.
    """
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise ProviderError(Reason.SERVER_ERROR, "the server's response is not valid JSON") from None
    if not isinstance(body, dict):
        raise ProviderError(Reason.SERVER_ERROR, "the server's response is not a JSON object")
    return body
