"""The interface of a provider's batches (:class:`BatchService`), and those of OpenAI and Anthropic."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import quote

import aiohttp

from conqret.data import Reason
from conqret.io.jsonl import compact
from conqret.io.limits import ANSWER
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import ProviderError, backoff
from conqret.llm.hosted.connection import choose_shape, stated_by
from conqret.llm.hosted.direct_http import Direct, body_of, parsed, session_of, status_error
from conqret.llm.hosted.response_bodies import completion_of, mapping, packing
from conqret.llm.hosted.servers import Server, checked_key
from conqret.llm.provider_errors import error_in, error_text, provider_error, scrub
from conqret.llm.providers import missing_key
from conqret.llm.request import Completion, Message, Request, image_name

SHARE = 0.5
"""The price of a batch as a share of the usual price, at OpenAI and Anthropic."""


_TAKEN = frozenset({200, 201, 202})
"""A batch is made, and some servers say so; taken for an error, it would be handed in and paid for twice."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """The state of a batch: whether it has ``ended``, the provider's status text, and the paths on its
    server of the files with results.
    """

    ended: bool
    description: str = ""
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """One line of a batch's results: a request's key with its completion, its error, or both where the
    error is itself a verdict on the prompt (a refusal, an overflow) and is recorded as a completion.
    """

    key: str
    completion: Completion | None = None
    error: ProviderError | None = None


class BatchService(ABC):
    """The batch interface of one provider; a batch holds up to ``most`` requests and ``most_bytes`` bytes."""

    most: ClassVar[int]
    most_bytes: ClassVar[int]

    def __init__(self, options: ClientOptions, server: Server) -> None:
        self.options, self.server, self.facts = options, server, options.facts
        self._session: aiohttp.ClientSession | None = None
        self._rng = random.Random()  # no seed: those who wait for one provider shall not wake together

    @abstractmethod
    def line(self, key: str, request: Request[Any]) -> bytes:
        """Return one request as a line of a batch: a JSON object."""

    @abstractmethod
    async def hand_in(self, lines: Sequence[bytes], name: str) -> str:
        """Submit a batch of lines and return its id; ``name`` identifies it later where the provider stores
        names.

        Raises:
            ProviderError: the provider refuses the batch.
        """

    @abstractmethod
    async def find(self, name: str, begun: datetime, count: int, known: Set[str]) -> str | None:
        """Return the id of a batch that was submitted, but whose id was lost; None if there is none.

        Args:
            name: the name under which it was submitted.
            begun: the time of submission.
            count: its number of requests.
            known: ids of other batches.

        Raises:
            ProviderError: the provider does not respond.
        """

    @abstractmethod
    async def look(self, batch: str) -> BatchProgress:
        """Return the state of a batch.

        Raises:
            ProviderError: the provider does not report it.
        """

    @abstractmethod
    def read(self, line: Mapping[str, Any]) -> Result:
        """Parse one line of the results.

        Raises:
            ValueError: the line is not a result (or a related error, such as KeyError).
        """

    def cost(self, prompt: int | None, completed: int | None, cached: int | None) -> float | None:
        """Return the dollars for these tokens (prompt, response, and cached ones among the prompt's) at the
        price of a batch; None where the price or a count is unknown.
        """
        whole = self.facts.cost(prompt, completed, cached)
        return None if whole is None else SHARE * whole

    async def post(self, path: str, **content: Any) -> Mapping[str, Any]:
        """Send one POST request and return the response's JSON object; it is never retried, because a
        repeated batch may be paid twice.

        Raises:
            ProviderError: no response came, or an error.
        """
        return await self._exchange("POST", path, **content)

    async def get(self, path: str) -> Mapping[str, Any]:
        """Send a GET request, and return the response's JSON object.

        Temporary errors are retried up to ``max_attempts`` times of the options, while the next delay is
        within ``timeout``.

        Raises:
            ProviderError: no response came, or an error.
        """
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
        """Yield the lines of a results file as bytes; the last one may be empty.

        Raises:
            ProviderError: the download breaks off, is compressed, or has a line longer than the limit of a
                response.
        """
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
                    raise status_error(
                        self.server, response.status, response.headers, await body_of(response)
                    )
                yield response
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise provider_error(error) from None


LISTED = 100
"""The most batches of a provider's list that are searched, the latest first."""


def listed(response: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the batches with an id from a provider's list of batches."""
    data = response.get("data")
    for entry in data if isinstance(data, list) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str):
            yield entry


_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_AT = "/v1/chat/completions"
NAME = "conqret_batch"
"""The field of a batch's metadata with conqret's name for the batch."""


class OpenAIBatches(BatchService):
    """The batch interface of OpenAI and compatible servers (``POST /files`` and ``POST /batches``)."""

    most: ClassVar[int] = 50_000
    most_bytes: ClassVar[int] = 190 * 2**20  # of 200 MB

    def line(self, key: str, request: Request[Any]) -> bytes:
        """Return one request as a line of a batch, with the same body as a direct request."""
        shape = choose_shape(self.server.provider, self.facts)
        direct = Direct(self.options)
        direct.provider = self.server.provider
        body = direct.body(request, self.server.model, shape)
        return b'{"custom_id":"%s","method":"POST","url":"%s","body":%s}' % (key.encode(), _AT.encode(), body)

    async def hand_in(self, lines: Sequence[bytes], name: str) -> str:
        """Upload the lines, create a batch with a deadline of 24 hours and ``name`` in its metadata, and
        return its id.
        """
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        content = b"\n".join(lines) + b"\n"
        form.add_field("file", content, filename="conqret.jsonl", content_type="application/jsonl")
        file = str((await self.post("/files", data=form))["id"])
        asked = {"input_file_id": file, "endpoint": _AT, "completion_window": "24h", "metadata": {NAME: name}}
        return str((await self.post("/batches", json=asked))["id"])

    async def find(self, name: str, begun: datetime, count: int, known: Set[str]) -> str | None:
        """Return the id of the batch that has ``name`` in its metadata, among the latest 100; None if
        there is none.

        Raises:
            ProviderError: the provider does not respond.
        """
        for batch in listed(await self.get(f"/batches?limit={LISTED}")):
            if mapping(batch.get("metadata")).get(NAME) == name:
                return str(batch["id"])
        return None

    async def look(self, batch: str) -> BatchProgress:
        """Return the state of a batch; a completed batch counts as ended once its result files exist."""
        batch_data = await self.get(f"/batches/{quote(batch, safe='')}")
        files = [batch_data.get(name) for name in ("output_file_id", "error_file_id")]
        output, errors = (file if isinstance(file, str) and file else None for file in files)
        status = str(batch_data.get("status"))
        answered = mapping(batch_data.get("request_counts")).get("completed")
        some = isinstance(answered, int) and answered > 0
        late = status == "completed" and output is None and (errors is None or some)
        unfinished = ", and its results are not there yet" if late else _why(batch_data.get("errors"))
        results = tuple(f"/files/{quote(file, safe='')}/content" for file in (output, errors) if file)
        return BatchProgress(status in _ENDED and not late, scrub(status) + unfinished, results)

    def read(self, line: Mapping[str, Any]) -> Result:
        """Parse one line of the results into a completion or an error, by its status."""
        key, response, error = str(line["custom_id"]), line.get("response"), line.get("error")
        if isinstance(response, Mapping):
            status, body = response.get("status_code"), response.get("body")
            if status == 200 and isinstance(body, Mapping):
                return Result(key, completion_of(body, self.cost, 0.0))
            failure = error_in(body, int(status or 500))
            return Result(key, stated_by(failure), failure)
        return Result(key, None, ProviderError(Reason.SERVER_ERROR, scrub(error_text(error) or "no answer")))


def _why(errors: Any) -> str:
    """Return a colon and the first fault of a batch that failed as a whole; empty if it names none."""
    data = mapping(errors).get("data")
    first = data[0] if isinstance(data, list) and data else None
    return f": {scrub(error_text(first))}" if first else ""


URL, VERSION = "https://api.anthropic.com", "2023-06-01"

SLACK = timedelta(minutes=5)
"""How far the provider's clock may be behind this machine's."""

ROOM = 8_192
"""The ``max_tokens`` of a response where neither the request nor the price list has one, because Anthropic
requires it.
"""

_STOPPED = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "content_filter"}


