"""What is said of a judge that is watched over time: in a terminal, and on a page with its chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data.digest import gathered
from conqret.errors import number
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Alarm, Column, Table
from conqret.stats.curve_tests import TOLERANCE
from conqret.stats.estimate import FEWEST_TESTED
from conqret.studies.bias.result import pointed
from conqret.studies.drift.result import Drift, WaveDifference, few

MAX_LINES = 6
"""Metrics that are drawn: those that moved most."""
LISTED = 6
"""Changes, and waves answered from recordings, that are listed; the latest."""


def drift_screen(drift: Drift) -> Iterator[str | Table]:
    """What is shown in a terminal: the differences, then what changed, then what to do."""
    yield difference_table(drift)
    yield from pointed("What changed", _changes(drift)[-LISTED:])
    yield from pointed("What to do", list(_to_do(drift)))


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
    waves = f"on {last.wave}" if len(rows) == 1 else f"in {len(rows)} waves, last on {last.wave}"
    difference = words.with_interval(last.difference)
    return f"{words.label(last.metric).lower()} is {way} {waves} (difference {difference})"


def drift_sheet(drift: Drift) -> ReportPage:
    """The page of the waves."""
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
        badges=words.floor_badges([wave.model == OFFLINE_MODEL for wave in drift.waves]),
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
    """A row for each wave and metric."""
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
                Point.of(place[row.wave], row.difference) for row in rows if row.difference.value is not None
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
        yield f"answered from recordings alone, which says nothing new of the model: {', '.join(recorded[-LISTED:])}"
