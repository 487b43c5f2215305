"""``--require "alpha[overall_quality] >= 0.4"``: conditions on a validation, read by a grammar and never evaluated.

``NAME[.low|.high][DIMENSION] OPERATOR NUMBER``: without a dimension, ``alpha``, ``calibrated``, ``people``, ``person``
and ``as_person`` are the average without overall quality, ``coverage`` is over all. A quantity that has no value fails
its condition.
"""

from __future__ import annotations

from collections.abc import Mapping

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import DeclarationError, check_known
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.statistics import STATISTICS
from conqret.studies.validate.result import Validation

AVERAGED = ("alpha", "calibrated", "people", "person", "as_person")
OTHERS = ("coverage", "winning_rate", "advantage")
EXAMPLE = "alpha[overall_quality] >= 0.4"


def parse_requirement(text: str) -> Requirement:
    """Read one condition.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such quantity.
    """
    ended = (*AVERAGED, *STATISTICS)
    found = Requirement.of(text, (*ended, *OTHERS), "quantity to require", EXAMPLE, ended)
    if found.dimension is None and found.name not in (*AVERAGED, "coverage"):
        raise DeclarationError(f"the requirement {text!r} names no dimension: {found.name}[overall_quality]")
    return found


def check_requirement(requirement: Requirement, validation: Validation) -> RequirementOutcome:
    """Hold one condition against a validation.

    Raises:
        UnknownNameError: its dimension was not validated.
    """
    estimate = _quantities(requirement.dimension, validation)[requirement.name]
    return requirement.outcome(requirement.end_of(estimate), estimate.reason or "it has no value")


def _quantities(dimension: str | None, validation: Validation) -> Mapping[str, Estimate]:
    if dimension is None:
        return validation.quantities
    check_known("validated dimension", validation.dimensions, dimension)
    return validation.dimensions[dimension].quantities
