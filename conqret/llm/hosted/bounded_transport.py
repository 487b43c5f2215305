"""litellm's HTTP clients read bounded answers: httpx unpacks a body whole before anybody sees it, so it is unpacked
before httpx does. Nor do they follow an address elsewhere, where they would take along a key that is in a header of a
provider's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx

from conqret.llm.hosted.unpacking import ACCEPTED, TooLongError, packing, unpacked
from conqret.llm.provider_check import sent_on


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
    """A transport's ``handle_async_request`` whose answers raise :class:`TooLongError` where they are too long, and
    :class:`ProviderError` where they send on to somebody else."""

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
        except TooLongError:
            await stream.aclose()
            raise
        headers = [
            (name, value) for name, value in response.headers.raw if name.lower() != b"content-encoding"
        ]
        return httpx.Response(
            response.status_code,
            headers=headers,
            stream=_BoundedStream(stream, packed),
            extensions=response.extensions,
        )

    return handle


def _same(asked: httpx.URL, location: str) -> bool:
    """Whether an address is of the same server, as safe or safer."""
    target = asked.join(location)
    return target.host == asked.host and (
        target.scheme == "https" or (target.scheme, target.port) == (asked.scheme, asked.port)
    )


def bind(litellm: Any) -> None:
    """Have every asynchronous HTTP client that litellm makes from now on read bounded answers; the second time
    nothing happens."""
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
