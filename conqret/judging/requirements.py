"""What can be required of a judge's run (a metric's mean, or the coverage), and JUnit XML of what a gate found.

``.worst_case`` and ``.best_case`` are the mean if all that has no value were 0, or 1; the coverage is the share of
items that are scored, of which those that were left out because of faults count as without a value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conqret.console.conditions import ENDS, Requirement, RequirementOutcome
from conqret.errors import DeclarationError
from conqret.judging.judge_options import COVERAGE
from conqret.judging.known_as import named_here
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import coverage
from conqret.show.visible_text import visible

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


Case = tuple[str, str, str, str]
"""Its kind, its name, ``failure``, ``skipped`` or nothing, and what is said of it."""


def judge_junit(summary: Summary, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for the items (those that failed are a failure) and for each requirement."""
    tag = "failure" if summary.failed or not (summary.any_score or summary.outstanding) else ""
    return junit_suite(
        "judge", [("items", "every item is judged", tag, coverage(summary)), *required_cases(outcomes)]
    )


def required_cases(outcomes: Sequence[RequirementOutcome]) -> Iterator[Case]:
    """A test case for each requirement: a failure where it is not met."""
    for outcome in outcomes:
        message = outcome.reason if outcome.value is None else f"it is {outcome.value:.3f}"
        yield "require", outcome.requirement, "" if outcome.met else "failure", message


def junit_suite(command: str, cases: Sequence[Case]) -> bytes:
    """The cases as one suite, in XML."""
    failed, skipped = (sum(tag == wanted for _, _, tag, _ in cases) for wanted in ("failure", "skipped"))
    suite = Element(
        "testsuite",
        name=f"conqret {command}",
        tests=str(len(cases)),
        failures=str(failed),
        skipped=str(skipped),
        errors="0",
    )
    for kind, name, tag, message in cases:
        case = SubElement(suite, "testcase", classname=f"conqret.{command}.{kind}", name=visible(name))
        if tag:
            SubElement(case, tag, message=visible(message))
    indent(suite)
    return bytes(tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"
