"""The summary of a run as tables, and what can be required of it (a metric's mean, or the coverage), also as JUnit XML.

A mean never stands without the number of items behind it, and, where items are missing, its bounds: what the mean
would be if every missing value were 0 or 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conqret.console.conditions import ENDS, Requirement, RequirementOutcome
from conqret.errors import DeclarationError, number
from conqret.judging.dimensions import BY_NAME
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.judge_options import COVERAGE
from conqret.judging.judge_parts import JURY
from conqret.judging.known_as import named_here
from conqret.judging.summary import MetricSummary, Summary, Usage
from conqret.show import words
from conqret.show.markup import safe, tables_markdown
from conqret.show.table import Alarm, Cell, Column, Table
from conqret.show.visible_text import visible
from conqret.show.words import count, money

if TYPE_CHECKING:
    from conqret.console.conditions import RequirementOutcome


def judge_name(format_name: str, model: str) -> str:
    """What a judge is called: its format with its model, or the jury with its rule."""
    return f"the jury ({model})" if format_name == JURY.name else f"{format_name} with {model}"


def metric_names(metrics: Sequence[str]) -> str:
    """Metrics as they are asked for; all dimensions of quality are named together."""
    if not BY_NAME.keys() <= set(metrics):
        return ", ".join(metrics)
    others = [metric for metric in metrics if metric not in BY_NAME]
    return ", ".join([*others, f"the {len(BY_NAME)} dimensions"])


def cost(usage: Usage) -> str:
    """What all calls cost: unknown as soon as the price of one is, with what the priced ones make up."""
    if not usage.unpriced:
        return money(usage.cost_usd)
    at_least = f", at least {money(usage.cost_usd)}" if usage.cost_usd else ""
    answers = "1 answer" if usage.unpriced == 1 else f"{count(usage.unpriced)} answers"
    return f"unknown{at_least} (no price for {answers})"


MAX_NAMED = 6
"""Metrics that the first sentence names."""
INTERVALS = "Brackets hold 95% confidence intervals over topics."
CALLS, REQUESTS, RECORDED, COST = (
    "Calls sent",
    "Requests, retries included",
    "Answered from a recording",
    "Cost",
)


def terminal(summary: Summary, record: JudgeRecord | None = None) -> Iterator[str | Table]:
    """The summary for a console: what was judged, the metrics, the reasons, and what it took."""
    yield from headlines(summary, record)
    for table in summary_tables(summary):
        yield from ("", table)


def headlines(summary: Summary, record: JudgeRecord | None) -> Iterator[str]:
    """The mean scores, what was judged, and how many items have a score, a line each."""
    if scores := mean_scores(summary):
        yield visible(scores)
    if record is not None:
        judge = f"{record.model}, a lexical baseline and not a judge" if record.baseline else record.model
        yield visible(f"{record.items_name}: {record.format} by {judge} ({record.fingerprint})")
    yield coverage(summary)
    if summary.attacks:
        examples = [f"{item} {words.FLAGS.get(kind, kind)}" for kind, item in summary.attacks.items()]
        yield visible(f"possible prompt injection, for example: {'; '.join(examples)}")


def mean_scores(summary: Summary) -> str:
    """The means of the metrics but single dimensions of quality, in a sentence; empty where none has a score."""
    single = BY_NAME.keys() - {"overall_quality"}
    known = {name: metric for name, metric in summary.metrics.items() if metric.mean is not None}
    first = [name for name in known if name not in single and not name.startswith(words.SECOND)]
    shown, brackets = list[str](), ""
    for name in first or known:
        metric = known[name]
        if len(shown) < MAX_NAMED:
            shown.append(f"{words.label(name).lower()} {words.with_interval(metric.interval)}")
        if metric.low is not None:
            brackets = " (brackets hold 95% confidence intervals over topics)"
    if not shown:
        return ""
    rest = len(known) - len(shown)
    more = f", and {number(rest, 'further metric')}" if rest else ""
    return (
        f"The mean scores of {number(summary.scored + summary.partly, 'item')} are: "
        f"{', '.join(shown)}{more}{brackets}."
    )


def build_summary(summary: Summary, record: JudgeRecord, outcomes: Sequence[RequirementOutcome]) -> str:
    """What was required and the summary as Markdown, for the page of a build."""
    tables = [requirement_table(outcomes)] if outcomes else []
    lines = "  \n".join(map(safe, headlines(summary, record)))
    return f"{lines}\n\n{tables_markdown([*tables, *summary_tables(summary)], '####')}"


def requirement_table(outcomes: Sequence[RequirementOutcome]) -> Table:
    """What was required, whether it is met, and by which value."""
    rows = [
        (outcome.requirement, "met" if outcome.met else Alarm("not met"), outcome.value, outcome.reason)
        for outcome in outcomes
    ]
    return Table("Requirements", ("requirement", Column("", "name"), "value", Column("remark", "text")), rows)


def coverage(summary: Summary) -> str:
    """One line that accounts for every item."""
    states = [(summary.scored, "scored"), (summary.unscored, "unscored"), (summary.failed, "failed")]
    for name, items in summary.without_judgment.items():
        states.append((items, words.reason(name)))
    remarks = [
        (summary.partly, "with a score for some of the metrics"),
        (summary.flagged, "with a possible prompt injection"),
        (summary.html, "with scripts of a web page in a text"),
        (summary.trimmed, "trimmed to fit the model"),
        (summary.miscited, "citing a document that is not there"),
    ]
    parts = [f"{words.count(number)} {what}" for number, what in (*states, *filter(itemgetter(0), remarks))]
    return f"{words.number(summary.every, 'item')}: {', '.join(parts)}"


def summary_tables(summary: Summary) -> Iterator[Table]:
    """The metrics, the reasons where something is missing, and what the run took."""
    yield metric_table(summary)
    if reasons := {**summary.reasons, **summary.without_judgment}:
        columns = (Column("Missing because", "text"), "Items", Column("For example", "text"))
        yield Table("", columns, reason_rows(reasons, summary.examples))
    yield cost_table(summary)


def metric_table(summary: Summary) -> Table:
    """The metrics; the columns for calibrated scores and bounds only where something is in them."""
    rows, notes, known = list[tuple[Cell, ...]](), list[str](), False
    for name, metric in summary.metrics.items():
        label, bounds = words.label(name), ""
        if metric.worst_case < metric.best_case:
            bounds = f"{metric.worst_case:.3f} to {metric.best_case:.3f}"
        calibrated = "" if metric.calibrated is None else metric.calibrated
        scored = f"{words.count(metric.scored)} of {words.count(metric.total)}"
        rows.append((label, metric.interval, calibrated, metric.deviation, scored, bounds))
        if metric_notes := _notes(metric):
            notes.append(f"{label}: {metric_notes}.")
        known = known or metric.low is not None
    columns = ("Metric", "Mean", "Calibrated", "SD", "n", "Worst to best case")
    return Table("", columns, rows, note=" ".join([*notes, *[INTERVALS] * known]))


def reason_rows(reasons: Mapping[str, int], examples: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """The reasons in words with their numbers and an example of each, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(words.reason(name), number, examples.get(name, "")) for name, number in ranked]


