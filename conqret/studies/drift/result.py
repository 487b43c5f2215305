"""Has a judge changed between runs over the same items? Each wave is compared with a reference wave as ``runs diff``
compares two runs, paired by item; p-values are corrected over all waves and metrics after Holm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, check_known, number, shortened, strict_options
from conqret.judging.cost import Cost
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.summary import Summary
from conqret.llm.backends.verdicts import PREFIX
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.llm.recordings import batches_beside
from conqret.runs.management import run_folders
from conqret.runs.run_folder import distinct_names
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Alarm, Column, Table
from conqret.stats.curve_tests import TOLERANCE
from conqret.stats.effects import ALPHA, holm
from conqret.stats.estimate import CONFIDENCE, MIN_TOPICS, Estimate
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.bias.result import bullet_points
from conqret.studies.card.result import differences
from conqret.studies.diff.difference import diff

MAX_NAMED = 3
MAX_KEPT = 20
"""Names of one kind that are kept of a wave: a server may give each answer another."""


class Wave(Frozen):
    """One wave of a drift study: a run over the anchor items, in the folder ``place``.

    - ``anchors``: the number of items with a score in every metric; ``missing``: of the others.
    - ``answered_by``: the model names in responses; ``system_fingerprints``: the provider's fingerprints.
    - ``usd`` (None: unknown), ``tokens`` and ``seconds`` (None: a batch): costs per anchor.
    - ``recorded``: True if every response came from recordings.
    - ``changes``: differences from the wave before, in words.
    """

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
    """Read the finished runs at ``paths``, the oldest first (by the time at which they began).

    Args:
        paths: runs of ``conqret judge``, or folders that contain some.

    Returns:
        The waves, and sentences on runs that are not finished.

    Raises:
        DeclarationError: no run is finished, a folder is no run of a judge, two runs have one name, or runs
            differ in items or format.
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
        first = finished[0][1] if finished else record
        if record.format != first.format:
            raise DeclarationError(
                f"{folder.path} was judged with the format {record.format}, and the first wave with {first.format}: "
                "use one format"
            )
        if record.items_digest != first.items_digest:
            raise DeclarationError(
                f"{folder.path} has other anchors than the first wave ({number(record.items_count, 'item')} from "
                f"{record.items_name}, and {first.items_count} from {first.items_name}): judge the same items in all "
                "waves"
            )
        finished.append((folder, record, summary))
    if not finished:
        raise DeclarationError("; ".join(left_out) or "there is no judged run: give folders of conqret judge")
    waves: list[Wave] = []
    for place, name in enumerate(distinct_names([folder.path for folder, _, _ in finished])):
        wave = _wave(name, *finished[place])
        if place:
            changes = changes_between(waves[-1], finished[place - 1][1], wave, finished[place][1])
            wave = wave.model_copy(update={"changes": tuple(changes)})
        waves.append(wave)
    return waves, left_out


def _wave(name: str, folder: JudgeFolder, record: JudgeRecord, summary: Summary) -> Wave:
    calls = [call for judgment in folder.judgments() for call in judgment.trace.calls]
    cost = Cost.from_summary(summary).item
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
    return tuple(sorted({name for name in names if name}))[:MAX_KEPT]


def changes_between(was: Wave, before: JudgeRecord, wave: Wave, now: JudgeRecord) -> Iterator[str]:
    """Yield in words what differs between two waves apart from scores, from the waves and their records."""
    earlier, later = dict(before.identity), dict(now.identity)
    for record, identity in ((before, earlier), (now, later)):
        if record.model.startswith(PREFIX):  # one log of verdicts is as good as another
            identity.pop("model", None)
    yield from differences(earlier, later, "before")
    for what, new, old in (
        ("the model answers as", few(wave.answered_by), few(was.answered_by)),
        ("the provider's system is", few(wave.system_fingerprints), few(was.system_fingerprints)),
        ("conqret", wave.conqret, was.conqret),
    ):
        if new != old and new and old:
            yield f"{what} {new}, and {old} before"
    if set(now.metrics) != set(before.metrics):
        yield f"metrics: {', '.join(now.metrics)}, and {', '.join(before.metrics)} before"


