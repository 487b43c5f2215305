"""Who may ask the service, and what is noted of each request: its id, what came of it, and none of its contents."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.serve.problems import Refusal
from conqret.web.request_guard import READS, Guard

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


@dataclass(slots=True)
class ServedRequest:
    """What is noted of a request: none of its contents, and no address that it made up.

    ``code`` says why it has no judgment; ``sent`` are requests to the model, ``recorded`` answers from recordings.
    """

    id: str
    method: str
    format: str = ""
    status: int = 0
    code: str = ""
    seconds: float = 0.0
    sent: int = 0
    recorded: int = 0
    cost_usd: float | None = 0.0
    began: float = field(default_factory=time.monotonic, repr=False)


def read_keys(variable: str | None, file: Path | None) -> tuple[str, ...]:
    """The keys that requests may bring: one in an environment variable, one a line in a file.

    Raises:
        DeclarationError: there is none, or one is too short or holds what no header can.
    """
    keys_found: list[tuple[str, str]] = []
    if variable is not None:
        keys_found.append((f"the variable {variable}", os.environ.get(variable, "").strip()))
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