def cost_table(summary: Summary) -> Table:
    """What was asked and spent, by this session and for all judgments, which is one column where they are the same;
    what is nothing in both has no row."""
    session, usage = summary.session, summary.usage
    whole = dict(usage_rows(usage))
    if usage.calls == usage.attempts:
        del whole[CALLS]
    now: dict[str, str] = {}
    if session is not None and (session.kept or session.recorded or session.estimated):
        now = {
            REQUESTS: words.count(session.sent),
            RECORDED: words.count(session.recorded),
            COST: words.money(session.cost_usd),
            "Judgments kept from before": words.count(session.kept),
        }
    rows = list[tuple[str, str, str]]()
    for label in {**whole, **now}:
        row = (label, now.get(label, ""), whole.get(label, ""))
        if not {*row[1:]} <= {"", "0"}:
            rows.append(row)
    notes = []
    if session is not None and session.estimated:
        notes.append(
            f"The provider did not report the tokens of {words.number(session.estimated, 'response')}, so their "
            "cost is estimated."
        )
    for name, answers in session.others.items() if session is not None else ():
        requests = words.number(answers, "request")
        notes.append(f"The provider answered {requests} with another model than requested: {name}.")
    return Table("", ("", "This session", "All judgments"), rows, note=" ".join(notes))


def usage_rows(usage: Usage) -> list[tuple[str, str]]:
    """Calls, tokens, time and cost of all judgments, whenever they were made."""
    rows = [
        (CALLS, words.count(usage.calls)),
        (RECORDED, words.count(usage.recorded)),
        (REQUESTS, words.count(usage.attempts)),
        ("Prompt tokens", words.count(usage.prompt_tokens)),
        ("… of which cached by the provider", words.count(usage.cached_tokens)),
        ("Completion tokens", words.count(usage.completion_tokens)),
        ("Model time", words.seconds(usage.seconds)),
        (COST, cost(usage)),
    ]
    return rows if usage.cached_tokens else [*rows[:4], *rows[5:]]


def _notes(metric: MetricSummary) -> str:
    notes = [
        words.counts(metric.labels) if metric.labels else "",
        "" if metric.flipped is None else f"{words.count(metric.flipped)} flipped with the order",
        f"read from {words.counts(metric.methods)}" if metric.methods else "",
    ]
    return "; ".join(filter(None, notes))


EXAMPLE = "groundedness >= 0.7"
BOUNDS = ("worst_case", "best_case")


def parse_mean(text: str, metrics: Collection[str]) -> Requirement:
    """Read a condition on one of ``metrics``, or on the coverage.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such metric, or end.
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
