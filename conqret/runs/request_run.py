"""A run: questions to models, each answered once, kept in a folder as it comes, so that a stopped run goes on.

A study is a function: it opens a :class:`Run` in its folder, requests with :meth:`Run.request_all`, and ends with
:meth:`Run.finish`. What depends on an earlier answer is a coroutine that awaits :meth:`Run.request` or :meth:`Run.row`.
In a dry run the same function calls no model: its prompts are counted, and the offline baseline answers.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypedDict, TypeVar

from pydantic import BaseModel

from conqret.data import Reason
from conqret.errors import AnswersAwaited
from conqret.io.safe_files import Content, write_files
from conqret.llm.client import Client, awaited_answers
from conqret.llm.client_options import ClientOptions, ClientSettings
from conqret.llm.expected_cost import ExpectedCost, expected
from conqret.llm.request import Plain, Request
from conqret.runs.dry_run import Counted, CountingClient
from conqret.runs.dry_run import RunPrompt as RunPrompt
from conqret.runs.run_folder import RunRecord
from conqret.runs.session import RequestSettings, Session, SessionCounts, session_settings
from conqret.runs.sessions import Sessions
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome
from conqret.runs.trials import Memory, Trial, perform

Row = TypeVar("Row", bound=ResponseRow)
S = TypeVar("S")
T = TypeVar("T")

COUNTED = 100
"""Units whose prompts are counted in a dry run; of more, so many stand for all."""


class Watch(Protocol):
    """The interface of an observer that follows a run's progress."""

    def start(self, run: Any, kept: int) -> None:
        """Handle the start of ``run``, with the number of rows kept from before."""

    def advance(self, row: Any) -> None:
        """Handle one new row of the run."""

    def reach(self, done: int, *, total: int) -> None:
        """Handle progress of work without a model: ``done`` of ``total`` units are finished."""


class RunSettings(ClientSettings, RequestSettings, total=False):
    """Keyword settings of a run: those of its models' clients and those of its requests."""


class WatchSettings(TypedDict, total=False):
    """Keyword settings to observe a run or to estimate its cost.

    ``watch`` is an observer of the run's progress. With ``dry_run``, no model is called, and
    :class:`conqret.runs.dry_run.Counted` is raised with the expected cost.
    """

    dry_run: bool
    watch: Watch


class RequestRunSettings(RunSettings, WatchSettings, total=False):
    """Keyword settings of a run with one model: the model and how it is called."""

    model: str | ClientOptions | None


class _NotYet(Exception):  # noqa: N818
    """The unit waits for a batch."""


_UNIT: ContextVar[list[str]] = ContextVar("unit")


