"""The summary of a run as sentences and tables.

A mean never stands without the number of items behind it, and, where items are missing, its bounds: what the mean
would be if every missing value were 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from conqret.errors import number
from conqret.judging.dimensions import BY_NAME
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.judge_parts import JURY
from conqret.judging.summary import Summary, Usage
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.show.visible_text import visible
from conqret.show.words import count, money


def judge_name(format_name: str, model: str) -> str:
    """What a judge is called: its format with its model, or the jury with its rule."""
    return f"the jury ({model})" if format_name == JURY.name else f"{format_name} with {model}"


def metric_names(metrics: Sequence[str]) -> str:
    """Name metrics in a sentence; all dimensions of quality are named together."""
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
        yield ""
        yield table


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
    known, first = list[str](), list[str]()
    for name, metric in summary.metrics.items():
        if metric.mean is not None:
            known.append(name)
            if name not in single and not name.startswith(words.SECOND):
                first.append(name)
    shown, brackets = list[str](), ""
    for name in first or known:
        metric = summary.metrics[name]
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
    parts = []
    for of_these, what in (*states, *filter(itemgetter(0), remarks)):
        parts.append(f"{words.count(of_these)} {what}")
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
        remarks = [words.counts(metric.labels)] if metric.labels else []
        if metric.flipped is not None:
            remarks.append(f"{words.count(metric.flipped)} flipped with the order")
        if metric.methods:
            remarks.append(f"read from {words.counts(metric.methods)}")
        if remarks:
            notes.append(f"{label}: {'; '.join(remarks)}.")
        known = known or metric.low is not None
    columns = ("Metric", "Mean", "Calibrated", "SD", "n", "Worst to best case")
    return Table("", columns, rows, note=" ".join([*notes, *[INTERVALS] * known]))


def reason_rows(reasons: Mapping[str, int], examples: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """The reasons in words with their numbers and an example of each, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(words.reason(name), number, examples.get(name, "")) for name, number in ranked]


def cost_table(summary: Summary) -> Table:
    """Requests and spending, by this session and for all judgments, which is one column where they are the same;
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
