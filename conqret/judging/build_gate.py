"""Conditions on a judge's run (a metric's mean, or the coverage), and its files for a build: JUnit XML, Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conqret.console.conditions import ENDS, Requirement, RequirementOutcome
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.io.safe_files import write_whole
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.judge_options import COVERAGE, PAIRED, SINGLE
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES
from conqret.judging.judge_settings import chosen_format
from conqret.judging.known_as import named_here
from conqret.judging.summary import Summary
from conqret.judging.summary_tables import coverage, headlines, summary_tables
from conqret.show.markup import safe, tables_markdown
from conqret.show.table import Alarm, Column, Table
from conqret.show.visible_text import visible

if TYPE_CHECKING:
    from conqret.judging.judgments import Judgments

EXAMPLE = "groundedness >= 0.7"
BOUNDS = ("worst_case", "best_case")


def requirements(
    texts: Sequence[str], items: Path | None, settings: Mapping[str, Any], *, elsewhere: bool
) -> list[Requirement]:
    """Parse the conditions of ``--require`` on the requested metrics and on the coverage.

    Args:
        texts: the conditions as the user typed them.
        items: the file of items to judge, which may contain a rubric.
        settings: the settings of the judge and of its items, as :func:`conqret.judge` takes them.
        elsewhere: True if conqret calls no model because a function, an address or a log judges.
    """
    metrics = {metric.replace("-", "_") for metric in settings.get("metrics", ())}
    if elsewhere:
        return [parse_mean(text, metrics or {PAIRED, SINGLE}) for text in texts]
    reading = {name: settings[name] for name in ("columns", "topics", "skip_invalid")}
    source = None if items is None else lambda: open_items(items, **reading)
    judge = JUDGES.resolve(chosen_format({**settings, "replay": None}, source) or DEFAULT_FORMAT)
    known = {*judge.metrics, *judge.derived} & metrics or set(judge.metrics)
    return [parse_mean(text, known) for text in texts]


def parse_mean(text: str, metrics: Collection[str]) -> Requirement:
    """Parse one condition, such as ``groundedness.low >= 0.6``, on one of ``metrics`` or on the coverage.

    Raises:
        DeclarationError: the text does not have the form of a condition.
        UnknownNameError: the metric or the end of its interval does not exist.
    """
    requirement = Requirement.parse(
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
    """Compare one condition with the summary of a run, and return the outcome: met or not, the value, and the
    reason.
    """
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
    """Return a run as JUnit XML: one test case for all items, and one for each requirement.

    The case of the items fails if any item failed, or if no item has a score.
    """
    tag = "failure" if summary.failed or not (summary.any_score or summary.outstanding) else ""
    return junit_suite(
        "judge", [("items", "every item is judged", tag, coverage(summary)), *required_cases(outcomes)]
    )


def required_cases(outcomes: Sequence[RequirementOutcome]) -> Iterator[Case]:
    """Yield a JUnit test case for each requirement, marked as a failure where the requirement is not met."""
    for outcome in outcomes:
        message = outcome.reason if outcome.value is None else f"it is {outcome.value:.3f}"
        yield "require", outcome.requirement, "" if outcome.met else "failure", message


def junit_suite(command: str, cases: Sequence[Case]) -> bytes:
    """Return the test cases as one JUnit test suite, encoded as XML."""
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


def requirement_table(outcomes: Sequence[RequirementOutcome]) -> Table:
    """Build the table of requirements: each with the result (met or not), its value and a remark."""
    rows = [
        (outcome.requirement, "met" if outcome.met else Alarm("not met"), outcome.value, outcome.reason)
        for outcome in outcomes
    ]
    return Table("Requirements", ("requirement", Column("", "name"), "value", Column("remark", "text")), rows)


def build_summary(summary: Summary, record: JudgeRecord, outcomes: Sequence[RequirementOutcome]) -> str:
    """Return the outcomes of the requirements and the summary of a run as Markdown, for a CI build's page."""
    tables = [requirement_table(outcomes)] if outcomes else []
    lines = "  \n".join(map(safe, headlines(summary, record)))
    return f"{lines}\n\n{tables_markdown([*tables, *summary_tables(summary)], '####')}"


def write_build_files(
    judgments: Judgments,
    outcomes: Sequence[RequirementOutcome],
    *,
    junit: Path | None,
    markdown: Path | None,
) -> None:
    """Write the JUnit XML file and the Markdown file of a run, each only where its path is not None."""
    if junit is not None:
        write_whole(junit, judge_junit(judgments.summary, outcomes))
    if markdown is not None:
        write_whole(markdown, build_summary(judgments.summary, judgments.record, outcomes).encode())
