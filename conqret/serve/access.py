"""The server of ``conqret serve http``: who may ask it, and what is noted of each request: its id, what came of it, and
none of its contents."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.errors import DeclarationError
from conqret.judging.judge_parts import Judge
from conqret.llm.backends.server import KEY
from conqret.runs.session import Session
from conqret.serve.intake import IntakeLimits, Refusal, ServedRequest
from conqret.serve.service import offered, service_app
from conqret.web.local_server import LOOPBACK, READS, Guard, LocalServer, is_loopback, local_server, own_hosts

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


SHORTEST_KEY = 16
"""Characters: a shorter key can be guessed."""
OPEN = ("/healthz", "/readyz")
"""Addresses that need no key: what watches over services has none."""
LOOSEST_FILE = 2**16
"""Bytes: a larger file is none of keys."""

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_KEY = re.compile(rf"[!-~]{{{SHORTEST_KEY},}}")


def read_keys(file: Path | None) -> tuple[str, ...]:
    """The keys that requests may bring: one in the environment variable :data:`KEY`, one a line in a file.

    Raises:
        DeclarationError: there is none in the file, or one is too short or holds what no header can.
    """
    keys_found = [(f"the variable {KEY}", key)] if (key := os.environ.get(KEY, "").strip()) else []
    if file is not None:
        try:
            with file.open("rb") as opened:
                lines = opened.read(LOOSEST_FILE + 1)
        except OSError as error:
            raise DeclarationError(f"the file of keys {file} cannot be read: {error.strerror}") from None
        keys = [line.strip() for line in lines.decode("utf-8", "replace").splitlines()]
        keys = [key for key in keys if key and not key.startswith("#")]
        if len(lines) > LOOSEST_FILE or not keys:
            raise DeclarationError(f"{file} is not a file of keys: write one key on each line")
        keys_found += [(f"a line of {file}", key) for key in keys]
    for where, key in keys_found:
        if not _KEY.fullmatch(key):
            raise DeclarationError(
                f"{where} contains no key: a key needs at least {SHORTEST_KEY} visible ASCII "
                "characters without spaces; make one with python -c 'import secrets; print(secrets.token_urlsafe(32))'"
            )
    return tuple(key for _, key in keys_found)


class Access:
    """The application behind its guard (``hosts`` are those that it looks for), keys (none: everybody whom the guard
    lets in), request ids and the log; ``heard`` gets what is noted of each request once it is answered, but for those
    after its health."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None,
        keys: tuple[str, ...] = (),
        heard: Callable[[ServedRequest], object] = lambda served: None,
    ) -> None:
        self.app, self.heard = Guard(app, hosts, (*READS, "POST"), _guarded), heard
        self._keys = [_digest(key) for key in keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and note it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        from starlette.datastructures import Headers, MutableHeaders

        headers = Headers(scope=scope)
        request_id = headers.get("x-request-id", "")
        served = ServedRequest(
            request_id if _ID.fullmatch(request_id) else secrets.token_hex(8), scope["method"]
        )
        scope["state"] = {**scope.get("state", {}), "served": served}

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                served.status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = served.id
            await send(message)

        try:
            if self._keys and scope["path"] not in OPEN and not self._known(headers.get("authorization", "")):
                detail = "send the key of this service: Authorization: Bearer …"
                served.code = "unauthorized"
                refused = Refusal(401, served.code, detail, close=True).response(served.id)
                refused.headers["WWW-Authenticate"] = "Bearer"
                await refused(scope, receive, noted)
            else:
                await self.app(scope, receive, noted)
        finally:
            served.seconds = time.monotonic() - served.began
            if scope["path"] not in OPEN:
                self.heard(served)

    def _known(self, authorization: str) -> bool:
        """Whether the key is one of ours, in a time that says nothing of how near it is."""
        scheme, _, key = authorization.partition(" ")
        key_digest = _digest(key.strip())
        same = [hmac.compare_digest(key_digest, key) for key in self._keys]
        return scheme.lower() == "bearer" and any(same)


def _guarded(scope: Scope, status: int, why: str) -> ASGIApp:
    served: ServedRequest = scope["state"]["served"]
    served.code = "refused"
    return Refusal(status, served.code, why, close=True).response(served.id)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()


SERVICE_PORT = 8766
"""Where the service is, if no other port is given: the viewer may be there, too."""
SERVICE_GRACE = 30
"""Seconds for judgments under way when the service is stopped; what runs services waits so long, too."""
MORE_CONNECTIONS = 64
"""Beside one for each place in the queue: for those that are refused, and those who ask after its health."""


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
    """The server of ``conqret serve http``, which is not running yet, and the formats that it offers. Once it is told
    to stop, requests under way have :data:`SERVICE_GRACE` seconds.

    ``formats`` and ``judging`` are those of :func:`conqret.serve.service.offered`, and ``heard`` gets a note of each
    request.

    Raises:
        DeclarationError: as there; other machines reach ``host``, and there is no key; the port is taken or not
            allowed; or the extra ``web`` is missing.
    """
    alone = is_loopback(host)
    if not alone and not keys:
        raise DeclarationError(
            f"other machines can reach {host}, so requests need a key: give --api-key-file, or set {KEY}"
        )
    limits = limits or IntakeLimits()
    judges = offered(session, formats, judging)

    def app(port: int) -> ASGIApp:
        hosts = own_hosts(port, host) if alone else None  # a key keeps pages of others out, too
        return Access(service_app(session, judges, judging, limits, keyed=bool(keys)), hosts, keys, heard)

    most = 2 * (limits.at_once + limits.queue) + MORE_CONNECTIONS
    settings = {"timeout_graceful_shutdown": SERVICE_GRACE, "limit_concurrency": most}
    return local_server(app, host, port, lifespan="on", **settings), list(judges)
