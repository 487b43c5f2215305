"""Judge items into a run directory (streaming, resumable, whole or not at all), and the result: all judgments, by
number and by item, as frames, as a page and as a run directory.

The same command again goes on where the last one stopped: judgments that are scored are kept, the others
are requested again, and whatever a model answered before comes from the recordings without a call.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from html import escape
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from conqret.data import Item, Judgment
from conqret.errors import AnswersAwaited, DeclarationError, UnknownNameError, number
from conqret.io import CheckedItems, ItemSource, to_frame
from conqret.judging.instrument import Instrument, judge_item
from conqret.judging.judge_folder import (
    JudgeFolder,
    JudgeRecord,
    judgment_key,
    score_rows,
    skipped_row,
    trial_key,
    wide_row,
)
from conqret.judging.page import write_report
from conqret.judging.setup import Setup
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import metric_table
from conqret.judging.tally import Tally
from conqret.llm.client import Client, awaited_answers
from conqret.llm.client_options import ClientOptions
from conqret.llm.tracing import KIND, TYPE, record_scores, trace_kind, tracer
from conqret.runs.session import Session, SessionCounts
from conqret.runs.trials import Memory, Rows, Trial, perform

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from conqret.runs.request_run import Watch


def span_attributes(*instruments: Instrument) -> dict[str, Any]:
    """Return the trace attributes of one or several judge configurations: format, model and fingerprint.

    Distinct values of several configurations are joined by commas.
    """
    values = {
        "conqret.format": [instrument.judge.name for instrument in instruments],
        "conqret.model": [instrument.model for instrument in instruments],
        "conqret.fingerprint": [instrument.fingerprint for instrument in instruments],
    }
    return {name: ", ".join(dict.fromkeys(of_each)) for name, of_each in values.items()}


async def judge_in_span(item: Item, instrument: Instrument) -> Judgment:
    """Judge one item (:func:`judge_item`), inside a span with its scores if tracing is on. The item's id and the
    explanations are in the span only if contents are traced."""
    kind = trace_kind()
    if not kind:
        return await judge_item(item, instrument)
    attributes = {**span_attributes(instrument), KIND: "EVALUATOR", TYPE: "evaluator"}
    contents, judge = kind == "contents", "CODE" if getattr(instrument.client, "baseline", False) else "LLM"
    if contents:
        attributes["conqret.item"] = item.id
    with tracer().start_as_current_span(
        f"evaluate {instrument.judge.name}", attributes=attributes, record_exception=False
    ) as span:
        judgment = await judge_item(item, instrument)
        record_scores(span, judgment.measures, judge, contents=contents)
        return judgment


_log = logging.getLogger(__name__)


def _model_options(client: ClientOptions) -> dict[str, Any]:
    """The settings of a client that a record keeps."""
    left = {"model", "api_key", "api_base", "retry_unscored"}
    return {name: value for name, value in asdict(client).items() if name not in left and value is not None}


def judge_record(source: ItemSource, checked: CheckedItems, setup: Setup) -> JudgeRecord:
    """Return the run record of judging these items with this judge configuration."""
    last: dict[str, Any] = {}
    for judge in setup.judges[1:]:
        last = {"model": judge.client.model, "options": asdict(judge.options)}
        last["model_options"] = _model_options(judge.client)
    options = asdict(setup.options)
    if not setup.turns:
        del options["conversation"]
    if not setup.options.explain_in:
        del options["explain_in"]
    if not setup.options.shots:
        del options["shots"], options["examples"]
    return JudgeRecord(
        **setup.recorded,
        options=options,
        model_options=_model_options(setup.client),
        last_judge=last,
        items_name=Path(source.name).name,
        items_layout=checked.layout,
        items_count=checked.count,
        items_digest=checked.digest,
        items_left_out=checked.left_out,
        notes=list(setup.notes),
    )


@dataclass(frozen=True, repr=False)
class Judgments(Sequence[Judgment]):
    """The judgments of all items, in the order of the items.

    ``result[0]`` and ``result["voting-age-pro"]`` are judgments. ``summary`` has the means with n of N,
    bounds, reasons, tokens and cost. ``session`` counts the requests sent, answered from recordings and kept
    from before. ``folder`` is the run folder, or None. ``missing`` lists the requests that a replay had no
    response for.
    """

    record: JudgeRecord
    source: ItemSource
    rows: Rows[Judgment]
    ids: tuple[str, ...]
    summary: Summary
    session: SessionCounts
    missing: tuple[str, ...] = ()
    folder: JudgeFolder | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the items, such as metrics that are left out because the items lack their fields."""
        return tuple(self.record.notes)

    def whole(self) -> Self:
        """Return this result if it is complete.

        Raises:
            AnswersAwaited: some items wait for the responses of a batch.
        """
        if self.summary.outstanding:
            raise AnswersAwaited(self.summary.outstanding, self.record.items_count)
        return self

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        by = f"{self.record.format} with {self.record.model}"
        return f"<Judgments: {by}, {number(len(self), 'item')}, {self.summary.scored} scored>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>{metric_table(self.summary)._repr_html_()}"

    @overload
    def __getitem__(self, place: int | str) -> Judgment: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Judgment]: ...
    def __getitem__(self, place: int | str | slice) -> Judgment | Sequence[Judgment]:
        """The judgment of an item by its number or its id.

        Raises:
            IndexError: there are not so many items.
            UnknownNameError: there is no item of this id.
        """
        if isinstance(place, slice):
            return [self._judgment(item) for item in self.ids[place]]
        return self._judgment(place if isinstance(place, str) else self.ids[place])

    @property
    def failures(self) -> tuple[Judgment, ...]:
        """The judgments in which a metric failed or is unscored, and those of items to which no metric applies."""
        return tuple(judgment for judgment in self if judgment.status != "scored")

    def scores(self) -> pl.DataFrame:
        """Return a frame with one row for each metric of an item and each of its parts, as in
        ``scores.parquet``.
        """
        frame: pl.DataFrame = to_frame([row for judgment in self for row in score_rows(judgment)], "polars")
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return a polars frame with one row per item.

        The columns are id, topic, stance, status, reason, and for each metric its value in [0, 1] and its
        explanation. Items left out by ``skip_invalid`` have the status ``skipped``, with their fault as the
        reason.
        """
        frame: pl.DataFrame = to_frame(list(self._wide()), "polars")
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """Return the same table as :meth:`to_polars`, as a pandas frame."""
        frame: pd.DataFrame = to_frame(list(self._wide()), "pandas")
        return frame

    def report(self, path: str | Path) -> Path:
        """Write the report page to ``path``, as a whole or not at all, and return the path."""
        if self.folder is not None:
            return write_report(self.folder, Path(path))
        with TemporaryDirectory(prefix="conqret-report-") as scratch:
            return write_report(self._written(JudgeFolder(Path(scratch))), Path(path))

    def save(self, folder: str | Path) -> JudgeFolder:
        """Write a run folder like that of ``conqret judge``, with its report, and return it.

        Raises:
            DeclarationError: the folder holds another run or other files.
        """
        target = self._written(JudgeFolder(Path(folder)))
        write_report(target)
        return target

    def _wide(self) -> Iterator[dict[str, Any]]:
        if not self.record.items_left_out:
            yield from map(wide_row, self)
            return
        judged, items = set(self.ids), iter(self.source)
        for place in self.source.places():
            if isinstance(place, str):
                yield {"id": None, "topic": None, "stance": None, **skipped_row(place)}
            elif (item := next(items).id) in judged:
                yield wide_row(self._judgment(item))

    def _judgment(self, item: str) -> Judgment:
        judgment = self.rows.get(trial_key(self.record.fingerprint, item))
        if judgment is None:
            raise UnknownNameError("judged item", item, self.ids)
        return judgment

    def _written(self, folder: JudgeFolder) -> JudgeFolder:
        record = self.record
        with folder.claimed(record, begin=lambda: folder.write_items(self.source)):
            with folder.rows() as rows:
                for judgment in self:
                    if trial_key(judgment.fingerprint, judgment.item) not in rows:
                        rows.add(judgment)
            folder.write_results(rows, self.session)
        return folder

    def __iter__(self) -> Iterator[Judgment]:
        return map(self._judgment, self.ids)


@dataclass(frozen=True)
class JudgePlan:
    """A run that judges every item once.

    With a session that sends batches, an item has no judgment until the same run collects it. ``abstain``
    removes unsure scores from a judgment. ``folder`` is None where nothing is saved. ``sessions`` are those of its
    judges: one, or the first and the last of a cascade. Without ``report``, the caller writes the report page.
    """

    sessions: tuple[Session, ...]
    folder: JudgeFolder | None
    source: ItemSource
    checked: CheckedItems
    setup: Setup
    abstain: Callable[[Judgment], Judgment] | None = None
    report: bool = True
    by: ClassVar[str] = ""

    @property
    def clients(self) -> tuple[Client, ...]:
        """The clients of the run."""
        return tuple(map(attrgetter("client"), self.sessions))

    @property
    def counts(self) -> SessionCounts:
        """The counts of requests and responses so far."""
        return SessionCounts.total(map(attrgetter("counts"), self.sessions))

    @property
    def total(self) -> int:
        """The number of judgments of the finished run."""
        return self.checked.count

    @property
    def about(self) -> str:
        """The number of items and the format, for the first line that a run prints."""
        return f"{number(self.total, 'item')}, judged by {self.setup.judge.name} with"

    @cached_property
    def record(self) -> JudgeRecord:
        """The content of ``run.json``."""
        return judge_record(self.source, self.checked, self.setup)


def _leave_out(rows: Rows[Judgment], abstain: Callable[[Judgment], Judgment]) -> None:
    """Take unsure scores out of the rows; they count as missing, so that a run without an abstention judges again."""
    for judgment in rows.rows():
        if (left := abstain(judgment)) is not judgment:
            rows.replace(left)


async def judge_items(plan: JudgePlan, *, overwrite: bool = False, watch: Watch | None = None) -> Judgments:
    """Judge the items of a plan that have no judgment yet, and return all judgments; the session must be
    open.

    Args:
        plan: the items, the judge, the session and the folder.
        overwrite: replace another run in the folder, but keep its recordings.
        watch: an observer of the run's progress.

    Raises:
        DeclarationError: the folder holds another run or other files, another process writes it, the
            recordings are invalid, or the settings do not fit the model. Then no model is called and nothing
            is written.
    """
    session, folder = plan.sessions[0], plan.folder
    if session.batch and folder is None:
        raise DeclarationError(
            "a batch is answered later: name the run's folder in which its responses are collected (output)"
        )
    with contextlib.ExitStack() as held:
        if folder is None:
            rows: Rows[Judgment] = Memory(judgment_key)
        else:
            rows = await _claimed(plan, folder, held, overwrite=overwrite)
        before, kept, keys = plan.counts, len(rows), list[str]()
        tally = Tally() if folder is not None else Tally(max_items=0)
        await session.client.collect()
        if watch is not None:
            watch.start(plan, kept)
        try:
            async with contextlib.aclosing(_judged(plan, rows, keys, tally)) as judged:
                async for judgment in judged:
                    if watch is not None:
                        watch.advance(judgment)
            await session.client.hand_in()
        except BaseException:  # stopped, or nothing can be written any more
            with contextlib.suppress(OSError):
                _stop(plan, rows, plan.counts.since(before, kept=kept))
            raise
        if plan.abstain is not None:
            _leave_out(rows, plan.abstain)
        rows.arrange(keys)
        counts, record = plan.counts.since(before, kept=kept), plan.record
        if folder is not None:
            summary = folder.write_results(rows, counts, tally)
            if plan.report:
                write_report(folder, tally=tally)
        else:
            for judgment in rows.rows():
                tally.add(judgment)
            summary = tally.summary(counts).of_all(record.items_count, record.items_left_out)
        missing = list[str]()
        for client in plan.clients:
            missing += client.missing.values()
        return Judgments(
            record, plan.source, rows, tuple(tally.items), summary, counts, tuple(missing), folder
        )


async def _claimed(
    plan: JudgePlan, folder: JudgeFolder, held: contextlib.ExitStack, *, overwrite: bool
) -> Rows[Judgment]:
    """Claim the folder for this run, and return its judgments so far. The items are written into it, a summary of an
    earlier stop is removed, and sessions record into it. ``held`` releases the folder.

    Raises:
        DeclarationError: the folder holds another run, or another process uses it.
    """
    record = plan.record
    folder.check(record, overwrite=overwrite)
    for session in plan.sessions:
        await session.ready(folder)
    new = overwrite or not folder.record_file.exists()
    begin = partial(folder.write_items, plan.source, plan.checked)
    held.enter_context(folder.claimed(record, overwrite=overwrite, begin=begin))
    if not new:  # what an earlier run wrote may be corrupt
        begin()
    with contextlib.suppress(DeclarationError):  # if this one is killed, what a stop left is no longer so
        if folder.result(folder.summary_file, Summary).outstanding:
            folder.summary_file.unlink()
    for session in plan.sessions:
        session.keep_in(folder.recordings_file)
    return held.enter_context(folder.rows())


def _judged(
    plan: JudgePlan, rows: Rows[Judgment], keys: list[str], tally: Tally
) -> AsyncGenerator[Judgment, None]:
    """Judge every item without a judgment, and yield judgments as they come, in a span each if tracing is on. ``keys``
    gets the keys of all items, and ``tally`` their metadata. An item that waits for a batch has no judgment."""
    instrument = plan.setup.instrument(*plan.clients)
    judge, about = judge_item, dict[str, Any]()
    if trace_kind():
        judge, about = judge_in_span, span_attributes(instrument)

    async def in_a_batch(item: Item, instrument: Instrument) -> Judgment | None:
        with awaited_answers() as awaited:
            judgment = await judge(item, instrument)
        return None if awaited else judgment

    def trials() -> Iterator[Trial[Judgment]]:
        work = in_a_batch if plan.sessions[0].batch else judge
        for item in plan.source if plan.folder is None else plan.folder.items():
            tally.add_item(item)
            keys.append(key := trial_key(instrument.fingerprint, item.id))
            yield Trial(key, partial(work, item, instrument))

    name = f"judge {instrument.judge.name}"
    in_flight = max(map(attrgetter("in_flight"), plan.clients))
    return perform(trials(), rows, in_flight=in_flight, name=name, about=about)


def _stop(plan: JudgePlan, rows: Rows[Judgment], counts: SessionCounts) -> None:
    """Write the summary and the report of a run that was stopped, and log how far it came; does nothing
    without a folder.
    """
    if (out := plan.folder) is None:
        return
    rows.arrange(trial_key(plan.record.fingerprint, item.id) for item in out.items())
    summary = out.write_results(rows, counts, finished=False)
    write_report(out)
    _log.warning("%d of %d items are judged so far", summary.total, plan.record.items_count)
