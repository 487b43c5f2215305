"""What is said of a judge's consistency and bias: for terminals, on a page of its own and on the judge card."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.data.digest import gathered
from conqret.judging.requirements import junit_suite, required_cases
from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.report_page import CollapsedTable, PageRemarks, Part, ReportPage, Section, section
from conqret.show.table import Alarm, Cell, Column, Table
from conqret.stats.curve_tests import MARGIN
from conqret.studies.bias.contrast import NEUTRAL, PROBES, probe_name
from conqret.studies.bias.result import POWER, BiasRow, BiasTable
from conqret.studies.bias.screen import (
    FALLS,
    felt,
    headlines,
    lacking,
    main_rows,
    mark,
    ordered,
    pointed,
    to_do,
    valueless,
)
from conqret.studies.variance.page import repeatability_table

RISE = "r"
"""Marks a p-value of a rise alone."""
ONE_SIDED = f" (marked {RISE}: one-sided, where only a higher score is a bias)"
PAIRS = (
    "A pair is one item with and without the change that is probed, or judged twice. “Mean change” is the mean "
    "absolute "
    "difference of the two scores of a pair."
)


def screen(table: BiasTable) -> Iterator[str | Table]:
    """What a terminal shows."""
    yield from headlines(table)
    yield ""
    rows = [(mark(row), row.probe, felt(row)) for row in main_rows(table)]
    names = (Column("Verdict", "name"), Column("Probe", "name"), Column("Found", "text"))
    yield Table("", names, rows, note=words.symmetry_note(table.topics))
    yield from pointed("What to do", list(to_do(table)))


def bias_sheet(table: BiasTable) -> ReportPage:
    """The page of the bias table."""
    judge = table.record
    rest = [row for row in table.rows if not row.primary]
    remarks = [*words.failed(table.session.failures), *_remarks(table)]
    return ReportPage(
        "bias",
        f"Is {judge.format} with {judge.model} consistent and unbiased?",
        [
            Section(
                "Probes", [bias_rows_table([*ordered(table.primary), *valueless(table)], _bias_note(table))]
            ),
            Section("Other comparisons", list(_others(rest)), _exploratory(table)),
            *([section(repeatability_table(table.repeatability))] if table.repeatability else []),
            Section("Remarks", [PageRemarks(remarks)] if remarks else []),
        ],
        answer=headlines(table),
        picture=list(_pictures(table)),
        badges=[*words.floor_badges([judge.baseline]), *(("Warning", text) for text in table.warnings)],
        facts=[
            ("Items", f"{words.count(judge.items)} on {words.number(table.topics, 'topic')}"),
            ("Judgments", words.count(table.judgments)),
            ("Fingerprint", judge.fingerprint),
            ("Seed", str(judge.seed)),
        ],
    )


def bias_parts(table: BiasTable) -> Iterator[Part]:
    """What the judge card says of it: warnings, of each comparison the strongest rows, and what was left out."""
    rows = [row for row in strongest(table) if row.verdict != "measured"]
    if table.warnings:
        yield PageRemarks(table.warnings)
    few = "For each probe the table shows the primary row or, without one, the row that changed most. "
    yield from _pictures(table)
    yield bias_rows_table(rows, few + _bias_note(table))
    if len(rows) < len(table.rows):
        yield CollapsedTable(f"All {len(table.rows)} comparisons and metrics", grouped_table(table.rows))
    if remarks := list(_remarks(table)):
        yield PageRemarks(remarks)


def _pictures(table: BiasTable) -> Iterator[Forest]:
    """The effects of the primary rows, alarms first."""
    several = len({row.metric for row in table.primary}) > 1
    rows = [
        ForestRow(
            words.label(row.probe) + several * f": {words.label(row.metric)}",
            row.effect.value,
            row.effect.low,
            row.effect.high,
            "" if mark(row) == FALLS else row.verdict,
            mark(row),
            row.margin,
        )
        for row in ordered(table.primary)
        if row.effect is not None and row.effect.p is not None
    ]
    if rows:
        yield Forest(
            "Change of scores by each probe",
            "Difference of scores (shaded: within the equivalence margin)",
            rows,
        )


def strongest(table: BiasTable) -> list[BiasRow]:
    """For each probe the row to show first: the primary one, or else the one that moved furthest."""
    groups = gathered((row.probe, row) for row in table.rows)
    return [
        row
        for rows in groups.values()
        for row in [bias_row for bias_row in rows if bias_row.primary] or [max(rows, key=_movement)]
    ]


def bias_rows_table(rows: Iterable[BiasRow], note: str = "") -> Table:
    """Rows of the bias table."""
    names = (Column("Probe", "text"), Column("Comparison", "text"), Column("Metric", "name"))
    cells = [(words.label(row.probe), row.name, words.label(row.metric), *_cells(row)) for row in rows]
    return Table("", (*names, *_FOUND), cells, note=note)


def _others(rows: Sequence[BiasRow]) -> Iterator[Part]:
    """The rows of which some pair moved or has no value, where nothing moved, and all of them."""
    moved = [row for row in rows if row.effect is None or row.effect.moved]
    still = gathered((_comparison(row), row) for row in rows if row not in moved)
    if moved:
        yield grouped_table(moved, "Where scores changed")
    if still:
        groups = [f"{name} ({words.number(len(group), 'metric')})" for name, group in still.items()]
        yield PageRemarks([f"No score changed in these comparisons: {'; '.join(groups)}."])
        yield CollapsedTable(
            f"All {words.number(len(rows), 'row')}, with those where no score changed", grouped_table(rows)
        )


def grouped_table(rows: Iterable[BiasRow], title: str = "") -> Table:
    """Rows of the bias table, each under its comparison."""
    cells: list[tuple[Cell, ...]] = []
    for name, group in gathered((_comparison(row), row) for row in rows).items():
        cells += [(name,), *((words.label(row.metric), *_cells(row)) for row in group)]
    return Table(title, (Column("Metric", "name"), *_FOUND), cells)


def _comparison(row: BiasRow) -> str:
    return f"{words.label(row.probe)}, {row.name}"


_FOUND = (
    Column("Effect"),
    Column("p"),
    Column("Verdict", "text"),
    Column("Pairs"),
    Column("Topics"),
    Column("Mean change"),
)


def _cells(row: BiasRow) -> tuple[Cell, ...]:
    """What was found in a row, as :data:`_FOUND` is titled."""
    effect, name = row.effect, row.verdict if row.verdict != "clear" else mark(row)
    between = ", " if name == "exploratory" else ": "
    verdict = (row.words if row.words.startswith(name) else f"{name}{between}{row.words}") + lacking(row)
    verdict_cell = Alarm(verdict) if row.verdict == "alarm" else verdict
    counts: tuple[Cell, ...] = (effect.n, effect.clusters, effect.moved) if effect else (0, 0, "")
    p = words.p_value(effect.p if effect else None)
    return (effect or "none", f"{p} {RISE}" if p and row.adverse == "rise" else p, verdict_cell, *counts)


def _bias_note(table: BiasTable) -> str:
    rows = table.primary
    held = ", ".join(row.probe for row in rows if row.against == NEUTRAL)
    rises = any(row.adverse == "rise" for row in rows)
    places = (
        f" For position bias the margin is ±{2 * MARGIN:g} in the difference between the win rates of the first and "
        f"the "
        f"second argument shown, so the first may win {0.5 - MARGIN:.0%} to {0.5 + MARGIN:.0%} of comparisons."
    )
    notes = [
        f"Effects are differences of scores in [0, 1] with {table.confidence:.0%} intervals over topics. The p-values"
        f"{ONE_SIDED * rises} are corrected for the number of rows (maxT, by flipping the signs of whole topics). "
        f"{PAIRS}",
        f"The verdict “alarm” (a bias is detected) needs p < {table.alpha:g}, an interval without 0, and a "
        f"difference in "
        f"the direction that is a bias. The verdict “equivalent” means that an equivalence test (p < {table.alpha:g}) "
        f"shows the effect to be smaller than {MARGIN:g} in both directions.{places * any(row.places for row in rows)}",
        f"For probes of which only a higher score is a bias, the verdict “no rise” means that the test rules out a "
        f"rise "
        f"of {MARGIN:g} or more, and “falls” means that the whole interval is below 0, which is no bias."
        * rises,
        f"“Could have missed” names the smallest bias that a run like this one detects with a probability of "
        f"{POWER:.0%}." * bool(table.having("inconclusive")),
        f"These probes compare the changed item with one that has neutral text of the same length in the same place: "
        f"{held}." * bool(held),
        words.symmetry_note(table.topics),
    ]
    return " ".join(filter(None, notes))


def _exploratory(table: BiasTable) -> str:
    return (
        f"These rows are exploratory and raise no alarm. “A hint” means p < {table.alpha:g} and an interval without 0: "
        f"test it in a new run on other items. The p-values{ONE_SIDED} are corrected for the number of these rows; the "
        "intervals are not, so an interval may exclude 0 where there is no hint."
    )


def _remarks(table: BiasTable) -> Iterator[str]:
    yield from (f"{words.label(name)} was not probed: {reason}." for name, reason in table.left_out.items())
    yield from (f"{text}." for text in table.notes)


def _movement(row: BiasRow) -> tuple[float, float]:
    return (0.0, 0.0) if row.effect is None else (abs(row.effect.value), row.effect.moved)


def bias_junit(table: BiasTable, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for each probe (an alarm is a failure, what is inconclusive is skipped) and for each requirement."""
    tags = {"alarm": "failure", "clear": ""}
    cases = [("probe", row.probe, tags.get(row.verdict, "skipped"), felt(row)) for row in table.primary]
    return junit_suite("bias", [*cases, *required_cases(outcomes)])


