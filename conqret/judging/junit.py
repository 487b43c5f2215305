"""What a gate found, as JUnit XML, which continuous integration shows beside tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conqret.console.conditions import RequirementOutcome
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import coverage
from conqret.show.visible_text import visible

Case = tuple[str, str, str, str]
"""Its kind, its name, ``failure``, ``skipped`` or nothing, and what is said of it."""


def judge_junit(summary: Summary, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for the items (those that failed are a failure) and for each requirement."""
    tag = "failure" if summary.failed or not (summary.any_score or summary.outstanding) else ""
    return junit_suite(
        "judge", [("items", "every item is judged", tag, coverage(summary)), *required_cases(outcomes)]
    )


def difference_junit(outcomes: Sequence[RequirementOutcome]) -> bytes:
    """A test case for each requirement on the difference of two runs."""
    return junit_suite("runs diff", list(required_cases(outcomes)))


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
