"""What is taken in at all, what is noted of a request, and what the service says where it gives no judgment: problem
details (RFC 9457) with a code, and what to do."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from pydantic import BaseModel

from conqret.data import Judgment, Measure, Reason, Status
from conqret.errors import Fault
from conqret.io.jsonl import parse
from conqret.show.words import reason

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


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


MEDIA_TYPE = "application/problem+json"

PAUSE_SECONDS = 30.0
"""So long a model that was given up is asked nothing; clients are told to come back after it."""

_LATER = frozenset({Reason.RATE_LIMITED, Reason.PROVIDER_DOWN, Reason.TOO_MANY_FAILURES})
"""What may be better after a while."""

_PROVIDER = {**dict.fromkeys([*_LATER, Reason.BUDGET, Reason.NOT_RECORDED], 503), Reason.TIMEOUT: 504}
"""The statuses of what no model answered; 502 for all else that it, or the way to it, did wrong."""


class ItemFault(BaseModel, frozen=True):
    """One thing wrong with an item: where, what, and how to mend it."""

    place: str
    problem: str
    remedy: str


class Problem(BaseModel, frozen=True):
    """Why there is no judgment. ``code`` is for programs, ``detail`` for people; an item's faults are all named."""

    title: str
    status: int
    code: str
    detail: str
    faults: tuple[ItemFault, ...] = ()
    request_id: str = ""


class Refusal(Exception):  # noqa: N818 - it is an answer
    """A request that gets a problem as its answer."""

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
        """The answer."""
        from starlette.responses import Response

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
    """The problem of a judgment for which no answer came at all; None for any that says something."""
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
"""For a whole body: some MiB over a slow line, and no more for somebody who sends a byte now and then."""
BUSY_SECONDS = 5.0
"""What those are told to wait who find the queue full: some judgments of a hosted model are done by then."""


MAX_ENTRIES = 500
"""Documents, messages or other entries of one list of an item."""
MAX_CHARACTERS = 1_000_000
"""Of all texts of an item; the offline judge reads so many in some seconds."""


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """``body`` is the bytes of an item at most, ``at_once`` the items that are judged at a time, ``queue`` those that
    may wait."""

    body: int = 4 * MIB
    at_once: int = 16
    queue: int = 128


class Intake:
    """Lets requests in under these limits, or refuses them."""

    def __init__(self, limits: IntakeLimits) -> None:
        self.limits = limits
        self.inside = 0
        self._free = asyncio.Semaphore(limits.at_once)

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place in the queue, which holds the body of a request in memory.

        Raises:
            Refusal: 429, where all are taken.
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
        """Wait until this request may be judged.

        Raises:
            Refusal: who sent it is gone; nobody reads the answer.
        """
        async with self._free:
            if await request.is_disconnected():
                raise Refusal(400, "client_gone", "the connection was closed before its turn came")
            yield

    async def read(self, request: Request) -> object:
        """The JSON of a request's body.

        Raises:
            Refusal: it is too large, too slow, in another form, or broken.
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
        """The whole body; no more of it is read than may be sent."""
        from starlette.requests import ClientDisconnect

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
    """The characters of all texts of an item, images apart.

    Raises:
        Refusal: a list of it has too many entries, or its texts are too long.
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
