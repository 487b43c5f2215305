"""Plans as tables and as a picture: what more topics, and what more items a topic, buy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from conqret.show.plots import COLOURS, MARKERS, drawn
from conqret.show.table import Cell, Table
from conqret.show.words import number
from conqret.stats.control_charts import Design
from conqret.stats.drift_plan import QUANTITIES, ChartPlan, PlannedSeries
from conqret.stats.estimate import FEWEST_CLUSTERS
from conqret.stats.planning import MOST_WITHOUT, PlannedSize

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plan_tables(cells: Sequence[PlannedSize], what: str, simulations: int) -> Iterator[Table]:
    """Half the width of the interval of ``what`` and, where there is a test, its power: topics by items a topic."""
    yield _table(
        f"Half the width of the interval of {what}",
        {
            (cell.topics, cell.items): None if cell.half_width is None else f"±{cell.half_width:.3f}"
            for cell in cells
        },
        f"The median of the simulations. –: more than {MOST_WITHOUT:.0%} of them have no interval.",
    )
    if any(cell.power is not None for cell in cells):
        powers: dict[tuple[int, int], Cell] = {
            (cell.topics, cell.items): None if cell.power is None else f"{cell.power:.2f}" for cell in cells
        }
        known = 1.96 * 0.5 / simulations**0.5
        note = f"Of {simulations} simulations a cell: a power near one half is known to ±{known:.2f}."
        if any(value is None for value in powers.values()):
            note = f"{note} –: below six topics there is no verdict."
        yield _table("Power: how often it is found at 5%", powers, note)


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


def series_table(cells: Sequence[PlannedSeries], watched: ChartPlan, design: Design) -> Table:
    """How often a series of waves finds a shift, how soon, and how often it raises an alarm at nothing."""
    rows: list[tuple[Cell, ...]] = [
        (
            str(cell.topics),
            cell.items,
            f"{cell.error:.3f}",
            f"{cell.false_alarms:.1%}",
            f"{cell.found:.1%}",
            None if cell.delay is None else f"{cell.delay:.1f}",
        )
        for cell in cells
    ]
    return Table(
        f"A shift of {watched.shift:g} after {watched.after} of {design.waves} waves",
        ("topics", "items a topic", "error", "false alarms", "found", "delay"),
        rows,
        note="Error: the standard error of one wave's mean. False alarms: series of a judge that does not drift with "
        f"any alarm in the {number(QUANTITIES * watched.metrics, 'chart')}, with noise that is independent between "
        "waves. Found: series whose first alarm comes "
        "after the shift; delay: the waves that this takes, on average. "
        f"{watched.simulations:,} series a cell, the first {number(design.baseline, 'wave')} the baseline.",
    )


def plan_picture(cells: Sequence[PlannedSize], what: str) -> bytes:
    """The same as SVG: topics along, a line for each number of items a topic.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    tested = any(cell.power is not None for cell in cells)

    def draw(figure: Figure) -> None:
        parts = [("half_width", f"half the width, {what}"), *([("power", "power")] if tested else [])]
        for axes, (field, title) in zip(figure.subplots(1, len(parts), squeeze=False)[0], parts, strict=True):
            for each, colour, marker in zip(
                dict.fromkeys(cell.items for cell in cells), cycle(COLOURS), cycle(MARKERS), strict=False
            ):
                line = [
                    (cell.topics, value)
                    for cell in cells
                    if cell.items == each and (value := getattr(cell, field)) is not None
                ]
                if line:
                    label = f"{number(each, 'item')} a topic"
                    axes.plot(
                        *zip(*line, strict=True), color=colour, marker=marker, ms=4, lw=1.4, label=label
                    )
            axes.set_xlabel("topics")
            axes.set_ylabel(title)
            axes.set_ylim(bottom=0)
            axes.grid(alpha=0.25, lw=0.5)
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(fontsize=7, frameon=False)

    return drawn(draw, (5.2 * (1 + tested), 3.3), "svg")


def _table(title: str, values: dict[tuple[int, int], Cell], note: str) -> Table:
    topics, items = (dict.fromkeys(column_values) for column_values in zip(*values, strict=True))
    rows = [(str(count), *(values[count, each] for each in items)) for count in topics]
    return Table(title, ("topics", *(f"{number(each, 'item')} a topic" for each in items)), rows, note=note)
