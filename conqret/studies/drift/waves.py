"""Waves: runs of a judge over the same anchors, by date, and what changed from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, number, shortened
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.summary import Summary
from conqret.llm.backends.verdicts import PREFIX
from conqret.llm.recordings import batches_beside
from conqret.runs.management import run_folders
from conqret.runs.run_folder import told_apart
from conqret.studies.card.card_fit import differences
from conqret.studies.card.run_cost import Cost

DEARER = 1.1
"""How many times the price of an anchor has to be what it was before, or the other way round, to be told."""
SLOWER = 2.0
"""The same of the model's seconds, which stray more; below a tenth of a second they say nothing."""
LEAST_SECONDS = 0.1
MOST_NAMED = 3
MOST_KEPT = 20
"""Names of one kind that are kept of a wave: a server may give each answer another."""


class Wave(Frozen):
    """One wave, a run in the folder ``place``. ``anchors`` have a score in every metric. ``answered_by`` are the
    names under which the model answered, ``system_fingerprints`` what its provider says of the system behind.
    ``usd`` (None: unknown), ``tokens`` and ``seconds`` (None: a batch answered) are those of an anchor. Where
    ``recorded``, every answer came from recordings: the model was not asked. ``changes`` says what differs from the
    wave before."""

    name: str
    place: str
    date: str
    model: str
    fingerprint: str
    conqret: str
    answered_by: tuple[str, ...] = ()
    system_fingerprints: tuple[str, ...] = ()
    anchors: int
    missing: int
    usd: float | None
    tokens: float | None
    seconds: float | None
    recorded: bool = False
    changes: tuple[str, ...] = ()


def read_waves(paths: Iterable[Path]) -> tuple[list[Wave], list[str]]:
    """The finished runs at ``paths`` (runs of ``conqret judge``, or folders that hold some) by their dates, and in
    words those that are not finished.

    Raises:
        DeclarationError: there is no run, one that is no run of a judge, two of one name, or runs of other items or
            another format.
    """
    folders = [JudgeFolder(run_folder) for path in paths for run_folder in run_folders(path)]
    records = {folder: folder.record() for folder in folders}
    waves: dict[JudgeFolder, Wave] = {}
    left_out = []
    for folder in sorted(records, key=lambda folder: records[folder].created):
        try:
            summary = folder.summary()
        except DeclarationError as error:
            left_out.append(str(error))
            continue
        if waves:
            check_alike(records[next(iter(waves))], records[folder], str(folder.path))
        waves[folder] = _wave(folder, records[folder], summary)
    if not waves:
        raise DeclarationError("; ".join(left_out) or "there is no judged run: give folders of conqret judge")
    names = told_apart([folder.path for folder in waves])
    named = [wave.model_copy(update={"name": name}) for wave, name in zip(waves.values(), names, strict=True)]
    runs = [records[folder] for folder in waves]
    changed = [
        wave.model_copy(update={"changes": tuple(changes_between(was, before, wave, record))})
        for (before, was), (record, wave) in pairwise(zip(runs, named, strict=True))
    ]
    return [named[0], *changed], left_out


def check_alike(first: JudgeRecord, other: JudgeRecord, name: str) -> None:
    """Raise DeclarationError where the run ``name`` cannot stand in one series with the first one."""
    if first.format != other.format:
        raise DeclarationError(
            f"{name} was judged with the format {other.format}, but the first wave with "
            f"{first.format}: use one format for all waves"
        )
    if first.items_digest != other.items_digest:
        raise DeclarationError(
            f"{name} has other anchors than the first wave ({number(other.items_count, 'item')} from "
            f"{other.items_name}, and {first.items_count} from {first.items_name}): keep the anchors, or start a new "
            "time series in a folder of its own"
        )


def _wave(folder: JudgeFolder, record: JudgeRecord, summary: Summary) -> Wave:
    calls = [call for judgment in folder.judgments() for call in judgment.trace.calls]
    cost = Cost.of(summary).item
    batched = batches_beside(folder.recordings_file).is_file()
    return Wave(
        name=folder.path.name,
        place=str(folder.path),
        date=record.created,
        model=record.model,
        fingerprint=record.fingerprint,
        conqret=record.conqret,
        answered_by=_names(name for call in calls if not (name := call.answered_by or "").startswith(PREFIX)),
        system_fingerprints=_names(call.system_fingerprint for call in calls),
        anchors=summary.scored,
        missing=summary.unscored + summary.failed,
        usd=cost["usd"],
        tokens=cost["tokens"],
        seconds=None if batched else cost["seconds"],
        recorded=bool(calls) and not batched and all(call.recorded for call in calls),
    )


def _names(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))[:MOST_KEPT]


def changes_between(was: Wave, before: JudgeRecord, of: Wave, now: JudgeRecord) -> Iterator[str]:
    """What differs between two waves, with their records, but for the scores, in words."""
    yield from differences(_identity(before), _identity(now), "before")
    for what, new, old in (
        ("the model answers as", of.answered_by, was.answered_by),
        ("the provider's system is", of.system_fingerprints, was.system_fingerprints),
    ):
        if new != old and new and old:
            yield f"{what} {few(new)}, and {few(old)} before"
    if of.conqret != was.conqret:
        yield f"conqret {of.conqret}, and {was.conqret} before"
    if set(now.metrics) != set(before.metrics):
        yield f"metrics: {', '.join(now.metrics)}, and {', '.join(before.metrics)} before"
    if _apart(of.usd, was.usd, DEARER):
        yield f"an item costs ${of.usd:.3g}, and ${was.usd:.3g} before"
    timed = not (of.recorded or was.recorded) and max(of.seconds or 0, was.seconds or 0) > LEAST_SECONDS
    if timed and _apart(of.seconds, was.seconds, SLOWER):
        yield f"an item takes {of.seconds:.2g} s of the model, and {was.seconds:.2g} s before"


def _identity(record: JudgeRecord) -> Mapping[str, Any]:
    """The instrument part by part; one log of verdicts is as good as another."""
    logged = record.model.startswith(PREFIX)
    return {name: value for name, value in record.identity.items() if not (logged and name == "model")}


def few(names: Sequence[str]) -> str:
    """Some of the names, and how many more there are."""
    shown = ", ".join(shortened(name, 60) for name in names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"


def _apart(now: float | None, before: float | None, times: float) -> bool:
    return bool(now and before and not 1 / times <= now / before <= times)
