"""The batches of a store of recordings: which are under way, what came of them, and which requests are
submitted next.

They are listed in a JSON file next to the store. A request is submitted if the store has no response to it
and no batch under way has it; responses go into the store, as if they had come at once.

Several processes may share a store: the file is read and written under a lock, which is held while a batch
is submitted. A batch without an id is therefore that of a process that was killed, or its response was lost;
the provider is queried for it before its requests are submitted, and paid for, again.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import json
import logging
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from conqret.data import Reason
from conqret.errors import DeclarationError, number
from conqret.io.limits import whole_bytes
from conqret.io.safe_files import write_whole
from conqret.llm.batch_services import AnthropicBatches, BatchService, OpenAIBatches, anthropic_server
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import ProviderError
from conqret.llm.hosted.servers import by_responses, directly, server_of
from conqret.llm.key_redaction import KeyRedaction, keys_in_use
from conqret.llm.providers import check_address, provider_of
from conqret.llm.recordings import Recordings, batches_beside
from conqret.llm.request import Request, parameters
from conqret.llm.sender import Progress

LOCK = ".lock"
"""The suffix of the lock file's name."""

POLL = 0.05
"""Seconds between two attempts to get the lock."""

MAX_TRIES = 3
"""A request that has failed in so many batches is not submitted again."""

_log = logging.getLogger(__name__)


class BatchedRequest(BaseModel):
    """What is needed to record the response of a request in a batch: the labels ``ask`` and ``item``,
    sample number and parameters.
    """

    ask: str
    item: str
    sample: int
    params: dict[str, Any]


class Batch(BaseModel):
    """One batch: its requests by key (``asked``), and reason and detail of each that failed, by key
    (``errors``).

    ``id`` is the provider's and None until it is known; ``name`` is conqret's own. ``handed_in`` is the time
    of submission (ISO 8601). ``ended`` is True once the results were read.
    """

    id: str | None = None
    name: str = ""
    model: str
    handed_in: str
    asked: dict[str, BatchedRequest]
    ended: bool = False
    errors: dict[str, tuple[Reason, str]] = {}


class _File(BaseModel):
    batches: list[Batch] = []


