"""Local servers at a port, until they are stopped: the viewer, the service, and the pages on which annotators label;
and the requests that they answer: those of a user of this machine, and none of other pages.

A page from elsewhere can make a browser send requests to this machine. It gets nothing: under a name of its own that
it lets point to this machine (DNS rebinding) the Host is another; what it fetches, embeds or sends says so in Origin or
Sec-Fetch-Site; and no answer allows another origin to read it.

The pages' own forms have to say where they come from, too: under the referrer policy ``no-referrer`` browsers write
``Origin: null`` in its place, so that the policy is ``same-origin``, which tells other sites no more.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from conqret._optional import require
from conqret.errors import DeclarationError
from conqret.llm.providers import is_loopback

if TYPE_CHECKING:
    import uvicorn
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


MAX_CONNECTIONS = 512
"""So many may be open at once; others get 503. A process may often have 1,024 files open."""
GRACE_SECONDS = 2
"""So long a page under way may take when the viewer is stopped."""


def serve_pages(
    app: ASGIApp, *, host: str, port: int, url: str = "", on_start: Callable[[str], None]
) -> None:
    """Serve pages that users write on, until Ctrl-C or SIGTERM.

    Args:
        app: the web application.
        host: the address to listen on.
        port: the port to listen on.
        url: the URL of the pages behind a proxy. Its Host and Origin are accepted, and with https
            cookies are secure.
        on_start: called with the URL that links begin with.

    Raises:
        DeclarationError: the port is taken or not allowed, ``url`` is invalid, or the extra ``web`` is
            missing.
    """
    server = local_server(
        lambda port: guarded(app, host, port, url), host, port, timeout_graceful_shutdown=GRACE_SECONDS
    )
    server.run(lambda address: on_start(url.rstrip("/") or address))


def guarded(app: ASGIApp, host: str, port: int, url: str = "") -> Guard:
    """Return the application of :func:`serve_pages` wrapped with checks of Host and Origin headers."""
    outside = checked_url(url)
    origins = (f"{outside.scheme}://{outside.netloc.lower()}",) if url else ()
    known = is_loopback(host) or bool(url)
    hosts = own_hosts(port, host) | {outside.netloc.lower() or LOOPBACK} if known else None
    return Guard(app, hosts, (*READS, "POST"), origins=origins)


def checked_url(url: str) -> SplitResult:
    """Return the parts of the URL at which a proxy shows the pages; empty parts for an empty URL.

    Raises:
        DeclarationError: it is not the URL of a whole site.
    """
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/")):
        raise DeclarationError(f"--url takes an address such as https://labels.example.org, not {url!r}")
    return parts


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that has reserved its port and is not running yet."""

    uvicorn: uvicorn.Server
    listening: socket.socket
    address: str

    def run(self, on_start: Callable[[str], None]) -> None:
        """Serve until a signal arrives; ``on_start`` is called with the URL."""
        with self.listening, contextlib.suppress(KeyboardInterrupt):
            on_start(self.address)
            self.uvicorn.run(sockets=[self.listening])


def local_server(app: Callable[[int], ASGIApp], host: str, port: int, **settings: Any) -> LocalServer:
    """Reserve a port and return a server, not yet running, for the application ``app(port)``.

    Environment variables have no effect, no proxy is trusted, and nothing is logged. ``settings`` are
    those of uvicorn.

    Raises:
        DeclarationError: the port is taken or not allowed.
        MissingDependencyError: the extra ``web`` is missing.
    """
    require("starlette", "uvicorn", extra="web")
    import uvicorn

    listening = port_at(host, port)
    try:
        port = listening.getsockname()[1]
        config = uvicorn.Config(
            app(port),
            loop="asyncio",
            http="h11",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            **{"lifespan": "off", "limit_concurrency": MAX_CONNECTIONS, **settings},
        )
    except BaseException:
        listening.close()
        raise
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return LocalServer(uvicorn.Server(config), listening, address)


def port_at(host: str, port: int) -> socket.socket:
    """Open and return a listening socket at this address and port.

    Raises:
        DeclarationError: the port is taken or not allowed.
    """
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
        taken = error.errno == errno.EADDRINUSE
        why = "is taken by another program" if taken else f"of {host} cannot be used: {error.strerror}"
        raise DeclarationError(
            f"port {port} {why}; choose another with --port, or any free one with --port 0"
        ) from None
    return listener


LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
READS = ("GET", "HEAD")

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # what the policy in a page cannot say
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""The headers of every response, in addition to the policy in the page itself."""


def own_hosts(port: int, *names: str) -> frozenset[str]:
    """Return the Host headers of a server at ``port`` of this machine, including the further ``names``."""
    every = {f"[{name}]" if ":" in name else name for name in (*NAMES, *names)}
    return frozenset({f"{name}:{port}" for name in every} | (every if port == 80 else set()))


class Guard:
    """An ASGI application wrapped with checks of each request.

    ``hosts`` are the accepted Host headers (None: any), and ``methods`` the accepted HTTP methods.
    ``refused`` builds the response of a refused request from a status and a sentence. ``origins`` are
    further accepted origins of its pages, as behind a proxy.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None,
        methods: Collection[str] = READS,
        refused: Callable[[Scope, int, str], ASGIApp] | None = None,
        origins: Collection[str] = (),
    ) -> None:
        self.app, self.hosts, self.methods, self.origins = app, hosts, methods, origins
        self._refused = _sentence if refused is None else refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with a sentence; every response has the headers of :data:`HEADERS`. Websockets
        get no answer."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        from starlette.datastructures import Headers, MutableHeaders

        status, why = self._refusal(scope["method"], Headers(scope=scope))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if status == 405:
                    headers["Allow"] = ", ".join(self.methods)
            await send(message)

        app = self._refused(scope, status, why) if why else self.app
        await app(scope, receive, guarded)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str]:
        """Return status and words if a request is refused: another host (421), a page of another site (403), or a
        method that is not allowed (405); else 200 and an empty text. A link from another page may lead here, a form may
        not."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or (self.hosts is not None and hosts[0].lower() not in self.hosts):
            return 421, "This server answers only under its own address, as conqret printed it."
        site, aim = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-dest", "document")
        origins = {f"http://{hosts[0].lower()}", *self.origins}
        if (
            site == "same-origin"
        ):  # no page can write this header: where a browser hides the origin, it is ours
            origins.add("null")
        led_here = method in READS and aim == "document"  # a link may lead here; a form of others may not
        if any(origin not in origins for origin in headers.getlist("origin")) or (
            site not in ("none", "same-origin") and not led_here
        ):
            return 403, "The request comes from a page of another site and is refused."
        if method not in self.methods:
            only = "it can only be read" if self.methods == READS else f"it takes {', '.join(self.methods)}"
            return 405, f"Nothing can be changed here; {only}."
        return 200, ""


def _sentence(scope: Scope, status: int, why: str) -> ASGIApp:
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(why, status)
