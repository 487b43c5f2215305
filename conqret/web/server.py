"""Local servers at a port, until they are stopped: the viewer, the service, and the pages on which people label."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from conqret._optional import require
from conqret.annotation.ledger import Ledger
from conqret.annotation.links import Links
from conqret.errors import DeclarationError
from conqret.io.slider_answers import SliderAnswer
from conqret.runs.session import Session
from conqret.web.access import Access, Served
from conqret.web.annotating.app import annotation_app
from conqret.web.annotating.door import Setting
from conqret.web.app import view_app
from conqret.web.connections import timed
from conqret.web.guard import LOOPBACK, READS, Guard, own_hosts
from conqret.web.intake import Limits
from conqret.web.service import offered, service_app

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

PORT = 8765
"""Where the viewer is, if no other port is given."""
SERVICE_PORT = 8766
"""The same for the service: both may be there at once."""
GRACE_SECONDS = 2
"""So long a page under way may take when the viewer is stopped."""
ANNOTATE_PORT = 8767
"""And for the pages on which people label."""
SERVICE_GRACE = 30
"""Seconds for judgments under way when the service is stopped; what runs services waits so long, too."""
MORE_CONNECTIONS = 64
"""Beside one for each place in the queue: for those that are refused, and those who ask after its health."""


def view(root: Path, port: int = PORT, *, on_start: Callable[[str], None]) -> None:
    """Show the runs under ``root`` until Ctrl-C; ``on_start`` gets the address. Port 0 takes one that is free.

    Raises:
        DeclarationError: there is no such folder, the port is taken or not allowed, or the extra ``web`` is missing.
    """
    view_server(root, port).run(lambda address: on_start(f"{address}/"))


def view_server(root: Path, port: int = PORT) -> LocalServer:
    """The server of :func:`view`, which is not running yet."""
    if not root.is_dir():
        raise DeclarationError(f"{root}: there is no such folder; give one that holds runs")
    return _server(lambda port: view_app(root, port), LOOPBACK, port, timeout_graceful_shutdown=GRACE_SECONDS)


def serve(
    session: Session,
    formats: Sequence[str] = (),
    judging: Mapping[str, Any] | None = None,
    *,
    limits: Limits | None = None,
    keys: tuple[str, ...] = (),
    host: str = LOOPBACK,
    port: int = SERVICE_PORT,
    grace: int = SERVICE_GRACE,
    on_start: Callable[[str, Sequence[str]], None],
    heard: Callable[[Served], object] = lambda served: None,
) -> None:
    """Judge what is sent to a port, until Ctrl-C or SIGTERM; requests under way then have ``grace`` seconds.

    ``on_start`` gets the address and the formats; the others are those of :func:`service_server`.

    Raises:
        DeclarationError: as there, or the model cannot be asked, as its key is missing or nobody is at its address.
    """
    session.check()
    found, names = service_server(
        session, formats, judging, limits=limits, keys=keys, host=host, port=port, grace=grace, heard=heard
    )
    found.run(lambda address: on_start(address, names))


def service_server(
    session: Session,
    formats: Sequence[str] = (),
    judging: Mapping[str, Any] | None = None,
    *,
    limits: Limits | None = None,
    keys: tuple[str, ...] = (),
    host: str = LOOPBACK,
    port: int = SERVICE_PORT,
    grace: int = SERVICE_GRACE,
    heard: Callable[[Served], object] = lambda served: None,
) -> tuple[LocalServer, list[str]]:
    """The server of :func:`serve`, which is not running yet, and the formats that it offers.

    ``formats`` and ``judging`` are those of :func:`conqret.web.service.offered`, and ``heard`` gets a note of each
    request.

    Raises:
        DeclarationError: as there; other machines reach ``host``, and there is no key; the port is taken or not
            allowed; or the extra ``web`` is missing.
    """
    alone = is_loopback(host)
    if not alone and not keys:
        raise DeclarationError(
            f"other machines reach {host}, so requests have to bring a key: give --api-key-env or --api-key-file"
        )
    limits = limits or Limits()
    judges = offered(session, formats, judging)

    def app(port: int) -> ASGIApp:
        hosts = own_hosts(port, host) if alone else None  # a key keeps pages of others out, too
        return Access(service_app(session, judges, judging, limits, keyed=bool(keys)), hosts, keys, heard)

    found = _server(
        app,
        host,
        port,
        lifespan="on",
        timeout_graceful_shutdown=grace,
        limit_concurrency=2 * (limits.at_once + limits.queue) + MORE_CONNECTIONS,
    )
    return found, list(judges)


def annotate(
    ledger: Ledger,
    links: Links,
    *,
    host: str = LOOPBACK,
    port: int = ANNOTATE_PORT,
    url: str = "",
    proxy: str = "",
    judged: Sequence[SliderAnswer] = (),
    on_start: Callable[[str], None],
) -> None:
    """Serve the pages of a study, as :func:`people` does; of ``proxy``, an address, it is believed from where a request
    comes. ``judged`` are answers on the debates that were written in it, of which its writers are told."""
    require("starlette", "uvicorn", extra="web")
    app = annotation_app(ledger, links, Setting(checked_url(url).scheme == "https", proxy, judged))
    people(app, host=host, port=port, url=url, on_start=on_start)


def people(app: ASGIApp, *, host: str, port: int, url: str = "", on_start: Callable[[str], None]) -> None:
    """Serve pages on which people write, until Ctrl-C or SIGTERM; ``on_start`` gets the address that links begin with.

    ``url`` is where people reach the pages, where a proxy stands before them: its Host and Origin are taken for those
    of the pages then, and with https cookies are sent by https alone.

    Raises:
        DeclarationError: the port is taken or not allowed, ``url`` is none, or the extra ``web`` is missing.
    """
    checked_url(url)
    found = _server(
        lambda port: guarded(app, host, port, url), host, port, timeout_graceful_shutdown=GRACE_SECONDS
    )
    found.run(lambda address: on_start(url.rstrip("/") or address))


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
    found = urlsplit(url)
    if url and (found.scheme not in ("http", "https") or not found.netloc or found.path.strip("/")):
        raise DeclarationError(f"--url is written https://labels.example.org, not {url!r}")
    return found


def checked_proxy(proxy: str, url: str) -> str:
    """The address of a proxy, as connections from it have it; empty where there is none.

    Raises:
        DeclarationError: it is no address, or there is no ``url`` at which the proxy shows the pages.
    """
    if proxy and not url:
        raise DeclarationError("--trust-proxy is for a proxy before the pages: say its --url, too")
    try:
        return str(ipaddress.ip_address(proxy)) if proxy else ""
    except ValueError:
        raise DeclarationError(
            f"--trust-proxy is the address from which the proxy connects, as 127.0.0.1, not {proxy!r}"
        ) from None


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


def _server(app: Callable[[int], ASGIApp], host: str, port: int, **settings: Any) -> LocalServer:
    """The server of what ``app`` gives for the port that is taken.

    Nothing of the environment counts: no proxy is trusted, and nothing is logged.
    """
    require("starlette", "uvicorn", extra="web")
    import uvicorn

    listening = port_at(host, port)
    try:
        port = listening.getsockname()[1]
        config = uvicorn.Config(
            app(port), loop="asyncio", http=timed(), ws="none", log_config=None, access_log=False, proxy_headers=False,
            server_header=False, **{"lifespan": "off", **settings},
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
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # a server that has just ended does not keep the port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen()
    except OSError as error:
        found.close()
        taken = (
            "is taken by another program"
            if error.errno == errno.EADDRINUSE
            else f"of {host} cannot be had: {error.strerror}"
        )
        raise DeclarationError(
            f"port {port} {taken}; give another with --port, or 0 for any that is free"
        ) from None
    return found
