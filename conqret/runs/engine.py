"""The run engine: what every kind of run does, once. What it judges, writes or scores is a :class:`Plan`.

A plan says what is recorded of the run, which trials it has, and what is made of their rows. :func:`execute` does the
rest: it checks and claims the folder, takes up the rows of an earlier run, asks the models for what is missing, keeps
each row as it comes, and puts all of them into the order of the trials.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

from conqret.errors import AnswersAwaited, DeclarationError
from conqret.llm.client import Client, awaited_answers
from conqret.runs.run_folder import RunFolder, RunRecord
from conqret.runs.session import Session, SessionCounts, Sessions
from conqret.runs.trials import Row, Rows, Trial, perform

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stage(Generic[Row]):
    """Trials that are done together, so many at a time; ``span`` and ``about`` name them in a trace."""

    trials: Iterable[Trial[Row]]
    in_flight: int
    span: str = "run"
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompletedTrials(Generic[Row]):
    """What was done: all rows, the keys of all trials in their order, what this session sent and received, and which
    responses a replay lacked."""

    rows: Rows[Row]
    keys: tuple[str, ...]
    session: SessionCounts
    missing: tuple[str, ...]


class Plan(ABC, Generic[Row, T]):
    """What one kind of run does. ``folder`` is None where nothing is to be kept. ``PARTIAL`` says whether there is a
    result while some rows wait for a batch."""

    PARTIAL: ClassVar[bool] = False

    models: Session | Sessions
    folder: RunFolder[Any] | None

    @property
    def clients(self) -> tuple[Client, ...]:
        """Who is asked."""
        return tuple(self.models.clients)

    @property
    def by(self) -> str:
        """Who answers, where that is not the models alone."""
        return ""

    @abstractmethod
    def record(self) -> RunRecord:
        """What ``run.json`` says."""

    @abstractmethod
    def open_rows(self) -> Rows[Row]:
        """Where the rows go, with those of an earlier run."""

    @abstractmethod
    def stages(self) -> Iterator[Stage[Row]]:
        """The trials, one stage after the other: the next is asked for when the last has ended."""

    @abstractmethod
    def result(self, done: CompletedTrials[Row]) -> T:
        """What the run comes to; files are written while the folder is still held."""

    def check(self) -> None:
        """Refuse what cannot be done. Raises DeclarationError."""

    def begin(self) -> None:
        """Write what has to be there before the record of a new run."""

    def resume(self, *, new: bool) -> None:
        """Put right what an earlier run may have left in the folder, which is claimed; ``new`` where this one began
        it."""

    def counted_before(self) -> SessionCounts:
        """What the models had done that is not part of this run."""
        return self.models.counts

    def revise(self, rows: Rows[Row]) -> None:
        """Put others in the place of rows once all are there."""

    def stop(self, rows: Rows[Row], session: SessionCounts) -> None:
        """Write what can be said of a run that ends before its last trial."""


async def execute(
    plan: Plan[Row, T],
    *,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[Row], None] = lambda row: None,
) -> T:
    """Do what is left of a run, and return what it comes to.

    Args:
        plan: what is to be done; its models are open.
        overwrite: begin afresh where the folder holds another run; its recordings are kept.
        on_start: gets the first model's client and the number of rows kept from before.
        on_row: gets each new row.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, the recordings
            are none, or the settings do not fit a model. No model is asked then, and nothing is written.
        AnswersAwaited: rows wait for a batch without which there is no result.
    """
    plan.check()
    models, folder = plan.models, plan.folder
    if models.batch and folder is None:
        raise DeclarationError(
            "a batch is answered later: name the run's folder in which its responses are collected (output)"
        )
    with contextlib.ExitStack() as held:
        if folder is not None:
            record = plan.record()
            folder.check(record, overwrite=overwrite)
            await models.ready(folder)
            new = overwrite or not folder.record_file.exists()
            held.enter_context(folder.claimed(record, overwrite=overwrite, begin=plan.begin))
            plan.resume(new=new)
            models.keep_in(folder.recordings_file)
        before = plan.counted_before()
        rows = held.enter_context(plan.open_rows())
        kept = len(rows)
        keys, outstanding = await _perform(plan, rows, kept, before, on_start, on_row)
        plan.revise(rows)
        rows.arrange(keys)
        if outstanding and not plan.PARTIAL:
            raise AnswersAwaited(outstanding, len(keys))
        counts = models.counts.since(before, kept=kept)
        missing = [request for client in models.clients for request in client.missing]
        return plan.result(CompletedTrials(rows, tuple(keys), counts, tuple(map(str, missing))))


def run(plan: Plan[Any, T], *, watch: Any = None, **how: Any) -> T:
    """Wait for :func:`execute`, which takes the same; also from within a running event loop (Jupyter). A ``watch``
    (:class:`conqret.judging.judge_settings.Watch`) looks on."""
    plan.check()  # before there is a client
    models = plan.models
    if watch is not None:
        how |= {"on_start": lambda client, kept: watch.start(plan, kept), "on_row": watch.advance}
    if isinstance(models, Session):
        return models.run(lambda client: execute(plan, **how))
    return models.run(execute(plan, **how))


async def _perform(
    plan: Plan[Row, Any],
    rows: Rows[Row],
    kept: int,
    before: SessionCounts,
    on_start: Callable[[Client, int], None],
    on_row: Callable[[Row], None],
) -> tuple[list[str], int]:
    """Do every trial that has no row yet; returns the keys of all, and how many wait for a batch."""
    models, keys, made = plan.models, list[str](), set[str]()
    for client in models.clients:
        await client.collect()
    on_start(models.clients[0], kept)
    try:
        for stage in plan.stages():
            trials = _noted(stage.trials, keys)
            if models.batch:
                trials = (_unless_awaited(trial, made) for trial in trials)
            performed = perform(trials, rows, in_flight=stage.in_flight, name=stage.span, about=stage.about)
            async with contextlib.aclosing(performed) as found:
                async for row in found:
                    on_row(row)
        for client in models.clients:
            await client.hand_in()
    except BaseException:  # stopped, or nothing can be written any more
        with contextlib.suppress(OSError):
            plan.stop(rows, models.counts.since(before, kept=kept))
        raise
    return keys, sum(key not in made and key not in rows for key in keys) if models.batch else 0


def _unless_awaited(trial: Trial[Row], made: set[str]) -> Trial[Row]:
    """The trial, which makes no row as long as one of its questions is in a batch; else its key is among ``made``."""

    async def work() -> Row | None:
        with awaited_answers() as awaited:
            row = await trial.work()
        if awaited:
            return None
        made.add(trial.key)
        return row

    return replace(trial, work=work)


def _noted(trials: Iterable[Trial[Row]], keys: list[str]) -> Iterator[Trial[Row]]:
    """The trials, whose keys are noted as they are taken."""
    for trial in trials:
        keys.append(trial.key)
        yield trial
