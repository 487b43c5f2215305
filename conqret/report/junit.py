"""What a gate found, as JUnit XML, which continuous integration shows beside tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conqret.judging.requirements import RequirementOutcome
from conqret.judging.summary import Summary
from conqret.reliability.bias.table import BiasTable
from conqret.reliability.drift.series import Drift
from conqret.report.bias_screen import felt
from conqret.report.drift import chart_name, chart_words
from conqret.report.tables import coverage
from conqret.report.texts import visible

Case = tuple[str, str, str, str]
"""Its kind, its name, ``failure``, ``skipped`` or nothing, and what is said of it."""


def judge_junit(summary: Summary, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for the items (those that failed are a failure) and for each requirement."""
    tag = "failure" if summary.failed or not (summary.any_score or summary.outstanding) else ""
    return _junit("judge", [("items", "every item is judged", tag, coverage(summary)), *_required(outcomes)])


def difference_junit(outcomes: Sequence[RequirementOutcome]) -> bytes:
    """A test case for each requirement on the difference of two runs."""
    return _junit("diff", list(_required(outcomes)))


def bias_junit(table: BiasTable, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for each probe (an alarm is a failure, what is inconclusive is skipped) and for each requirement."""
    tags = {"alarm": "failure", "clear": ""}
    cases = [("probe", row.probe, tags.get(row.verdict, "skipped"), felt(row)) for row in table.primary]
    return _junit("bias", [*cases, *_required(outcomes)])


def drift_junit(drift: Drift, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for each chart (an alarm is a failure, one without a value or still without limits is skipped) and
    for each requirement."""
    tags = {"alarm": "failure", "no alarm": ""}
    cases = [
        ("chart", chart_name(one), tags.get(one.verdict, "skipped"), chart_words(one)) for one in drift.charts
    ]
    return _junit("drift", [*cases, *_required(outcomes)])


def _required(outcomes: Sequence[RequirementOutcome]) -> Iterator[Case]:
    for one in outcomes:
        said = one.reason if one.value is None else f"it is {one.value:.3f}"
        yield "require", one.requirement, "" if one.met else "failure", said


def _junit(command: str, cases: Sequence[Case]) -> bytes:
    """The cases as one suite."""
    failed, skipped = (sum(tag == wanted for _, _, tag, _ in cases) for wanted in ("failure", "skipped"))
    suite = Element(
        "testsuite",
        name=f"conqret {command}",
        tests=str(len(cases)),
        failures=str(failed),
        skipped=str(skipped),
        errors="0",
    )
    for kind, name, tag, said in cases:
        case = SubElement(suite, "testcase", classname=f"conqret.{command}.{kind}", name=visible(name))
        if tag:
            SubElement(case, tag, message=visible(said))
    indent(suite)
    return bytes(tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"
