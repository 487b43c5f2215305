"""What is said of a judge that is watched over time: in a terminal, and on a page with its charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from conqret.console.conditions import RequirementOutcome
from conqret.errors import number
from conqret.judging.junit import junit_suite, required_cases
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import PageRemarks, ReportPage, Section
from conqret.show.table import Alarm, Cell, Column, Table
from conqret.stats.curve_tests import TOLERANCE
from conqret.stats.resampling import SAME
from conqret.studies.bias.screen import WIDTH, pointed
from conqret.studies.drift.result import Drift, DriftChart, SeriesPoint
from conqret.studies.drift.waves import Wave, few

DRAWN = 6
"""Quantities that are drawn, two pictures each, from two waves after the baseline on: those with alarms first, then
those nearest to their limits."""
NAMED = 3
"""Alarms that the first sentence names."""
LISTED = 6
"""Charts without an alarm, and changes, that a terminal lists; more are counted."""
LEAST_END = 0.02
"""How far an upright axis reaches at least."""
DriftLines = Mapping[str, Sequence[tuple[int, float | None]]]
"""Lines by name: the number of a wave, and a value."""
MARKS = {"alarm": "ALARM", "no alarm": "no alarm", "baseline": "baseline", "no value": "no value"}
NULL = (
    "The rate of false alarms assumes a judge whose scores vary only at random and independently from wave to wave, "
    "each score alone or the scores of a topic together. A change that all topics share in one wave counts as drift "
    "and not as noise, so a judge with good and bad days raises alarms."
)

ALARMS, OTHERS = "Alarms", "Without an alarm"
_LEDE = (
    "Anchors are the items that are judged again in each wave. An alarm means that their scores changed together: the "
    "judge has become more severe or milder (severity), or uses more or less of its scale (spread)."
)
_CONTROL = (
    "The chart shows severity or spread by wave, beginning with the waves of the baseline. The judge has drifted where "
    "the EWMA (exponentially weighted moving average) or the CUSUM (cumulative sum) is outside its limits."
)
_FIGURES = ("Baseline", "EWMA", "CUSUM", "Smallest detectable shift")
_NOTE = (
    "Severity is the mean score, with equal weight for each topic: a lower mean is a more severe judge. Spread is the "
    "standard deviation of the scores. The columns EWMA (exponentially weighted moving average) and CUSUM (cumulative "
    "sum) give the values of the newest wave and their limits; EWMA is in units of the score since the baseline, CUSUM "
    f"in standard deviations. Changes below {TOLERANCE:g} raise no alarm. “Smallest detectable shift” is the shift "
    f"that "
    "80% of such series would have detected by now if it had happened right after the baseline."
)


def drift_screen(drift: Drift) -> Iterator[str]:
    """The lines, each of 80 columns at most: alarms first, then what changed, then what to do."""
    yield from wrap(_headline(drift), WIDTH)
    yield ""
    rest = [chart for chart in _nearest(drift.charts) if chart.verdict != "alarm"]
    for chart in (*drift.alarms, *rest[:LISTED]):
        head = f"{MARKS[chart.verdict]:<10}"
        yield from wrap(f"{head}{chart_name(chart)}: {chart_words(chart)}", WIDTH, subsequent_indent=" " * 10)
    if (more := len(rest) - LISTED) > 0:
        yield f"{'':<10}and {more} more without an alarm"
    yield from pointed("Beware", list(_carried(drift)))
    yield from pointed("What changed", _changes(drift.waves)[-LISTED:])
    yield from pointed("What to do", list(_to_do(drift)))
    yield ""


def drift_sheet(drift: Drift) -> ReportPage:
    """The page of a series."""
    headline = _headline(drift).removeprefix(f"{drift.format} with {drift.waves[-1].model}: ")
    pointed = [
        chart
        for chart in _nearest(drift.charts)
        if chart.alarm or any(abs(point.ewma) > SAME for point in chart.points)  # a flat line shows nothing
    ]
    drawn = [
        chart
        for drift_chart in pointed[:DRAWN]
        if len(drift_chart.points) > 1
        for chart in _pictures(drift_chart, drift)
    ]
    tables = list(chart_tables(drift))
    return ReportPage(
        "drift",
        "Has the judge drifted?",
        [
            Section(
                "Charts",
                drawn,
                "The horizontal axis numbers the waves, beginning with those of the baseline. An alarm is raised "
                "where the "
                "EWMA (exponentially weighted moving average) or a CUSUM (cumulative sum) passes its limit.",
            ),
            *(Section(table.title, [table]) for table in tables if table.title == ALARMS),
            Section("Waves", [_wave_table(drift.waves)]),
            Section("What changed", [PageRemarks(changed)] if (changed := _changes(drift.waves)) else []),
            *(Section(table.title, [table]) for table in tables if table.title != ALARMS),
            Section(
                "Remarks",
                [
                    PageRemarks(
                        [*_carried(drift), NULL, *(f"A run is left out: {path}." for path in drift.left_out)]
                    )
                ],
            ),
        ],
        badges=words.floor_badges([wave.model == OFFLINE_MODEL for wave in drift.waves]),
        answer=[*drift_answer(drift), words.capitalised(headline)],
        picture=[_control_chart(chart, drift) for chart in _nearest(drift.charts)[:1] if chart.points],
        lede=list(_to_do_page(drift)),
        how_to_read=[_LEDE, _CONTROL],
        facts=[
            ("Judge", f"{drift.format} with {drift.waves[-1].model}"),
            ("Anchors", f"{words.count(drift.anchors)} on {words.number(drift.topics, 'topic')}"),
            ("Planned", words.number(drift.planned, "wave")),
            (
                "Baseline",
                f"the first {words.number(drift.baseline, 'wave') if drift.baseline > 1 else 'wave'}",
            ),
            (
                "False alarms",
                f"in at most {drift.rate:.0%} of series without drift, if noise is independent between waves"
                + (" (here it is not)" if drift.carried else ""),
            ),
            ("Fingerprint", drift.waves[-1].fingerprint),
            ("Seed", str(drift.seed)),
        ],
    )


def drift_answer(drift: Drift) -> Iterator[str]:
    """Which scores drifted, since when and by how much, in a sentence; nothing without an alarm."""
    found = []
    for chart in drift.alarms:
        if chart.alarm is None or chart.newest is None or chart.newest.value is None or chart.level is None:
            continue
        way = _way(chart.quantity, chart.alarm.ewma > 0)
        now = f"{chart.newest.value:.2f} on {chart.newest.wave}, {chart.level:.2f} in the baseline"
        name = words.label(chart.metric).lower()
        verb = "is " if chart.quantity == "severity" else ""
        found.append(f"it {verb}{way} on {name} since {chart.alarm.wave} ({now})")
    if found:
        more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
        yield f"The judge has drifted: {'; '.join(found[:NAMED])}{more}."


def _to_do_page(drift: Drift) -> Iterator[str]:
    steps = [f"{words.capitalised(text)}." for text in _to_do(drift)]
    if steps and drift.alarms:
        yield f"What to do: {' '.join(steps)}"


def chart_name(chart: DriftChart) -> str:
    """Which chart it is, in words."""
    return f"{words.label(chart.metric).lower()}, {chart.quantity}"


def chart_words(chart: DriftChart) -> str:
    """What a chart says."""
    if chart.level is None or chart.verdict == "no value":
        return "no chart: fewer than six topics have a score"
    if chart.newest is None:
        return f"{chart.level:.2f} so far"
    value = chart.newest.value
    now = "no score" if value is None else f"{value:.2f}"
    now = f"{now} on {chart.newest.wave}, {chart.level:.2f} in the baseline"
    if chart.alarm is not None:
        return f"{_way(chart.quantity, chart.alarm.ewma > 0)}, first alarm on {chart.alarm.wave}: {now}"
    seen = (
        f"a shift of {chart.missable:.2f} would be detected"
        if chart.missable
        else "too few to detect any shift"
    )
    return f"{now}; {seen}"


def _way(quantity: str, up: bool) -> str:
    if quantity == "severity":
        return "milder" if up else "more severe"
    return "uses more of the scale" if up else "uses less of the scale"


def _headline(drift: Drift) -> str:
    first, newest = drift.waves[0], drift.waves[-1]
    count = len(drift.waves)
    metrics = number(len({chart.metric for chart in drift.charts}), "metric")
    counted = f"{number(len(drift.alarms), 'alarm')} in severity and spread of {metrics}"
    if not drift.alarms and drift.having("no alarm"):
        counted = f"no drift was detected in severity and spread of {metrics}"
        counted += ", and no mean or spread of any topic changed" * _still(drift)
    if count <= drift.baseline:
        counted = f"{count} of {drift.baseline} waves of the baseline are judged, and there is nothing to compare yet"
    when = first.name if count == 1 else f"from “{first.name}” to “{newest.name}”"
    return (
        f"{drift.format} with {newest.model}: {counted} ({number(drift.anchors, 'anchor')}, "
        f"{number(drift.topics, 'topic')}; {number(count, 'wave')}, {when})."
    )


def _still(drift: Drift) -> bool:
    """Whether the mean and the spread of each topic stayed as they were in the baseline."""
    known = [point for chart in drift.charts for point in chart.points if point.shift is not None]
    return not any(abs(chart.shift or 0.0) > SAME or (chart.error or 0.0) > SAME for chart in known)


def _carried(drift: Drift) -> Iterator[str]:
    """That alarms come more often than promised, where noise carries over from one wave to the next."""
    if drift.carried:
        chart = drift.carried[0]
        yield (
            f"Scores are autocorrelated from wave to wave ({chart_name(chart)}: autocorrelation "
            f"{chart.autocorrelation:.2f}), so false alarms are more frequent than in {drift.rate:.0%} of series "
            f"without "
            "drift: one chart of 20 waves with a nominal rate of 5% raises them in 10 to 11% of series at an "
            "autocorrelation of .2, and in 23% at .5."
        )


def _to_do(drift: Drift) -> Iterator[str]:
    newest = drift.waves[-1].name
    if drift.alarms:
        yield f"see which anchors moved: conqret runs diff {drift.waves[0].place} {drift.waves[-1].place}"
        yield "validate the judge against human labels again: conqret validate"
        alarmed = {alarm.alarm.wave for alarm in drift.alarms if alarm.alarm}
        first = next(wave.name for wave in drift.waves if wave.name in alarmed)
        yield f"where you accept the change, begin a new series: --since {first}"
    if len(drift.waves) > drift.planned:
        yield (
            f"the series has more waves than the {drift.planned} planned, and false alarms are likelier than "
            f"{drift.rate:.0%}: begin a new one with --since"
        )
    if recorded := [wave.name for wave in drift.waves if wave.recorded]:
        yield (
            f"answered from recordings alone, which says nothing new of the model: {', '.join(recorded[:LISTED])}"
        )
    if drift.waves[-1].missing:
        yield f"{number(drift.waves[-1].missing, 'anchor')} of {newest} without a score somewhere: judge them again"


def _changes(waves: Sequence[Wave]) -> list[str]:
    return [f"{wave.name}: {text}" for wave in waves for text in wave.changes]


def chart_tables(drift: Drift) -> Iterator[Table]:
    """A row for each chart, those with alarms first: where it stands, and when it first raised an alarm."""
    charts = {
        ALARMS: [chart for chart in drift.charts if chart.verdict == "alarm"],
        OTHERS: [chart for chart in drift.charts if chart.verdict != "alarm"],
    }
    for title, rows in charts.items():
        if rows:
            yield (
                Table(
                    title,
                    ("Metric", *(Column(name, "name") for name in ("Quantity", "Verdict")), *_FIGURES),
                    [_row(row) for row in rows],
                    note=_NOTE if rows[-1] == [*charts[ALARMS], *charts[OTHERS]][-1] else "",
                )
                .varying(*["Verdict"] * (title == OTHERS))
                .compact()
            )


def _row(chart: DriftChart) -> tuple[Cell, ...]:
    verdict: Cell = chart.verdict
    if chart.alarm is not None:
        verdict = Alarm(f"alarm since {chart.alarm.wave}")
    name = {"severity": "severity (mean)", "spread": "spread (SD)"}[chart.quantity]
    ewma = cusum = ""
    if (last := chart.newest) is not None:
        limit = _limit(last)
        ewma = f"{round(last.ewma, 3) + 0.0:+.3f}" + ("" if limit is None else f" (limit {limit:.3f})")
        cusum = f"{max(last.up, last.down):.1f} of {chart.cusum_limit:.1f}"
    return words.label(chart.metric), name, verdict, chart.level, ewma, cusum, chart.missable or ""


def _limit(point: SeriesPoint) -> float | None:
    """How far the EWMA may go: moves that are small raise no alarm, however little the judge strays."""
    return None if point.limit is None else max(point.limit, TOLERANCE)


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
        "Cost per anchor",
        "Time per anchor",
    )
    return Table("Waves", columns, rows)


def _nearest(charts: Sequence[DriftChart]) -> list[DriftChart]:
    """The charts, those with alarms first, then those nearest to their limits."""

    def nearness(chart: DriftChart) -> tuple[bool, float]:
        last = chart.newest
        return chart.verdict == "alarm", abs(last.ewma) / limit if last and (limit := _limit(last)) else 0.0

    return sorted(charts, key=nearness, reverse=True)


def _control_chart(chart: DriftChart, drift: Drift) -> Chart:
    """A quantity by wave with its EWMA, the limits of that, and the waves of an alarm."""
    level = chart.level or 0.0
    numbered = list(enumerate(chart.points, start=drift.baseline + 1))
    baseline = [Point(float(at), level) for at in range(1, drift.baseline + 1)]
    last = [Point(float(drift.baseline), level)]
    waves = [Point(float(at), level + point.shift) for at, point in numbered if point.shift is not None]
    smooth = [Point(float(at), level + point.ewma) for at, point in numbered]
    limits = [(at, limit) for at, point in numbered if (limit := _limit(point)) is not None]
    upper, lower = ([Point(float(at), level + sign * limit) for at, limit in limits] for sign in (1, -1))
    alarms = [
        Point(float(at), level + point.shift)
        for at, point in numbered
        if point.alarm and point.shift is not None
    ]
    lines = [
        ChartLine("baseline", baseline, 2, marked=False),
        ChartLine("wave", [*last, *waves], 0),
        ChartLine("EWMA", [*last, *smooth], 3, marked=False),
        ChartLine("upper limit of the EWMA", upper, 5, marked=False),
        ChartLine("lower limit of the EWMA", lower, 5, marked=False),
        *(ChartLine("alarm", [point], 1) for point in alarms[:1]),
    ]
    drawn = [line for line in lines if line.points]
    name = {"severity": "mean score", "spread": "standard deviation of scores"}[chart.quantity]
    low, high = reach(drawn)
    margin = max(LEAST_END, (high - low) / 10)
    return Chart(
        words.capitalised(chart_name(chart)), "wave", name, drawn, ends=(low - margin, high + margin)
    )


def _pictures(chart: DriftChart, drift: Drift) -> Iterator[Chart]:
    places = range(drift.baseline + 1, drift.baseline + 1 + len(chart.points))
    numbered = list(zip(places, chart.points, strict=True))
    moves: DriftLines = {
        "wave": [(at, point.shift) for at, point in numbered],
        "EWMA": [(at, point.ewma) for at, point in numbered],
        "upper limit": [(at, _limit(point)) for at, point in numbered],
        "lower limit": [(at, None if (limit := _limit(point)) is None else -limit) for at, point in numbered],
    }
    yield _picture(f"{chart_name(chart)}: EWMA", "move since the baseline", moves, both=True)
    sums: DriftLines = {
        "upwards": [(at, point.up) for at, point in numbered],
        "downwards": [(at, point.down) for at, point in numbered],
        "limit": [(at, chart.cusum_limit) for at, _ in numbered],
    }
    yield _picture(f"{chart_name(chart)}: CUSUM", "CUSUM", sums, both=False)


def _picture(title: str, y: str, lines: DriftLines, *, both: bool) -> Chart:
    drawn = {
        name: [Point(float(at), value) for at, value in line_values if value is not None]
        for name, line_values in lines.items()
    }
    top = max(LEAST_END, *(abs(point.y) for line_values in drawn.values() for point in line_values))
    return Chart(
        words.capitalised(title),
        "wave",
        y,
        [ChartLine(name, line_values) for name, line_values in drawn.items() if line_values],
        ends=(-top if both else 0.0, top),
    )


def drift_junit(drift: Drift, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for each chart (an alarm is a failure, one without a value or still without limits is skipped) and
    for each requirement."""
    tags = {"alarm": "failure", "no alarm": ""}
    cases = [
        ("chart", chart_name(chart), tags.get(chart.verdict, "skipped"), chart_words(chart))
        for chart in drift.charts
    ]
    return junit_suite("judges drift", [*cases, *required_cases(outcomes)])
