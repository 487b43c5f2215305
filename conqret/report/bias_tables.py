"""What is said of a judge's consistency and bias: for terminals, on a page of its own and on the judge card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conqret.data.gathering import gathered
from conqret.reliability.bias.contrast import NEUTRAL
from conqret.reliability.bias.table import POWER, BiasRow, BiasTable
from conqret.report import words
from conqret.report.bias_screen import headlines, mark, ordered
from conqret.report.card_tables import repeatability_table
from conqret.report.floor import floor_badges
from conqret.report.forest import Forest, Row
from conqret.report.sheet import Folded, Part, Section, Sheet, Texts, section
from conqret.report.table import Alarm, Cell, Column, Table
from conqret.stats.sensitivity import MARGIN

PICTURE = (
    "What each probe moved (square: alarm; ring: no bias to speak of; diamond on a broken line: inconclusive)"
)
"""What is drawn, and how the three answers are."""
RISE, NO_RISE = "r", "no rise"
"""Marks a p-value of a rise alone, and the verdict where only a rise is a bias and there is none."""
EXPLORATORY = (
    "These rows are exploratory and raise no alarm; p is corrected for all of them together. A hint is worth a "
    "run of its own, on other items."
)


def bias_sheet(table: BiasTable) -> Sheet:
    """The page of the bias table."""
    judge = table.record
    failed = [
        f"Some questions failed: {words.reason(reason)}, as for {example}"
        for reason, example in table.session.failures.items()
    ]
    rest = [row for row in table.rows if not row.primary]
    every = Folded(
        f"All {words.number(len(rest), 'row')}, with those where nothing moved", bias_rows_table(rest)
    )
    return Sheet(
        "bias",
        f"Consistency and bias of {judge.format} with {judge.model}",
        [
            Section("Probes", [*_pictures(table), bias_rows_table(table.primary, _bias_note(table))]),
            *([Section("Other comparisons", [moved_table(rest), every], EXPLORATORY)] if rest else []),
            *([section(repeatability_table(table.repeatability))] if table.repeatability else []),
            Section("Remarks", [Texts(lines)] if (lines := [*failed, *_remarks(table)]) else []),
        ],
        lede=["Does the judge say the same twice, and does it favour what it should not?", *headlines(table)],
        badges=[*floor_badges([judge.baseline]), *(("Warning", text) for text in table.warnings)],
        facts=[
            ("Fingerprint", judge.fingerprint),
            ("Items", f"{words.count(judge.items)} on {words.number(table.topics, 'topic')}"),
            ("Judgments", words.count(table.judgments)),
            ("Seed", str(judge.seed)),
        ],
    )


def bias_parts(table: BiasTable) -> Iterator[Part]:
    """What the judge card says of it: warnings, of each comparison the strongest rows, and what was left out."""
    rows = strongest(table)
    if table.warnings:
        yield Texts(table.warnings)
    few = f"{len(rows)} of {words.number(len(table.rows), 'row')}: the primary one of each probe. "
    yield from _pictures(table)
    yield bias_rows_table(rows, few + _bias_note(table))
    if len(rows) < len(table.rows):
        yield Folded(f"All {len(table.rows)} comparisons and metrics", bias_rows_table(table.rows))
    if remarks := list(_remarks(table)):
        yield Texts(remarks)


def _pictures(table: BiasTable) -> Iterator[Forest]:
    """The effects of the primary rows, alarms first."""
    several = len({row.metric for row in table.primary}) > 1
    rows = [
        Row(
            words.label(row.probe) + several * f": {words.label(row.metric)}",
            row.effect.value,
            row.effect.low,
            row.effect.high,
            row.verdict,
            mark(row),
            row.margin,
        )
        for row in ordered(table.primary)
        if row.effect is not None and row.effect.p is not None
    ]
    if rows:
        yield Forest(PICTURE, "Difference of scores; shaded: within the margin", rows)


def strongest(table: BiasTable) -> list[BiasRow]:
    """For each probe the row to show first: the primary one, or else the one that moved furthest."""
    groups = gathered((row.probe, row) for row in table.rows)
    return [
        row
        for rows in groups.values()
        for row in [one for one in rows if one.primary] or [max(rows, key=_movement)]
    ]


def bias_rows_table(rows: Iterable[BiasRow], note: str = "") -> Table:
    """Rows of the bias table."""
    names = (Column("Probe", "text"), Column("Comparison", "text"), Column("Metric", "name"))
    cells = [(words.label(row.probe), row.name, words.label(row.metric), *_cells(row)) for row in rows]
    return Table("", (*names, *_FOUND), cells, note=note)


def moved_table(rows: Iterable[BiasRow]) -> Table:
    """The rows of which some pair moved or has no value, under their comparison, which says how many moved nothing."""
    cells: list[tuple[Cell, ...]] = []
    for (probe, name), group in gathered(((row.probe, row.name), row) for row in rows).items():
        moved = [row for row in group if row.effect is None or row.effect.moved]
        still = f": nothing moved on {len(group) - len(moved)} of {words.number(len(group), 'metric')}"
        cells.append((f"{words.label(probe)}, {name}{still if len(moved) < len(group) else ''}",))
        cells += [(words.label(row.metric), *_cells(row)) for row in moved]
    return Table("What moved", (Column("Metric", "name"), *_FOUND), cells)


_FOUND = (
    Column("Effect"),
    Column(f"p ({RISE}: of a rise alone)"),
    Column("Verdict", "text"),
    Column("Pairs"),
    Column("Topics"),
    Column("Moved"),
)


def _cells(row: BiasRow) -> tuple[Cell, ...]:
    """What was found in a row, as :data:`_FOUND` is titled."""
    effect, verdict = row.effect, f"{NO_RISE if mark(row) == NO_RISE else row.verdict}: {row.words}"
    said = Alarm(verdict) if row.verdict == "alarm" else verdict
    counts: tuple[Cell, ...] = (effect.n, effect.clusters, effect.moved) if effect else (0, 0, "")
    p = words.p_value(effect.p if effect else None)
    return (effect or "none", f"{p} {RISE}" if p and row.adverse == "rise" else p, said, *counts)


def _bias_note(table: BiasTable) -> str:
    held = ", ".join(row.probe for row in table.primary if row.against == NEUTRAL)
    against = f" Compared with neutral text of the same length: {held}." if held else ""
    return (
        f"Effects are differences of scores in [0, 1] with {table.confidence:.0%} intervals over topics; p is of "
        f"either direction, or ({RISE}) of a rise alone where only that is a bias, and corrected for all of these rows "
        "together (sign flips of whole topics, maxT). An alarm needs "
        f"p < {table.alpha:g}, an interval without 0, and the direction that is a bias. Clear is what an equivalence "
        f"test at {table.alpha:g} finds within {MARGIN:g} (places: within {2 * MARGIN:g}, where the first place wins "
        f"{0.5 - MARGIN:.0%} to {0.5 + MARGIN:.0%}); where only a rise is a bias, no rise is what a test finds to rise "
        f"by less than {MARGIN:g}, however far it falls. What could have been missed shows in {POWER:.0%} of such runs."
        f"{against}"
    )


def _remarks(table: BiasTable) -> Iterator[str]:
    yield from (f"Left out: {name} ({reason})." for name, reason in table.left_out.items())
    yield from (f"{text}." for text in table.notes)


def _movement(row: BiasRow) -> tuple[float, float]:
    return (0.0, 0.0) if row.effect is None else (abs(row.effect.value), row.effect.moved)