class Batches:
    """The batches of one model whose responses go into one store of recordings.

    Raises:
        DeclarationError: the provider has no batches that conqret supports, a budget is set, or the file is
            unreadable.
    """

    def __init__(self, options: ClientOptions, progress: Progress) -> None:
        if options.budget_usd is not None:
            raise DeclarationError(
                "the cost of a batch is only known when it is finished, so no budget can be "
                "enforced: leave it out, and see the expected cost with --dry-run"
            )
        self._service_of = service_of(options)
        self._options, self._progress = options, progress
        self._redaction = KeyRedaction(keys_in_use(options.api_key))
        self._service: BatchService | None = None
        self._wanted: dict[str, Request[Any]] = {}
        self._file = Path()
        self._kept = _File()

    def keep_beside(self, store: Recordings) -> None:
        """Use the file of batches next to ``store``, and read the batches in it.

        Raises:
            DeclarationError: the file is unreadable.
        """
        self._file = batches_beside(store.path)
        self._read()

    @contextlib.asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Hold the file, as it is now, against other processes.

        Raises:
            DeclarationError: another process holds it for longer than a request may take.
        """
        lock, until = FileLock(f"{self._file}{LOCK}"), time.monotonic() + self._options.timeout
        while True:
            try:
                lock.acquire(timeout=0)
                break
            except Timeout:
                if time.monotonic() > until:
                    raise DeclarationError(
                        f"another process is submitting the batches of {self._file}; wait until it is done"
                    ) from None
                await asyncio.sleep(POLL)
        try:
            self._read()
            yield
        finally:
            lock.release()

    def _read(self) -> None:
        if self._file.exists():
            try:
                self._kept = _File.model_validate_json(whole_bytes(self._file))
            except ValidationError as error:
                raise DeclarationError(
                    f"{self._file} is not a list of batches that conqret wrote: {error}"
                ) from None

    async def prepare(self) -> BatchService:
        """Check the model's key and, for a user's own server, its address; return the batch service.

        Raises:
            DeclarationError: there is no key, or no server at the address.
        """
        if self._service is None:
            service = self._service_of(self._options)
            if service.server.base:
                await check_address(service.server.base)
            self._service = service
        return self._service

    def want(self, key: str, request: Request[Any]) -> ProviderError:
        """Add a request to the next batch, unless it is in one or has failed for good, and return the error
        that says why it has no response yet.

        The error has the reason AWAITED, or that of the last failure if this is permanent or the third.
        """
        failed = [batch.errors[key] for batch in self._own() if key in batch.errors]
        tries = sum(key in batch.asked for batch in self._own())
        if failed and not any(key in batch.asked for batch in self._under_way()):
            reason, message = failed[-1]
            error = ProviderError(reason, message)
            if tries >= MAX_TRIES or not error.retryable:
                return error
        self._wanted.setdefault(key, request)
        return ProviderError(Reason.AWAITED, "the question is in a batch that is not answered yet")

    async def collect(self, store: Recordings) -> None:
        """Record in the store the responses of all batches that have ended since the last call.

        Raises:
            ProviderError: the provider does not report the state of a batch.
            DeclarationError: there is no key, or no server at the address.
        """
        if not self._under_way():
            return
        async with self._alone():
            await self._collect(store)

    async def _collect(self, store: Recordings) -> None:
        for batch in self._under_way():
            service = await self.prepare()
            if batch.id is None and not await self._found(service, batch):
                self._end(batch)
                continue
            assert batch.id is not None  # noqa: S101 - it was found
            odd = Counter[str]()
            try:
                progress = await service.look(batch.id)
                for path in progress.results:
                    async for raw in service.lines(path):
                        odd[self._take(service, store, batch, raw)] += 1
            except ProviderError as error:
                message = f"batch {batch.id} cannot be collected: {error}"
                if error.code in (Reason.BAD_REQUEST, Reason.NOT_FOUND):  # it is lost, or another account's
                    message += f" (take it out of {self._file}, and its questions are handed in again)"
                raise self._redaction.error(ProviderError(error.code, message)) from None
            message = self._redaction.text(progress.description)
            if not progress.ended:
                _log.warning("batch %s is in progress (%s)", batch.id, message)
                continue
            self._end(batch)
            counts_text = ", ".join(f"{odd[word]} {word}" for word in _WORDS if odd[word])
            lacking = len(batch.asked) - odd[_WORDS[0]] - odd[_WORDS[1]]
            silent = f"; {lacking} without an answer" if lacking > 0 else ""
            _log.warning(
                "batch %s has ended (%s): %s%s", batch.id, message, counts_text or "no results", silent
            )

    async def hand_in(self) -> None:
        """Submit the requests that :meth:`want` collected and no batch has yet, in as many batches as the
        provider's limits need.

        Raises:
            ProviderError: the provider refuses a batch.
            DeclarationError: there is no key, or no server at the address.
        """
        if not self._wanted:
            return
        service = await self.prepare()
        async with self._alone():
            await self._hand_in(service)

    async def _hand_in(self, service: BatchService) -> None:
        under_way = {key for batch in self._under_way() for key in batch.asked}
        waiting = {key: request for key, request in self._wanted.items() if key not in under_way}
        self._wanted.clear()
        if not waiting:
            return
        for keys, lines in _portions(service, waiting):
            asked = {}
            for key in keys:
                sent, params = waiting[key], dict(parameters(waiting[key], read=False))
                asked[key] = BatchedRequest(ask=sent.ask, item=sent.item, sample=sent.sample, params=params)
            now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
            batch = Batch(name=uuid.uuid4().hex, model=self._options.model, handed_in=now, asked=asked)
            self._kept.batches.append(batch)
            self._write()  # before it is handed in: a kill then shows
            try:
                batch.id = await service.hand_in(lines, batch.name)
            except (ProviderError, KeyError) as error:
                if not _may_be_taken(error):
                    self._kept.batches.remove(batch)
                    self._write()
                raise self._redaction.error(_refusal(error)) from None
            self._write()
            self._progress.calls += len(keys)
            _log.warning(
                "batch %s: %s submitted, at half the price; responses come within a day, mostly within an hour: run "
                "the same command again to collect them",
                batch.id,
                number(len(keys), "request"),
            )

    async def close(self) -> None:
        """Close the connections."""
        if self._service is not None:
            await self._service.close()
            self._service = None

    async def _found(self, service: BatchService, batch: Batch) -> bool:
        """Return True if the provider has a batch whose id never came; its id is then set and written. If it has none,
        this is logged, and its requests are submitted again.

        Raises:
            ProviderError: the provider cannot say so now, and may say it later.
        """
        known = {batch.id for batch in self._kept.batches if batch.id is not None}
        begun = dt.datetime.fromisoformat(batch.handed_in)
        requests = number(len(batch.asked), "request")
        try:
            batch.id = await service.find(batch.name, begun, len(batch.asked), known) if batch.name else None
        except ProviderError as error:
            if error.code not in _SAID_FOR_GOOD:  # it may say so later
                raise self._redaction.error(error) from None
        if batch.id is None:
            _log.warning(
                "conqret was stopped, or lost the connection, while it submitted a batch of %s, and the provider has "
                "no such batch; its requests are submitted again",
                requests,
            )
            return False
        _log.warning(
            "batch %s: %s were submitted, although the provider's confirmation was lost", batch.id, requests
        )
        self._write()
        return True

    def _take(self, service: BatchService, store: Recordings, batch: Batch, raw: bytes) -> str:
        """Record one line of the results in the store, with its cost in the progress, and return which of
        :data:`_WORDS` it is counted under. Empty for an empty line and for a response that is recorded already. A
        failed request is remembered in ``batch.errors``."""
        if not raw.strip():
            return ""
        try:
            result = service.read(json.loads(raw))
        except (ProviderError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
            return _WORDS[3]
        asked = batch.asked.get(result.key)
        if asked is None:
            return _WORDS[2]
        if result.completion is None:
            if result.error is not None:
                shown = self._redaction.error(result.error)
                batch.errors[result.key] = (shown.code, str(shown))
            return _WORDS[1]
        if store.get(result.key) is not None:
            return ""  # collected before, or a line that came twice: the first counts
        completion = result.completion
        store.put(
            result.key,
            completion,
            ask=asked.ask,
            item=asked.item,
            model=batch.model,
            params=asked.params,
            sample=asked.sample,
        )
        self._progress.add(completion, completion.cost_usd)
        return _WORDS[0]

    def _own(self) -> list[Batch]:
        return [batch for batch in self._kept.batches if batch.model == self._options.model]

    def _under_way(self) -> list[Batch]:
        return [batch for batch in self._own() if not batch.ended]

    def _end(self, batch: Batch) -> None:
        batch.ended = True
        self._write()

    def _write(self) -> None:
        write_whole(self._file, self._kept.model_dump_json(indent=1).encode())


_SAID_FOR_GOOD = (Reason.BAD_REQUEST, Reason.NOT_FOUND, Reason.AUTHENTICATION)
_WORDS = ("answered", "with an error", "of requests that were not sent", "that cannot be read")


def _may_be_taken(error: ProviderError | KeyError) -> bool:
    """Return True if the provider may have accepted a batch although submitting it failed with this error."""
    lost = (Reason.CONNECTION, Reason.TIMEOUT, Reason.SERVER_ERROR)
    return isinstance(error, KeyError) or error.code in lost


def _refusal(error: ProviderError | KeyError) -> ProviderError:
    message = "the batch was not taken"
    if _may_be_taken(error):
        message = "it is unknown whether the provider accepted the batch; the same command looks for it first"
    if isinstance(error, ProviderError):
        return ProviderError(error.code, f"{message}: {error}")
    return ProviderError(Reason.SERVER_ERROR, f"{message}: the answer lacks {error}")


def _portions(
    service: BatchService, waiting: dict[str, Request[Any]]
) -> Iterator[tuple[list[str], list[bytes]]]:
    """Yield the waiting requests in portions that a batch can hold, as keys and lines. There must be at least one
    request; one that is too large for any batch is a portion of its own."""
    keys, lines, size = list[str](), list[bytes](), 0
    for key, request in waiting.items():
        line = service.line(key, request)
        if lines and (len(lines) >= service.most or size + len(line) > service.most_bytes):
            yield keys, lines
            keys, lines, size = [], [], 0
        keys.append(key)
        lines.append(line)
        size += len(line) + 1
    yield keys, lines


def service_of(options: ClientOptions) -> Callable[[ClientOptions], BatchService]:
    """Return the function that makes the batch service of a model's provider from client options.

    Raises:
        DeclarationError: conqret supports no batches for the model.
    """
    if options.model.startswith("anthropic/") or provider_of(options.model) == "anthropic":
        return lambda options: AnthropicBatches(options, anthropic_server(options))
    if by_responses(options):
        raise DeclarationError(
            f"the model {options.model} cannot be used in batches: it is served by OpenAI's Responses interface alone "
            "(leave out --batch)"
        )
    azure = options.model.startswith("azure/")  # its batches are those of deployments made for them
    if options.backend.writes and not options.backend.baseline and not azure and directly(options):
        return lambda options: OpenAIBatches(options, server_of(options))
    raise DeclarationError(
        f"the model {options.model} cannot be used in batches: models of OpenAI and Anthropic can, "
        "and those of servers with OpenAI's interface (--api-base)"
    )