COUNTED = ("alarms", "inconclusive", "clear")
OF_PLACES = ("flip_rate", "first_place")
OF_PROBES = ("effect", "missable")
WITH_ENDS = ("first_place", "effect")
EXAMPLE = "alarms == 0"
NAMED = (OF_PROBES, "probe", "effect[length]")


def parse_bias_requirement(text: str) -> Requirement:
    """Read one condition.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such quantity or probe.
    """
    known = (*COUNTED, *OF_PLACES, *OF_PROBES)
    requirement = Requirement.of(text, known, "quantity to require", EXAMPLE, WITH_ENDS, NAMED)
    return (
        requirement
        if requirement.dimension is None
        else replace(requirement, dimension=PROBES[requirement.dimension].name)
    )


def check_bias_requirement(requirement: Requirement, table: BiasTable) -> RequirementOutcome:
    """Hold one condition against a table."""
    return requirement.outcome(_value(requirement, table))


def _value(requirement: Requirement, table: BiasTable) -> float | None:
    name = requirement.name
    if name in COUNTED:
        return len(table.alarms if name == "alarms" else [row for row in table.rows if row.verdict == name])
    asked = [row for row in table.primary if _asked(row, requirement)]
    row = max(asked, key=_size, default=None)
    if row is None or row.effect is None:
        return None
    if name == "flip_rate":
        return row.effect.share
    if name == "missable":
        return row.missable
    end = requirement.end_of(row.effect)
    return end if end is None or name == "effect" else 0.5 + end / 2


def _asked(row: BiasRow, requirement: Requirement) -> bool:
    return row.places if requirement.name in OF_PLACES else probe_name(row.probe) == requirement.dimension


def _size(row: BiasRow) -> float:
    """How far its effect lies from 0; one without a value first, so that a condition on it fails."""
    return math.inf if row.effect is None else abs(row.effect.value)
