"""What a gate found, as JUnit XML, which continuous integration shows beside tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conqret.judging.requirements import RequirementOutcome
from conqret.reliability.bias.table import BiasTable
from conqret.report.bias_screen import felt
from conqret.report.texts import visible


def bias_junit(table: BiasTable, outcomes: Sequence[RequirementOutcome] = ()) -> bytes:
    """A test case for each probe (an alarm is a failure, what is inconclusive is skipped) and for each requirement."""
    cases: list[tuple[str, str, str, str]] = []
    for row in table.primary:
        tag = {"alarm": "failure", "clear": ""}.get(row.verdict, "skipped")
        cases.append(("conqret.bias.probe", row.probe, tag, felt(row)))
    for one in outcomes:
        said = one.reason if one.value is None else f"it is {one.value:.3f}"
        cases.append(("conqret.bias.require", one.requirement, "" if one.met else "failure", said))
    failed, skipped = (sum(tag == wanted for _, _, tag, _ in cases) for wanted in ("failure", "skipped"))
    suite = Element(
        "testsuite",
        name="conqret bias",
        tests=str(len(cases)),
        failures=str(failed),
        skipped=str(skipped),
        errors="0",
    )
    for kind, name, tag, said in cases:
        case = SubElement(suite, "testcase", classname=kind, name=visible(name))
        if tag:
            SubElement(case, tag, message=visible(said))
    indent(suite)
    return bytes(tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"
