"""What is taken in at all: so large, and so many at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.io.jsonl import parse
from conqret.serve.problems import Refusal

if TYPE_CHECKING:
    from starlette.requests import Request

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
    may wait.

    Raises:
        DeclarationError: one is below 1 (``queue``: below 0).
    """

    body: int = 4 * MIB
    at_once: int = 16
    queue: int = 128

    def __post_init__(self) -> None:
        for name, least in (("body", 1), ("at_once", 1), ("queue", 0)):
            value = getattr(self, name)
            if value < least:
                raise DeclarationError(
                    f"{name.replace('_', ' ')} is {value}, but it must be at least {least}"
                )


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
            raise Refusal(
                429,
                "queue_full",
                f"{self.limits.at_once} items are being judged and {self.limits.queue} wait; try again later",
                retry_after=BUSY_SECONDS,
                close=True,
            )
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
        try:
            if announced.isascii() and announced.isdigit() and int(announced[:19]) > most:
                raise _too_large(most)
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise _too_large(most)
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


def _too_large(most: int) -> Refusal:
    detail = (
        f"the body has more than {most:,} bytes; send less, or start the service with a larger --max-body"
    )
    return Refusal(413, "too_large", detail, close=True)
