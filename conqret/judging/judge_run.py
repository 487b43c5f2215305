"""Judge items into a run directory: streaming, resumable, whole or not at all.

The same command again goes on where the last one stopped: judgments that are scored are kept, the others
are asked for again, and whatever a model answered before comes from the recordings without a call.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from conqret.data import Item, Judgment, Reason
from conqret.errors import DeclarationError
from conqret.io import CheckedItems, ItemSource, item_record
from conqret.io.jsonl import compact
from conqret.io.safe_files import replacing, write_whole
from conqret.judging.instrument import Instrument
from conqret.judging.item_spans import about, judge_in_span
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord, judgment_rows, trial_key
from conqret.judging.setup import Setup
from conqret.judging.summary import Summariser, Summary
from conqret.judging.tables import ScoreTable
from conqret.llm.client import Client
from conqret.runs.row_store import RowStore
from conqret.runs.session import Session, SessionCounts
from conqret.runs.trials import Sink, Trial, perform

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Execution:
    """One run to be made: where from, how, where to, and what answers there are already.

    ``recordings`` is the store to use (by default the run's own); with ``replay`` nothing is ever sent. ``shared`` is a
    session that others use, too: store, library and client are then its own. ``on_stop`` is called where the run is
    stopped before its end, once its numbers so far are written. With ``batch`` what has no answer is handed in, and its
    items have no judgment until the same run collects them. ``clients`` makes the client: an engine's spreads the work.
    ``abstain`` leaves scores of a judgment out, and is told the whole ones.
    """

    source: ItemSource
    checked: CheckedItems
    setup: Setup
    out: JudgeFolder
    recordings: Path | None = None
    replay: Path | None = None
    overwrite: bool = False
    shared: Session | None = None
    batch: bool = False
    on_stop: Callable[[JudgeFolder], object] = lambda folder: None
    clients: Callable[..., Client] = Client
    abstain: Callable[[Judgment], Judgment] | None = None

    @cached_property
    def session(self) -> Session:
        """What asks the model."""
        return self.shared or Session(
            self.setup.client,
            recordings=None if self.replay else self.recordings,
            replay=self.replay,
            prompts=self.setup.library,
            batch=self.batch,
            clients=self.clients,
        )

    @cached_property
    def record(self) -> JudgeRecord:
        """What ``run.json`` will say."""
        return judge_record(self.source, self.checked, self.setup)


def judge_record(source: ItemSource, checked: CheckedItems, setup: Setup) -> JudgeRecord:
    """What there is to say of items and instrument."""
    settings = {
        name: value
        for name, value in asdict(setup.client).items()
        if name not in {"model", "api_key", "api_base", "retry_unscored"} and value is not None
    }
    return JudgeRecord(
        format=setup.judge.name,
        model=setup.client.model,
        baseline=setup.client.backend.baseline,
        fingerprint=setup.fingerprint,
        metrics=list(setup.metrics),
        options=asdict(setup.options),
        model_options=settings,
        identity=setup.identity,
        items_name=Path(source.name).name,
        items_layout=checked.layout,
        items_count=checked.count,
        items_digest=checked.digest,
        items_left_out=checked.left_out,
        notes=list(setup.notes),
    )


@dataclass(frozen=True, slots=True)
class JudgeOutcome:
    """A finished run: its numbers, its judgments, the ids of its items in order, and what a replay lacked."""

    summary: Summary
    rows: RowStore[Judgment]
    ids: tuple[str, ...]
    missing: tuple[str, ...] = ()


def execute(
    execution: Execution,
    *,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_judgment: Callable[[Judgment], None] = lambda judgment: None,
    readers: Sequence[Callable[[Judgment], None]] = (),
) -> JudgeOutcome:
    """Make the run, or finish it, and wait for it; see :func:`aexecute`."""
    return execution.session.run(lambda _: aexecute(execution, on_start, on_judgment, readers))


async def aexecute(
    execution: Execution,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_judgment: Callable[[Judgment], None] = lambda judgment: None,
    readers: Sequence[Callable[[Judgment], None]] = (),
) -> JudgeOutcome:
    """Make the run, or finish it.

    ``on_start`` gets the client (for its live counts) and the number of judgments kept from before; ``on_judgment``
    gets each judgment as it is made. ``readers`` get every judgment of the finished run once, in the order
    of the items.

    Raises:
        DeclarationError: the directory holds something else, another run, or is in use; the recordings are
            none; or the settings do not fit the model. Nothing is written then.
    """
    out, session, record = execution.out, execution.session, execution.record
    out.check(record, overwrite=execution.overwrite)
    await session.ready(out)
    lines = None if out.is_there() else execution.checked.lines
    with out.claimed(
        record,
        overwrite=execution.overwrite,
        begin=lambda: write_items(execution.source, out, lines),
    ):
        if lines is None:  # the run goes on, or its source was read a second time
            mend_items(execution.source, out)
        _forget_stop(out)
        session.keep_in(out.recordings_file)
        before = session.counts
        with judgment_rows(out.judgments_file, record.fingerprint) as rows:
            kept = len(rows)
            await session.client.collect()
            on_start(session.client, kept)
            try:
                order = await _judge_rest(execution, session.client, rows, on_judgment)
                await session.client.hand_in()
            except BaseException:  # stopped, or nothing can be written any more
                with contextlib.suppress(OSError):
                    _stop(execution, rows, session.counts.since(before, kept=kept))
                raise
        _abstain(execution, rows)
        rows.arrange(trial_key(record.fingerprint, item) for item in order)
        summary = sum_up(out, rows, session.counts.since(before, kept=kept), readers)
    if execution.batch:
        order = [item for item in order if rows.get(trial_key(record.fingerprint, item)) is not None]
    return JudgeOutcome(summary, rows, tuple(order), tuple(map(str, session.client.missing)))


async def judged(
    items: Iterable[Item],
    instrument: Instrument,
    sink: Sink[Judgment],
    *,
    in_flight: int,
    keeps: Callable[[Judgment], bool] = lambda judgment: True,
) -> AsyncGenerator[Judgment, None]:
    """Judge what ``sink`` does not hold yet, and yield each judgment once it is kept, or left out (``keeps``)."""

    def trial(item: Item) -> Trial[Judgment]:
        return Trial(
            trial_key(instrument.fingerprint, item.id), lambda earlier: judge_in_span(item, instrument)
        )

    name = f"judge {instrument.judge.name}"
    made = perform(
        map(trial, items), sink, in_flight=in_flight, keeps=keeps, name=name, about=about(instrument)
    )
    async with contextlib.aclosing(made) as judgments:
        async for judgment in judgments:
            yield judgment


def noted(items: Iterable[Item], order: list[str]) -> Iterator[Item]:
    """The items, whose ids go into ``order`` as they are taken, so that nothing is read again for them."""
    for item in items:
        order.append(item.id)
        yield item


def write_items(source: ItemSource, out: JudgeFolder, checked: Iterable[bytes] | None = None) -> None:
    """Write the items as they were read: the lines of the check, where it kept them."""
    lines = (compact(item_record(item)) for item in source) if checked is None else checked
    with replacing(out.items_file) as file:
        file.writelines(line + b"\n" for line in lines)


def mend_items(source: ItemSource, out: JudgeFolder) -> None:
    """Write the items again where those of a run that goes on are damaged.

    Raises:
        DeclarationError: the source no longer holds what it held when it was checked.
    """
    try:
        out.check_items()
    except DeclarationError:
        write_items(source, out)
        out.check_items()


async def _judge_rest(
    execution: Execution,
    client: Client,
    rows: RowStore[Judgment],
    on_judgment: Callable[[Judgment], None],
) -> list[str]:
    """Judge what is not done; return the ids of all items in their order."""
    order: list[str] = []
    instrument = execution.setup.instrument(client)
    items = noted(execution.out.items(), order)

    def answered(judgment: Judgment) -> bool:
        return not (execution.batch and _awaits(judgment))

    async for judgment in judged(items, instrument, rows, in_flight=client.in_flight, keeps=answered):
        if answered(judgment):
            on_judgment(judgment)
    return order


def _abstain(execution: Execution, rows: RowStore[Judgment]) -> None:
    """Put what is left of the judgments in their place. (What is left out is no score, so that the same run without an
    abstention makes these judgments again, from their recordings.)"""
    if (abstain := execution.abstain) is None:
        return
    for judgment in rows.rows():
        if (left := abstain(judgment)) is not judgment:
            rows.add(left, instead=True)


def _awaits(judgment: Judgment) -> bool:
    """Whether a batch still holds one of its questions."""
    return any(call.error.startswith(f"{Reason.AWAITED}:") for call in judgment.trace.calls)


def sum_up(
    out: JudgeFolder,
    rows: RowStore[Judgment],
    counts: SessionCounts,
    readers: Sequence[Callable[[Judgment], None]] = (),
) -> Summary:
    """Write what is derived from the judgments, in one pass over them; ``readers`` get each of them, too."""
    with ScoreTable(out.scores_file) as table:
        return _write_summary(out, rows, counts, (table.add, *readers))


def _write_summary(
    out: JudgeFolder,
    rows: RowStore[Judgment],
    counts: SessionCounts,
    readers: Sequence[Callable[[Judgment], None]] = (),
) -> Summary:
    summariser = Summariser()
    for judgment in rows.rows():
        for read in (summariser.add, *readers):
            read(judgment)
    record = out.record()
    summary = summariser.summary(counts).of_all(record.items_count, record.items_left_out)
    write_whole(out.summary_file, summary.model_dump_json(indent=1).encode())
    return summary


def _forget_stop(out: JudgeFolder) -> None:
    """Take the numbers of an earlier session away that was stopped: if this one is killed, they are no longer so."""
    with contextlib.suppress(DeclarationError):
        if out.result(out.summary_file, Summary).outstanding:
            out.summary_file.unlink()


def _stop(execution: Execution, rows: RowStore[Judgment], counts: SessionCounts) -> None:
    """Write the numbers so far of a run that is stopped, but no table of scores: others would take it for whole."""
    out, fingerprint = execution.out, execution.record.fingerprint
    rows.arrange(trial_key(fingerprint, item.id) for item in out.items())
    summary = _write_summary(out, rows, counts)
    execution.on_stop(out)
    _log.warning("%d of %d items are judged so far", summary.total, execution.record.items_count)
