"""What is said of a judge that is watched over time: in a terminal, and on a page with its charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from conqret.errors import number
from conqret.llm.options import OFFLINE_MODEL
from conqret.reliability.drift.occasions import Occasion, few
from conqret.reliability.drift.series import Drift, DriftChart
from conqret.report import words
from conqret.report.bias_screen import WIDTH, pointed
from conqret.report.charts import Chart, Line, Point
from conqret.report.floor import floor_badges
from conqret.report.sheet import Section, Sheet, Texts
from conqret.report.table import Alarm, Cell, Column, Table
from conqret.stats.clusters import SAME

DRAWN = 6
"""Quantities that are drawn, two pictures each, from two occasions after the baseline on: those with alarms first, then
those nearest to their limits."""
LISTED = 6
"""Charts without an alarm, and changes, that a terminal lists; more are counted."""
ENDS, LEAST_END = (2, 4, 8), 0.02
"""Ends of an upright axis, whose quarters are short numbers."""
Drawn = Mapping[str, Sequence[tuple[int, float | None]]]
"""Lines by name: the number of an occasion, and a value."""
MARKS = {"alarm": "ALARM", "no alarm": "no alarm", "baseline": "baseline", "no value": "no value"}
NULL = (
    "The limit on false alarms holds for a judge that does not change: its scores vary at random from one occasion to "
    "the next, each alone or those of a topic together. A move that all topics share on one occasion is what is looked "
    "for, and no noise: a judge with good and bad days raises alarms."
)


def drift_screen(drift: Drift) -> Iterator[str]:
    """The lines, each of 80 columns at most: alarms first, then what changed, then what to do."""
    yield from wrap(_headline(drift), WIDTH)
    yield ""
    rest = [one for one in _nearest(drift.charts) if one.verdict != "alarm"]
    for one in (*drift.alarms, *rest[:LISTED]):
        head = f"{MARKS[one.verdict]:<10}"
        yield from wrap(f"{head}{chart_name(one)}: {chart_words(one)}", WIDTH, subsequent_indent=" " * 10)
    if (more := len(rest) - LISTED) > 0:
        yield f"{'':<10}and {more} more without an alarm"
    yield from pointed("What changed", _changes(drift.occasions)[-LISTED:])
    yield from pointed("What to do", list(_to_do(drift)))
    yield ""


def drift_sheet(drift: Drift) -> Sheet:
    """The page of a series."""
    pointed = [
        one
        for one in _nearest(drift.charts)
        if one.alarm or any(abs(point.ewma) > SAME for point in one.points)  # a flat line shows nothing
    ]
    drawn = [chart for one in pointed[:DRAWN] if len(one.points) > 1 for chart in _pictures(one, drift)]
    return Sheet(
        "drift",
        f"Drift of {drift.format} with {drift.occasions[-1].model}",
        [
            Section(
                "Charts",
                drawn,
                "Occasions are numbered, those of the baseline first. An alarm is where the EWMA (exponentially "
                "weighted moving average) leaves its limits, or a CUSUM (cumulative sum) passes its own.",
            ),
            Section("Severity and spread", [chart_table(drift)]),
            Section("Occasions", [_occasion_table(drift.occasions)]),
            Section("What changed", [Texts(told)] if (told := _changes(drift.occasions)) else []),
            Section("Remarks", [Texts([NULL, *(f"Left out: {one}." for one in drift.left_out)])]),
        ],
        badges=floor_badges([one.model == OFFLINE_MODEL for one in drift.occasions]),
        lede=[_headline(drift).removeprefix(f"{drift.format} with {drift.occasions[-1].model}: ")],
        facts=[
            ("Fingerprint", drift.occasions[-1].fingerprint),
            ("Anchors", f"{words.count(drift.anchors)} on {words.number(drift.topics, 'topic')}"),
            ("Planned", words.number(drift.planned, "occasion")),
            (
                "Baseline",
                f"the first {words.number(drift.baseline, 'occasion') if drift.baseline > 1 else 'occasion'}",
            ),
            ("False alarms", f"in {drift.rate:.0%} of such series at most"),
            ("Seed", str(drift.seed)),
        ],
    )


def chart_name(one: DriftChart) -> str:
    """Which chart it is, in words."""
    return f"{words.label(one.metric).lower()}, {one.quantity}"


def chart_words(one: DriftChart) -> str:
    """What a chart says."""
    if one.level is None or one.verdict == "no value":
        return "nothing to chart: fewer than six topics have a score"
    if one.newest is None:
        return f"{one.level:.2f} so far"
    value = one.newest.value
    now = "no score" if value is None else f"{value:.2f}"
    now = f"{now} on {one.newest.occasion}, {one.level:.2f} in the baseline"
    if one.alarm is not None:
        return f"{_way(one.quantity, one.alarm.ewma > 0)}, first alarm on {one.alarm.occasion}: {now}"
    seen = f"a shift of {one.missable:.2f} would show" if one.missable else "too few to show any shift"
    return f"{now}; {seen}"


def _way(quantity: str, up: bool) -> str:
    if quantity == "severity":
        return "milder" if up else "more severe"
    return "uses more of the scale" if up else "uses less of the scale"


def _headline(drift: Drift) -> str:
    first, newest = drift.occasions[0], drift.occasions[-1]
    count = len(drift.occasions)
    metrics = number(len({one.metric for one in drift.charts}), "metric")
    counted = f"{number(len(drift.alarms), 'alarm')} in severity and spread of {metrics}"
    if count <= drift.baseline:
        counted = f"{count} of {drift.baseline} occasions of the baseline, and nothing to compare yet"
    when = first.name if count == 1 else f"from “{first.name}” to “{newest.name}”"
    return (
        f"{drift.format} with {newest.model}: {counted} ({number(drift.anchors, 'anchor')}, "
        f"{number(drift.topics, 'topic')}; {number(count, 'occasion')}, {when})."
    )


def _to_do(drift: Drift) -> Iterator[str]:
    newest = drift.occasions[-1].name
    if drift.alarms:
        yield f"see which anchors moved: conqret diff {drift.occasions[0].place} {drift.occasions[-1].place}"
        yield "hold the judge against people again: conqret validate"
        alarmed = {one.alarm.occasion for one in drift.alarms if one.alarm}
        first = next(one.name for one in drift.occasions if one.name in alarmed)
        yield f"where you accept the change, begin a new series: --since {first}"
    if len(drift.occasions) > drift.planned:
        yield (
            f"the series has more occasions than the {drift.planned} planned, and false alarms are likelier than "
            f"{drift.rate:.0%}: begin a new one with --since"
        )
    if recorded := [one.name for one in drift.occasions if one.recorded]:
        yield (
            f"answered from recordings alone, which says nothing new of the model: {', '.join(recorded[:LISTED])}"
        )
    if drift.occasions[-1].missing:
        yield f"{number(drift.occasions[-1].missing, 'anchor')} of {newest} without a score somewhere: judge them again"


def _changes(occasions: Sequence[Occasion]) -> list[str]:
    return [f"{one.name}: {text}" for one in occasions for text in one.changes]


def chart_table(drift: Drift) -> Table:
    """A row for each metric: its severity and spread, where they stand, and when they first raised an alarm."""
    rows: dict[str, list[DriftChart]] = {}
    for one in drift.charts:
        rows.setdefault(one.metric, []).append(one)
    quantities = list(dict.fromkeys(one.quantity for one in drift.charts))
    parts = ("", " EWMA", " CUSUM", " would show")
    return Table(
        "Severity and spread",
        (
            Column("Metric", "name"),
            Column("Verdict", "text"),
            *(f"{words.label(quantity)}{part}" for quantity in quantities for part in parts),
        ),
        [
            (words.label(metric), _verdict(charts), *(cell for one in charts for cell in _stands(one)))
            for metric, charts in rows.items()
        ],
        note="Severity is shown as the mean score, each topic counting alike: the lower, the more severe. Spread is "
        "the standard deviation of the scores. Both are those of the baseline. EWMA (exponentially weighted moving "
        "average) and CUSUM (cumulative sum) are those of the newest occasion, each with its limit; the first is of "
        "moves since the baseline, the second in standard deviations of such a move. What would show is the shift "
        "that 80% of such series would have found by now, had it come right after the baseline.",
    )


def _verdict(charts: Sequence[DriftChart]) -> Cell:
    """What is said of a metric: its alarms, each with its quantity and first occasion; else what its charts say."""
    alarms = [f"{one.quantity} since {one.alarm.occasion}" for one in charts if one.alarm is not None]
    if alarms:
        return Alarm(f"alarm: {', '.join(alarms)}")
    return ", ".join(dict.fromkeys(one.verdict for one in charts))


def _stands(one: DriftChart) -> tuple[Cell, ...]:
    """Baseline, EWMA and CUSUM with their limits, and the shift that would show."""
    if not one.points:
        return one.level, "", "", one.missable
    last = one.points[-1]
    moved = f"{round(last.ewma, 3) + 0.0:+.3f}" + (
        f" (limit {last.limit:.3f})" if last.limit is not None else ""
    )
    return one.level, moved, f"{max(last.up, last.down):.1f} of {one.cusum_limit:.1f}", one.missable


def _occasion_table(occasions: Sequence[Occasion]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            one.name,
            one.date[:10],
            few(one.answered_by) or one.model,
            one.anchors,
            one.missing,
            words.money(one.usd),
            words.seconds(one.seconds) if one.seconds is not None else "",
        )
        for one in occasions
    ]
    columns = (
        "Occasion",
        Column("Date", "name"),
        Column("Answered by", "text"),
        "Scored",
        "Missing",
        "An anchor costs",
        "Takes",
    )
    return Table("Occasions", columns, rows)


def _nearest(charts: Sequence[DriftChart]) -> list[DriftChart]:
    """The charts, those with alarms first, then those nearest to their limits."""

    def nearness(one: DriftChart) -> tuple[bool, float]:
        last = one.newest
        return one.verdict == "alarm", abs(last.ewma) / last.limit if last and last.limit else 0.0

    return sorted(charts, key=nearness, reverse=True)


def _pictures(one: DriftChart, drift: Drift) -> Iterator[Chart]:
    places = range(drift.baseline + 1, drift.baseline + 1 + len(one.points))
    numbered = list(zip(places, one.points, strict=True))
    moves: Drawn = {
        "occasion": [(at, point.shift) for at, point in numbered],
        "EWMA": [(at, point.ewma) for at, point in numbered],
        "upper limit": [(at, point.limit) for at, point in numbered],
        "lower limit": [(at, None if point.limit is None else -point.limit) for at, point in numbered],
    }
    yield _picture(f"{chart_name(one)}: EWMA", "move since the baseline", moves, both=True)
    sums: Drawn = {
        "upwards": [(at, point.up) for at, point in numbered],
        "downwards": [(at, point.down) for at, point in numbered],
        "limit": [(at, one.cusum_limit) for at, _ in numbered],
    }
    yield _picture(f"{chart_name(one)}: CUSUM", "CUSUM", sums, both=False)


def _picture(title: str, y: str, lines: Drawn, *, both: bool) -> Chart:
    drawn = {
        name: [Point(float(at), value) for at, value in found if value is not None]
        for name, found in lines.items()
    }
    top = _round_up(max(abs(point.y) for found in drawn.values() for point in found))
    return Chart(
        title[:1].upper() + title[1:],
        "occasion",
        y,
        [Line(name, found) for name, found in drawn.items() if found],
        ends=(-top if both else 0.0, top),
    )


def _round_up(value: float) -> float:
    """The end of an axis: the least of .02, .04, .08, .2, .4, .8, 2 … that is not below ``value``."""
    power = max(-2, math.floor(math.log10(max(value, LEAST_END))))
    return next(step * 10.0**one for one in (power, power + 1) for step in ENDS if step * 10.0**one >= value)
