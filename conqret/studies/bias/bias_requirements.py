"""``--require "alarms == 0"``: conditions on what the probes found, read by a grammar and never evaluated.

``NAME[.low|.high][PROBE] OPERATOR NUMBER``. ``alarms``, ``inconclusive`` and ``clear`` count probes; ``flip_rate`` and
``first_place`` are the shares of verdicts that flip and that the first place wins; ``effect[length]`` and
``missable[length]`` are those of a probe, and of one with several rows (``language``) those of the largest effect. A
quantity that has no value fails its condition.
"""

from __future__ import annotations

import math
from dataclasses import replace

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.studies.bias.contrast import PROBES, probe_name
from conqret.studies.bias.result import BiasRow, BiasTable

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