def anthropic_server(options: ClientOptions) -> Server:
    """Return the server for an Anthropic model, with its address and headers.

    Raises:
        DeclarationError: no key is set.
    """
    base = options.api_base or os.environ.get("ANTHROPIC_BASE_URL") or os.environ.get("ANTHROPIC_API_BASE")
    key = (options.api_key or os.environ.get("ANTHROPIC_API_KEY") or "").strip()
    if not key and base is None:
        missing_key(options.model, "anthropic", ["ANTHROPIC_API_KEY"])
    headers = {"x-api-key": checked_key(key, "anthropic"), "anthropic-version": VERSION}
    root = (base or URL).rstrip("/").removesuffix("/v1")
    return Server("anthropic", options.model.removeprefix("anthropic/"), f"{root}/v1", headers, base)


class AnthropicBatches(BatchService):
    """The batch interface of Anthropic (``POST /v1/messages/batches``); structured output uses a forced tool
    call.
    """

    most: ClassVar[int] = 100_000
    most_bytes: ClassVar[int] = 240 * 2**20  # of 256 MB

    def line(self, key: str, request: Request[Any]) -> bytes:
        """Return one request in Anthropic's format, with separate system text and a maximum of response
        tokens.
        """
        system = "\n\n".join(message.content for message in request.messages if message.role == "system")
        params: dict[str, Any] = {
            "model": self.server.model,
            "max_tokens": request.max_tokens or self.facts.max_output or ROOM,
            "messages": [
                {"role": message.role, "content": _content(message)}
                for message in request.messages
                if message.role != "system"
            ],
            "temperature": request.sampling_temperature,
        }
        if system:
            params["system"] = system
        if request.top_p is not None:
            params["top_p"] = request.top_p
        if not request.plain:
            name = request.response.__name__
            schema = request.response.model_json_schema()
            params["tools"] = [{"name": name, "description": "Your answer", "input_schema": schema}]
            params["tool_choice"] = {"type": "tool", "name": name}
        return compact({"custom_id": key, "params": params})

    async def hand_in(self, lines: Sequence[bytes], name: str) -> str:
        """Submit the lines as one batch and return its id; Anthropic stores no name."""
        data = b'{"requests":[%s]}' % b",".join(lines)
        headers = {"Content-Type": "application/json"}
        return str((await self.post("/messages/batches", data=data, headers=headers))["id"])

    async def find(self, name: str, begun: datetime, count: int, known: Set[str]) -> str | None:
        """Return the id of the first unknown batch since ``begun`` with ``count`` requests; None if there is
        none.

        Anthropic stores no names. If it is another user's batch, its results have other keys, and the
        requests are submitted again.
        """
        since = begun - SLACK
        batches = listed(await self.get(f"/messages/batches?limit={LISTED}"))
        strangers = (batch for batch in batches if batch["id"] not in known)
        ours = [batch for batch in strangers if _length(batch) == count and _made(batch) >= since]
        return str(min(ours, key=_made)["id"]) if ours else None

    async def look(self, batch: str) -> BatchProgress:
        """Return the state of a batch; the address of its results is built here, not taken from the
        response.
        """
        path = f"/messages/batches/{quote(batch, safe='')}"
        status = str((await self.get(path)).get("processing_status"))
        ended = status == "ended"
        return BatchProgress(ended, scrub(status), (f"{path}/results",) if ended else ())

    def read(self, line: Mapping[str, Any]) -> Result:
        """Parse one line of the results into a completion or an error. A canceled or expired request is a SERVER_ERROR,
        so that it is sent again.

        Raises:
            KeyError: the line has another form (or TypeError).
        """
        key, result = str(line["custom_id"]), line["result"]
        kind = result["type"]
        if kind == "succeeded":
            return Result(key, completion_of(_as_openai(result["message"]), self.cost, 0.0))
        if kind == "errored":
            failure = error_in(result.get("error"), None)
            return Result(key, stated_by(failure), failure)
        return Result(key, None, ProviderError(Reason.SERVER_ERROR, f"the question was {scrub(str(kind))}"))


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return a message's text or, if it has images, its text and images as parts in Anthropic's form."""
    if not message.images:
        return message.content
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.content}]
    for number, url in message.images:
        head, _, data = url.partition(",")
        inside = {"type": "base64", "media_type": head[5:].partition(";")[0], "data": data}
        source = inside if url.startswith("data:") else {"type": "url", "url": url}
        parts += [{"type": "text", "text": image_name(number)}, {"type": "image", "source": source}]
    return parts


def _length(batch: Mapping[str, Any]) -> int:
    """Return how many requests a batch of the list has."""
    return sum(value for value in mapping(batch.get("request_counts")).values() if isinstance(value, int))


def _made(batch: Mapping[str, Any]) -> datetime:
    """Return the time at which a batch of the list was created; the earliest possible time if it cannot be
    read.
    """
    try:
        made = datetime.fromisoformat(str(batch.get("created_at")))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return made if made.tzinfo is not None else made.replace(tzinfo=UTC)


def _as_openai(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a message of Anthropic to a response body in OpenAI's chat format; the input of a tool call
    becomes the text.
    """
    blocks = [block for block in message["content"] if isinstance(block, Mapping)]
    used = next((block for block in blocks if block.get("type") == "tool_use"), None)
    texts = "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    counts = mapping(message.get("usage"))
    cached = counts.get("cache_read_input_tokens") or 0
    prompt = counts.get("input_tokens")
    if isinstance(prompt, int) and isinstance(cached, int):
        prompt += cached
    content = texts if used is None else compact(used.get("input")).decode()
    reason = _STOPPED.get(str(message.get("stop_reason")), "stop")
    return {
        "model": message.get("model"),
        "choices": [{"message": {"content": content}, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": counts.get("output_tokens"),
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }
