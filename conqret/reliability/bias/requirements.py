"""``--require "alarms == 0"``: conditions on what the probes found, read by a grammar and never evaluated.

``NAME[.low|.high][PROBE] OPERATOR NUMBER``. ``alarms``, ``inconclusive`` and ``clear`` count probes; ``flip_rate`` and
``first_place`` are the shares of verdicts that flip and that the first place wins; ``effect[length]`` and
``missable[length]`` are those of a probe. A quantity that has no value fails its condition.
"""

from __future__ import annotations

from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.requirements import FORM, OPERATORS, Requirement, RequirementOutcome
from conqret.reliability.bias.registry import PROBES
from conqret.reliability.bias.table import BiasRow, BiasTable

COUNTED = ("alarms", "inconclusive", "clear")
OF_PLACES = ("flip_rate", "first_place")
OF_PROBES = ("effect", "missable")
WITH_ENDS = ("first_place", "effect")
EXAMPLE = "alarms == 0"


def parse_bias_requirement(text: str) -> Requirement:
    """Read one condition.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such quantity or probe.
    """
    found = FORM.fullmatch(text)
    if found is None:
        raise DeclarationError(f"the requirement {text!r} cannot be read: write it as in {EXAMPLE}")
    name, probe = found["name"].casefold(), found["dimension"]
    if name not in (*COUNTED, *OF_PLACES, *OF_PROBES):
        raise UnknownNameError("quantity to require", name, (*COUNTED, *OF_PLACES, *OF_PROBES))
    if (probe is not None) != (name in OF_PROBES):
        says = "names no probe: effect[length]" if probe is None else f"names a probe, which {name} is not of"
        raise DeclarationError(f"the requirement {text!r} {says}")
    if found["end"] and name not in WITH_ENDS:
        raise DeclarationError(f"{name} has no interval, so {text!r} cannot ask for its {found['end']} end")
    known = None if probe is None else PROBES[probe].name
    return Requirement(text.strip(), name, known, found["end"], found["operator"], float(found["bound"]))


def check_bias_requirement(requirement: Requirement, table: BiasTable) -> RequirementOutcome:
    """Hold one condition against a table."""
    value = _value(requirement, table)
    if value is None:
        return RequirementOutcome(requirement.text, False, None, "it has no value")
    met = OPERATORS[requirement.operator](value, requirement.bound)
    return RequirementOutcome(requirement.text, met, value)


def _value(requirement: Requirement, table: BiasTable) -> float | None:
    name = requirement.name
    if name in COUNTED:
        return len(table.alarms if name == "alarms" else [row for row in table.rows if row.verdict == name])
    row = next((one for one in table.primary if _asked(one, requirement)), None)
    if row is None or row.effect is None:
        return None
    if name == "flip_rate":
        return row.effect.share
    if name == "missable":
        return row.missable
    end = {None: row.effect.value, "low": row.effect.low, "high": row.effect.high}[requirement.end]
    return end if end is None or name == "effect" else 0.5 + end / 2


def _asked(row: BiasRow, requirement: Requirement) -> bool:
    return row.places if requirement.name in OF_PLACES else row.probe == requirement.dimension
