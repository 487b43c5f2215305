"""Local servers at a port, until they are stopped: the viewer, the service, and the pages on which people label."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from conqret._optional import require
from conqret.errors import DeclarationError
from conqret.web.request_guard import LOOPBACK, READS, Guard, own_hosts

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp
MAX_CONNECTIONS = 512
"""So many may be open at once; others get 503. A process may often have 1,024 files open."""
GRACE_SECONDS = 2
"""So long a page under way may take when the viewer is stopped."""


def people(app: ASGIApp, *, host: str, port: int, url: str = "", on_start: Callable[[str], None]) -> None:
    """Serve pages on which people write, until Ctrl-C or SIGTERM; ``on_start`` gets the address that links begin with.

    ``url`` is where people reach the pages, where a proxy stands before them: its Host and Origin are taken for those
    of the pages then, and with https cookies are sent by https alone.

    Raises:
        DeclarationError: the port is taken or not allowed, ``url`` is none, or the extra ``web`` is missing.
    """
    checked_url(url)
    server = local_server(
        lambda port: guarded(app, host, port, url), host, port, timeout_graceful_shutdown=GRACE_SECONDS
    )
    server.run(lambda address: on_start(url.rstrip("/") or address))


def guarded(app: ASGIApp, host: str, port: int, url: str = "") -> Guard:
    """The pages of :func:`people` behind what keeps pages of others out."""
    outside = checked_url(url)
    origins = (f"{outside.scheme}://{outside.netloc.lower()}",) if url else ()
    known = is_loopback(host) or bool(url)
    hosts = own_hosts(port, host) | {outside.netloc.lower() or LOOPBACK} if known else None
    return Guard(app, hosts, (*READS, "POST"), origins=origins)


def checked_url(url: str) -> SplitResult:
    """The parts of an address at which a proxy shows the pages; empty ones where there is none.

    Raises:
        DeclarationError: it is no address of a whole site.
    """
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/")):
        raise DeclarationError(f"--url takes an address such as https://labels.example.org, not {url!r}")
    return parts


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that has its port, and does not run yet."""

    uvicorn: uvicorn.Server
    listening: socket.socket
    address: str

    def run(self, on_start: Callable[[str], None]) -> None:
        """Serve until a signal comes; ``on_start`` gets the address."""
        with self.listening, contextlib.suppress(KeyboardInterrupt):
            on_start(self.address)
            self.uvicorn.run(sockets=[self.listening])


def local_server(app: Callable[[int], ASGIApp], host: str, port: int, **settings: Any) -> LocalServer:
    """The server of what ``app`` gives for the port that is taken.

    Nothing of the environment counts: no proxy is trusted, and nothing is logged.
    """
    require("starlette", "uvicorn", extra="web")
    import uvicorn

    listening = port_at(host, port)
    try:
        port = listening.getsockname()[1]
        config = uvicorn.Config(
            app(port), loop="asyncio", http="h11", ws="none", log_config=None, access_log=False, proxy_headers=False,
            server_header=False, **{"lifespan": "off", "limit_concurrency": MAX_CONNECTIONS, **settings},
        )  # fmt: skip
    except BaseException:
        listening.close()
        raise
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return LocalServer(uvicorn.Server(config), listening, address)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def port_at(host: str, port: int) -> socket.socket:
    """A port of this address, where answers go out without waiting for more."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only where the protocol is named; else each waits 40 ms
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # a server that has just ended does not keep the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        taken = (
            "is taken by another program"
            if error.errno == errno.EADDRINUSE
            else f"of {host} cannot be used: {error.strerror}"
        )
        raise DeclarationError(
            f"port {port} {taken}; choose another with --port, or any free one with --port 0"
        ) from None
    return listener