def few(names: Sequence[str]) -> str:
    """Return the first :data:`MAX_NAMED` names, shortened, and how many more there are."""
    shown = ", ".join(shortened(name, 60) for name in names[:MAX_NAMED])
    return shown if len(names) <= MAX_NAMED else f"{shown} and {len(names) - MAX_NAMED} more"


class WaveDifference(Frozen):
    """The difference of one wave from the reference on one metric, over the ``pairs`` that both scored.

    ``p`` is corrected over all waves and metrics; None below six topics.
    """

    wave: str
    metric: str
    pairs: int
    reference: float | None
    mean: float | None
    difference: Estimate
    p: float | None

    @property
    def drifted(self) -> bool:
        """True if the corrected p is below ``ALPHA`` (0.05) and the absolute difference at least
        ``TOLERANCE`` (0.01); False where p is None.
        """
        return self.p is not None and self.p < ALPHA and abs(self.difference.value or 0.0) >= TOLERANCE


class Drift(Frozen):
    """The waves by date, and the differences of each from the ``reference`` wave.

    ``left_out`` says which runs are not finished. ``anchors`` counts the items that all runs share,
    ``confidence`` (between 0 and 1) is that of the intervals.
    """

    schema_name: str = "conqret.drift/2"
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
        """The differences that show drift (:attr:`WaveDifference.drifted`)."""
        return tuple(difference for difference in self.differences if difference.drifted)

    @property
    def newest(self) -> Wave:
        """The latest wave."""
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
        reference: the name of the reference wave; None takes the earliest.
        metrics: the metrics to compare; by default all that the waves share.
        confidence: the confidence level of the intervals.

    Raises:
        DeclarationError: there are fewer than two finished runs, or runs differ in items or format.
        UnknownNameError: there is no such wave or metric.
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


MAX_LINES = 6
"""Metrics that are drawn: those that moved most."""
MAX_LISTED = 6
"""Changes, and waves answered from recordings, that are listed; the latest."""


def drift_screen(drift: Drift) -> Iterator[str | Table]:
    """Yield what a terminal shows: the table of differences, what changed, and what to do."""
    yield difference_table(drift)
    yield from bullet_points("What changed", _changes(drift)[-MAX_LISTED:])
    yield from bullet_points("What to do", list(_to_do(drift)))


def drift_answer(drift: Drift) -> list[str]:
    """Return sentences on whether the judge drifted, since when, and by how much."""
    first = (
        f"{drift.format} with {drift.newest.model}: {number(len(drift.waves) - 1, 'wave')} compared with "
        f"“{drift.reference}” ({number(drift.anchors, 'item')}, {number(drift.topics, 'topic')})."
    )
    if not drift.alarms:
        if all(row.p is None for row in drift.differences):
            return [first, f"Nothing is tested: a test needs {MIN_TOPICS} topics."]
        return [first, "No drift was detected."]
    by_metric = gathered((row.metric, row) for row in drift.alarms)
    return [first, f"The judge has drifted: {'; '.join(map(_since, by_metric.values()))}."]


def _since(rows: Sequence[WaveDifference]) -> str:
    """In which waves the judge scores otherwise on a metric, and how far in the latest of them."""
    last = rows[-1]
    way = "lower" if (last.difference.value or 0.0) < 0 else "higher"
    waves = f"on {last.wave}" if len(rows) == 1 else f"in {len(rows)} waves, last on {last.wave}"
    difference = words.with_interval(last.difference)
    return f"{words.label(last.metric).lower()} is {way} {waves} (difference {difference})"


