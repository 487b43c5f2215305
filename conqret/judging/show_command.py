"""``conqret runs show``: the items of a run, and what was asked and answered for one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import shared_options as options
from conqret.console.printing import result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conqret.judging.judge_folder import JudgeFolder
    from conqret.judging.recorded_requests import RecordedRequests


BEGINNING = 1_000
"""Characters of a prompt or an answer that are printed: enough to know it by."""


def show(
    run: Annotated[Path, typer.Argument(help="The folder of a judge's run, finished or not.")],
    item: Annotated[
        str | None,
        typer.Argument(help="The id of an item, or its beginning. Without it the items are listed."),
    ] = None,
    *,
    recordings: Annotated[
        Path | None,
        typer.Option(
            help="Where the answers are, if not in the run's folder: a store, an export, another run."
        ),
    ] = None,
    prompts: options.Prompts = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print long prompts and answers whole, not their beginnings.")
    ] = False,
    json_output: options.Json = False,
) -> None:
    """List a run's items; or show the prompts as they were sent for an item, the raw answers, re-asks, errors, and the
    scores made of them.

    Long texts are cut; `--full` and `--json` have them whole. A run keeps no prompts: each is filled in again,
    and shown only if it is exactly the one that was sent.

    Examples:

    conqret runs show runs/first

    conqret runs show runs/first voting-age-pro

    conqret runs show runs/first voting-age-pro --full

    conqret runs show runs/first voting-age-pro --json
    """
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.judging.recorded_requests import recorded_requests

    if item is None:
        result(*_listed(JudgeFolder(run)), as_json=json_output)
        return
    found = recorded_requests(run, item, recordings=recordings, prompts=prompts)
    result(plain(found), list(_shown(found, full)), as_json=json_output)


def _listed(run: JudgeFolder) -> tuple[list[dict[str, Any]], list[Any]]:
    """The items of a run: for a machine, and for people."""
    from conqret.show.table import Column, Table
    from conqret.show.words import reason

    record = run.record()
    found = [
        {
            "item": judgment.item,
            "topic": judgment.topic,
            "stance": judgment.stance,
            "status": judgment.status.value,
            "reason": next((one.reason.value for one in judgment.measures.values() if one.reason), None),
        }
        for judgment in run.judgments()
    ]
    rows = []
    for one in found:
        why = f": {reason(one['reason'])}" if one["reason"] else ""
        rows.append((one["item"], one["topic"], one["stance"], f"{one['status']}{why}"))
    columns = [Column(title, "text") for title in ("Item", "Topic", "Stance", "Status")]
    note = (
        f"{len(found)} of {record.items_count} items are judged. conqret runs show {run.path} ITEM shows one."
    )
    return found, [Table("", columns, rows, note=note)]


def plain(found: RecordedRequests) -> dict[str, Any]:
    """What was asked and answered for an item, as plain data."""
    from dataclasses import asdict

    return {
        "judgment": found.judgment.model_dump(mode="json"),
        "exchanges": [
            {
                "ask": one.call.ask,
                "sample": one.call.sample,
                "key": one.call.key,
                "again": one.again,
                "messages": [asdict(message) for message in one.messages],
                "answer": None if one.completion is None else one.completion.text,
                "refusal": None if one.completion is None else one.completion.refusal,
                "finish_reason": one.call.finish_reason,
                "error": one.call.error,
                "lacks": list(one.lacks),
            }
            for one in found.exchanges
        ],
    }


def _shown(found: RecordedRequests, full: bool) -> Iterator[Any]:
    from conqret.judging.request_pages import heading, measures_table, parts, parts_tables
    from conqret.show.visible_text import cut

    judgment = found.judgment
    yield f"{judgment.item}: {judgment.topic} ({judgment.stance})"
    yield f"{judgment.format} by {judgment.model} ({judgment.fingerprint})"
    yield measures_table(judgment)
    for table in parts_tables(judgment):
        yield ""
        yield table
    before: set[str] = set()
    for number, one in enumerate(found.exchanges, start=1):
        yield ""
        yield f"--- {number} of {len(found.exchanges)}: {heading(one)}"
        for title, text in parts(one):
            yield f"[{title}]"
            if len(text) > BEGINNING and text in before:
                yield "(the same as before)"
                continue
            before.add(text)
            yield text if full else cut(text, BEGINNING)
            if not full and len(text) > BEGINNING:
                yield f"({len(text) - BEGINNING:,} more characters: --full)"
