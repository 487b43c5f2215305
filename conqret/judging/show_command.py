"""``conqret runs show``: the items of a run, and the prompts and responses for one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.printing import result
from conqret.errors import check_known, metric_name, number
from conqret.show import words
from conqret.show.table import Column, Table
from conqret.show.visible_text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conqret.judging.judge_folder import JudgeFolder
    from conqret.judging.recorded_requests import RecordedRequests
    from conqret.llm.request import Message


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
    result(plain(requests), list(_shown(requests, full)), as_json=json_output)


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
    from conqret.judging.build_gate import ANSWERED, declines, why, worst_first

    record = run.record()
    metric = ANSWERED if declined and worst is None else worst and metric_name(worst)
    if metric is not None:
        check_known("metric of this run", record.metrics, metric, *[ANSWERED] * declined)
    judgments = list(run.judgments())
    if declined:
        judgments = list(filter(declines, judgments))
    if worst is not None and metric is not None:
        scored = worst_first(judgments, metric, lower_is_better=run.gate.lower_is_better(metric))
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
            last = ": ".join(filter(None, (measure.label, why(measure))))
            row |= {"label": measure.label, "why": why(measure)}
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


def plain(requests: RecordedRequests) -> dict[str, Any]:
    """Return the prompts and responses for an item as plain data for JSON."""
    return {
        "judgment": requests.judgment.model_dump(mode="json"),
        "exchanges": [
            {
                "ask": exchange.call.ask,
                "sample": exchange.call.sample,
                "key": exchange.call.key,
                "again": exchange.again,
                "messages": [_message(message) for message in exchange.messages],
                "answer": None if exchange.completion is None else exchange.completion.text,
                "refusal": None if exchange.completion is None else exchange.completion.refusal,
                "finish_reason": exchange.call.finish_reason,
                "error": exchange.call.error,
                "lacks": list(exchange.lacks),
            }
            for exchange in requests.exchanges
        ],
    }


def _message(message: Message) -> dict[str, Any]:
    """A message as plain data; of its images what they are, and not their bytes."""
    from conqret.io.images import described

    images = [described(url) for _, url in message.images]
    told = {"role": message.role, "content": message.content}
    return {**told, "images": images} if images else told


def _shown(requests: RecordedRequests, full: bool) -> Iterator[Any]:
    from conqret.judging.recorded_requests import heading, measures_table, parts, parts_tables

    judgment = requests.judgment
    language = words.language(judgment.language)
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
        yield f"--- {place} of {len(requests.exchanges)}: {heading(exchange)}"
        for title, text in parts(exchange):
            yield f"[{title}]"
            if len(text) > BEGINNING and text in before:
                yield "(the same as before)"
                continue
            before.add(text)
            yield text if full else cut(text, BEGINNING)
            if not full and len(text) > BEGINNING:
                yield f"({len(text) - BEGINNING:,} more characters: --full)"
