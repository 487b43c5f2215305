"""Judge items into a run directory: streaming, resumable, whole or not at all.

The same command again goes on where the last one stopped: judgments that are scored are kept, the others
are asked for again, and whatever a model answered before comes from the recordings without a call.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from conqret._version import __version__
from conqret.data import Item, Judgment, Status
from conqret.errors import DeclarationError
from conqret.io import Checked, ItemSource, item_record
from conqret.io.atomic import replacing
from conqret.io.locking import LOCK_NAME, only_writer
from conqret.judging.folder import RunDirectory, RunRecord
from conqret.judging.setup import Setup
from conqret.judging.stream import judge_stream
from conqret.judging.summary import Summariser, Summary
from conqret.judging.tables import write_scores
from conqret.llm.client import Client
from conqret.llm.recordings import Recordings

_MUST_MATCH = {
    "format": "format",
    "model": "model",
    "metrics": "metrics",
    "fingerprint": "prompts, options or model settings",
    "items_digest": "items",
}


@dataclass(frozen=True)
class Execution:
    """One run to be made: where from, how, where to, and what answers there are already.

    ``recordings`` is the store to use (by default the run's own); with ``replay`` nothing is ever sent.
    """

    source: ItemSource
    checked: Checked
    setup: Setup
    out: RunDirectory
    recordings: Path | None = None
    replay: Path | None = None
    overwrite: bool = False

    def record(self) -> RunRecord:
        """What ``run.json`` will say."""
        setup, checked = self.setup, self.checked
        asks = setup.judge.select(setup.options.metrics)
        settings = {
            name: value
            for name, value in asdict(setup.client).items()
            if name not in {"model", "api_key", "api_base"} and value is not None
        }
        return RunRecord(
            conqret=__version__,
            created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            format=setup.judge.name,
            model=setup.client.model,
            baseline=setup.client.offline,
            fingerprint=setup.fingerprint,
            metrics=list(setup.options.metrics or setup.judge.metrics),
            options=asdict(setup.options),
            model_options=settings,
            prompts={ask.prompt: setup.library[ask.prompt].digest for ask in asks},
            items_name=Path(self.source.name).name,
            items_layout=checked.layout,
            items_count=checked.count,
            items_digest=checked.digest,
            notes=list(setup.notes),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run: its numbers, how many judgments were kept from before, and what a replay lacked."""

    summary: Summary
    kept: int
    missing: tuple[str, ...] = ()


def execute(execution: Execution, *, on_start: Callable[[Client, int], None] | None = None,
            on_judgment: Callable[[Judgment], None] | None = None) -> Outcome:  # fmt: skip
    """Make the run, or finish it.

    ``on_start`` gets the client (for its live counts) and the number of judgments kept from before.

    Raises:
        DeclarationError: the directory holds something else, another run, or is in use; the recordings are
            none; or the settings do not fit the model. Nothing is written then.
    """
    out, record = execution.out, execution.record()
    _claim(execution, record)
    _rehearse(execution)
    with only_writer(out.path):
        _claim(execution, record)  # again: another process may have begun a run here in between
        _write_head(execution, record)
        done = _keep_scored(out, record)
        missing, order = asyncio.run(_judge_rest(execution, done, on_start, on_judgment))
        _put_in_order(out, order)
        summary = _sum_up(out)
    return Outcome(summary, len(done), missing)


def _rehearse(execution: Execution) -> None:
    """Open once what the run will open, so that what is declared wrongly shows before anything is written."""
    if execution.replay:
        Recordings.open_for_replay(execution.replay).close()
    elif execution.recordings:
        Recordings(execution.recordings).close()
    client = Client(execution.setup.client, store=None)
    recorded = execution.replay or execution.recordings or execution.out.judgments_file.exists()
    if execution.setup.client.local and not recorded:  # else there may be nothing left to ask
        asyncio.run(client.prepare())


def _claim(execution: Execution, record: RunRecord) -> None:
    """Make sure that the directory is free for this run, or holds the beginning of it."""
    out = execution.out
    if not out.path.exists():
        return
    if not out.path.is_dir():
        raise DeclarationError(f"{out.path} is a file; give a folder with -o")
    if not out.record_file.exists():  # perhaps a run that was killed before it had said what it is
        ours = {LOCK_NAME, out.items_file.name}
        foreign = [
            entry.name
            for entry in out.path.iterdir()
            if entry.name not in ours and not entry.name.endswith(".part")
        ]
        if foreign:
            raise DeclarationError(
                f"{out.path} holds no run but other files ({', '.join(sorted(foreign)[:3])}); "
                "give another folder with -o"
            )
        return
    if execution.overwrite:
        return
    before = out.record()
    changed = [words for name, words in _MUST_MATCH.items() if getattr(before, name) != getattr(record, name)]
    if changed:
        raise DeclarationError(
            f"{out.path} holds another run: {', '.join(changed)} differ{'s' if len(changed) == 1 else ''} "
            f"(there: {before.format} with {before.model}, {before.items_count} items from {before.items_name}). "
            "Give another folder with -o, or --overwrite to begin this one afresh (its recordings are kept)"
        )


def _write_head(execution: Execution, record: RunRecord) -> None:
    out = execution.out
    if execution.overwrite:
        for old in (out.record_file, out.judgments_file, out.summary_file, out.scores_file, out.report_file):
            old.unlink(missing_ok=True)
    if out.record_file.exists():
        return
    with replacing(out.items_file) as file:
        for item in execution.source:
            file.write(_line(item_record(item)))
    with replacing(out.record_file) as file:
        file.write(record.model_dump_json(indent=1).encode())


def _keep_scored(out: RunDirectory, record: RunRecord) -> set[str]:
    """Leave only the scored judgments of this instrument in the file, and return the ids of their items."""
    if not out.judgments_file.exists():
        return set()
    kept: set[str] = set()
    with replacing(out.judgments_file) as file:
        for judgment in out.judgments(spoiled=True):
            if (
                judgment.status is Status.SCORED
                and judgment.fingerprint == record.fingerprint
                and judgment.item not in kept
            ):
                kept.add(judgment.item)
                file.write(judgment.model_dump_json().encode() + b"\n")
    return kept


async def _judge_rest(
    execution: Execution,
    done: set[str],
    on_start: Callable[[Client, int], None] | None,
    on_judgment: Callable[[Judgment], None] | None,
) -> tuple[tuple[str, ...], list[str]]:
    """Judge what is not done; return what a replay lacked, and the ids of all items in their order."""
    setup, out = execution.setup, execution.out
    order: list[str] = []

    def rest() -> Iterator[Item]:
        for item in out.items():
            order.append(item.id)
            if item.id not in done:
                yield item

    store = (
        Recordings.open_for_replay(execution.replay)
        if execution.replay
        else Recordings(execution.recordings or out.recordings_file)
    )
    with store, out.judgments_file.open("ab", buffering=0) as file:
        async with Client(setup.client, store=store, replay=execution.replay is not None) as client:
            if on_start is not None:
                on_start(client, len(done))
            instrument = setup.instrument(client)
            async for judgment in judge_stream(rest(), instrument, in_flight=client.in_flight):
                file.write(judgment.model_dump_json().encode() + b"\n")
                if on_judgment is not None:
                    on_judgment(judgment)
            return tuple(map(str, client.missing)), order


def _put_in_order(out: RunDirectory, order: list[str]) -> None:
    """Put the judgments, which were written as they came, into the order of the items."""
    places: dict[str, tuple[int, int]] = {}
    with out.judgments_file.open("rb") as file:
        offset = 0
        for line in file:
            places[json.loads(line)["item"]] = (offset, len(line))
            offset += len(line)
        if list(places) == order:
            return
        with replacing(out.judgments_file) as ordered:
            for item in order:
                start, length = places[item]
                file.seek(start)
                ordered.write(file.read(length))


def _sum_up(out: RunDirectory) -> Summary:
    """Write what is derived from the judgments, in one pass over them."""
    summariser = Summariser()

    def counted() -> Iterator[Judgment]:
        for judgment in out.judgments():
            summariser.add(judgment)
            yield judgment

    write_scores(counted(), out.scores_file)
    summary = summariser.summary()
    with replacing(out.summary_file) as file:
        file.write(summary.model_dump_json(indent=1).encode())
    return summary


def _line(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False, default=str).encode() + b"\n"
