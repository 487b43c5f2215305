"""The server of ``conqret serve http``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conqret.errors import DeclarationError
from conqret.judging.judge_parts import Judge
from conqret.runs.session import Session
from conqret.serve.access import Access, ServedRequest
from conqret.serve.intake import IntakeLimits
from conqret.serve.service import offered, service_app
from conqret.web.local_server import LocalServer, is_loopback, local_server
from conqret.web.request_guard import LOOPBACK, own_hosts

if TYPE_CHECKING:
    from starlette.types import ASGIApp

SERVICE_PORT = 8766
"""Where the service is, if no other port is given: the viewer may be there, too."""
SERVICE_GRACE = 30
"""Seconds for judgments under way when the service is stopped; what runs services waits so long, too."""
MORE_CONNECTIONS = 64
"""Beside one for each place in the queue: for those that are refused, and those who ask after its health."""


def serve(
    session: Session,
    formats: Sequence[str | Judge] = (),
    judging: Mapping[str, Any] | None = None,
    *,
    limits: IntakeLimits | None = None,
    keys: tuple[str, ...] = (),
    host: str = LOOPBACK,
    port: int = SERVICE_PORT,
    on_start: Callable[[str, Sequence[str]], None],
    heard: Callable[[ServedRequest], object] = lambda served: None,
) -> None:
    """Judge what is sent to a port, until Ctrl-C or SIGTERM; requests under way then have
    :data:`SERVICE_GRACE` seconds.

    ``on_start`` gets the address and the formats; the others are those of :func:`service_server`.

    Raises:
        DeclarationError: as there, or the model cannot be asked, as its key is missing or nobody is at its address.
    """
    session.check()
    server, names = service_server(
        session, formats, judging, limits=limits, keys=keys, host=host, port=port, heard=heard
    )
    server.run(lambda address: on_start(address, names))


def service_server(
    session: Session,
    formats: Sequence[str | Judge] = (),
    judging: Mapping[str, Any] | None = None,
    *,
    limits: IntakeLimits | None = None,
    keys: tuple[str, ...] = (),
    host: str = LOOPBACK,
    port: int = SERVICE_PORT,
    heard: Callable[[ServedRequest], object] = lambda served: None,
) -> tuple[LocalServer, list[str]]:
    """The server of :func:`serve`, which is not running yet, and the formats that it offers.

    ``formats`` and ``judging`` are those of :func:`conqret.serve.service.offered`, and ``heard`` gets a note of each
    request.

    Raises:
        DeclarationError: as there; other machines reach ``host``, and there is no key; the port is taken or not
            allowed; or the extra ``web`` is missing.
    """
    alone = is_loopback(host)
    if not alone and not keys:
        raise DeclarationError(
            f"other machines can reach {host}, so requests need a key: give --api-key-env or --api-key-file"
        )
    limits = limits or IntakeLimits()
    judges = offered(session, formats, judging)

    def app(port: int) -> ASGIApp:
        hosts = own_hosts(port, host) if alone else None  # a key keeps pages of others out, too
        return Access(service_app(session, judges, judging, limits, keyed=bool(keys)), hosts, keys, heard)

    server = local_server(
        app,
        host,
        port,
        lifespan="on",
        timeout_graceful_shutdown=SERVICE_GRACE,
        limit_concurrency=2 * (limits.at_once + limits.queue) + MORE_CONNECTIONS,
    )
    return server, list(judges)
