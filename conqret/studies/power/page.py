"""Plans as sentences, tables and pages: what more topics, and what more items a topic, gain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Table
from conqret.show.words import capitalised, number
from conqret.stats.estimate import MIN_CLUSTERS
from conqret.studies.bias.result import POWER
from conqret.studies.power.bias_power import TOPIC, BiasPower
from conqret.studies.power.sample_sizes import MAX_WITHOUT, PlannedSize, SampleSizes

Size = tuple[int, int]
"""Topics, and items a topic."""
HALF_WIDTH = 0.1
"""The half width of an interval that is wanted where no other is named, and nothing is tested."""
HOW = (
    "Each plan (topics and items per topic) is simulated many times, and tested as conqret tests real data. Items of "
    "one topic are alike, so more topics help more than more items per topic. The marked plan is the one with the "
    "fewest items in total that reaches the goal."
)


@dataclass(frozen=True, slots=True)
class PlanCurve:
    """A value (such as power) for each size of a study (topics and items per topic), and the ``goal`` to
    reach.

    The value is None where there is none. If ``lower`` is True, lower values are better.
    """

    values: Mapping[Size, float | None]
    goal: float = POWER
    lower: bool = False

    @property
    def smallest(self) -> Size | None:
        """The size with the fewest items in total that reaches the goal; None if none does."""
        enough = [
            size
            for size, value in self.values.items()
            if value is not None and (value <= self.goal if self.lower else value >= self.goal)
        ]
        return min(enough, key=lambda size: (size[0] * size[1], size), default=None)

    @property
    def best(self) -> Size | None:
        """The size with the best value; None if there are no values."""
        known = {size: value for size, value in self.values.items() if value is not None}
        return (min if self.lower else max)(known, key=lambda size: known[size], default=None)

    def chart(self, title: str, y: str) -> Chart:
        """Return a chart of values over topics, with one line for each number of items per topic.

        The goal is a line, and the smallest size that reaches it is marked.
        """
        lines: dict[str, list[Point]] = {}
        for (topics, items), value in self.values.items():
            if value is not None:
                lines.setdefault(f"{number(items, 'item')} a topic", []).append(Point(topics, value))
        drawn = [ChartLine(name, points) for name, points in lines.items()]
        counts = [topics for topics, _ in self.values]
        goal = f"Goal: at most ±{self.goal:g}" if self.lower else f"Goal: {self.goal:.0%}"
        ends = [Point(end, self.goal) for end in (min(counts), max(counts))]
        drawn.append(ChartLine(goal, ends, place=6, marked=False))
        if (smallest := self.smallest) is not None:
            stem = [Point(smallest[0], end) for end in (0.0, self.values[smallest] or 0.0)]
            plan = f"Smallest plan: {number(smallest[0], 'topic')} with {number(smallest[1], 'item')} each"
            drawn.append(ChartLine(plan, stem, place=7))
        reached = reach(drawn, 0.0) if self.lower else (0.0, 1.0)
        return Chart(title, "Topics", y, drawn, logarithmic=True, ends=reached)

    def table(self, title: str, form: str, note: str) -> Table:
        """Return a table of values, topics by items per topic; ``form`` formats a value."""
        cells = {size: None if value is None else form.format(value) for size, value in self.values.items()}
        topics, items = (dict.fromkeys(column) for column in zip(*cells, strict=True))
        rows = [(str(count), *(cells[count, each] for each in items)) for count in topics]
        return Table(
            title, ("Topics", *(f"{number(each, 'item')} a topic" for each in items)), rows, note=note
        )


def in_all(size: Size) -> str:
    """Return the size of a study in words, with the total number of items."""
    topics, items = size
    return f"{number(topics, 'topic')} with {number(items, 'item')} each, {number(topics * items, 'item')} in all"


def _known(simulations: int) -> float:
    """Half the width of the interval of a share of one half."""
    return 1.96 * 0.5 / math.sqrt(simulations)


def lost_cells(cells: Sequence[PlannedSize]) -> str:
    """Return a sentence on sizes for which many simulated studies have no interval; empty if there are none."""
    lost = [cell for cell in cells if cell.without > MAX_WITHOUT and cell.topics >= MIN_CLUSTERS]
    if not lost:
        return ""
    worst = max(lost, key=lambda cell: cell.without)
    return (
        f"many simulated studies have no interval at all, most with {number(worst.topics, 'topic')} and "
        f"{number(worst.items, 'item')} a topic ({worst.without:.0%}): too few labels differ from the most frequent "
        "one; plan more topics or items, or choose items so that rare labels occur"
    )


def sample_size_page(sizes: SampleSizes, half_width: float | None, seed: int) -> ReportPage:
    """Return the report page of planned sample sizes: power or half width over topics, the smallest
    sufficient size, and tables.

    The goal is ``half_width``. If None, it is a power of 80% where there is a test, else the usual half
    width.
    """
    what, studies = sizes.what, f"{sizes.simulations} simulated studies"
    cells = {(cell.topics, cell.items): cell for cell in sizes.cells}
    powers = PlanCurve({size: cell.power for size, cell in cells.items()})
    widths = PlanCurve(
        {size: cell.half_width for size, cell in cells.items()}, half_width or HALF_WIDTH, lower=True
    )
    tested = powers.best is not None
    by_power = tested and half_width is None
    curve, goal = widths, f"a {sizes.confidence:.0%} interval of {what} no wider than ±{widths.goal:g}"
    if by_power:
        curve, goal = powers, f"a power of at least {POWER:.0%} to find {what}"
    plan, reached = curve.smallest or curve.best, ""
    if plan is not None:
        cell = cells[plan]
        power = "" if cell.power is None else f"power {cell.power:.2f}, "
        interval = "no interval" if cell.half_width is None else f"interval ±{cell.half_width:.3f}"
        reached = f"{in_all(plan)} ({power}{interval})"
    answer = f"The smallest simulated plan with {goal} has {reached}."
    if curve.smallest is None:
        why = f"the nearest is {reached}" if plan else "none has a value"
        answer = f"No simulated plan has {goal}: {why}. Plan more topics."
    width = widths.chart("Half width of the interval by topics", f"Half width, {what}")
    power_chart = powers.chart("Power by topics", f"Power to find {what}")
    width_table = widths.table(
        f"Half width of the {sizes.confidence:.0%} interval of {what}",
        "±{:.3f}",
        f"Medians of {studies}; a dash: more than {MAX_WITHOUT:.0%} of them have no interval.",
    )
    sections = [Section("Half width of the interval", [*[width] * by_power, width_table])]
    if tested:
        none = "; a dash: with fewer than six topics there is no test" * (None in powers.values.values())
        power_table = powers.table(
            f"Power: how often {what} is found at the 5% level",
            "{:.2f}",
            f"Of {studies}: a power near 0.5 is known to ±{_known(sizes.simulations):.2f}{none}.",
        )
        more = Section("Power", [*[power_chart] * (not by_power), power_table])
        sections.insert(not by_power, more)
    lost = lost_cells(sizes.cells)
    return ReportPage(
        "power",
        "How many topics and items does a study need?",
        sections,
        answer=[answer],
        picture=[power_chart if by_power else width],
        lede=[f"{capitalised(lost)}."] if lost else [],
        how_to_read=[
            HOW,
            "The half width of an interval is the number after ±: 0.5 ± 0.1 reaches from 0.4 to 0.6. Power is a share "
            "of simulated studies in which a true difference of this size is significant at the 5% level.",
        ],
        facts=[
            *((name, text) for name, text in (("Assumed", sizes.assumed), ("Pilot", sizes.pilot)) if text),
            ("Simulations of each plan", f"{sizes.simulations:,}"),
            ("Seed", str(seed)),
        ],
    )


def bias_power_page(cells: Sequence[BiasPower], seed: int) -> ReportPage:
    """Return the report page of bias power: the smallest size at which each probe detects the bias in 80% of
    runs.
    """
    first, curves = cells[0], dict[str, PlanCurve]()
    for place, row in enumerate(first.rows):
        curves[row.probe] = PlanCurve({(cell.topics, cell.items): cell.rows[place].found for cell in cells})
    found = [f"{name} with {in_all(curve.smallest)}" for name, curve in curves.items() if curve.smallest]
    missed = [
        f"{name} (at most {curve.values[curve.best] or 0.0:.0%})"
        for name, curve in curves.items()
        if curve.best and not curve.smallest
    ]
    goal = f"a bias of {first.size:g} in at least {POWER:.0%} of simulated runs"
    answer = [f"The smallest plans that find {goal}: {'; '.join(found)}."]
    if not found:
        answer = [f"No simulated plan finds {goal} with any probe."]
    if missed:
        answer.append(f"These probes find it less often: {', '.join(missed)}.")
    charts = [
        curve.chart(f"Probe {name}, by topics", f"Runs that find a bias of {first.size:g}")
        for name, curve in curves.items()
    ]
    table = Table(
        f"How often a bias of {first.size:g} is found (a place wins {0.5 + first.size:.0%})",
        ("Topics", "Items a topic", *curves, "False alarms"),
        [
            (
                str(cell.topics),
                str(cell.items),
                *(f"{row.found:.0%}" for row in cell.rows),
                f"{cell.raised:.0%}",
            )
            for cell in cells
        ],
        note=f"Of {first.simulations} judges each: a share near one half is known to ±{_known(first.simulations):.0%}. "
        f"Assumed: what a change does to verdicts differs between topics by {TOPIC:g} (an intraclass correlation of "
        "some .1). Below six topics there is no alarm.",
    )
    return ReportPage(
        "power",
        "How many topics and pairs does a bias run need?",
        [Section("Share of runs that find the bias", [*charts[1:], table])],
        answer=answer,
        picture=charts[:1],
        how_to_read=[
            f"With a bias of 0.1 the argument that the bias favors wins 60% of comparisons instead of 50%. {HOW}"
        ],
        facts=[("Simulations of each plan", f"{first.simulations:,}"), ("Seed", str(seed))],
    )