def drift_page(drift: Drift) -> ReportPage:
    """Return the report page of a drift study."""
    remarks = [words.capitalised(f"{text}.") for text in _to_do(drift)]
    remarks += [f"A run is left out: {path}." for path in drift.left_out]
    texts = {"What changed": _changes(drift), "What to do": remarks}
    waves = Table(
        "Waves",
        {
            "Wave": "name",
            Column("Date", "name"): lambda wave: wave.date[:10],
            Column("Answered by", "text"): lambda wave: few(wave.answered_by) or wave.model,
            "Scored": "anchors",
            "Missing": "missing",
            "Cost per item": lambda wave: words.money(wave.usd),
            "Time per item": lambda wave: "" if wave.seconds is None else words.seconds(wave.seconds),
        },
        drift.waves,
    )
    return ReportPage(
        "drift",
        "Has the judge drifted?",
        [
            section(difference_table(drift)),
            section(waves),
            *(Section(title, [PageRemarks(lines)]) for title, lines in texts.items() if lines),
        ],
        badges=words.baseline_badges([wave.model == OFFLINE_MODEL for wave in drift.waves]),
        answer=drift_answer(drift),
        picture=[_chart(drift)] if drift.differences else [],
        how_to_read=[
            "Waves are runs over the same items at different times, each compared with the reference wave item by item."
        ],
        facts=[
            ("Judge", f"{drift.format} with {drift.newest.model}"),
            ("Reference", drift.reference),
            ("Items", f"{words.count(drift.anchors)} on {words.number(drift.topics, 'topic')}"),
            ("Fingerprint", drift.newest.fingerprint),
        ],
    )


def difference_table(drift: Drift) -> Table:
    """Return the table of differences from the reference, one row for each wave and metric."""
    return Table(
        f"Differences from “{drift.reference}”",
        {
            "Wave": "wave",
            Column("Metric", "name"): lambda row: words.label(row.metric),
            "Pairs": "pairs",
            "Reference": "reference",
            "Mean": "mean",
            "Difference": lambda row: Alarm(f"{row.difference}, drifted") if row.drifted else row.difference,
            "p (Holm)": lambda row: words.p_value(row.p),
        },
        drift.differences,
        note=f"Means are over the items that both waves scored; brackets hold {drift.confidence:.0%} jackknife-t "
        "intervals over topics, p-values are of t-tests over topics, corrected for waves and metrics (Holm). A wave "
        f"has drifted where p < 0.05 and the difference is at least {TOLERANCE:g}.",
        same=("Pairs",),
    )


def _chart(drift: Drift) -> Chart:
    """The differences by wave, a line for each metric."""
    place = {wave.name: float(at) for at, wave in enumerate(drift.waves, start=1)}
    by_metric = gathered((words.label(row.metric), row) for row in drift.differences)
    moved = sorted(
        by_metric.items(), key=lambda pair: -max(abs(row.difference.value or 0.0) for row in pair[1])
    )
    lines = [
        ChartLine(name, points)
        for name, rows in moved[:MAX_LINES]
        if (
            points := [
                Point.from_estimate(place[row.wave], row.difference)
                for row in rows
                if row.difference.value is not None
            ]
        )
    ]
    ends = [Point(1.0, 0.0), Point(float(len(drift.waves)), 0.0)]
    lines.append(ChartLine(f"Reference: {drift.reference}", ends, place=6, marked=False))
    return Chart(
        "Difference from the reference by wave", "Wave", "Difference of means", lines, ends=reach(lines, 0.0)
    )


def _changes(drift: Drift) -> list[str]:
    return [f"{wave.name}: {text}" for wave in drift.waves for text in wave.changes]


def _to_do(drift: Drift) -> Iterator[str]:
    if drift.alarms:
        place = {wave.name: wave.place for wave in drift.waves}
        yield f"see which items moved: conqret runs diff {place[drift.reference]} {place[drift.alarms[-1].wave]}"
        yield "validate the judge against human labels again: conqret validate"
        yield "if you accept the change, compare with a later wave: --reference WAVE"
    if recorded := [wave.name for wave in drift.waves if wave.recorded]:
        names = ", ".join(recorded[-MAX_LISTED:])
        yield f"answered from recordings alone, which says nothing new of the model: {names}"
