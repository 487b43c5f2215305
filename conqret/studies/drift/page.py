"""What is said of a judge that is watched over time: in a terminal, and on a page with its chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data.digest import gathered
from conqret.errors import number
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Alarm, Cell, Column, Table
from conqret.stats.curve_tests import TOLERANCE
from conqret.stats.estimate import FEWEST_TESTED
from conqret.studies.bias.page import pointed
from conqret.studies.drift.result import Drift, Wave, WaveDifference, few

MAX_LINES = 6
"""Metrics that are drawn: those that moved most."""
LISTED = 6
"""Changes, and waves answered from recordings, that are listed; the latest."""
DRIFTED = "drifted"


def drift_screen(drift: Drift) -> Iterator[str | Table]:
    """What is shown in a terminal: the differences, then what changed, then what to do."""
    yield difference_table(drift)
    yield from pointed("What changed", _changes(drift.waves)[-LISTED:])
    yield from pointed("What to do", _to_do(drift))


def drift_answer(drift: Drift) -> list[str]:
    """Whether the judge drifted, in which waves, and how far in the newest, in sentences."""
    first = (
        f"{drift.format} with {drift.newest.model}: {number(len(drift.waves) - 1, 'wave')} compared with "
        f"“{drift.reference}” ({number(drift.anchors, 'item')}, {number(drift.topics, 'topic')})."
    )
    if not drift.alarms:
        if all(row.p is None for row in drift.differences):
            return [first, f"Nothing is tested: a test needs {FEWEST_TESTED} topics."]
        return [first, "No drift was detected."]
    by_metric = gathered((row.metric, row) for row in drift.alarms)
    return [first, f"The judge has drifted: {'; '.join(map(_since, by_metric.values()))}."]


def _since(rows: Sequence[WaveDifference]) -> str:
    """In which waves the judge scores otherwise on a metric, and how far in the latest of them."""
    last = rows[-1]
    way = "lower" if (last.difference.value or 0.0) < 0 else "higher"
    name = words.label(last.metric).lower()
    waves = f"on {last.wave}" if len(rows) == 1 else f"in {len(rows)} waves, last on {last.wave}"
    return f"{name} is {way} {waves} (difference {words.with_interval(last.difference)})"


def drift_sheet(drift: Drift) -> ReportPage:
    """The page of the waves."""
    remarks = [*_to_do(drift), *(f"A run is left out: {path}" for path in drift.left_out)]
    return ReportPage(
        "drift",
        "Has the judge drifted?",
        [
            section(difference_table(drift)),
            section(_wave_table(drift.waves)),
            Section("What changed", [PageRemarks(changed)] if (changed := _changes(drift.waves)) else []),
            Section(
                "What to do",
                [PageRemarks([f"{words.capitalised(text)}." for text in remarks])] if remarks else [],
            ),
        ],
        badges=words.floor_badges([wave.model == OFFLINE_MODEL for wave in drift.waves]),
        answer=drift_answer(drift),
        picture=[_chart(drift)] if drift.differences else [],
        how_to_read=[
            "Waves are runs over the same items at different times. Each is compared with the reference wave, item by "
            "item. The chart shows the difference of means from the reference by wave, with its interval."
        ],
        facts=[
            ("Judge", f"{drift.format} with {drift.newest.model}"),
            ("Reference", drift.reference),
            ("Items", f"{words.count(drift.anchors)} on {words.number(drift.topics, 'topic')}"),
            ("Fingerprint", drift.newest.fingerprint),
        ],
    )


def difference_table(drift: Drift) -> Table:
    """A row for each wave and metric."""
    rows: list[tuple[Cell, ...]] = [
        (
            row.wave,
            words.label(row.metric),
            row.pairs,
            row.reference,
            row.mean,
            Alarm(f"{row.difference}, {DRIFTED}") if row.drifted else row.difference,
            words.p_value(row.p),
        )
        for row in drift.differences
    ]
    return Table(
        f"Differences from “{drift.reference}”",
        (
            Column("Wave", "name"),
            Column("Metric", "name"),
            "Pairs",
            "Reference",
            "Mean",
            "Difference",
            "p (Holm)",
        ),
        rows,
        note=f"Means are over the items that both waves scored; brackets hold {drift.confidence:.0%} jackknife-t "
        f"intervals over topics. The p-values are of t-tests over topics, corrected for the number of waves and "
        f"metrics after Holm; with fewer than {FEWEST_TESTED} topics there are none. A wave has drifted "
        f"where p < 0.05 and the difference is at least {TOLERANCE:g}.",
    ).varying("Pairs")


def _wave_table(waves: Sequence[Wave]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            wave.name,
            wave.date[:10],
            few(wave.answered_by) or wave.model,
            wave.anchors,
            wave.missing,
            words.money(wave.usd),
            words.seconds(wave.seconds) if wave.seconds is not None else "",
        )
        for wave in waves
    ]
    columns = (
        "Wave",
        Column("Date", "name"),
        Column("Answered by", "text"),
        "Scored",
        "Missing",
        "Cost per item",
        "Time per item",
    )
    return Table("Waves", columns, rows)


def _chart(drift: Drift) -> Chart:
    """The differences by wave, a line for each metric."""
    place = {wave.name: float(at) for at, wave in enumerate(drift.waves, start=1)}
    by_metric = gathered((row.metric, row) for row in drift.differences)
    moved = sorted(
        by_metric, key=lambda name: -max(abs(row.difference.value or 0.0) for row in by_metric[name])
    )
    lines = [
        ChartLine(
            words.label(name),
            [
                Point.of(place[row.wave], row.difference)
                for row in by_metric[name]
                if row.difference.value is not None
            ],
        )
        for name in moved[:MAX_LINES]
    ]
    lines = [line for line in lines if line.points]
    ends = [Point(1.0, 0.0), Point(float(len(drift.waves)), 0.0)]
    lines.append(ChartLine(f"Reference: {drift.reference}", ends, place=6, marked=False))
    return Chart(
        "Difference from the reference by wave", "Wave", "Difference of means", lines, ends=reach(lines, 0.0)
    )


def _changes(waves: Sequence[Wave]) -> list[str]:
    return [f"{wave.name}: {text}" for wave in waves for text in wave.changes]


def _to_do(drift: Drift) -> list[str]:
    steps = []
    base = next(wave for wave in drift.waves if wave.name == drift.reference)
    if drift.alarms:
        last = next(wave for wave in drift.waves if wave.name == drift.alarms[-1].wave)
        steps += [
            f"see which items moved: conqret runs diff {base.place} {last.place}",
            "validate the judge against human labels again: conqret validate",
            "if you accept the change, compare with a later wave: --reference WAVE",
        ]
    if recorded := [wave.name for wave in drift.waves if wave.recorded]:
        steps.append(
            f"answered from recordings alone, which says nothing new of the model: {', '.join(recorded[-LISTED:])}"
        )
    return steps
