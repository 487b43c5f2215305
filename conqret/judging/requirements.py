"""What can be required of a judge's run: a metric's mean, or the coverage.

``.worst_case`` and ``.best_case`` are the mean if all that has no value were 0, or 1; the coverage is the share of
items that are scored, of which those that were left out because of faults count as without a value.
"""

from __future__ import annotations

from collections.abc import Collection

from conqret.console.conditions import ENDS, Requirement, RequirementOutcome
from conqret.errors import DeclarationError
from conqret.judging.known_as import named_here
from conqret.judging.summary import Summary

COVERAGE = "coverage"
EXAMPLE = "groundedness >= 0.7"
BOUNDS = ("worst_case", "best_case")


def parse_mean(text: str, metrics: Collection[str]) -> Requirement:
    """Read a condition on one of ``metrics``, or on the coverage.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such metric, or end.
    """
    requirement = Requirement.of(
        text,
        {*metrics, COVERAGE},
        "metric to require",
        EXAMPLE,
        metrics,
        ends=(*ENDS, *BOUNDS),
        elsewhere=named_here,
    )
    if requirement.dimension:
        raise DeclarationError(f"the requirement {text!r} cannot be read: write it as in {EXAMPLE}")
    return requirement


def check_mean(requirement: Requirement, summary: Summary) -> RequirementOutcome:
    """Hold one condition against the numbers of a run."""
    if requirement.name == COVERAGE:
        return requirement.outcome(summary.coverage)
    metric = summary.metrics.get(requirement.name)
    if metric is None:
        return requirement.outcome(None)
    no_interval = requirement.end in ENDS and metric.no_interval
    return requirement.outcome(getattr(metric, requirement.end or "mean"), no_interval or "it has no value")
