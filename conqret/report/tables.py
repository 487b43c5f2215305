"""The summary of a run as tables.

A mean never stands without the number of items behind it, and, where items are missing, its bounds: what the mean
would be if every missing value were 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter

from rich.console import Group
from rich.text import Text

from conqret.errors import DeclarationError
from conqret.judging.folder import JudgeFolder, JudgeRecord
from conqret.judging.summary import MetricSummary, Summary, Usage
from conqret.report import words
from conqret.report.table import Column, Table
from conqret.report.texts import visible
from conqret.runs.session import SessionCounts

INTERVALS = "In brackets: 95 % intervals over topics."
BASELINE = "offline baseline: a floor, not a judge"


@dataclass(frozen=True, slots=True)
class Beside:
    """The means of another run over the same items, and who judged them."""

    model: str
    floor: bool
    means: Mapping[str, float | None]

    @classmethod
    def of(cls, run: JudgeFolder, other: JudgeFolder) -> Beside:
        """What ``other`` has to say beside ``run``.

        Raises:
            DeclarationError: the two did not judge the same items, or one is no finished run.
        """
        record = other.record()
        if record.items_digest != run.record().items_digest:
            raise DeclarationError(
                f"{other.path} holds other items than {run.path}: judge the same file with both"
            )
        means = {name: metric.mean for name, metric in other.summary().metrics.items()}
        return cls(record.model, record.baseline, means)


def terminal(summary: Summary, record: JudgeRecord | None = None, beside: Beside | None = None) -> Group:
    """The summary for a console: a line of what was judged, the metrics, the reasons, and what it took."""
    lines = [Text(coverage(summary))]
    if record is not None:
        if record.items_left_out:
            lines.append(
                Text(f"{words.number(record.items_left_out, 'further item')} left out, because of faults")
            )
        judged = f"{record.items_name}: {record.format} by {record.model} ({record.fingerprint})"
        lines = [Text(visible(judged), "bold"), *[Text(BASELINE, "yellow")] * record.baseline, *lines]
    return Group(*lines, *(part for table in summary_tables(summary, beside) for part in ("", table)))


def coverage(summary: Summary) -> str:
    """One line that accounts for every item."""
    states = [(summary.scored, "scored"), (summary.unscored, "unscored"), (summary.failed, "failed")]
    remarks = [
        (summary.partly, "with a score for some of the metrics"),
        (summary.flagged, "with text that addresses the judge"),
        (summary.trimmed, "trimmed to fit the model"),
        (summary.miscited, "citing a document that is not there"),
        (summary.outstanding, "not judged yet"),
    ]
    told = [f"{words.count(number)} {what}" for number, what in (*states, *filter(itemgetter(0), remarks))]
    return f"{words.number(summary.total, 'item')}: {', '.join(told)}"


def summary_tables(summary: Summary, beside: Beside | None = None) -> Iterator[Table]:
    """The metrics, the reasons where something is missing, and what the run took."""
    yield metric_table(summary, beside)
    if summary.reasons:
        columns = (Column("Missing because", "text"), "Items", Column("For example", "text"))
        yield Table("", columns, reason_rows(summary.reasons, summary.examples)).compact()
    if summary.session is not None:
        yield Table("", ("This session", ""), session_rows(summary.session))
    yield Table("", ("All judgments", ""), usage_rows(summary.usage))


def metric_table(summary: Summary, beside: Beside | None = None) -> Table:
    """The metrics; the columns for calibrated scores, another run, bounds and notes only where something is in them."""
    rows = [
        (
            words.label(name),
            metric.interval,
            "" if metric.calibrated is None else metric.calibrated,
            "" if beside is None else beside.means.get(name),
            metric.deviation,
            f"{words.count(metric.scored)} of {words.count(metric.total)}",
            f"{metric.worst_case:.3f} to {metric.best_case:.3f}" if metric.scored < metric.total else "",
            _notes(metric),
        )
        for name, metric in summary.metrics.items()
    ]
    other = "" if beside is None else f"Mean, {beside.model}"
    columns = (
        "Metric",
        "Mean",
        "Calibrated",
        other,
        "SD",
        "n",
        "Worst to best case",
        Column("Notes", "text"),
    )
    known = any(metric.low is not None for metric in summary.metrics.values())
    return Table("", columns, rows, note=INTERVALS * known).compact()


def reason_rows(reasons: Mapping[str, int], examples: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """The reasons in words with their numbers and an example of each, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(words.reason(name), number, examples.get(name, "")) for name, number in ranked]


def session_rows(session: SessionCounts) -> list[tuple[str, str]]:
    """What was sent, taken and kept now, which may be nothing where a run goes on."""
    estimate = (
        f" (estimated for {words.count(session.estimated)} answers without usage)"
        if session.estimated
        else ""
    )
    others = [
        ("Answered by another model", f"{name} ({words.count(answers)} answers)")
        for name, answers in session.others.items()
    ]
    return [
        ("Requests sent", words.count(session.sent)),
        ("Answered from a recording", words.count(session.recorded)),
        ("Judgments kept from before", words.count(session.kept)),
        ("Spent", words.money(session.cost_usd) + estimate),
        *others,
    ]


def usage_rows(usage: Usage) -> list[tuple[str, str]]:
    """Calls, tokens, time and cost of all judgments, whenever they were made."""
    rows = [
        ("Calls sent", words.count(usage.calls)),
        ("Answered from a recording", words.count(usage.recorded)),
        ("Requests, retries included", words.count(usage.attempts)),
        ("Prompt tokens", words.count(usage.prompt_tokens)),
        ("… of which cached by the provider", words.count(usage.cached_tokens)),
        ("Completion tokens", words.count(usage.completion_tokens)),
        ("Model time", words.seconds(usage.seconds)),
        ("Cost", words.cost(usage)),
    ]
    return rows if usage.cached_tokens else [*rows[:4], *rows[5:]]


def _notes(metric: MetricSummary) -> str:
    notes = [
        words.counts(metric.labels),
        "" if metric.flipped is None else f"{words.count(metric.flipped)} flipped with the order",
        f"read from {words.counts(metric.methods)}" if metric.methods else "",
    ]
    return "; ".join(filter(None, notes))
