"""``conqret runs show``: the items of a run, and the prompts and responses for one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.printing import result
from conqret.errors import check_known, metric_name, number
from conqret.llm.client_options import NO_MODEL
from conqret.show import words
from conqret.show.table import Column, Table
from conqret.show.visible_text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conqret.data import Judgment
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.judging.recorded_requests import RecordedRequests


BEGINNING = 1_000
"""Characters of a prompt or an answer that are printed: enough to know it by."""


def show(
    run: Path,
    item: str | None = None,
    *,
    worst: str | None = None,
    declined: bool = False,
    recordings: options.RecordedResponses = None,
    prompts: options.Prompts = None,
    full: bool = False,
    json_output: options.Printed = None,
) -> None:
    """List a run's items; or show the prompts as they were sent for an item, the raw responses,
    re-prompts, errors, and the scores made of them.

    Long texts are cut; `--full` and `--json` have them whole. A run keeps no prompts: each is filled in again,
    and shown only if it is exactly the one that was sent.

    Args:
        run: The folder of a judge's run, finished or not.
        item: The id of an item, or its beginning. Without it the items are listed with their scores.
        worst: List the items by this metric, the worst first, each with what decides it.
        declined: List only items whose answer declines (metric `answered`).
        full: Print long prompts and answers whole, not their beginnings; with `--worst` all items, not 20.

    Examples:

    conqret runs show runs/first

    conqret runs show runs/first --worst groundedness

    conqret runs show runs/first voting-age-pro

    conqret runs show runs/first voting-age-pro --full

    conqret runs show runs/first voting-age-pro --json
    """
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.judging.recorded_requests import recorded_requests

    if item is None:
        result(*_listed(JudgeFolder(run), worst, declined, full), as_json=json_output)
        return
    requests = recorded_requests(run, item, recordings=recordings, prompts=prompts)
    result(requests.plain(), list(_shown(requests, full)), as_json=json_output)


MAX_COLUMNS, MAX_ITEMS = 4, 20
"""Metrics that have a column of the list (`--json` has all), and items of one sorted by a metric (`--full` has all)."""


def _listed(
    run: JudgeFolder, worst: str | None, declined: bool, full: bool
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the items of a run with their scores, as plain data and as a table. ``worst`` sorts by this metric, the
    worst first, and leaves out items without a score of it; ``declined`` keeps only answers that decline. The table has
    the first of those that are sorted, unless it is ``full``.

    Raises:
        UnknownNameError: the run has no such metric.
    """
    from conqret.judging import build_gate

    record = run.record()
    metric = build_gate.ANSWERED if declined and worst is None else worst and metric_name(worst)
    if metric is not None:
        check_known("metric of this run", record.metrics, metric, *[build_gate.ANSWERED] * declined)
    judgments = list(run.judgments())
    if declined:
        judgments = list(filter(build_gate.declines, judgments))
    if worst is not None and metric is not None:
        scored = build_gate.worst_first(judgments, metric, lower_is_better=run.gate.lower_is_better(metric))
        judgments = [judgment for judgment, _ in scored]
    shown = record.metrics[:MAX_COLUMNS] if metric is None else [metric]
    facts, rows = [], []
    for judgment in judgments:
        last = judgment.status.value + (f": {words.reason(judgment.reason)}" if judgment.reason else "")
        row = {
            name: getattr(judgment, name)
            for name in ("item", "topic", "stance", "language", "status", "reason")
        }
        row["scores"] = judgment.values
        if metric is not None:
            measure = judgment.measures[metric]
            why = build_gate.why(measure)
            last = ": ".join(filter(None, (measure.label, why)))
            row |= {"label": measure.label, "why": why}
        facts.append(row)
        rows.append((judgment.item, judgment.topic, *map(judgment.value, shown), last))
    text = partial(Column, kind="text")
    columns: list[str | Column] = [
        text("Item"),
        text("Topic"),
        *map(words.label, shown),
        text("Status" if metric is None else "Why"),
    ]
    note = f"{len(facts)} of {record.items_count} items. conqret runs show {run.path} ITEM shows one."
    if metric is None and (more := len(record.metrics) - MAX_COLUMNS) > 0:
        note += f" {number(more, 'further metric')}: --json."
    most = len(rows) if full or worst is None else MAX_ITEMS
    if (more := len(rows) - most) > 0:
        note = f"{more} more: --full. {note}"
    return facts, [Table("", columns, rows[:most], note=note)]


def _shown(requests: RecordedRequests, full: bool) -> Iterator[Any]:
    judgment = requests.judgment
    language = words.NAMES.get(judgment.language, "")
    about = f"{judgment.stance}, {language}" if language not in ("", "English") else judgment.stance
    yield f"{judgment.item}: {judgment.topic} ({about})"
    yield f"{judgment.format} by {judgment.model} ({judgment.fingerprint})"
    yield measures_table(judgment)
    for table in parts_tables(judgment):
        yield ""
        yield table
    before: set[str] = set()
    for place, exchange in enumerate(requests.exchanges, start=1):
        yield ""
        yield f"--- {place} of {len(requests.exchanges)}: {exchange.heading}"
        for title, text in exchange.parts():
            yield f"[{title}]"
            if len(text) > BEGINNING and text in before:
                yield "(the same as before)"
                continue
            before.add(text)
            yield text if full else cut(text, BEGINNING)
            if not full and len(text) > BEGINNING:
                yield f"({len(text) - BEGINNING:,} more characters: --full)"


_BELOW = "each by itself: below"

LONG_NAME = 40
"""Characters of what is rated from which its column becomes narrower."""


def _says(judgment: Judgment) -> str:
    return "How it was computed" if judgment.model == NO_MODEL else "What the judge says"


def measures_table(judgment: Judgment) -> Table:
    """Build the table of a judgment's scores: one row per metric, with the reason where the score is
    missing.
    """
    rows = [
        (
            words.label(name),
            words.item_score(measure.value),
            (measure.explanation or (_BELOW if measure.parts else ""))
            if measure.value is not None
            else f"{measure.status.value}: {words.reason(measure.reason)}",
        )
        for name, measure in judgment.measures.items()
    ]
    return Table("", ("Metric", "Score", Column(_says(judgment), "text")), rows)


def parts_tables(judgment: Judgment) -> Iterator[Table]:
    """Yield the tables behind the scores: one row for each document, citation, criterion or nugget."""
    from conqret.judging.item_view import tables

    for table in tables(judgment, None):
        explained = any(row.explanation for row in table.rows)
        long = any(len(row.name) > LONG_NAME for row in table.rows)
        columns: list[str | Column] = [Column("Rated", "text") if long else "Rated", *table.columns]
        if explained:
            columns.append(Column(_says(judgment), "text"))
        rows = [
            (row.name, *(cell.text for cell in row.cells), *([row.explanation] if explained else []))
            for row in table.rows
        ]
        note = f"{words.count(table.omitted)} more are in judgments.jsonl." if table.omitted else ""
        yield Table("Behind the scores, on the scale of the answers", columns, rows, note=note)
