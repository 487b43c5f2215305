"""A model to call: its client, its prompts, and where its answers are recorded."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import BaseModel, Field

from conqret.errors import DeclarationError
from conqret.io.safe_files import Closing
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.llm.sender import Progress
from conqret.prompts import Library
from conqret.runs.run_folder import RunFolder
from conqret.runs.trials import Loop

T = TypeVar("T")


_SUMMED = ("sent", "recorded", "estimated", "retried")
"""What is added up over models, and taken away where it was before."""


class SessionCounts(BaseModel, frozen=True):
    """What one session did: requests sent (retries included), answers taken from a recording, rows kept from
    before, and US dollars spent (None: unknown), in which the cost of ``estimated`` answers is an estimate.
    ``retried`` counts the answers of an earlier run that could not be used and were requested again.
    ``others`` counts the answers that name another model than was requested, by that name. ``failures`` has for each
    reason why questions failed an example, and ``stopped`` says why it stopped early, where it did.
    ``refused`` is the reason where every request of a model failed, as every other would; it is in no file.
    A run that goes on makes its own counts each time."""

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
        """The sums over several models."""
        each = tuple(parts)
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
        """What came after ``before``, with ``kept`` rows from earlier sessions."""
        known = self.cost_usd is not None and before.cost_usd is not None
        cost = (self.cost_usd or 0.0) - (before.cost_usd or 0.0) if known else None
        update: dict[str, Any] = {"kept": kept, "cost_usd": cost}
        for name in _SUMMED:
            update[name] = getattr(self, name) - getattr(before, name)
        return self.model_copy(update=update)


class Session:
    """A model, its prompts, and where its answers are recorded; shared by all code that calls the model.

    Args:
        model: any model name, or the client's settings. A budget among them holds for all requests of the session.
        recordings: a store of answers that is read and added to; None records nothing, unless :meth:`keep_in` names
            a store.
        replay: a store, an export or a run to answer from; nothing is ever sent then.
        prompts: a folder of prompts before conqret's own, or a library of them.
        batch: hand requests in as batches, whose responses are fetched later.
        clients: what makes the client; an engine makes one that has others do the work.
        loop: the event loop to use from code that is not asynchronous (one of its own by default).

    ``with session:`` and ``async with session:`` keep store, client and connections from one call to the next;
    without, :meth:`run` opens and closes them each time. ``progress`` counts what all of it took.

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
        _check_stores(recordings, replay, batch=batch)
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
        """The one client, made when it is first requested.

        Raises:
            DeclarationError: no such recordings, no such model, or a budget for a model whose price is unknown.
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
        """Whether it is in use: its client stays until it is released."""
        return self._depth > 0

    @property
    def cost_usd(self) -> float | None:
        """What was spent so far, in US dollars; None where a price is unknown."""
        return self.progress.cost_usd

    @property
    def counts(self) -> SessionCounts:
        """What was sent and answered so far."""
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
            refused=done.failure_limit.refused,
        )

    async def ready(self, folder: RunFolder[Any]) -> None:
        """Check, before anything is written into ``folder``, that recordings and model are there and the model can be
        called; of a run that goes on, or has recordings from elsewhere, there may be nothing left to request.

        Raises:
            DeclarationError: as :attr:`client`; there is no key, or no server at the address.
        """
        client = self.client
        if self._recordings is None and self._replay is None and not folder.record_file.exists():
            await client.prepare()

    def check(self) -> None:
        """Check that the model can be called, for later requests; nothing is sent, and nothing written.

        Raises:
            DeclarationError: as :attr:`client`; there is no key, or no server at the address.
        """

        async def prepared() -> None:
            async with Client(self.options, store=None) as client:
                await client.prepare()

        if self._replay is None:
            with self:
                self._loop.run(prepared())

    def keep_in(self, store: Path | Recordings) -> None:
        """Record into ``store`` from now on, where no other store was named."""
        if self._recordings is None and self._replay is None:
            self._recordings = store
            self.client.record_in(self._store())

    def resume_after(self, seconds: float) -> None:
        """Call a model again that was found given up so many seconds ago. A run ends there; what goes on for long, and
        calls this around each piece of its work, tries again."""
        now = time.monotonic()
        if not self.client.given_up:
            self._given_up_at = None
        elif self._given_up_at is None:
            self._given_up_at = now
        elif now - self._given_up_at >= seconds:
            self.client.resume()
            self._given_up_at = None

    def replayed(self) -> Session:
        """A session of the same model that sends nothing: it answers from where this one has recorded, or replays.

        Raises:
            DeclarationError: this one records nothing.
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
        """Do ``work`` with the client, and wait for it; also from within a running event loop (Jupyter).

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
        """Let go of connections and stores; the next call opens them again."""
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


class Sessions(Closing):
    """A session for each model of a run, all on one store, one library of prompts and one event loop.

    Takes what :class:`Session` takes; to be held with ``with``.
    """

    def __init__(
        self,
        *,
        recordings: str | Path | None = None,
        replay: str | Path | None = None,
        prompts: Path | Library | None = None,
        batch: bool = False,
        clients: Callable[..., Client] = Client,
    ) -> None:
        _check_stores(recordings, replay, batch=batch)
        self.batch = batch
        self.library = prompts if isinstance(prompts, Library) else Library(prompts)
        self._loop, self._clients = Loop(), clients
        self._open = contextlib.ExitStack()
        self._recordings: Recordings | str | Path | None = recordings
        self._replay: Recordings | str | Path | None = replay
        self._known: dict[tuple[ClientOptions, bool], Session] = {}

    def __enter__(self) -> Self:
        self._open.enter_context(self._loop)
        if self._replay is not None:
            self._replay = self._open.enter_context(Recordings.open_for_replay(str(self._replay)))
        elif self._recordings is not None:
            self.keep_in(Path(str(self._recordings)))
        return self

    def close(self) -> None:
        """Let go of all sessions and of the store."""
        for session in self._known.values():  # what is under way is recorded while the store is open
            session.close()
        self._open.close()

    def keep_in(self, store: Path) -> None:
        """Record into ``store``, where no other store was named."""
        if self._replay is None and not isinstance(self._recordings, Recordings):
            store.parent.mkdir(parents=True, exist_ok=True)
            self._recordings = kept = self._open.enter_context(Recordings(store))
            for session in self._known.values():
                session.keep_in(kept)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for ``work``, which may call all models."""
        return self._loop.run(work)

    @property
    def clients(self) -> tuple[Client, ...]:
        """The clients of all models, in the order in which these were requested."""
        return tuple(session.client for session in self._known.values())

    async def ready(self, folder: RunFolder[Any]) -> None:
        """As :meth:`Session.ready`, for all models."""
        for session in self._known.values():
            await session.ready(folder)

    @property
    def counts(self) -> SessionCounts:
        """What was sent and answered so far, by all models together."""
        return SessionCounts.total(session.counts for session in self._known.values())

    def session(self, options: ClientOptions, *, at_once: bool = False) -> Session:
        """The session of a model with these settings, open until all are closed; what has to be answered ``at_once``
        is never handed in as a batch."""
        batch = self.batch and not at_once
        if (options, batch) not in self._known:
            session = Session(
                options,
                recordings=self._recordings,
                replay=self._replay,
                prompts=self.library,
                loop=self._loop,
                batch=batch,
                clients=self._clients,
            )
            self._known[options, batch] = self._open.enter_context(session)
        return self._known[options, batch]


def _check_stores(recordings: object, replay: object, *, batch: bool) -> None:
    if recordings is not None and replay is not None:
        raise DeclarationError("give recordings to add to, or a replay to answer from, not both")
    if batch and replay is not None:
        raise DeclarationError("a replay sends no requests, so it has no batch: leave out one of the two")
