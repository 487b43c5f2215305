"""The sessions of a run with several models (:class:`Sessions`), which share a store, prompts and an event loop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Self, TypeVar

from conqret.io.safe_files import Closing
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.prompts import Library
from conqret.runs.run_folder import RunFolder
from conqret.runs.session import Session, SessionCounts, check_stores
from conqret.runs.trials import Loop

T = TypeVar("T")


class Sessions(Closing):
    """One session per model of a run, with a shared store, prompt library and event loop.

    It takes ``recordings``, ``replay``, ``prompts``, ``batch`` and ``clients`` as :class:`Session` does. Use
    it as a context manager.
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
        check_stores(recordings, replay, batch=batch)
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
        """Close all sessions and the store."""
        for session in self._known.values():  # what is under way is recorded while the store is open
            session.close()
        self._open.close()

    def keep_in(self, store: Path) -> None:
        """Record responses into ``store`` from now on, unless another store or a replay is set; the store's
        folder is created.
        """
        if self._replay is None and not isinstance(self._recordings, Recordings):
            store.parent.mkdir(parents=True, exist_ok=True)
            self._recordings = kept = self._open.enter_context(Recordings(store))
            for session in self._known.values():
                session.keep_in(kept)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine ``work``, which may call all models, and return its result."""
        return self._loop.run(work)

    @property
    def clients(self) -> tuple[Client, ...]:
        """The clients of all models, in the order of their first use."""
        return tuple(session.client for session in self._known.values())

    async def ready(self, folder: RunFolder[Any]) -> None:
        """Check all models as :meth:`Session.ready` does."""
        for session in self._known.values():
            await session.ready(folder)

    @property
    def counts(self) -> SessionCounts:
        """The counts of requests and responses so far, summed over all models."""
        return SessionCounts.total(session.counts for session in self._known.values())

    def session(self, options: ClientOptions, *, at_once: bool = False) -> Session:
        """Return the session of a model with these settings; it stays open until all sessions are closed.

        With ``at_once`` its requests are never sent as a batch.
        """
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
