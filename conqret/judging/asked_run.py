"""A run: questions to models, each answered once, kept in a folder as it comes, so that a stopped run goes on.

A study is a function: it opens a :class:`Run` in its folder, asks with :meth:`Run.ask_all`, and ends with
:meth:`Run.finish`. What depends on an earlier answer is a coroutine that awaits :meth:`Run.ask` or :meth:`Run.row`. In
a dry run the same function asks nobody: its prompts are counted, and the offline baseline answers.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel

from conqret.data import Reason
from conqret.errors import AnswersAwaited
from conqret.io.safe_files import Content, write_files
from conqret.judging.cost import ExpectedCost, capped, expected
from conqret.judging.judge_settings import Watch, session_settings
from conqret.llm.client import Client, awaited_answers
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer, Request
from conqret.runs.session import Session, Sessions
from conqret.runs.study_run import AskedFolder, AskedRecord, ResponseRow, StudyOutcome
from conqret.runs.trials import Memory, Trial, perform

Row = TypeVar("Row", bound=ResponseRow)
S = TypeVar("S")
T = TypeVar("T")

COUNTED = 100
"""Units whose prompts are counted in a dry run; of more, so many stand for all."""


@dataclass(frozen=True)
class RunPrompt:
    """A prompt of a run: the type of its answers, and for a dry run what the work is called, how many tokens an answer
    has, and whether offline answers are lengthened to that because later prompts show them. ``file`` is False where the
    prompt is no file, but comes whole from elsewhere."""

    response: type[BaseModel]
    task: str
    tokens: int | Callable[[Request[Any]], int]
    by: str = ""
    shown_later: bool = False
    file: bool = True


class Counted(Exception):  # noqa: N818 - nothing is wrong
    """Ends a dry run, with the expected ``costs``, and what is ``shown`` before them."""

    def __init__(self, costs: list[ExpectedCost], **shown: Any) -> None:
        self.costs, self.shown = costs, shown


class _NotYet(Exception):  # noqa: N818
    """The unit waits for a batch."""


_UNIT: ContextVar[list[str]] = ContextVar("unit")


class Run(Generic[Row]):
    """A run in a folder; ``with Run(...) as run`` checks the models, claims the folder and opens its rows.

    Args:
        folder: where it is kept; its class says of which kind it is.
        models: the settings of each model; the first speaks for the record where that names no other.
        prompts: the prompts, by their ids.
        settings: how models are asked (:class:`conqret.judging.judge_settings.AskingSettings`), with ``dry_run`` and
            ``watch`` of :class:`conqret.judging.judge_settings.AskedSettings`.
        asked: plain data that decides what is asked.
        total: how many rows there will be.
        asks: what is asked, in the words in which a model is refused that cannot be asked it.
        about, by: what is told of it at the start ("12 arguments by"), and who answers, where that is not the models.
        record: further fields of the record, and those that differ from what the first model's session says; a
            function of the run where they depend on the models' sessions.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, the recordings
            are none, or the settings do not fit a model. No model is asked then, and nothing is written.
    """

    def __init__(
        self,
        folder: AskedFolder[Any, Row],
        models: Sequence[ClientOptions],
        prompts: Mapping[str, RunPrompt],
        settings: Mapping[str, Any],
        *,
        asked: Iterable[object],
        total: int,
        asks: str = "a request of this run",
        about: str = "",
        by: str = "",
        record: Mapping[str, Any] | Callable[[Run[Row]], Mapping[str, Any]] | None = None,
    ) -> None:
        self.folder, self.total, self.about, self.by = folder, total, about, by
        self.dry = bool(settings.get("dry_run"))
        self._models, self._prompts, self._settings = tuple(models), prompts, settings
        self._asks, self._asked, self._record = asks, asked, record or {}
        self._order = list[list[str]]()
        self._sampled = 1.0
        self._made, self._making = set[str](), dict[str, asyncio.Future[None]]()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as opened:
            settings = session_settings(self._settings)
            if self.dry:
                settings |= {"clients": self._counting, "recordings": None, "replay": None, "batch": False}
            if self._asks:
                for options in self._models:
                    options.backend.check_can_ask(self._asks)
            self.sessions = opened.enter_context(Sessions(**settings))
            self.library = self.sessions.library
            for options in self._models:
                self.sessions.of(options)
            record = self._made_record()
            self.rows: Any = Memory[Row](lambda row: row.id)
            self._kept = 0
            if not self.dry:
                overwrite = self._settings.get("overwrite", False)
                self.folder.check(record, overwrite=overwrite)
                self.sessions.run(self.sessions.ready(self.folder))
                opened.enter_context(self.folder.claimed(record, overwrite=overwrite))
                self.sessions.keep_in(self.folder.recordings_file)
                self.rows = opened.enter_context(self.folder.rows())
                self._kept = len(self.rows)
            self._before = self.sessions.counts
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
        """The session of a model, by default of the first."""
        return self.sessions.of(self._models[0] if options is None else options)

    def client(self, options: ClientOptions | None = None) -> Client:
        """The client of a model, by default of the first."""
        return self.session(options).client

    async def ask(self, request: Request[Any], options: ClientOptions | None = None) -> Row:
        """The row of a question under its item's name: kept from before, or answered now."""

        async def answered() -> Row:
            row: Row = self.folder.ROW.of(request.item, await self.client(options).ask(request))  # type: ignore[assignment]
            return row

        return await self.row(request.item, answered)

    async def row(self, key: str, make: Callable[[], Awaitable[Row]]) -> Row:
        """The row of a key: kept from before, or made now, once, whoever asks for it."""
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
            finally:
                del self._making[key]
                done.set_result(None)
        row = self.rows.get(key)
        if row is None:  # who made it waits for a batch
            raise _NotYet
        return row  # type: ignore[no-any-return]

    def ask_all(self, *groups: Iterable[Request[Any] | Coroutine[Any, Any, T]]) -> list[T]:
        """Do all units, many at a time, and return what they come to, in their order. A unit is a request, or a
        coroutine that asks one thing after the other; groups stand one behind the other, and none waits for the last.

        Raises:
            AnswersAwaited: units wait for a batch.
        """
        work: Coroutine[Any, Any, list[T]] = self._count(groups) if self.dry else self._perform(groups)
        return self.sessions.run(work)

    def finish(
        self, conclude: Callable[[tuple[Row, ...]], tuple[S, Mapping[Path, Content]]]
    ) -> StudyOutcome[Row, S]:
        """The outcome, once the files are written: ``conclude`` gets all rows in the order of their units, and returns
        the summary and further files.

        Raises:
            Counted: it was a dry run.
        """
        if self.dry:
            clients: Any = self.sessions.clients
            costs = [cost for client in clients for cost in client.costs(self._sampled)]
            raise Counted(costs)
        keys = list(dict.fromkeys(key for unit in self._order for key in unit))
        self.rows.arrange(keys)
        rows_by_id = {row.id: row for row in self.rows.rows()}
        rows = tuple(rows_by_id[key] for key in keys)
        summary, files = conclude(rows)
        if isinstance(summary, BaseModel):
            files = {**files, self.folder.summary_file: summary.model_dump_json(indent=1)}
        write_files(files)
        counts = self.sessions.counts.since(self._before, kept=self._kept)
        missing = tuple(str(request) for client in self.sessions.clients for request in client.missing)
        return StudyOutcome(summary, rows, counts, missing, self.folder)

    def _counting(self, options: ClientOptions, **store: Any) -> _CountingClient:
        return _CountingClient(options, self._prompts)

    def _made_record(self) -> AskedRecord:
        fields = self._record(self) if callable(self._record) else self._record
        responses = {name: prompt.response for name, prompt in self._prompts.items() if prompt.file}
        kind: Any = self.folder.RECORD
        record: AskedRecord = kind.of(self.session(), responses, self._asked, **fields)
        return record

    async def _collect(self) -> None:
        for client in self.sessions.clients:
            await client.collect()

    async def _perform(self, groups: Sequence[Iterable[Any]]) -> list[Any]:
        found: Memory[tuple[str, Any]] = Memory(lambda pair: pair[0])
        trials = (
            self._trial(number, unit) for number, unit in enumerate(unit for one in groups for unit in one)
        )
        in_flight = sum(client.in_flight for client in self.sessions.clients)
        async with contextlib.aclosing(perform(trials, found, in_flight=in_flight)) as performed:
            async for _ in performed:
                pass
        for client in self.sessions.clients:
            await client.hand_in()
        results = [found[str(number)][1] for number in range(len(found))]
        if waiting := sum(result is _NotYet for result in results):
            raise AnswersAwaited(waiting, len(results))
        return results

    async def _count(self, groups: Sequence[Iterable[Any]]) -> list[Any]:
        """Count all groups but the last as a whole, and of that one at most :data:`COUNTED` units, which stand for all;
        what these come to is returned."""
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
            clients: Any = self.sessions.clients
            for client in clients:
                client.weight = weight
            made = await self._trial(number, unit).work({})
            results.append(None if made is None else made[1])
        return results

    def _trial(self, number: int, unit: Any) -> Trial[tuple[str, Any]]:
        keys = list[str]()
        self._order.append(keys)

        async def work(earlier: object) -> tuple[str, Any]:
            _UNIT.set(keys)
            try:
                return str(number), await (self.ask(unit) if isinstance(unit, Request) else unit)
            except _NotYet:
                return str(number), _NotYet

        return Trial(str(number), work)


