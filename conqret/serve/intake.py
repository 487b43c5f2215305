"""The admission of requests to ``conqret serve http``: limits, API keys, the log record, and refusals as
problem details (RFC 9457) with a code and what to do.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import math
import os
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from pydantic import BaseModel
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conqret.data import Judgment, Measure, Reason, Status
from conqret.errors import DeclarationError, Fault
from conqret.io.jsonl import parse
from conqret.show.words import reason
from conqret.web.local_server import READS, Guard


@dataclass(slots=True)
class ServedRequest:
    """The log record of a request, without its contents.

    ``status`` is the HTTP status, and ``code`` says why there is no judgment (empty: there is one). ``sent``
    counts requests to the model and ``recorded`` responses from recordings. ``cost_usd`` is None if a price
    is unknown. ``began`` is a reading of ``time.monotonic()``.
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


MEDIA_TYPE = "application/problem+json"

PAUSE_SECONDS = 30.0
"""Seconds for which a model that was given up gets no request; clients are told to return after them."""

_LATER = frozenset({Reason.RATE_LIMITED, Reason.PROVIDER_DOWN, Reason.TOO_MANY_FAILURES})
"""What may be better after a while."""

_PROVIDER = {**dict.fromkeys([*_LATER, Reason.BUDGET, Reason.NOT_RECORDED], 503), Reason.TIMEOUT: 504}
"""The statuses of what no model answered; 502 for all else that it, or the connection to it, did wrong."""


class ItemFault(BaseModel, frozen=True):
    """One thing wrong with an item: where, what, and how to mend it."""

    place: str
    problem: str
    remedy: str


class Problem(BaseModel, frozen=True):
    """Why there is no judgment. ``code`` is for programs, ``detail`` for readers; an item's faults are all named."""

    title: str
    status: int
    code: str
    detail: str
    faults: tuple[ItemFault, ...] = ()
    request_id: str = ""


class Refusal(Exception):  # noqa: N818 - it is an answer
    """An exception that refuses a request; it becomes an HTTP response with a problem document.

    ``status`` is the HTTP status, ``code`` a word for programs, ``detail`` the sentence for readers, and
    ``faults`` those of an item. ``retry_after`` (seconds) sets the header Retry-After; ``close`` ends the
    connection.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        faults: Iterable[Fault] = (),
        retry_after: float | None = None,
        close: bool = False,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.faults = tuple(
            ItemFault(place=fault.field, problem=fault.problem, remedy=fault.remedy) for fault in faults
        )
        self.headers = {} if retry_after is None else {"Retry-After": str(max(1, math.ceil(retry_after)))}
        if close:  # what is left of the body is not read
            self.headers["Connection"] = "close"

    def response(self, request_id: str) -> Response:
        """Return the HTTP response with the problem document of this refusal."""
        problem = Problem(
            title=HTTPStatus(self.status).phrase,
            status=self.status,
            code=self.code,
            detail=self.detail,
            faults=self.faults,
            request_id=request_id,
        )
        return Response(problem.model_dump_json(), self.status, self.headers, MEDIA_TYPE)


def not_answered(judgment: Judgment) -> Refusal | None:
    """Return the refusal for a judgment in which every metric failed (503 for a paused provider, a spent
    budget or a missing recording, 504 for a time-out, else 502); None for any other judgment.
    """
    measures = judgment.measures.values()
    if not measures or any(measure.status is not Status.FAILED for measure in measures):
        return None
    first: Measure = next(iter(measures))
    assert first.reason is not None  # noqa: S101 - a failed measure has one
    detail = f"no judgment: {reason(first.reason)}{f' ({first.detail})' if first.detail else ''}"
    later = PAUSE_SECONDS if first.reason in _LATER else None
    return Refusal(_PROVIDER.get(first.reason, 502), first.reason.value, detail, retry_after=later)


MIB = 2**20
BODY_SECONDS = 15.0
"""Seconds for a whole body: some MiB over a slow line, and no more for a client that sends a byte now and
then.
"""
BUSY_SECONDS = 5.0
"""The Retry-After, in seconds, where the queue is full."""


MAX_ENTRIES = 500
"""The most documents, messages or other entries of one list of an item."""
MAX_CHARACTERS = 1_000_000
"""The most characters of all texts of an item; the offline judge reads so many in some seconds."""


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """The limits of a service.

    ``body`` is the largest size of an item in bytes. ``at_once`` is the number of items judged
    concurrently, and ``queue`` the number that may wait.
    """

    body: int = 4 * MIB
    at_once: int = 16
    queue: int = 128


class Intake:
    """The admission of requests under given limits; ``inside`` is the number of requests that have a
    place.
    """

    def __init__(self, limits: IntakeLimits) -> None:
        self.limits = limits
        self.inside = 0
        self._free = asyncio.Semaphore(limits.at_once)

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Context manager that holds a place in the queue while a request's body is in memory.

        Raises:
            Refusal: 429, if all places are taken.
        """
        if self.inside >= self.limits.at_once + self.limits.queue:
            why = (
                f"{self.limits.at_once} items are being judged and {self.limits.queue} wait; try again later"
            )
            raise Refusal(429, "queue_full", why, retry_after=BUSY_SECONDS, close=True)
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1

    @contextlib.asynccontextmanager
    async def turn(self, request: Request) -> AsyncIterator[None]:
        """Context manager that waits until this request may be judged.

        Raises:
            Refusal: the client has disconnected.
        """
        async with self._free:
            if await request.is_disconnected():
                raise Refusal(400, "client_gone", "the connection was closed before its turn came")
            yield

    async def read(self, request: Request) -> object:
        """Read a request's body and return the parsed JSON.

        Raises:
            Refusal: the body is too large, too slow, not JSON, or broken.
        """
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            problem = f"not {kind!r}" if kind else "and the request names none"
            detail = f"the body has to be JSON, with Content-Type: application/json, {problem}"
            raise Refusal(415, "not_json", detail, close=True)
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Refusal(415, "packed", "send the body uncompressed, without Content-Encoding", close=True)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self._body(request)
        except TimeoutError:
            detail = f"the body did not come within {BODY_SECONDS:g} s"
            raise Refusal(408, "slow_body", detail, close=True) from None
        try:
            return await asyncio.to_thread(parse, body)  # others are answered meanwhile
        except ValueError as error:
            raise Refusal(400, "invalid_json", f"the body is not valid JSON: {error}") from None

    async def _body(self, request: Request) -> bytes:
        """Return the whole body; no more of it is read than may be sent.

        Raises:
            Refusal: 413 if it is too large, 400 if the connection was closed within it.
        """
        most, parts, size = self.limits.body, [], 0
        announced = request.headers.get("content-length", "")
        detail = (
            f"the body has more than {most:,} bytes; send less, or start the service with a larger --max-body"
        )
        too_large = Refusal(413, "too_large", detail, close=True)
        try:
            if announced.isascii() and announced.isdigit() and int(announced[:19]) > most:
                raise too_large
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise too_large
                parts.append(part)
        except ClientDisconnect:
            raise Refusal(400, "client_gone", "the connection was closed within the body") from None
        return b"".join(parts)


