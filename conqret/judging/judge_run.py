"""Judge items into a run directory: streaming, resumable, whole or not at all.

The same command again goes on where the last one stopped: judgments that are scored are kept, the others
are asked for again, and whatever a model answered before comes from the recordings without a call.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from conqret.data import Item, Judgment, Measure, Reason
from conqret.errors import DeclarationError, number
from conqret.io import CheckedItems, ItemSource, item_record
from conqret.io.cell_values import canonical
from conqret.io.jsonl import compact
from conqret.io.safe_files import replacing, write_whole
from conqret.judging.instrument import Instrument, judge_item
from conqret.judging.judge_folder import (
    JudgeFolder,
    JudgeRecord,
    JudgmentRows,
    ScoreTable,
    judgment_key,
    trial_key,
)
from conqret.judging.setup import Setup
from conqret.judging.summary import Summariser, Summary
from conqret.llm.client import Client, awaited_answers
from conqret.llm.tracing import KIND, TYPE, tracer, wanted
from conqret.runs.session import Session, SessionCounts
from conqret.runs.trials import Memory, Trial, perform

if TYPE_CHECKING:
    from conqret.judging.judge_settings import Watch

EVENT = "gen_ai.evaluation.result"


def span_attributes(*instruments: Instrument) -> dict[str, Any]:
    """What the spans of a run and of its items say of the judge, or of several: each value once, by commas."""
    values = {
        "conqret.format": [instrument.judge.name for instrument in instruments],
        "conqret.model": [instrument.model for instrument in instruments],
        "conqret.fingerprint": [instrument.fingerprint for instrument in instruments],
    }
    return {name: ", ".join(dict.fromkeys(of_each)) for name, of_each in values.items()}


async def judge_in_span(item: Item, instrument: Instrument) -> Judgment:
    """As :func:`judge_item`, in a span where spans are asked for."""
    kind = wanted()
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
        measures = [
            (metric, measure)
            for metric, measure in judgment.measures.items()
            if measure.reason is not Reason.AWAITED
        ]
        for place, (metric, measure) in enumerate(measures):
            span.add_event(EVENT, _result(metric, measure, contents=contents))
            span.set_attributes(_attributes(place, metric, measure, judge, contents=contents))
        return judgment


def _result(metric: str, measure: Measure, *, contents: bool) -> dict[str, Any]:
    """The attributes of the event."""
    attributes: dict[str, Any] = {
        "gen_ai.evaluation.name": metric,
        "gen_ai.evaluation.score.value": measure.value,
        "gen_ai.evaluation.score.label": measure.label,
        "gen_ai.evaluation.explanation": (measure.explanation or measure.detail or None)
        if contents
        else None,
        "error.type": None if measure.reason is None else measure.reason.value,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _attributes(place: int, metric: str, measure: Measure, judge: str, *, contents: bool) -> dict[str, Any]:
    """The same as attributes of the span."""
    theirs: dict[str, Any] = {
        "name": metric,
        "score": measure.value,
        "label": measure.label if measure.reason is None else measure.reason.value,
        "explanation": (measure.explanation or measure.detail or None) if contents else None,
        "annotator_kind": judge,
    }
    attributes = {
        f"evaluations.{place}.evaluation.{name}": attribute
        for name, attribute in theirs.items()
        if attribute is not None
    }
    return attributes if measure.value is None else {**attributes, f"conqret.score.{metric}": measure.value}


_log = logging.getLogger(__name__)

Readers = Sequence[Callable[[Judgment], None]]
"""Whatever gets every judgment of a finished run once, in the order of the items."""


class Abstainer(Protocol):
    """What is made of whole judgments: :class:`conqret.studies.abstain.abstention.Abstention`."""

    def applied(self, judgment: Judgment) -> Judgment:
        """The judgment with every score that is not trusted left out; itself, where all are."""


def judge_record(source: ItemSource, checked: CheckedItems, setup: Setup) -> JudgeRecord:
    """What there is to say of items and instrument."""
    settings = {
        name: value
        for name, value in asdict(setup.client).items()
        if name not in {"model", "api_key", "api_base", "retry_unscored"} and value is not None
    }
    options = asdict(setup.options)
    if not setup.turns:
        del options["conversation"]
    if not setup.options.explain_in:
        del options["explain_in"]
    return JudgeRecord(
        **setup.recorded,
        options=options,
        model_options=settings,
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
    rows: JudgmentRows
    ids: tuple[str, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgePlan:
    """Every item is judged once.

    With a session that hands in batches, an item has no judgment until the same run collects it. ``abstain`` is told
    the whole judgments: it leaves scores out, and says between which labels of people each lies. ``on_stop`` is called
    where the run is stopped before its end, once its numbers so far are written. ``readers`` get every judgment of the
    finished run once, in the order of the items, and ``item_readers`` every item, as it is read. ``folder`` is None
    where nothing is to be kept.
    """

    session: Session
    folder: JudgeFolder | None
    source: ItemSource
    checked: CheckedItems
    setup: Setup
    abstain: Abstainer | None = None
    on_stop: Callable[[JudgeFolder], object] = lambda folder: None
    readers: Readers = ()
    item_readers: Sequence[Callable[[Item], None]] = ()
    by: ClassVar[str] = ""

    @property
    def clients(self) -> tuple[Client, ...]:
        """Who is asked."""
        return self.session.clients

    @property
    def total(self) -> int:
        """How many judgments there will be."""
        return self.checked.count

    @property
    def about(self) -> str:
        """What is judged."""
        return f"{number(self.total, 'item')}, judged by {self.setup.judge.name} with"

    @cached_property
    def record(self) -> JudgeRecord:
        """What ``run.json`` says."""
        return judge_record(self.source, self.checked, self.setup)

    def items(self) -> Iterator[Item]:
        """The items that are judged."""
        for item in self.source if self.folder is None else self.folder.items():
            for read in self.item_readers:
                read(item)
            yield item


async def judge_items(
    plan: JudgePlan, *, overwrite: bool = False, watch: Watch | None = None
) -> JudgeOutcome:
    """Do what is left of a run, whose session is open; ``overwrite`` begins afresh where the folder holds another run
    (its recordings are kept), and ``watch`` looks on.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, the recordings
            are none, or the settings do not fit the model. The model is not asked then, and nothing is written.
    """
    session, folder = plan.session, plan.folder
    if session.batch and folder is None:
        raise DeclarationError(
            "a batch is answered later: name the run's folder in which its responses are collected (output)"
        )
    with contextlib.ExitStack() as held:
        rows: JudgmentRows = Memory(judgment_key)
        if folder is not None:
            rows = await _claimed(plan, folder, held, overwrite=overwrite)
        before, kept, keys = session.counts, len(rows), list[str]()
        await session.client.collect()
        if watch is not None:
            watch.start(plan, kept)
        try:
            async with contextlib.aclosing(_judged(plan, rows, keys)) as judged:
                async for judgment in judged:
                    if watch is not None:
                        watch.advance(judgment)
            await session.client.hand_in()
        except BaseException:  # stopped, or nothing can be written any more
            with contextlib.suppress(OSError):
                _stop(plan, rows, session.counts.since(before, kept=kept))
            raise
        if plan.abstain is not None:  # what is left out is no score: without an abstention it is made again
            for judgment in rows.rows():
                if (left := plan.abstain.applied(judgment)) is not judgment:
                    rows.replace(left)
        rows.arrange(keys)
        ids: list[str] = []
        readers = (lambda judgment: ids.append(judgment.item), *plan.readers)
        counts = session.counts.since(before, kept=kept)
        if folder is not None:
            summary = sum_up(folder, rows, counts, readers)
        else:
            summary = _summary(plan.record, rows, counts, readers)
        return JudgeOutcome(summary, rows, tuple(ids), tuple(map(str, session.client.missing)))


async def _claimed(
    plan: JudgePlan, folder: JudgeFolder, held: contextlib.ExitStack, *, overwrite: bool
) -> JudgmentRows:
    """The judgments in the folder, which is claimed; the items that an earlier run wrote are mended, and its stop is
    forgotten."""
    record = plan.record
    folder.check(record, overwrite=overwrite)
    await plan.session.ready(folder)
    new = overwrite or not folder.record_file.exists()
    begin = partial(write_items, plan.source, folder, plan.checked)
    held.enter_context(folder.claimed(record, overwrite=overwrite, begin=begin))
    if not new and not folder.items_whole():
        begin()
    with contextlib.suppress(DeclarationError):  # if this one is killed, what a stop left is no longer so
        if folder.result(folder.summary_file, Summary).outstanding:
            folder.summary_file.unlink()
    plan.session.keep_in(folder.recordings_file)
    return held.enter_context(folder.rows())


def _judged(plan: JudgePlan, rows: JudgmentRows, keys: list[str]) -> AsyncGenerator[Judgment, None]:
    """Judge every item that has no judgment yet: in a span, where spans are asked for. ``keys`` take up those of
    all."""
    client = plan.session.client
    instrument = plan.setup.instrument(client)
    work, about = judge_item, dict[str, Any]()
    if wanted():
        work, about = judge_in_span, span_attributes(instrument)

    def trials() -> Iterator[Trial[Judgment]]:
        for item in plan.items():
            keys.append(key := trial_key(instrument.fingerprint, item.id))
            yield Trial(key, partial(judged, item))

    async def judged(item: Item) -> Judgment | None:
        if not plan.session.batch:
            return await work(item, instrument)
        with awaited_answers() as awaited:
            judgment = await work(item, instrument)
        return None if awaited else judgment

    name = f"judge {instrument.judge.name}"
    return perform(trials(), rows, in_flight=client.in_flight, name=name, about=about)


def _stop(plan: JudgePlan, rows: JudgmentRows, counts: SessionCounts) -> None:
    """Write the numbers so far, but no table of scores: others would take it for whole."""
    if (out := plan.folder) is None:
        return
    rows.arrange(trial_key(plan.record.fingerprint, item.id) for item in out.items())
    summary = _write_summary(out, rows, counts)
    plan.on_stop(out)
    _log.warning("%d of %d items are judged so far", summary.total, plan.record.items_count)


def write_items(source: ItemSource, out: JudgeFolder, checked: CheckedItems | None = None) -> None:
    """Write the items as they were read: the lines of the check, where it kept them.

    Raises:
        DeclarationError: the source no longer holds what it held when it was ``checked``.
    """
    sha = hashlib.sha256()
    with replacing(out.items_file) as file:
        if checked is not None and checked.lines is not None:
            file.writelines(line + b"\n" for line in checked.lines)
            return
        for item in source:
            record = item_record(item)
            file.write(compact(record) + b"\n")
            sha.update(canonical(record) + b"\n")
        if checked is not None and sha.hexdigest() != checked.digest:
            raise DeclarationError(f"{source.name} has changed since it was checked: run the command again")


def sum_up(out: JudgeFolder, rows: JudgmentRows, counts: SessionCounts, readers: Readers = ()) -> Summary:
    """Write what is derived from the judgments, in one pass over them; ``readers`` get each of them, too."""
    with ScoreTable(out.scores_file) as table:
        return _write_summary(out, rows, counts, (table.add, *readers))


def _write_summary(
    out: JudgeFolder, rows: JudgmentRows, counts: SessionCounts, readers: Readers = ()
) -> Summary:
    summary = _summary(out.record(), rows, counts, readers)
    write_whole(out.summary_file, summary.model_dump_json(indent=1).encode())
    return summary


def _summary(record: JudgeRecord, rows: JudgmentRows, counts: SessionCounts, readers: Readers) -> Summary:
    summariser = Summariser()
    for judgment in rows.rows():
        for read in (summariser.add, *readers):
            read(judgment)
    return summariser.summary(counts).of_all(record.items_count, record.items_left_out)
