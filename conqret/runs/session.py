"""A model to call (:class:`Session`): its client, its prompts, and where its responses are recorded.
Runs with several models have :class:`conqret.runs.sessions.Sessions`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar

from pydantic import BaseModel, Field

from conqret.errors import DeclarationError
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.llm.sender import Progress
from conqret.prompts import Library
from conqret.runs.run_folder import RunFolder
from conqret.runs.trials import Loop

if TYPE_CHECKING:
    from conqret.llm.engines import Engine

T = TypeVar("T")


_SUMMED = ("sent", "recorded", "estimated", "retried")
"""The counts that are added up over models, and subtracted by :meth:`SessionCounts.since`."""


class SessionCounts(BaseModel, frozen=True):
    """Counts of what one session did.

    - ``sent``: requests sent, retries included; ``recorded``: responses read from recordings
    - ``kept``: rows kept from an earlier session
    - ``cost_usd``: US dollars spent (None: unknown); for ``estimated`` responses the cost is an estimate
    - ``retried``: unusable responses of an earlier run that were requested again
    - ``others``: responses that name a model other than the requested one, by that name
    - ``failures``: one example for each reason of failure; ``stopped``: why the session stopped early, if
      it did
    - ``refused``: the reason, if every request to a model failed; it is not written to files
    """

    sent: int = 0
    recorded: int = 0
    kept: int = 0
    cost_usd: float | None = 0.0
    estimated: int = 0
    retried: int = 0
    others: dict[str, int] = {}
    failures: dict[str, str] = {}
    stopped: str = ""
    refused: str = Field("", exclude=True)

    @classmethod
    def total(cls, parts: Iterable[SessionCounts]) -> SessionCounts:
        """Return the sums of the counts of several sessions. The cost is None if one is unknown; of failures and other
        models, the last example of each is kept."""
        each = tuple(parts)
        if len(each) == 1:
            return each[0]
        costs = [counts.cost_usd for counts in each if counts.cost_usd is not None]
        return cls(
            cost_usd=sum(costs) if len(costs) == len(each) else None,
            others={name: count for counts in each for name, count in counts.others.items()},
            failures={reason: example for counts in each for reason, example in counts.failures.items()},
            stopped="; ".join(counts.stopped for counts in each if counts.stopped),
            refused=next((counts.refused for counts in each if counts.refused), ""),
            **{name: sum(getattr(counts, name) for counts in each) for name in _SUMMED},
        )

    def since(self, before: SessionCounts, *, kept: int = 0) -> SessionCounts:
        """Return the counts since ``before``, with ``kept`` rows from earlier sessions."""
        known = self.cost_usd is not None and before.cost_usd is not None
        cost = (self.cost_usd or 0.0) - (before.cost_usd or 0.0) if known else None
        update: dict[str, Any] = {"kept": kept, "cost_usd": cost}
        for name in _SUMMED:
            update[name] = getattr(self, name) - getattr(before, name)
        return self.model_copy(update=update)


class Session:
    """A model, its prompts and its store of responses, shared by all code that calls the model.

    Args:
        model: the model's name or client settings; a budget applies to all requests of the session.
        recordings: a store of responses to read and extend. None records nothing, unless
            :meth:`keep_in` sets one.
        replay: a store, an export or a run to read responses from; no request is sent.
        prompts: a folder of custom prompts that precede conqret's own, or a prompt library.
        batch: send requests as batches, whose responses are fetched later.
        clients: the function that creates the client; an engine uses it to distribute requests.
        loop: the event loop for synchronous calls; by default the session's own.

    ``with session:`` and ``async with session:`` keep store, client and connections open between calls.
    Otherwise :meth:`run` opens and closes them for each call. ``progress`` counts all requests.

    Raises:
        DeclarationError: both recordings and replay are given.
    """

    def __init__(
        self,
        model: str | ClientOptions,
        *,
        recordings: str | Path | Recordings | None = None,
        replay: str | Path | Recordings | None = None,
        prompts: Path | Library | None = None,
        loop: Loop | None = None,
        batch: bool = False,
        clients: Callable[..., Client] = Client,
    ) -> None:
        check_stores(recordings, replay, batch=batch)
        self.batch, self._clients = batch, clients
        self.options = ClientOptions.from_model(model)
        self.library = prompts if isinstance(prompts, Library) else Library(prompts)
        self.progress = Progress()
        self._recordings, self._replay = recordings, replay
        self._loop = Loop() if loop is None else loop
        self._shared_loop = loop is not None
        self._client: Client | None = None
        self._open = contextlib.ExitStack()
        self._depth = 0
        self._given_up_at: float | None = None

    @property
    def client(self) -> Client:
        """The session's client, created on first use.

        Raises:
            DeclarationError: the recordings or the model do not exist, or there is a budget for a
                model without a known price.
        """
        if self._client is None:
            options, budget = self.options, self.options.budget_usd
            if budget is not None and self.progress.calls and self._recordings is None:
                # a store knows what was spent
                options = replace(options, budget_usd=max(0.0, budget - (self.cost_usd or 0.0)))
            self._client = self._clients(
                options,
                store=self._store(),
                replay=self._replay is not None,
                progress=self.progress,
                batch=self.batch,
            )
        return self._client

    @property
    def is_open(self) -> bool:
        """True while the session is in use, so that its client stays open."""
        return self._depth > 0

    @property
    def cost_usd(self) -> float | None:
        """US dollars spent so far; None if a price is unknown."""
        return self.progress.cost_usd

    @property
    def counts(self) -> SessionCounts:
        """The counts of requests and responses so far."""
        done = self.progress
        return SessionCounts(
            sent=done.calls,
            recorded=done.recorded,
            cost_usd=done.cost_usd,
            estimated=done.estimated,
            retried=done.retried,
            others=dict(done.others),
            failures=done.failure_limit.reasons,
            stopped=done.failure_limit.why,
            refused=done.failure_limit.reason_all_failed,
        )

    async def ready(self, folder: RunFolder[Any]) -> None:
        """Check, before a new run writes into ``folder``, that recordings exist and the model can be called.

        A run that resumes, or that has recordings from elsewhere, may need no requests, so the model is
        not checked.

        Raises:
            DeclarationError: as :attr:`client`; or there is no API key or no server at the URL.
        """
        client = self.client
        if self._recordings is None and self._replay is None and not folder.record_file.exists():
            await client.prepare()

    def check(self) -> None:
        """Check that the model can be called; nothing is sent or written, and a replay needs no check.

        Raises:
            DeclarationError: as :attr:`client`; or there is no API key or no server at the URL.
        """

        async def prepared() -> None:
            async with Client(self.options, store=None) as client:
                await client.prepare()

        if self._replay is None:
            with self:
                self._loop.run(prepared())

    def keep_in(self, store: Path | Recordings) -> None:
        """Record responses into ``store`` from now on, unless the session already has a store or a replay."""
        if self._recordings is None and self._replay is None:
            self._recordings = store
            self.client.record_in(self._store())

    def resume_after(self, seconds: float) -> None:
        """Allow requests again to a model that was given up after failures, at least ``seconds`` after this
        was first called for it.

        A run ends when a model is given up. A long-lived service calls this before each piece of work.
        """
        now = time.monotonic()
        if not self.client.halt_reason:
            self._given_up_at = None
        elif self._given_up_at is None:
            self._given_up_at = now
        elif now - self._given_up_at >= seconds:
            self.client.resume()
            self._given_up_at = None

    def replayed(self) -> Session:
        """Return a session of the same model that sends nothing and reads responses from this session's
        recordings.

        Raises:
            DeclarationError: this session records nothing.
        """
        if self._recordings is None and self._replay is None:
            raise DeclarationError("this run recorded no responses, so nothing can be replayed")
        store = self._replay if self._replay is not None else self._recordings
        again = Session(replace(self.options, budget_usd=None), replay=store, prompts=self.library)
        if self._replay is None and not isinstance(store, Recordings):  # a short look at a run's own file
            kept = Recordings(str(store), read_only=True, untouched=True)
            again._replay = again._open.enter_context(kept)
        return again

    def run(self, work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
        """Run the coroutine ``work(client)`` and return its result; also works inside a running event loop
        (Jupyter).

        Raises:
            DeclarationError: as :attr:`client`.
        """
        with self:
            return self._loop.run(work(self.client))

    def __enter__(self) -> Self:
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth:
            self.close()

    async def __aenter__(self) -> Self:
        self._depth += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth and self._client is not None:
            await self._client.close()
            self._client = None
            self.close()

    def close(self) -> None:
        """Close connections and stores; the next call opens them again."""
        client, self._client = self._client, None
        if client is not None:
            self._loop.run(client.close())
        self._open.close()
        if not self._shared_loop:
            self._loop.close()

    def _store(self) -> Recordings | None:
        store = self._replay if self._replay is not None else self._recordings
        if store is None or isinstance(store, Recordings):
            return store
        replayed = self._replay is not None
        return self._open.enter_context(Recordings.open_for_replay(store) if replayed else Recordings(store))


def check_stores(recordings: object, replay: object, *, batch: bool) -> None:
    """Check that responses are recorded or replayed, not both, and that no replay is sent as a batch.

    Raises:
        DeclarationError: both are given, or a replay has a batch.
    """
    if recordings is not None and replay is not None:
        raise DeclarationError("give recordings to add to, or a replay to answer from, not both")
    if batch and replay is not None:
        raise DeclarationError("a replay sends no requests, so it has no batch: leave out one of the two")


class RequestSettings(TypedDict, total=False):
    """Keyword settings that say how a run calls models.

    ``recordings`` is a store of responses to read and extend. ``replay`` is a store, an export or a run that
    gives all responses, without any call. ``prompts`` is a folder of user-defined prompts, or a library.
    ``overwrite`` replaces another run in the folder, but keeps its recordings. ``engine`` sends requests from
    this process, or with ``workers`` on a Ray cluster (docs/scale.md). ``batch`` sends the requests as a
    provider's batch at half the price (docs/models.md). Workers and batches need a folder.
    """

    recordings: str | Path | None
    replay: str | Path | None
    prompts: str | Path | Library | None
    overwrite: bool
    engine: Engine
    workers: int | None
    batch: bool


def session_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of :class:`Session` (and Sessions) from these
    settings.

    Raises:
        DeclarationError: the engine is unknown, or ``workers`` is invalid.
        MissingDependencyError: Ray is not installed.
    """
    prompts = settings.get("prompts")
    arguments: dict[str, Any] = {
        "recordings": settings.get("recordings"),
        "replay": settings.get("replay"),
        "prompts": Path(prompts) if isinstance(prompts, str) else prompts,
        "batch": settings.get("batch", False),
    }
    if "engine" in settings or "workers" in settings:
        from conqret.llm.engines import clients_of

        arguments["clients"] = clients_of(settings.get("engine", "process"), settings.get("workers"))
    return arguments
