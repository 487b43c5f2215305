"""Has a judge changed between runs over the same items? Each wave is compared with a reference wave as ``runs diff``
compares two runs, paired by item; p-values are corrected over all waves and metrics after Holm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, check_known, number, shortened, strict_options
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.summary import Cost, Summary
from conqret.llm.backends.verdicts import PREFIX
from conqret.llm.recordings import batches_beside
from conqret.runs.management import run_folders
from conqret.runs.run_folder import told_apart
from conqret.stats.curve_tests import TOLERANCE
from conqret.stats.effects import ALPHA, holm
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.card.result import differences
from conqret.studies.diff.result import diff

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
    finished: list[tuple[JudgeFolder, JudgeRecord, Summary]] = []
    left_out = []
    for folder, record in sorted(((one, one.record()) for one in folders), key=lambda run: run[1].created):
        try:
            summary = folder.summary()
        except DeclarationError as error:
            left_out.append(str(error))
            continue
        if finished:
            check_alike(finished[0][1], record, str(folder.path))
        finished.append((folder, record, summary))
    if not finished:
        raise DeclarationError("; ".join(left_out) or "there is no judged run: give folders of conqret judge")
    waves: list[Wave] = []
    for place, name in enumerate(told_apart([folder.path for folder, _, _ in finished])):
        wave = _wave(name, *finished[place])
        if place:
            changes = changes_between(waves[-1], finished[place - 1][1], wave, finished[place][1])
            wave = wave.model_copy(update={"changes": tuple(changes)})
        waves.append(wave)
    return waves, left_out


def check_alike(first: JudgeRecord, other: JudgeRecord, name: str) -> None:
    """Raise DeclarationError where the run ``name`` cannot stand in one series with the first one."""
    if first.format != other.format:
        raise DeclarationError(
            f"{name} was judged with the format {other.format}, and the first wave with {first.format}: use one format"
        )
    if first.items_digest != other.items_digest:
        raise DeclarationError(
            f"{name} has other anchors than the first wave ({number(other.items_count, 'item')} from "
            f"{other.items_name}, and {first.items_count} from {first.items_name}): judge the same items in all waves"
        )


def _wave(name: str, folder: JudgeFolder, record: JudgeRecord, summary: Summary) -> Wave:
    calls = [call for judgment in folder.judgments() for call in judgment.trace.calls]
    cost = Cost.of(summary).item
    batched = batches_beside(folder.recordings_file).is_file()
    return Wave(
        name=name,
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
    earlier, later = dict(before.identity), dict(now.identity)
    for record, identity in ((before, earlier), (now, later)):
        if record.model.startswith(PREFIX):  # one log of verdicts is as good as another
            identity.pop("model", None)
    yield from differences(earlier, later, "before")
    for what, new, old in (
        ("the model answers as", few(of.answered_by), few(was.answered_by)),
        ("the provider's system is", few(of.system_fingerprints), few(was.system_fingerprints)),
        ("conqret", of.conqret, was.conqret),
    ):
        if new != old and new and old:
            yield f"{what} {new}, and {old} before"
    if set(now.metrics) != set(before.metrics):
        yield f"metrics: {', '.join(now.metrics)}, and {', '.join(before.metrics)} before"


def few(names: Sequence[str]) -> str:
    """Some of the names, and how many more there are."""
    shown = ", ".join(shortened(name, 60) for name in names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"


SCHEMA = "conqret.drift/2"


class WaveDifference(Frozen):
    """One metric of one wave: its mean and that of the reference over the ``pairs`` that both scored, the difference
    of the two, and its p-value, corrected over all waves and metrics (None: fewer than six topics)."""

    wave: str
    metric: str
    pairs: int
    reference: float | None
    mean: float | None
    difference: Estimate
    p: float | None

    @property
    def drifted(self) -> bool:
        """Whether the judge is shown to have changed, by more than a negligible difference."""
        return self.p is not None and self.p < ALPHA and abs(self.difference.value or 0.0) >= TOLERANCE


class Drift(Frozen):
    """Waves by date, and the differences of each from the ``reference``. ``left_out`` says which runs are not
    finished."""

    schema_name: str = SCHEMA
    format: str
    anchors: int
    topics: int
    reference: str
    confidence: float
    waves: tuple[Wave, ...]
    differences: tuple[WaveDifference, ...]
    left_out: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[WaveDifference, ...]:
        """The differences that are shown."""
        return tuple(difference for difference in self.differences if difference.drifted)

    @property
    def newest(self) -> Wave:
        """The wave of the latest date."""
        return self.waves[-1]


@strict_options
def drift(
    *runs: str | Path,
    reference: str | None = None,
    metrics: Sequence[str] = (),
    confidence: float = CONFIDENCE,
) -> Drift:
    """Compare waves of a judge (runs over the same items) with a reference wave.

    Args:
        runs: finished runs of ``conqret judge``, or folders that contain some.
        reference: the name of the reference wave; None: the earliest.
        metrics: only these; by default all that the waves share.
        confidence: the confidence level of the intervals.

    Raises:
        DeclarationError: fewer than two finished runs, or runs of other items or another format.
        UnknownNameError: there is no such wave, or no such metric.
    """
    waves, left_out = read_waves(map(Path, runs))
    if len(waves) < 2:
        raise DeclarationError("; ".join([*left_out, "at least two finished waves are needed"]))
    known = {wave.name: wave for wave in waves}
    if reference is not None:
        check_known("wave", known, reference)
    base = waves[0] if reference is None else known[reference]
    settings = AgreementSettings(confidence=confidence)
    compared = {
        wave.name: diff(Path(base.place), Path(wave.place), settings=settings, metrics=metrics, most=0)
        for wave in waves
        if wave is not base
    }
    rows = [(name, row) for name, difference in compared.items() for row in difference.metrics.values()]
    corrected = holm([row.p for _, row in rows])
    return Drift(
        format=JudgeFolder(Path(base.place)).record().format,
        anchors=base.anchors + base.missing,
        topics=max(difference.clusters for difference in compared.values()),
        reference=base.name,
        confidence=confidence,
        waves=tuple(waves),
        differences=tuple(
            WaveDifference(
                wave=name,
                metric=row.metric,
                pairs=row.pairs,
                reference=row.first.value,
                mean=row.second.value,
                difference=row.difference,
                p=p,
            )
            for (name, row), p in zip(rows, corrected, strict=True)
        ),
        left_out=tuple(left_out),
    )
