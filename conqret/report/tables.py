"""The summary of a run as tables, for the terminal and as Markdown.

A mean never stands without the number of items behind it, and, where items are missing, its bounds: what the mean
would be if every missing value were 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group
from rich.text import Text

from conqret.judging.folder import JudgeRecord
from conqret.judging.summary import MetricSummary, Summary, Usage
from conqret.report import words
from conqret.report.markdown import safe, tables_markdown
from conqret.report.table import Cell, Column, Table
from conqret.report.texts import visible

BASELINE = "offline baseline: a floor, not a judge"


def terminal(summary: Summary, record: JudgeRecord | None = None) -> Group:
    """The summary for a console: a line of what was judged, the metrics, the reasons, and what it took."""
    lines = [Text(line, style=style) for line, style in _lines(summary, record)]
    return Group(*lines, *(part for table in summary_tables(summary) for part in ("", table)))


def markdown(summary: Summary, record: JudgeRecord | None = None) -> str:
    """The same as Markdown tables, ending in a line break."""
    lines = [f"**{safe(line)}**" if style else safe(line) for line, style in _lines(summary, record)]
    return "\n\n".join([*lines, tables_markdown(summary_tables(summary))])


def _lines(summary: Summary, record: JudgeRecord | None) -> Iterator[tuple[str, str]]:
    """What stands above the tables, each line with its style."""
    if record is not None:
        yield (
            visible(f"{record.items_name}: {record.format} by {record.model} ({record.fingerprint})"),
            "bold",
        )
        if record.baseline:
            yield BASELINE, "yellow"
    yield coverage(summary), ""


def coverage(summary: Summary) -> str:
    """One line that accounts for every item."""
    parts = [f"{words.count(summary.total)} items: {words.count(summary.scored)} scored"]
    parts.append(f"{words.count(summary.unscored)} unscored")
    parts.append(f"{words.count(summary.failed)} failed")
    if summary.flagged:
        parts.append(f"{words.count(summary.flagged)} with text that addresses the judge")
    if summary.trimmed:
        parts.append(f"{words.count(summary.trimmed)} trimmed to fit the model")
    return ", ".join(parts)


def summary_tables(summary: Summary) -> Iterator[Table]:
    """The metrics, the reasons where something is missing, and what the run took."""
    yield metric_table(summary)
    if summary.reasons:
        yield Table("", ("Missing because", "Items"), reason_rows(summary.reasons))
    yield Table("", ("Usage", ""), usage_rows(summary.usage))


def metric_table(summary: Summary) -> Table:
    """The metrics; the columns for bounds and notes only where something is in them."""
    notes = {name: _notes(metric) for name, metric in summary.metrics.items()}
    bounds = any(metric.scored < metric.total for metric in summary.metrics.values())
    columns = ["Metric", "Mean", "SD", "n", *["Worst to best case"] * bounds]
    return Table(
        "",
        [*columns, *[Column("Notes", "text")] * any(notes.values())],
        [
            (*_figures(name, metric, bounds=bounds), *[notes[name]] * any(notes.values()))
            for name, metric in summary.metrics.items()
        ],
    )


def _figures(name: str, metric: MetricSummary, *, bounds: bool) -> Iterator[Cell]:
    yield words.label(name)
    yield metric.mean
    yield metric.deviation
    yield f"{words.count(metric.scored)} of {words.count(metric.total)}"
    if bounds:
        missing = metric.scored < metric.total
        yield f"{metric.worst_case:.3f} to {metric.best_case:.3f}" if missing else ""


def reason_rows(reasons: Mapping[str, int]) -> list[tuple[str, str]]:
    """The reasons in words with their numbers, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(words.reason(name), words.count(number)) for name, number in ranked]


def usage_rows(usage: Usage) -> list[tuple[str, str]]:
    """Calls, tokens, time and cost."""
    rows = [
        ("Calls sent now", words.count(usage.calls)),
        ("Answered from a recording", words.count(usage.recorded)),
        ("Requests, retries included", words.count(usage.attempts)),
        ("Prompt tokens", words.count(usage.prompt_tokens)),
        ("Completion tokens", words.count(usage.completion_tokens)),
        ("Model time", words.seconds(usage.seconds)),
        ("Cost", words.cost(usage)),
    ]
    if usage.cached_tokens:
        rows.insert(4, ("… of which cached by the provider", words.count(usage.cached_tokens)))
    return rows


def _notes(metric: MetricSummary) -> str:
    notes = []
    if metric.labels:
        notes.append(words.counts(metric.labels))
    if metric.flipped is not None:
        notes.append(f"{words.count(metric.flipped)} flipped with the order")
    if metric.methods:
        notes.append(f"read from {words.counts(metric.methods)}")
    return "; ".join(notes)
