"""The summary of a run as tables: for the terminal (rich) and as Markdown.

Both set the same rows. A mean never stands without the number of items behind it, and, where items are
missing, its bounds: what the mean would be if every missing value were 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conqret.judging.folder import RunRecord
from conqret.judging.summary import MetricSummary, Summary, Usage
from conqret.report import words
from conqret.report.texts import visible

BASELINE = "offline baseline: a floor, not a judge"

Rows = list[tuple[str, ...]]


def terminal(summary: Summary, record: RunRecord | None = None) -> RenderableType:
    """The summary for a console: a line of what was judged, the metrics, the reasons, and what it took."""
    header, rows = metric_rows(summary)
    blocks: list[RenderableType] = []
    if record is not None:
        blocks.append(Text(_headline(record), style="bold"))
        if record.baseline:
            blocks.append(Text(BASELINE, style="yellow"))
    blocks.append(Text(coverage(summary)))
    blocks.append(Padding(_table(header, rows), (1, 0)))
    reasons = reason_rows(summary.reasons)
    if reasons:
        blocks.append(_table(("Missing because", "Items"), reasons))
        blocks.append(Text(""))
    blocks.append(_table(("Usage", ""), usage_rows(summary.usage)))
    return Group(*blocks)


def markdown(summary: Summary, record: RunRecord | None = None) -> str:
    """The same as Markdown tables, ending in a line break."""
    header, rows = metric_rows(summary)
    blocks = []
    if record is not None:
        blocks.append(f"**{_cell(_headline(record))}**" + (f" ({BASELINE})" if record.baseline else ""))
    blocks.append(coverage(summary))
    blocks.append(_markdown_table(header, rows))
    reasons = reason_rows(summary.reasons)
    if reasons:
        blocks.append(_markdown_table(("Missing because", "Items"), reasons))
    blocks.append(_markdown_table(("Usage", "Value"), usage_rows(summary.usage)))
    return "\n\n".join(blocks) + "\n"


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


def metric_rows(summary: Summary) -> tuple[tuple[str, ...], Rows]:
    """Header and rows of the metrics; the columns for bounds and notes only where something is in them."""
    metrics = summary.metrics.values()
    bounds = any(metric.scored < metric.total for metric in metrics)
    notes = {name: _notes(metric) for name, metric in summary.metrics.items()}
    header = ["Metric", "Mean", "SD", "n"]
    header += ["Worst to best case"] * bounds + ["Notes"] * any(notes.values())
    rows: Rows = []
    for name, metric in summary.metrics.items():
        row = [
            visible(words.label(name)),
            words.score(metric.mean, 3),
            words.score(metric.deviation, 3),
            f"{words.count(metric.scored)} of {words.count(metric.total)}",
        ]
        if bounds:
            missing = metric.scored < metric.total
            row.append(f"{metric.worst_case:.3f} to {metric.best_case:.3f}" if missing else "")
        if any(notes.values()):
            row.append(notes[name])
        rows.append(tuple(row))
    return tuple(header), rows


def reason_rows(reasons: Mapping[str, int]) -> Rows:
    """The reasons in words with their numbers, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(visible(words.reason(name)), words.count(number)) for name, number in ranked]


def usage_rows(usage: Usage) -> Rows:
    """Calls, tokens, time and cost."""
    rows: Rows = [
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
        notes.append(", ".join(f"{name} {words.count(number)}" for name, number in metric.labels.items()))
    if metric.flipped is not None:
        notes.append(f"{words.count(metric.flipped)} flipped with the order")
    if metric.methods:
        notes.append("read from " + ", ".join(f"{name} {n}" for name, n in metric.methods.items()))
    return visible("; ".join(notes))


def _headline(record: RunRecord) -> str:
    return visible(f"{record.items_name}: {record.format} by {record.model} ({record.fingerprint})")


def _table(header: Iterable[str], rows: Rows) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, name in enumerate(header):
        numeric = index > 0 and name != "Notes"
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: no markup is read from what came from outside
    return table


def _markdown_table(header: Iterable[str], rows: Rows) -> str:
    names = list(header)
    lines = [names, ["---"] + [":---" if name == "Notes" else "---:" for name in names[1:]]]
    lines += [[_cell(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    """Text that cannot end a Markdown cell or open HTML."""
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("&", "&amp;").replace("<", "&lt;")
    return " ".join(escaped.replace("`", "\\`").replace("*", "\\*").replace("[", "\\[").split())
