"""``--require "severity[clarity] < 0.05"``: conditions on a series, read by a grammar and never evaluated.

``NAME[METRIC] OPERATOR NUMBER``. ``severity`` and ``spread`` are the EWMA of a metric at the newest wave, less the
baseline; ``alarms`` counts charts, and ``coverage`` is the share of the newest wave's anchors that are scored. A
quantity that has no value fails its condition.
"""

from __future__ import annotations

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import UnknownNameError
from conqret.judging.requirements import COVERAGE
from conqret.studies.drift.result import Drift

OF_SERIES = ("alarms", COVERAGE)
OF_METRICS = ("severity", "spread")
EXAMPLE = "severity[clarity] < 0.05"


def parse_drift_requirement(text: str) -> Requirement:
    """Read one condition.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such quantity.
    """
    known, named = (*OF_SERIES, *OF_METRICS), (OF_METRICS, "metric", EXAMPLE)
    return Requirement.of(text, known, "quantity to require", EXAMPLE, (), named)


def check_drift_requirement(requirement: Requirement, drift: Drift) -> RequirementOutcome:
    """Hold one condition against a series.

    Raises:
        UnknownNameError: its metric was not judged.
    """
    return requirement.outcome(_value(requirement, drift))


def _value(requirement: Requirement, drift: Drift) -> float | None:
    if requirement.name == "alarms":
        return len(drift.alarms)
    if requirement.name == COVERAGE:
        newest = drift.waves[-1]
        return newest.anchors / (newest.anchors + newest.missing)
    known = {chart.metric: chart for chart in drift.charts if chart.quantity == requirement.name}
    if requirement.dimension not in known:
        raise UnknownNameError("judged metric", str(requirement.dimension), known)
    newest_point = known[requirement.dimension].newest
    return None if newest_point is None else newest_point.ewma
