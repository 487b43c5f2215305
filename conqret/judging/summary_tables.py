"""The summary of a run as sentences and tables.

A mean never stands without the number of items behind it, and, where items are missing, its bounds: what the mean
would be if every missing value were 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from conqret.errors import number
from conqret.judging.deciding import METHOD
from conqret.judging.dimensions import BY_NAME
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.judge_parts import JURY
from conqret.judging.summary import Summary, Usage
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.show.visible_text import visible
from conqret.show.words import count, money


def judge_name(format_name: str, model: str) -> str:
    """Return the name of a judge in text: its format with its model, or the jury with its rule."""
    return f"the jury ({model})" if format_name == JURY.name else f"{format_name} with {model}"


def metric_names(metrics: Sequence[str]) -> str:
    """Return the names of metrics as a list in text; a complete set of quality dimensions is named as one."""
    if not BY_NAME.keys() <= set(metrics):
        return ", ".join(metrics)
    others = [metric for metric in metrics if metric not in BY_NAME]
    return ", ".join([*others, f"the {len(BY_NAME)} dimensions"])


def cost(usage: Usage) -> str:
    """Return the cost of all calls as text.

    It is unknown if the price of one call is; then it names the cost of the others as a minimum.
    """
    if not usage.unpriced:
        return money(usage.cost_usd)
    at_least = f", at least {money(usage.cost_usd)}" if usage.cost_usd else ""
    answers = "1 answer" if usage.unpriced == 1 else f"{count(usage.unpriced)} answers"
    return f"unknown{at_least} (no price for {answers})"


MAX_NAMED = 6
"""Metrics that the first sentence names."""
INTERVALS = "Brackets hold 95% confidence intervals over topics."
CALLS = "Calls sent"


def terminal(summary: Summary, record: JudgeRecord | None = None) -> Iterator[str | Table]:
    """Yield the lines and tables of the summary for a terminal: scores, items, reasons and cost."""
    yield from headlines(summary, record)
    for table in summary_tables(summary):
        yield ""
        yield table


def headlines(summary: Summary, record: JudgeRecord | None) -> Iterator[str]:
    """Yield lines with the mean scores, the items and the judge, the counts of items, and prompt
    injections.
    """
    if scores := mean_scores(summary, baseline=record is not None and record.baseline):
        yield visible(scores)
    if record is not None:
        judge = f"{record.model}, a lexical baseline and not a judge" if record.baseline else record.model
        yield visible(f"{record.items_name}: {record.format} by {judge} ({record.fingerprint})")
    yield coverage(summary)
    if summary.attacks:
        examples = [f"{item} {words.FLAGS.get(kind, kind)}" for kind, item in summary.attacks.items()]
        yield visible(f"possible prompt injection, for example: {'; '.join(examples)}")


def mean_scores(summary: Summary, *, baseline: bool = False) -> str:
    """Return a sentence with the mean of each metric, except single quality dimensions; empty without
    scores. It says so if they are the ``baseline``'s.
    """
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
    the = "By word statistics (the lexical baseline, no LLM), the" if baseline else "The"
    return (
        f"{the} mean scores of {number(summary.scored + summary.partly, 'item')} are: "
        f"{', '.join(shown)}{more}{brackets}."
    )


def coverage(summary: Summary) -> str:
    """Return one line with the number of items in each state: scored, unscored, failed, outstanding, left
    out.
    """
    states = [(summary.scored, "scored"), (summary.unscored, "unscored"), (summary.failed, "failed")]
    if summary.partly and not summary.scored:
        of_none = summary.unscored + summary.failed - summary.partly
        states = [(summary.partly, "scored for some of the metrics"), (0, "for all"), (of_none, "for none")]
        states += [(summary.failed, "failed")] if summary.failed else []
    if summary.inapplicable:
        states.append((summary.inapplicable, "with nothing to judge"))
    for name, items in summary.without_judgment.items():
        states.append((items, words.reason(name)))
    remarks = [
        (summary.scored and summary.partly, "with a score for some of the metrics"),
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
    """Yield the tables of metrics, of reasons for missing scores (if any), and of cost."""
    yield metric_table(summary)
    if reasons := {**summary.reasons, **summary.without_judgment}:
        columns = (Column("Missing because", "text"), "Items", Column("For example", "text"))
        yield Table("", columns, reason_rows(reasons, summary.examples))
    costs = []
    for label, value in usage_rows(summary.usage):
        sent_once = label == CALLS and summary.usage.calls == summary.usage.attempts
        if value != "0" and not sent_once:
            costs.append((label, value))
    yield Table("", ("", "All judgments, kept ones included"), costs)


def metric_table(summary: Summary) -> Table:
    """Build the table of metrics; columns for calibrated scores and bounds appear only where they have
    values.
    """
    rows, notes, known, expected = list[tuple[Cell, ...]](), list[str](), False, False
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
        if metric.methods and not metric.methods.keys() <= {METHOD}:
            remarks.append(f"read from {words.counts(metric.methods)}")
        if remarks:
            notes.append(f"{label}: {'; '.join(remarks)}.")
        known = known or metric.low is not None
        expected = expected or METHOD in metric.methods
    if expected:
        notes.append("Scores are expected values under the model's probabilities.")
    columns = ("Metric", "Mean", "Calibrated", "SD", "n", "Worst to best case")
    return Table("", columns, rows, note=" ".join([*notes, *[INTERVALS] * known]))


def reason_rows(reasons: Mapping[str, int], examples: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """Return a row per reason: its text, its count and an example, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(words.reason(name), number, examples.get(name, "")) for name, number in ranked]


def usage_rows(usage: Usage) -> list[tuple[str, str]]:
    """Return rows with the calls, tokens, time and cost of all judgments, from this session or before."""
    rows = [
        (CALLS, words.count(usage.calls)),
        ("Answered from a recording", words.count(usage.recorded)),
        ("Requests, retries included", words.count(usage.attempts)),
        ("Prompt tokens", words.count(usage.prompt_tokens)),
        ("… of which cached by the provider", words.count(usage.cached_tokens)),
        ("Completion tokens", words.count(usage.completion_tokens)),
        ("Model time", words.seconds(usage.seconds)),
        ("Cost", cost(usage)),
    ]
    return rows if usage.cached_tokens else [*rows[:4], *rows[5:]]
