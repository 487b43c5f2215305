"""The client: a request for a typed value in; a validated value, or the reason why there is none, out.

It looks for a recording first, sends what has none, records each response, and requests again, at most twice
each, after an invalid response (with what was wrong) and after a truncated one (with twice the tokens).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from operator import attrgetter
from types import TracebackType
from typing import Any

from conqret.data import Call, Reason, Status
from conqret.errors import DeclarationError, number
from conqret.llm.client_options import ClientOptions, Connection, resolving
from conqret.llm.decisions import Decided, Decision
from conqret.llm.failed_requests import ProviderError
from conqret.llm.recordings import Recordings
from conqret.llm.replies import Rejection, is_valid, of_use, read_reply, retry_messages
from conqret.llm.request import (
    Answer,
    Completion,
    Request,
    Response,
    answered_call,
    decision_request,
    failed_call,
    parameters,
    request_key,
)
from conqret.llm.sender import Progress, Sender
from conqret.llm.tokens import count_tokens
from conqret.llm.tracing import request_span, trace_kind

MAX_REASKS = 2
"""How often a request is repeated after an invalid response, with what was wrong."""

MAX_WIDENINGS = 2
"""How often a request is repeated after a truncated response, with twice the tokens each time."""

GRACE = 8.0
"""Seconds to wait for responses under way when a run is stopped: service managers kill a process after 10."""

MAX_ROOM = 16_384
"""The most tokens for a response after widening, where the model's own maximum is unknown; no format needs
a quarter of it.
"""

MAX_MISSING = 100_000
"""The most unrecorded requests that ``Client.missing`` lists: a server that replays gets requests without
end.
"""

_MENDABLE = (Reason.INVALID_JSON, Reason.INVALID_ANSWER)
_RETRIED = frozenset({*_MENDABLE, Reason.TRUNCATED, Reason.REFUSAL})
"""What a model may do better another time; a prompt that is too long stays too long."""

_log = logging.getLogger(__name__)


_AWAITED: ContextVar[list[str] | None] = ContextVar("awaited", default=None)


@contextmanager
def awaited_answers() -> Iterator[list[str]]:
    """Collect the keys of requests sent inside the ``with`` block that still wait for a batch.

    The block gets the list, which is filled as requests are sent.
    """
    found: list[str] = []
    token = _AWAITED.set(found)
    try:
        yield found
    finally:
        _AWAITED.reset(token)


_Unrecorded = list[tuple[Request[Any], str, Completion]]
"""Invalid responses that are not recorded yet."""


class Client(AbstractAsyncContextManager["Client"]):
    """A client of one model that records every response in ``store`` (None: no recording).

    Use it as an async context manager. With ``batch``, nothing is sent at once: a request missing from the
    store fails with AWAITED, until :meth:`hand_in` has submitted it and :meth:`collect` has fetched its
    response. With ``replay``, nothing is ever sent: a request missing from the store fails with NOT_RECORDED,
    and is listed in :attr:`missing`. ``progress`` holds live counts, continued where one is given.
    ``on_request`` is called with each request and its key. ``connect`` opens the connection instead of the
    model's backend, and stands for so many ``connections``. ``model_id`` is the model's name in keys and
    judgments. ``context_window`` is the number of tokens of prompt and response together (None: unknown).
    ``in_flight`` is the useful number of concurrent requests, ``decides`` is True if the model answers typed
    questions, and ``baseline`` is True if no model responds.

    Raises:
        DeclarationError: a replay has no store, a budget is set for a model of unknown price, or a local
            model does not exist.
    """

    def __init__(
        self,
        options: ClientOptions,
        *,
        store: Recordings | None,
        replay: bool = False,
        progress: Progress | None = None,
        on_request: Callable[[str, Request[Any]], object] | None = None,
        batch: bool = False,
        connect: Callable[[ClientOptions], Connection] | None = None,
        connections: int = 1,
    ) -> None:
        if replay and store is None:
            raise DeclarationError("a replay needs recordings; give the store to replay from")
        with resolving(replay):
            options = options.resolved()
        self._options, self._store, self._facts = options, store, options.facts
        self._backend = options.backend
        if self._facts.in_flight is not None:
            self._facts = replace(self._facts, in_flight=self._facts.in_flight * connections)
        self._connection = (self._backend.open if connect is None else connect)(options)
        self._name, self.decides = self._backend.identity(options.model), self._backend.decides
        self._reads = not (self._backend.writes or self.decides)
        self.model_id, self.baseline = options.model, self._backend.baseline
        self.context_window = self._facts.context_window
        self.in_flight = self._facts.in_flight or options.max_concurrency
        self.progress = Progress() if progress is None else progress
        self._batches = None
        if batch and not replay:
            from conqret.llm.batches import Batches  # aiohttp, which most clients need later or never

            self._batches = Batches(options, self.progress)
        sends = not replay and self._batches is None
        trace_kind()  # raises here what would else be raised with the first request
        self._sender = Sender(self._connection, options, self._facts, self.progress) if sends else None
        self.record_in(store)
        self._on_request = on_request
        self._flights: dict[str, asyncio.Task[tuple[Completion, int]]] = {}
        self.missing: dict[str, str] = {}
        self._fresh: set[str] = set()

    @property
    def no_vision_reason(self) -> str:
        """The reason why the model gets no images; empty if it accepts images."""
        if self._facts.vision:
            return ""
        if self._backend.baseline:
            return "the offline baseline reads words and sees no images: name a model that does"
        if self._facts.vision is None and self._backend.prefix == "":
            return f"it is not known that {self.model_id} takes images: say --vision if it does"
        could_be_said = self._options.vision is None and replace(self._options, vision=True).facts.vision
        return f"{self.model_id} takes no images" + (
            " as far as conqret knows: say --vision if it does" if could_be_said else ""
        )

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of ``text`` for this model; an approximation for models not from
        OpenAI.
        """
        return count_tokens(text, self._backend.encoder(self.model_id))

    @property
    def halt_reason(self) -> str:
        """The reason why no more requests are sent to the model (failures in a row, or too large a share of
        them); empty while requests are sent.
        """
        return "" if self._sender is None else self._sender.halt_reason

    @property
    def out_of_money(self) -> bool:
        """True if the budget did not cover the last request."""
        return self._sender is not None and self._sender.budget.refused

    def resume(self) -> None:
        """Send requests again to a model that was given up, for servers that retry after a while."""
        if self._sender is not None:
            self._sender.resume()

    def record_in(self, store: Recordings | None) -> None:
        """Read and record responses in ``store`` from now on (None: no recording); the budget then counts
        all spending on the model in the store.
        """
        self._store = store
        if store is not None and self._sender is not None and self._options.budget_usd is not None:
            from conqret.llm.spending_ledger import SpendingLedger

            self._sender.budget.book_in(SpendingLedger(store, self.model_id))
        if self._batches is not None and store is not None:
            self._batches.keep_beside(store)

    async def request(self, request: Request[Response]) -> Answer[Response]:
        """Send a request with retries, and return its answer; a failure gives an answer without a value,
        with a reason.

        A recorded response is used without sending. With ``retry_unscored`` of the options, one that is
        invalid, truncated or a refusal is requested once more.

        Raises:
            DeclarationError: the request cannot be sent to this model.
        """
        answer = latest = await self._request_until_valid(request)
        if (  # it comes from recordings alone and cannot be used: the model may do better now
            answer.reason in _RETRIED
            and self._options.retry_unscored
            and self._sender is not None
            and not (self._reads or self._backend.baseline)
            and not any(call.attempts or call.key in self._fresh for call in answer.calls)
        ):
            self.progress.retried += 1
            held: _Unrecorded = []
            latest = await self._request_until_valid(request, held)
            if latest.status is not Status.FAILED and of_use(latest, request) >= of_use(answer, request):
                answer = latest
                for response in held:
                    self._record(*response, instead=True)
        if any(map(attrgetter("attempts"), latest.calls)):
            self.progress.failure_limit.count(request.item, latest.reason, latest.detail)
        return answer

    async def decide(
        self, name: str, item: str, decision: Decision, sample: int = 0
    ) -> tuple[Decided, tuple[Call, ...]]:
        """Put the questions of a decision to a decision model, in as many requests as its limits need.

        Args:
            name: the name of the request.
            item: the id of the item.
            decision: the questions and the state.
            sample: the number of the repetition.

        Returns:
            The answers of all requests together, with a reason for each question that has none, and the
                calls.

        Raises:
            DeclarationError: the model is no decision model.
        """
        facts = self._facts
        fitting, faults = decision.fitting(facts.context_window, self.count_tokens)
        parts = list(fitting.parts(facts.questions, facts.request_tokens, self.count_tokens))
        requests = [decision_request(name, item, part, sample) for part in parts]
        answers = await asyncio.gather(*map(self.request, requests))
        decided = Decided.model_construct(answers={}, faults=faults)
        for part, answer in zip(parts, answers, strict=True):
            why = answer.reason or Reason.INVALID_ANSWER, answer.detail
            lost = Decided.model_construct(answers={}, faults=dict.fromkeys(part.questions, why))
            decided |= answer.value or lost
        return decided, tuple(call for answer in answers for call in answer.calls)

    async def _request_until_valid(
        self, request: Request[Response], held: _Unrecorded | None = None
    ) -> Answer[Response]:
        """Return the answer to a request, which is repeated after an invalid response (with what was wrong, at most
        :data:`MAX_REASKS` times) and after a truncated one (with more tokens, at most :data:`MAX_WIDENINGS` times).

        Recorded responses are used first. If ``held`` is a list, recordings of earlier runs are passed over; invalid
        new responses that have such a recording go into the list and are not recorded, since the old one may be worth
        more. A failure is an answer with a reason, never an exception.

        Raises:
            DeclarationError: the model takes no requests of this kind.
        """
        self._backend.check_can_request(
            request.ask,
            read=request.reading is not None,
            written=request.written,
            plain=request.plain,
            decided=request.decision is not None,
        )
        calls: list[Call] = []
        reasks = widenings = 0
        reply_context: Mapping[str, Any] = {}
        sent = replace(
            request,
            max_tokens=self._options.max_tokens if request.max_tokens is None else request.max_tokens,
            reading=request.reading if self._reads or not request.written else None,
        )
        while True:
            key = request_key(self._name, sent, read=self._reads and not sent.plain)
            if self._on_request is not None:
                self._on_request(key, sent)
            try:
                completion, attempts = await self._obtain(sent, key, held)
            except ProviderError as error:
                calls.append(failed_call(sent, key, error))
                return Answer(None, tuple(calls), reason=error.code, detail=str(error))
            self.progress.named(self.model_id, completion)
            call = answered_call(sent, key, completion, attempts)
            reply = read_reply(completion, request.response, request.context)
            if not isinstance(reply, Rejection):
                calls.append(call)
                return Answer(reply, tuple(calls), completion.logprobs)
            calls.append(call.model_copy(update={"error": f"{reply.reason}: {reply.fault}"}))
            reply_context = reply.given or reply_context
            wider = self._wider(sent.max_tokens, completion) if sent.widened else None
            if reply.reason is Reason.TRUNCATED and widenings < MAX_WIDENINGS and wider is not None:
                widenings, sent = widenings + 1, replace(sent, max_tokens=wider)
            elif reply.reason in _MENDABLE and reasks < MAX_REASKS and not (sent.plain or sent.decision):
                reasks += 1
                sent = replace(sent, messages=retry_messages(sent.messages, completion, reply))
            else:
                return Answer(
                    None, tuple(calls), reason=reply.reason, detail=reply.fault, given=reply_context
                )

    def count_as_usable(self, answer: Answer[Any]) -> None:
        """Do not count an invalid response as a failure for ``stop_after_failures``, because parts of it
        were usable.
        """
        if answer.reason is not None and any(call.attempts for call in answer.calls):
            self.progress.failure_limit.count_as_usable(answer.reason)

    async def prepare(self) -> None:
        """Load the model or check its connection before the first request; a replay needs nothing.

        Raises:
            DeclarationError: the model is unavailable.
        """
        if self._batches is not None:
            await self._batches.prepare()
        elif self._sender is not None:
            await self._connection.prepare()

    async def collect(self) -> None:
        """Record the responses that batches have returned since; does nothing without batches.

        Raises:
            ProviderError: the provider does not report the state of a batch.
        """
        if self._batches is not None and self._store is not None:
            await self._batches.collect(self._store)

    async def hand_in(self) -> None:
        """Submit as batches the requests that have no response yet.

        Raises:
            ProviderError: the provider refuses a batch.
        """
        if self._batches is not None:
            await self._batches.hand_in()

    async def close(self) -> None:
        """Close the connections; the store stays open, because it belongs to the caller.

        Responses under way are recorded if they arrive within :data:`GRACE` seconds.
        """
        flights = set(self._flights.values())
        under_way = flights & self._sender.stop() if self._sender is not None else set()
        for flight in flights - under_way:  # nothing new is sent
            flight.cancel()
        try:
            if under_way:
                _log.warning(
                    "waiting for %s under way, for at most %g s", number(len(under_way), "response"), GRACE
                )
                await asyncio.wait(under_way, timeout=GRACE)
        finally:  # a caller that stops, too, leaves no connection open
            for flight in under_way:
                flight.cancel()
            await asyncio.gather(*flights, return_exceptions=True)
            await self._connection.close()
            if self._batches is not None:
                await self._batches.close()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _obtain(
        self, sent: Request[Any], key: str, held: _Unrecorded | None = None
    ) -> tuple[Completion, int]:
        """Return the completion of a request and the number of attempts that it took: 0 if it comes from the store, or
        from the same request that was already under way. ``held`` as in :meth:`_request_until_valid`. A canceled caller
        does not stop the request: its response is recorded when it comes.

        Raises:
            ProviderError: the request failed; NOT_RECORDED in a replay (the request is added to ``missing``),
                AWAITED if it waits for a batch.
        """
        recorded = self._store.get(key) if self._store is not None else None
        afresh = held is not None and key not in self._fresh
        if recorded is not None and not afresh:
            self.progress.recorded += 1
            return recorded, 0
        if self._batches is not None:
            error = self._batches.want(key, sent)
            if error.code is Reason.AWAITED and (awaited := _AWAITED.get()) is not None:
                awaited.append(key)
            raise error
        if self._sender is None:
            missing = f"{sent.ask} of item {sent.item}, sample {sent.sample} (key {key[:12]})"
            if len(self.missing) < MAX_MISSING:
                self.missing.setdefault(key, missing)
            raise ProviderError(Reason.NOT_RECORDED, f"there is no recording of {missing}")
        flight = self._flights.get(key)
        if flight is None:
            self._flights[key] = flight = asyncio.create_task(
                self._send(self._sender, sent, key, afresh and recorded is not None)
            )
            flight.add_done_callback(partial(self._landed, key))
            # The caller may be stopped; the answer is paid for, and recorded when it comes.
            completion, attempts = await asyncio.shield(flight)
            if held is not None and recorded is not None and not is_valid(completion, sent):
                held.append((sent, key, completion))
            return completion, attempts
        completion, _ = await asyncio.shield(flight)
        self.progress.recorded += 1
        return completion, 0

    def _landed(self, key: str, flight: asyncio.Task[tuple[Completion, int]]) -> None:
        del self._flights[key]
        if not flight.cancelled():
            flight.exception()  # no caller may be waiting for it any more

    async def _send(
        self, sender: Sender, sent: Request[Any], key: str, instead: bool
    ) -> tuple[Completion, int]:
        """Send a request, record the completion, and return it as it is recorded, with the number of attempts. With
        ``instead``, it replaces a recording, but only if it is valid: an invalid one is returned and not recorded.

        Raises:
            ProviderError: the request failed.
        """
        with request_span(self._options, sent, key) as record_result:
            completion, attempts = await sender.send(sent)
            if record_result is not None:
                record_result(completion, attempts)
        if len(self._fresh) >= MAX_MISSING:  # a service goes on for weeks
            self._fresh.clear()
        self._fresh.add(key)
        if instead and not is_valid(completion, sent):
            return completion, attempts
        return self._record(sent, key, completion, instead=instead), attempts

    def _record(self, sent: Request[Any], key: str, completion: Completion, *, instead: bool) -> Completion:
        if self._store is None:
            return completion
        return self._store.put(
            key,
            completion,
            ask=sent.ask,
            item=sent.item,
            model=self.model_id,
            params=parameters(sent, read=self._reads and not sent.plain),
            sample=sent.sample,
            instead=instead,
        )

    def _wider(self, room: int | None, completion: Completion) -> int | None:
        """Twice the room, up to the model's maximum and what its window holds next to the prompt; None if there is no
        more to be had."""
        most = self._facts.max_output or MAX_ROOM
        if self.context_window is not None:
            most = min(most, self.context_window - (completion.prompt_tokens or 0))
        used = room or completion.completion_tokens
        return min(2 * used, most) if used and used < most else None