async def together(*asked: Awaitable[T]) -> list[T]:
    """What several questions of a unit come to that do not wait for each other."""
    found = await asyncio.gather(*asked, return_exceptions=True)
    for error in found:
        if isinstance(error, BaseException):
            raise error
    return found  # type: ignore[return-value]


class _CountingClient(Client):
    """A model that is not asked: its prompts are counted, and the offline baseline answers."""

    def __init__(self, options: ClientOptions, prompts: Mapping[str, RunPrompt]) -> None:
        super().__init__(replace(options, budget_usd=None), store=None)
        self._prompts, self.weight, self._counts = prompts, 1.0, Counter[tuple[str, str, str]]()

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        """What the offline baseline answers; the question is counted."""
        prompt = self._prompts[request.ask]
        written = prompt.tokens if isinstance(prompt.tokens, int) else prompt.tokens(request)
        read = capped(sum(self.count_tokens(message.content) for message in request.messages), self)
        for what, count in (("calls", 1), ("read", read), ("written", written)):
            self._counts[prompt.task, prompt.by, what] += self.weight * count  # type: ignore[assignment]
        if request.baseline is None:
            return Answer(None, (), reason=Reason.NOTHING_TO_JUDGE, detail="counted, not asked")
        value = request.baseline()
        if prompt.shown_later:
            value = _lengthened(value, written - self.count_tokens(str(value)))
        value = {"text": value} if request.plain else value
        return Answer(request.response.model_validate(value, context=dict(request.context)), ())

    def costs(self, sampled: float) -> Iterator[ExpectedCost]:
        """What was counted, a line for each kind of work."""
        for task, by in dict.fromkeys(name[:2] for name in self._counts):
            calls, read, written = (
                round(self._counts[task, by, what]) for what in ("calls", "read", "written")
            )
            yield expected(
                task, self._options, calls, read, written * self._backend.writes, by=by, sampled=sampled
            )


def _lengthened(value: Any, tokens: int) -> Any:
    """The answer with its longest text so many tokens longer."""
    if isinstance(value, str):
        return value + " so" * tokens
    texts = {name: text for name, text in value.items() if isinstance(text, str)}
    if not texts:
        return value
    longest = max(texts, key=lambda name: len(texts[name]))
    return {**value, longest: texts[longest] + " so" * tokens}
