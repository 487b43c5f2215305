"""``--require "difference[groundedness] >= -0.02"``: conditions on two runs beside each other.

``difference[.low|.high][METRIC] OPERATOR NUMBER``: the second run's mean less the first's, on what both scored;
``.low`` and ``.high`` are the ends of its interval. A difference, or an end, that has no value fails its condition.
"""

from __future__ import annotations

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import check_known
from conqret.studies.diff.result import RunDifference

DIFFERENCE = "difference"
EXAMPLE = "difference[groundedness] >= -0.02"


def parse_difference_requirement(text: str) -> Requirement:
    """Read one condition.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such quantity.
    """
    named = ((DIFFERENCE,), "metric", EXAMPLE)
    return Requirement.of(text, (DIFFERENCE,), "quantity to require", EXAMPLE, named=named)


def check_difference_requirement(requirement: Requirement, difference: RunDifference) -> RequirementOutcome:
    """Hold one condition against two runs.

    Raises:
        UnknownNameError: not both of them have its metric.
    """
    metric = str(requirement.dimension)
    check_known("metric of both runs", difference.metrics, metric)
    row = difference.metrics[metric]
    estimate, moved = row.difference, row.up or row.down
    value = (
        requirement.end_of(estimate) if moved else estimate.value
    )  # the same scores have no interval: both ends are 0
    return requirement.outcome(value, estimate.reason or "it has no value")
