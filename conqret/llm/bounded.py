"""An answer's body ends where it grows too long: its bytes are counted as they come, and as they are unpacked.

A megabyte of gzip can hold a gigabyte. httpx unpacks a body whole before anybody sees it, so it is unpacked here, a
bounded piece at a time.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx

from conqret.io.limits import ANSWER

_PIECE = 2**20
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class TooLongError(httpx.DecodingError):
    """The body is longer than the limit, or packed in a way that was not asked for."""


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, packed: str) -> None:
        self._stream, self._packed, self._left = stream, packed, ANSWER.most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpacker = zlib.decompressobj(_WINDOWS[self._packed]) if self._packed else None
        async for chunk in self._stream:
            if unpacker is None:
                yield self._counted(chunk)
                continue
            rest = chunk
            while rest:
                try:
                    yield self._counted(unpacker.decompress(rest, _PIECE))
                except zlib.error as error:
                    raise TooLongError(f"the answer says that it is {self._packed}, and is not") from error
                rest = unpacker.unconsumed_tail

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _counted(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._left < 0:
            raise TooLongError(f"the answer is longer than {ANSWER}")
        return piece


def bounded(
    send: Callable[[httpx.Request], Awaitable[httpx.Response]],
) -> Callable[[httpx.Request], Awaitable[httpx.Response]]:
    """A transport's ``handle_async_request`` whose answers raise :class:`TooLongError` where they are too long."""

    async def handle(request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "gzip, deflate"
        response = await send(request)
        packed = response.headers.get("Content-Encoding", "").strip().lower().replace("identity", "")
        stream = response.stream
        if not isinstance(stream, httpx.AsyncByteStream):
            return response
        if packed and packed not in _WINDOWS:
            await stream.aclose()
            raise TooLongError(f"the answer is packed as {packed[:40]!r}, which was not asked for")
        headers = [
            (name, value) for name, value in response.headers.raw if name.lower() != b"content-encoding"
        ]
        return httpx.Response(
            response.status_code,
            headers=headers,
            stream=_Bounded(stream, packed),
            extensions=response.extensions,
        )

    return handle


def bind(litellm: Any) -> None:
    """Have every asynchronous HTTP client that litellm makes from now on read bounded answers; the second time
    nothing happens."""
    handler = litellm.llms.custom_httpx.http_handler.AsyncHTTPHandler
    make = handler.create_async_transport
    if getattr(make, "bounded", False):
        return

    def made(*given: Any, **named: Any) -> Any:
        transport = make(*given, **named) or httpx.AsyncHTTPTransport()
        transport.handle_async_request = bounded(transport.handle_async_request)  # type: ignore[method-assign]
        return transport

    made.bounded = True  # type: ignore[attr-defined]
    handler.create_async_transport = handler._create_async_transport = staticmethod(made)
