"""Conditions on a bias table (``--require``), and its JUnit XML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.io.safe_files import write_whole
from conqret.judging.summary_tables import junit_suite, required_cases
from conqret.studies.bias.contrast import PROBES, probe_name
from conqret.studies.bias.result import BiasTable, finding_words

COUNTED = ("alarms", "inconclusive", "clear")
OF_PLACES = ("flip_rate", "first_place")
OF_PROBES = ("effect", "missable")


def write_junit(table: BiasTable, outcomes: Sequence[RequirementOutcome], file: Path) -> None:
    """Write JUnit XML: a test case for each probe (an alarm is a failure, what is inconclusive is skipped) and for each
    requirement."""
    tags = {"alarm": "failure", "clear": ""}
    cases = [
        ("probe", row.probe, tags.get(row.verdict, "skipped"), finding_words(row)) for row in table.primary
    ]
    write_whole(file, junit_suite("bias", [*cases, *required_cases(outcomes)]))


def parse_bias_requirement(text: str) -> Requirement:
    """Read one condition.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such quantity or probe.
    """
    known, named = (*COUNTED, *OF_PLACES, *OF_PROBES), (OF_PROBES, "probe", "effect[length]")
    read = Requirement.of(text, known, "quantity to require", "alarms == 0", ("first_place", "effect"), named)
    return read if read.dimension is None else replace(read, dimension=PROBES[read.dimension].name)


def bias_value(requirement: Requirement, table: BiasTable) -> float | None:
    """The quantity of a condition: a count, or that of the primary row whose effect lies furthest from 0; None where
    one has no value, so that a condition on it fails."""
    name = requirement.name
    if name in COUNTED:
        return len(table.having("alarm" if name == "alarms" else name))  # type: ignore[arg-type]
    asked = [
        row
        for row in table.primary
        if (row.places if name in OF_PLACES else probe_name(row.probe) == requirement.dimension)
    ]
    row = max(asked, key=lambda row: abs(row.effect.value) if row.effect else math.inf, default=None)
    if row is None or row.effect is None:
        return None
    if name in ("flip_rate", "missable"):
        return row.effect.share if name == "flip_rate" else row.missable
    end = requirement.end_of(row.effect)
    return end if end is None or name == "effect" else 0.5 + end / 2
