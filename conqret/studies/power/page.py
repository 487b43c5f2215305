"""Plans as sentences, tables and pages: what more topics, and what more items a topic, gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Table
from conqret.show.words import capitalised, number
from conqret.stats.estimate import FEWEST_CLUSTERS
from conqret.stats.planning import MOST_WITHOUT, PlannedSize
from conqret.studies.bias.result import POWER
from conqret.studies.power.bias_power import TOPIC, BiasPower
from conqret.studies.power.sample_sizes import SampleSizes

Size = tuple[int, int]
"""Topics, and items a topic."""


@dataclass(frozen=True, slots=True)
class PlanCurve:
    """The value of each plan by its size (None: it has none), and the ``goal`` that a value has to reach: at least that
    much, or, where ``lower`` is better, at most."""

    values: Mapping[Size, float | None]
    goal: float
    lower: bool = False

    @property
    def smallest(self) -> Size | None:
        """The plan with the fewest items in all that reaches the goal; None where no plan does."""
        return min(
            filter(self.reaches, self.values), key=lambda size: (size[0] * size[1], size), default=None
        )

    @property
    def best(self) -> Size | None:
        """The plan with the best value; None where no plan has one."""
        known = {size: value for size, value in self.values.items() if value is not None}
        return (min if self.lower else max)(known, key=lambda size: known[size], default=None)

    def reaches(self, size: Size) -> bool:
        """Whether a plan of this size reaches the goal."""
        value = self.values[size]
        return value is not None and (value <= self.goal if self.lower else value >= self.goal)

    def topics_needed(self) -> str:
        """The fewest topics that reach the goal, for each number of items a topic, in a sentence."""
        sizes: dict[int, list[int]] = {}
        for topics, items in self.values:
            sizes.setdefault(items, []).append(topics)
        parts = []
        for items, counts in sizes.items():
            enough = [topics for topics in counts if self.reaches((topics, items))]
            needed = str(min(enough)) if enough else f"more than {max(counts)}"
            parts.append(f"{needed} with {number(items, 'item')} a topic")
        return f"Topics needed: {'; '.join(parts)}."

    def chart(self, title: str, y: str, goal: str) -> Chart:
        """Values over topics, a line for each number of items a topic, the ``goal`` as a line of that name, and the
        smallest plan that reaches it as a stem below its point."""
        counts = [topics for topics, _ in self.values]
        lines = []
        for each in dict.fromkeys(items for _, items in self.values):
            known = [(size[0], y) for size, y in self.values.items() if size[1] == each and y is not None]
            if known:
                lines.append(ChartLine(f"{number(each, 'item')} a topic", [Point(*point) for point in known]))
        ends = [Point(end, self.goal) for end in (min(counts), max(counts))]
        lines.append(ChartLine(goal, ends, place=6, marked=False))
        if (smallest := self.smallest) is not None:
            stem = [Point(smallest[0], y) for y in (0.0, self.values[smallest] or 0.0)]
            lines.append(ChartLine(f"Smallest plan: {of_size(smallest)}", stem, place=7))
        reached = reach(lines, 0.0) if self.lower else (0.0, 1.0)
        return Chart(title, "Topics", y, lines, logarithmic=True, ends=reached)


def of_size(size: Size) -> str:
    """The size of a plan, for a sentence."""
    return f"{number(size[0], 'topic')} with {number(size[1], 'item')} each"


def in_all(size: Size) -> str:
    """The size of a plan, with the number of its items."""
    return f"{of_size(size)}, {number(size[0] * size[1], 'item')} in all"


HALF_WIDTH = 0.1
"""The half width of an interval that is wanted where no other is named, and nothing is tested."""
HOW = (
    "Each plan (topics and items per topic) is simulated many times, and tested as conqret tests real data. Items of "
    "one topic are alike, so more topics help more than more items per topic. The marked plan is the one with the "
    "fewest items in total that reaches the goal."
)
GOAL = f"Goal: {POWER:.0%}"


def plan_tables(sizes: SampleSizes) -> Iterator[Table]:
    """Half the width of the interval and, where there is a test, its power: topics by items a topic."""
    studies = f"{sizes.simulations} simulated studies"
    yield _table(
        f"Half width of the {sizes.confidence:.0%} interval of {sizes.what}",
        _half_widths(sizes, None),
        "±{:.3f}",
        f"Medians of {studies}; a dash: more than {MOST_WITHOUT:.0%} of them have no interval.",
    )
    if _by_power(sizes, None):
        powers = _powers(sizes)
        none = "; a dash: with fewer than six topics there is no test" * (None in powers.values.values())
        yield _table(
            f"Power: how often {sizes.what} is found at the 5% level",
            powers,
            "{:.2f}",
            f"Of {studies}: a power near 0.5 is known to ±{_known(sizes.simulations):.2f}{none}.",
        )


def _known(simulations: int) -> float:
    """Half the width of the interval of a share of one half."""
    return 1.96 * 0.5 / math.sqrt(simulations)


def lost_cells(cells: Sequence[PlannedSize]) -> str:
    """In how many studies there will be no interval at all, in a sentence; empty where that is so in few."""
    lost = [cell for cell in cells if cell.without > MOST_WITHOUT and cell.topics >= FEWEST_CLUSTERS]
    if not lost:
        return ""
    worst = max(lost, key=lambda cell: cell.without)
    return (
        f"many simulated studies have no interval at all, most with {number(worst.topics, 'topic')} and "
        f"{number(worst.items, 'item')} a topic ({worst.without:.0%}): too few labels differ from the most frequent "
        "one; plan more topics or items, or choose items so that rare labels occur"
    )


def plan_answer(sizes: SampleSizes, half_width: float | None = None) -> list[str]:
    """The smallest plan that reaches the goal, and how many topics that takes, in sentences. The goal is a
    ``half_width`` of the interval; None: a power of 80% where there is a test, else the usual half width."""
    curve, nearest = _half_widths(sizes, half_width), "narrowest interval"
    goal = f"a {sizes.confidence:.0%} interval of {sizes.what} no wider than ±{curve.goal:g}"
    if _by_power(sizes, half_width):
        curve, nearest = _powers(sizes), "highest power"
        goal = f"a power of at least {curve.goal:.0%} to find {sizes.what}"
    cells = {(cell.topics, cell.items): cell for cell in sizes.cells}
    if (size := curve.smallest) is not None:
        first = f"The smallest simulated plan with {goal} has {in_all(size)} ({_reached(cells[size])})."
        return [first, *([curve.topics_needed()] if len(cells) > 1 else [])]
    best = curve.best
    why = f"the {nearest} is that of {in_all(best)} ({_reached(cells[best])})" if best else "none has a value"
    return [f"No simulated plan has {goal}: {why}. Plan more topics."]


def plan_sheet(sizes: SampleSizes, half_width: float | None = None, seed: int | None = None) -> ReportPage:
    """The page: power or half width over topics, with the smallest plan that reaches the goal, and the tables."""
    by_power = _by_power(sizes, half_width)
    widths = _half_widths(sizes, half_width)
    width_table, *power_table_ = plan_tables(sizes)
    width = widths.chart(
        "Half width of the interval by topics", f"Half width, {sizes.what}", f"Goal: at most ±{widths.goal:g}"
    )
    power = _powers(sizes).chart("Power by topics", f"Power to find {sizes.what}", GOAL)
    sections = [Section("Half width of the interval", [*[width] * by_power, width_table])]
    if power_table_:
        sections.insert(0 if by_power else 1, Section("Power", [*[power] * (not by_power), *power_table_]))
    lost = lost_cells(sizes.cells)
    return ReportPage(
        "power",
        "How many topics and items does a study need?",
        sections,
        answer=plan_answer(sizes, half_width),
        picture=[power if by_power else width],
        lede=[f"{capitalised(lost)}."] if lost else [],
        how_to_read=[
            HOW,
            "The half width of an interval is the number after ±: 0.5 ± 0.1 reaches from 0.4 to 0.6. Power is a share "
            "of simulated studies in which a true difference of this size is significant at the 5% level.",
        ],
        facts=_facts(sizes.assumed, sizes.pilot, sizes.simulations, seed),
    )


def bias_answer(cells: Sequence[BiasPower]) -> list[str]:
    """The smallest plan with which each probe finds the bias in 80% of runs, in sentences."""
    curves, size = _by_probe(cells), cells[0].size
    found, missed = list[str](), list[str]()
    for name, curve in curves.items():
        if curve.smallest is not None:
            found.append(f"{name} with {in_all(curve.smallest)}")
        elif curve.best is not None:
            missed.append(f"{name} (at most {curve.values[curve.best] or 0.0:.0%})")
    goal = f"a bias of {size:g} in at least {POWER:.0%} of simulated runs"
    first = f"The smallest plans that find {goal}: {'; '.join(found)}."
    less = f"These probes find it less often: {', '.join(missed)}."
    return [first if found else f"No simulated plan finds {goal} with any probe.", *[less] * bool(missed)]


def bias_table(cells: Sequence[BiasPower]) -> Table:
    """How often a bias is found, by probe: a row for each number of topics and of items a topic."""
    first = cells[0]
    return Table(
        f"How often a bias of {first.size:g} is found (a place wins {0.5 + first.size:.0%})",
        ("Topics", "Items a topic", *(row.probe for row in first.rows), "False alarms"),
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


def bias_sheet(cells: Sequence[BiasPower], seed: int) -> ReportPage:
    """The page: how often each probe finds the bias, over topics."""
    curves, first = _by_probe(cells), cells[0]
    charts = [
        curve.chart(f"Probe {name}, by topics", f"Runs that find a bias of {first.size:g}", GOAL)
        for name, curve in curves.items()
    ]
    return ReportPage(
        "power",
        "How many topics and pairs does a bias run need?",
        [Section("Share of runs that find the bias", [*charts[1:], bias_table(cells)])],
        answer=bias_answer(cells),
        picture=charts[:1],
        how_to_read=[
            f"With a bias of 0.1 the argument that the bias favors wins 60% of comparisons instead of 50%. {HOW}"
        ],
        facts=_facts("", "", first.simulations, seed),
    )


def _by_power(sizes: SampleSizes, half_width: float | None) -> bool:
    return half_width is None and any(cell.power is not None for cell in sizes.cells)


def _powers(sizes: SampleSizes) -> PlanCurve:
    return PlanCurve({(cell.topics, cell.items): cell.power for cell in sizes.cells}, POWER)


def _half_widths(sizes: SampleSizes, half_width: float | None) -> PlanCurve:
    values = {(cell.topics, cell.items): cell.half_width for cell in sizes.cells}
    return PlanCurve(values, HALF_WIDTH if half_width is None else half_width, lower=True)


def _by_probe(cells: Sequence[BiasPower]) -> dict[str, PlanCurve]:
    return {
        row.probe: PlanCurve({(cell.topics, cell.items): cell.rows[place].found for cell in cells}, POWER)
        for place, row in enumerate(cells[0].rows)
    }


def _reached(cell: PlannedSize) -> str:
    """What a plan reaches, in brackets."""
    power = "" if cell.power is None else f"power {cell.power:.2f}, "
    return f"{power}interval ±{cell.half_width:.3f}" if cell.half_width is not None else f"{power}no interval"


def _facts(assumed: str, pilot: str, simulations: int, seed: int | None) -> list[tuple[str, str]]:
    facts = [("Assumed", assumed), ("Pilot", pilot), ("Simulations of each plan", f"{simulations:,}")]
    return [(name, text) for name, text in facts if text] + [("Seed", str(seed))] * (seed is not None)


def _table(title: str, curve: PlanCurve, form: str, note: str) -> Table:
    cells = {size: None if value is None else form.format(value) for size, value in curve.values.items()}
    topics, items = (dict.fromkeys(column) for column in zip(*cells, strict=True))
    rows = [(str(count), *(cells[count, each] for each in items)) for count in topics]
    return Table(title, ("Topics", *(f"{number(each, 'item')} a topic" for each in items)), rows, note=note)
