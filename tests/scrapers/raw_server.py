"""A loopback server that says what it is told to, byte for byte: also what no HTTP server would say."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

Handler = Callable[[asyncio.StreamWriter], Awaitable[None]]


def reply(body: bytes | str = b"", status: str = "200 OK", **headers: str) -> bytes:
    """A well-formed response; header names with underscores for hyphens."""
    raw = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named.setdefault("Content-Type", "text/html; charset=utf-8")
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items())]
    return ("\r\n".join([*lines, f"Content-Length: {len(raw)}", "", ""])).encode("latin-1") + raw


def redirect(to: str, status: str = "302 Found") -> bytes:
    return reply(b"", status, Location=to)


def page(text: str, title: str = "A page") -> str:
    head = f"<html><head><title>{title}</title></head>"
    return f"{head}<body><article><h1>{title}</h1><p>{text}</p></article></body></html>"


PROSE = (
    "The council closed the inner streets to cars in spring, and the number of people hurt there fell by a third "
    "within two years, while shops took in more money than before, as the yearly report of the treasurer shows."
)


class RawServer:
    """``routes`` maps paths to bytes or to a handler; unknown paths get a 404. ``seen`` lists what was asked."""

    def __init__(self, routes: dict[str, bytes | Handler] | None = None, *, host: str = "127.0.0.1") -> None:
        self.routes = routes or {}
        self.host = host
        self.port = 0
        self.seen: list[str] = []
        self.headers: list[str] = []
        self.connections = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        self._open: set[asyncio.StreamWriter] = set()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        await self._server.wait_closed()

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}:{self.port}{path}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1]
                self.seen.append(path)
                self.headers.append(head)
                answer = self.routes.get(path) or self.routes.get(path.split("?")[0])
                if answer is None:
                    answer = reply("nothing here", "404 Not Found")
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(writer)
                    break
        self._open.discard(writer)
        writer.close()
