"""What a provider's batch interface has to be able to do, and how any of them is spoken to."""

from __future__ import annotations

import asyncio
import contextlib
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import aiohttp

from conqret.data import Reason
from conqret.io.limits import ANSWER
from conqret.llm.client_options import ClientOptions
from conqret.llm.hosted.direct_http import body_of, parsed, refused, session_of
from conqret.llm.hosted.response_bodies import packing
from conqret.llm.hosted.servers import Server
from conqret.llm.provider_errors import provider_error
from conqret.llm.request import Completion, Request
from conqret.llm.retry import ProviderError, backoff

SHARE = 0.5
"""Of the usual price: what OpenAI and Anthropic both take for a batch."""


_TAKEN = frozenset({200, 201, 202})
"""A batch is made, and some servers say so; taken for an error, it would be handed in and paid for twice."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is: whether anything may still come, what the provider says of it, where its results lie."""

    ended: bool
    told: str = ""
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the results: a question's key with its answer, or with why there is none."""

    key: str
    completion: Completion | None = None
    error: ProviderError | None = None


class BatchService(ABC):
    """One provider's batches. ``most`` are the questions that one may hold, ``most_bytes`` its length."""

    most: ClassVar[int]
    most_bytes: ClassVar[int]

    def __init__(self, options: ClientOptions, server: Server) -> None:
        self.options, self.server, self.facts = options, server, options.facts
        self._session: aiohttp.ClientSession | None = None
        self._rng = random.Random()  # no seed: those who wait for one provider shall not wake together

    @abstractmethod
    def line(self, key: str, request: Request[Any]) -> bytes:
        """A question as it stands in a batch, one JSON object."""

    @abstractmethod
    async def hand_in(self, lines: Sequence[bytes], name: str) -> str:
        """Hand in a batch of lines under our name for it, where the provider keeps one, and return its id. Raises
        ProviderError where it is not taken."""

    @abstractmethod
    async def find(self, name: str, begun: datetime, count: int, known: Set[str]) -> str | None:
        """The id of the batch of so many questions that was handed in as ``name`` since ``begun``, and is none of the
        ``known`` ones; None where there is none. Raises ProviderError where the provider does not say.
        """

    @abstractmethod
    async def look(self, batch: str) -> BatchProgress:
        """How far a batch is. Raises ProviderError where that is not said."""

    @abstractmethod
    def read(self, line: Mapping[str, Any]) -> Result:
        """What a line of the results says. Raises ValueError (or its kin) where it is none."""

    def cost(self, prompt: int | None, completed: int | None, cached: int | None) -> float | None:
        """Dollars for tokens."""
        whole = self.facts.cost(prompt, completed, cached)
        return None if whole is None else SHARE * whole

    async def post(self, path: str, **content: Any) -> Mapping[str, Any]:
        """Post to the interface, once: what is sent twice may be paid for twice."""
        return await self._exchange("POST", path, **content)

    async def get(self, path: str) -> Mapping[str, Any]:
        """Ask the interface, again where that may help."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._exchange("GET", path)
            except ProviderError as error:
                delay = backoff(attempt, self._rng, error.retry_after)
                last = attempt >= self.options.max_attempts or delay > self.options.timeout
                if last or not error.retryable:
                    raise
                await asyncio.sleep(delay)

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """The lines of a file of results. Raises ProviderError where it breaks off, or a line is longer than an answer
        may be."""
        async with self._sent("GET", path) as response:
            if packing(response.headers.get("Content-Encoding")):
                message = "the results are compressed, which conqret did not request"
                raise ProviderError(Reason.SERVER_ERROR, message)
            rest = b""
            async for chunk in response.content.iter_any():
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    yield line
                if len(rest) > ANSWER.most:
                    raise ProviderError(Reason.SERVER_ERROR, f"a line of the results is longer than {ANSWER}")
            yield rest

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _exchange(self, method: str, path: str, **content: Any) -> Mapping[str, Any]:
        async with self._sent(method, path, **content) as response:
            return parsed(await body_of(response))

    @contextlib.asynccontextmanager
    async def _sent(self, method: str, path: str, **content: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        if self._session is None:
            self._session = session_of(self.server)
            self._session.headers.popall("Content-Type")
            self._session.headers["Accept-Encoding"] = "identity"  # files of results are read line by line
        url = f"{self.server.root}{path}"
        sent = {**content, "headers": {**self.server.headers, **content.get("headers", {})}}
        try:
            async with (
                asyncio.timeout(self.options.timeout),
                self._session.request(method, url, allow_redirects=False, **sent) as response,
            ):
                if response.status not in _TAKEN:
                    raise refused(self.server, response.status, response.headers, await body_of(response))
                yield response
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise provider_error(error) from None


LISTED = 100
"""Batches of a provider's list that are looked through, the latest first."""


def listed(response: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The batches of a provider's list that have an id."""
    data = response.get("data")
    for entry in data if isinstance(data, list) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str):
            yield entry