class Run(Generic[Row]):
    """A run that sends requests and stores one row per unit in a folder.

    ``with Run(...) as run`` checks the models, claims the folder and opens its rows.

    Args:
        folder: where the run is stored; its class is the kind of run.
        models: the client options of each model; the record describes the first unless it names another.
        prompts: the prompts by id.
        settings: how models are called (:class:`conqret.runs.session.RequestSettings`), with
            ``dry_run`` and ``watch`` of :class:`RequestRunSettings`.
        contents: plain data that determines the requests.
        total: the number of rows of the finished run.
        purpose: what is requested, for the error message about a model that cannot respond so.
        about, by: the words printed at the start ("12 arguments by"), and who responds, if not the models.
        record: further or different fields of the record, a function from the run to these, or the record
            itself.
        sessions: open sessions to use, where the run is part of a larger one that counts and closes them.
        renew: replace another run of this kind in the folder.
        decided: True if decision models can answer the requests, too.

    The attribute ``span`` holds the name and the attributes of the trace span, where tracing is on.

    Raises:
        DeclarationError: the folder holds another run or other files, another process writes it, the
            recordings are invalid, or the settings do not fit a model. Then no model is called and nothing is
            written.
    """

    def __init__(
        self,
        folder: RequestFolder[Any, Row],
        models: Sequence[ClientOptions],
        prompts: Mapping[str, RunPrompt],
        settings: Mapping[str, Any],
        *,
        contents: Iterable[object],
        total: int,
        purpose: str = "a request of this run",
        about: str = "",
        by: str = "",
        record: RunRecord | Mapping[str, Any] | Callable[[Run[Row]], Mapping[str, Any]] | None = None,
        sessions: Sessions | None = None,
        renew: bool = False,
        decided: bool = False,
    ) -> None:
        self.folder, self.total, self.about, self.by = folder, total, about, by
        self.dry = bool(settings.get("dry_run"))
        self._models, self._prompts, self._settings = tuple(models), prompts, settings
        self._purpose, self._contents, self._record = purpose, contents, record or {}
        self._lent, self._renew = None if self.dry else sessions, renew
        self._decided = decided
        self._order = list[list[str]]()
        self._sampled = 1.0
        self._made, self._making = set[str](), dict[str, asyncio.Future[None]]()
        self._begin: Callable[[], None] | None = None
        self.span: tuple[str, Mapping[str, Any]] = ("run", {})

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as opened:
            settings = session_settings(self._settings)
            if self.dry:
                counting = partial(CountingClient, prompts=self._prompts)
                settings |= {"clients": counting, "recordings": None, "replay": None, "batch": False}
            if self._purpose:
                plain = all(issubclass(prompt.response, Plain) for prompt in self._prompts.values())
                for options in self._models:
                    options.backend.check_can_request(self._purpose, plain=plain, decided=self._decided)
            self.sessions = self._lent or opened.enter_context(Sessions(**settings))
            self.library = self.sessions.library
            for options in self._models:
                self.sessions.session(options)
            record = self._made_record()
            self.rows: Any = Memory[Row](self.folder.key)
            self._kept = 0
            if not self.dry:
                overwrite = self._settings.get("overwrite", False)
                overwrite = overwrite or (self._renew and self.folder.holds_another(record))
                self.folder.check(record, overwrite=overwrite)
                self.sessions.run(self.sessions.ready(self.folder))
                opened.enter_context(self.folder.claimed(record, overwrite=overwrite, begin=self._begin))
                self.sessions.keep_in(self.folder.recordings_file)
                self.rows = opened.enter_context(self.folder.rows())
                self._kept = len(self.rows)
            self._before = self._counts
            self._watch: Watch | None = self._settings.get("watch")
            if not self.dry:
                self.sessions.run(self._collect())
                if self._watch is not None:
                    self._watch.start(self, self._kept)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    def session(self, options: ClientOptions | None = None) -> Session:
        """Return the session of a model, by default of the first."""
        return self.sessions.session(self._models[0] if options is None else options)

    def client(self, options: ClientOptions | None = None) -> Client:
        """Return the client of a model, by default of the first."""
        return self.session(options).client

    @property
    def clients(self) -> tuple[Client, ...]:
        """The clients of the run's models."""
        if self._lent is None:
            return self.sessions.clients
        return tuple(self.client(options) for options in self._models)

    @property
    def _counts(self) -> SessionCounts:
        if self._lent is None:
            return self.sessions.counts
        return SessionCounts.total(self.session(options).counts for options in self._models)

    async def request(self, request: Request[Any], options: ClientOptions | None = None) -> Row:
        """Return the row of a request, keyed by its item's name: the stored row, or a new one from the
        model's answer.
        """

        async def answered() -> Row:
            row: Row = self.folder.ROW.from_answer(request.item, await self.client(options).request(request))  # type: ignore[assignment]
            return row

        return await self.row(request.item, answered)

    async def row(self, key: str, make: Callable[[], Awaitable[Row]]) -> Row:
        """Return the row for ``key``: the stored row, or the result of ``make``, which is stored and called once even
        for concurrent callers. If a response still waits for a batch, nothing is stored and the calling unit ends here.
        """
        _UNIT.get().append(key)
        if (under_way := self._making.get(key)) is not None:
            await asyncio.shield(under_way)
        if key not in self.rows and key not in self._made:
            self._making[key] = done = asyncio.get_running_loop().create_future()
            try:
                with awaited_answers() as awaited:
                    made = await make()
                if awaited:
                    raise _NotYet
                self.rows.add(made)
                self._made.add(key)
                if self._watch is not None:
                    self._watch.advance(made)
                return made
            finally:
                del self._making[key]
                done.set_result(None)
        row = self.rows.get(key)
        if row is None:  # who made it waits for a batch
            raise _NotYet
        return row  # type: ignore[no-any-return]

    def request_all(self, *groups: Iterable[Request[Any] | Coroutine[Any, Any, T]]) -> list[T]:
        """Run all units concurrently and return their results in order.

        A unit is a request, or a coroutine that makes requests one after the other. Results of one group
        follow those of the group before; no group waits for another.

        Raises:
            AnswersAwaited: units wait for the responses of a batch.
        """
        return self.sessions.run(self.gather(*groups))

    async def gather(self, *groups: Iterable[Request[Any] | Coroutine[Any, Any, T]]) -> list[T]:
        """Run all units as :meth:`request_all`, as a coroutine, so that several runs can proceed at the same
        time.
        """
        return await (self._count(groups) if self.dry else self._handed_in(await self._perform(groups)))

    def finish(
        self, conclude: Callable[[tuple[Row, ...]], tuple[S, Mapping[Path, Content]]]
    ) -> StudyOutcome[Row, S]:
        """Write the result files and return the run's outcome.

        ``conclude`` gets all rows in the order of their units and returns the summary and further files by
        path. A pydantic summary is written to the folder's summary file.

        Raises:
            Counted: this is a dry run.
        """
        rows = tuple(self.arranged())
        summary, files = conclude(rows)
        if isinstance(summary, BaseModel):
            files = {**files, self.folder.summary_file: summary.model_dump_json(indent=1)}
        write_files(files)
        return StudyOutcome(summary, rows, **self.done, folder=self.folder)

    def arranged(self) -> Iterator[Row]:
        """Sort the stored rows into the order of their units and return them.

        Raises:
            Counted: this is a dry run.
        """
        if self.dry:
            raise Counted(self._costs())
        self.rows.arrange(dict.fromkeys(key for unit in self._order for key in unit))
        return self.rows.rows()  # type: ignore[no-any-return]

    @property
    def done(self) -> dict[str, Any]:
        """The request counts of this session (``session``) and the requests that a replay had no response for
        (``missing``).
        """
        missing = tuple(request for client in self.clients for request in client.missing.values())
        return {"session": self._counts.since(self._before, kept=self._kept), "missing": missing}

    def _made_record(self) -> RunRecord:
        fields = self._record(self) if callable(self._record) else self._record
        if isinstance(fields, RunRecord):
            return fields
        responses = {name: prompt.response for name, prompt in self._prompts.items() if prompt.file}
        kind: Any = self.folder.RECORD
        record: RequestRecord = kind.from_session(self.session(), responses, self._contents, **fields)
        return record

    def _costs(self) -> list[ExpectedCost]:
        """Return the expected costs by model and task. Prompts that do not fit the model's window are not in them, and
        a note says how many; if none fits, one cost says that it is impossible."""
        clients: Any = self.clients
        costs = [
            cost
            for client in clients
            for cost in client.costs(self._sampled)
            if cost.calls or cost.impossible
        ]
        unfit = [row for row in self.rows.rows() if row.reason is Reason.CONTEXT_OVERFLOW]
        if unfit:
            share = f"{round(len(unfit) / self._sampled):,} of {self.total:,} prompts do not fit"
            lack = f"{share}: {unfit[0].detail}"
            if not costs:
                task = next(iter(self._prompts.values())).task
                return [expected(task, self._models[0], 0, 0, 0, impossible=lack)]
            costs[0] = replace(costs[0], notes=(lack,))
        return costs

    async def _collect(self) -> None:
        for client in self.clients:
            await client.collect()

    async def _perform(self, groups: Sequence[Iterable[Any]]) -> list[Any]:
        found: Memory[tuple[str, Any]] = Memory(lambda pair: pair[0])
        trials = (
            self._trial(number, unit) for number, unit in enumerate(unit for one in groups for unit in one)
        )
        in_flight = sum(client.in_flight for client in self.clients)
        name, about = self.span
        performed = perform(trials, found, in_flight=in_flight, name=name, about=about)
        async with contextlib.aclosing(performed):
            async for _ in performed:
                pass
        return [found[str(number)][1] for number in range(len(found))]

    async def _handed_in(self, results: list[Any]) -> list[Any]:
        """Submit the requests that wait for a batch, and return the results.

        Raises:
            AnswersAwaited: some of the results wait for a batch.
        """
        for client in self.clients:
            await client.hand_in()
        if waiting := sum(result is _NotYet for result in results):
            raise AnswersAwaited(waiting, len(results))
        return results

    async def _count(self, groups: Sequence[Iterable[Any]]) -> list[Any]:
        """Count all groups but the last as a whole, and of the last at most :data:`COUNTED` units, evenly chosen and
        weighted to stand for all. Returns the result of each counted unit (None if it has none); the other units are
        closed unused."""
        *whole, last = (list(group) for group in groups)
        step = max(1, -(-len(last) // COUNTED))
        for unit in (unit for number, unit in enumerate(last) if number % step and asyncio.iscoroutine(unit)):
            unit.close()
        taken = last[::step]
        if taken:
            self._sampled = min(self._sampled, len(taken) / len(last))
        weights = [(unit, 1.0) for group in whole for unit in group]
        weights += [(unit, len(last) / len(taken)) for unit in taken]
        results = []
        for number, (unit, weight) in enumerate(weights):
            clients: Any = self.clients
            for client in clients:
                client.weight = weight
            made = await self._trial(number, unit).work()
            results.append(None if made is None else made[1])
        return results

    def _trial(self, number: int, unit: Any) -> Trial[tuple[str, Any]]:
        keys = list[str]()
        self._order.append(keys)

        async def work() -> tuple[str, Any]:
            _UNIT.set(keys)
            try:
                return str(number), await (self.request(unit) if isinstance(unit, Request) else unit)
            except _NotYet:
                return str(number), _NotYet

        return Trial(str(number), work)


async def gather_all(*awaitables: Awaitable[T]) -> list[T]:
    """Run independent requests of one unit concurrently and return their results in order.

    Raises the first error after all have ended.
    """
    found = await asyncio.gather(*awaitables, return_exceptions=True)
    for error in found:
        if isinstance(error, BaseException):
            raise error
    return found  # type: ignore[return-value]