def check_size(value: object) -> int:
    """Return the number of characters in all texts of an item (JSON data), without images.

    Raises:
        Refusal: 422, a list of the item has more than :data:`MAX_ENTRIES` entries, or its texts more than
            :data:`MAX_CHARACTERS` characters.
    """
    if isinstance(value, str):
        return 0 if value.startswith("data:") else len(value)
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0
    if len(value) > MAX_ENTRIES:
        detail = f"a list of the item has {len(value):,} entries; the service takes {MAX_ENTRIES}"
        raise Refusal(422, "too_long", f"{detail}: judge such items with conqret judge")
    characters = sum(map(check_size, value))
    if characters > MAX_CHARACTERS:
        detail = f"the item has {characters:,} characters; the service takes {MAX_CHARACTERS:,}"
        raise Refusal(422, "too_long", f"{detail}: judge such items with conqret judge")
    return characters


KEY = "CONQRET_SERVER_KEY"
"""The environment variable with a key that requests may use."""
SHORTEST_KEY = 16
"""The fewest characters of a key: a shorter one can be guessed."""
OPEN = ("/healthz", "/readyz")
"""The paths that need no key, because what monitors services has none."""
MAX_KEY_FILE = 2**16
"""The most bytes of a file of keys."""

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_KEY = re.compile(rf"[!-~]{{{SHORTEST_KEY},}}")


def read_keys(file: Path | None) -> tuple[str, ...]:
    """Return the API keys that requests may use, from the environment variable :data:`KEY` and the lines
    of a file; empty without either.

    Blank lines and lines that begin with ``#`` are ignored.

    Raises:
        DeclarationError: the file has no key or cannot be read, or a key is too short or has invalid
            characters.
    """
    keys_found = [(f"the variable {KEY}", key)] if (key := os.environ.get(KEY, "").strip()) else []
    if file is not None:
        try:
            with file.open("rb") as opened:
                lines = opened.read(MAX_KEY_FILE + 1)
        except OSError as error:
            raise DeclarationError(f"the file of keys {file} cannot be read: {error.strerror}") from None
        keys = [line.strip() for line in lines.decode("utf-8", "replace").splitlines()]
        keys = [key for key in keys if key and not key.startswith("#")]
        if len(lines) > MAX_KEY_FILE or not keys:
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
    """An ASGI application wrapped with host checks, API keys, request ids and a log.

    ``hosts`` are the accepted Host headers. Without keys, every request that passes the host check is
    accepted. ``on_request`` is called with the record of each answered request, health checks excluded.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None,
        keys: tuple[str, ...] = (),
        on_request: Callable[[ServedRequest], object] = lambda served: None,
    ) -> None:
        self.app, self.on_request = Guard(app, hosts, (*READS, "POST"), _guarded), on_request
        self._keys = [_digest(key) for key in keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it (401) without a valid key where keys are needed, and report it with its status
        and time. Open paths need no key and are not reported. Every response has the request's id."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
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
                self.on_request(served)

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
