"""``conqret debate score``: do statements keep to the side that they were told to take?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.cli import options
from conqret.cli.console import at, end, floor, note_all, progress, result, tell, tell_session
from conqret.cli.groups import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret import Judgments
    from conqret.debate.controllability import Controllability
    from conqret.io import Checked
    from conqret.judging.setup import Setup
    from conqret.llm.client import Client

EPILOG = (
    "Examples:\n\n"
    "conqret debate score statements.jsonl --model gpt-4o-mini -o runs/controllability\n\n"
    "conqret debate score ours.jsonl theirs.csv --good-from 90\n\n"
    "conqret debate score statements.jsonl --model gpt-4o-mini --dry-run"
)


@grouped
def score(
    statements: Annotated[
        list[Path],
        typer.Argument(
            help="Columns topic, side and statement (or response), perhaps id and system: JSONL, CSV, TSV, Parquet; "
            "several files are several systems."
        ),
    ],
    *,
    model: options.Model = None,
    good_from: Annotated[
        int,
        options.option(
            options.JUDGING,
            "Per cent on the assigned side from which a statement is good, above 50. Asks nothing anew.",
        ),
    ] = 100,
    output: Annotated[
        Path | None,
        options.option(
            options.FILES,
            "The run's folder; the same command again goes on where it stopped. "
            "Default: runs/STATEMENTS-controllability-MODEL.",
            "--output",
            "-o",
        ),
    ] = None,
    prompts: options.Prompts = None,
    calls: options.Calls,
    kept: options.Kept,
    dry_run: options.DryRun = False,
    shown: options.Shown,
) -> None:
    """How often are statements wholly on the side that they were told to take?

    The model sees topic and statement, never the side, and says which share of it supports the topic and which opposes
    it. Good is what has all of it on its own side. The folder is one of `conqret judge` by the format controllability.
    """
    from conqret import judge as judged
    from conqret.api.judging import expected_cost
    from conqret.cli.expected_cost import tell_cost
    from conqret.debate.controllability import FORMAT, check_good_from, controllability
    from conqret.debate.statements import read_statements
    from conqret.llm.options import OFFLINE_MODEL
    from conqret.runs.places import default_folder, stem

    check_good_from(good_from)
    items = read_statements(statements)
    more = f"and-{len(statements) - 1}-more" if len(statements) > 1 else ""
    named = "-".join(filter(None, (stem(statements[0]), more)))
    settings: dict[str, Any] = {
        "format": FORMAT, "model": model or OFFLINE_MODEL, "prompts": prompts,
        "output": output or default_folder(named, FORMAT, model or OFFLINE_MODEL), **calls.given(), **kept.given(),
    }  # fmt: skip
    if dry_run:
        tell_cost([expected_cost(items, **settings)], budget=calls.budget_usd, as_json=shown.json_output)
        return
    with progress("judging", quiet=shown.quiet) as bar:

        def started(setup: Setup, checked: Checked, client: Client, kept: int) -> None:
            if not shown.quiet:
                baseline = f": {floor('a judge')}" if setup.client.backend.baseline else ""
                tell(f"{checked.count:,} statements, judged by {FORMAT} with {setup.client.model}{baseline}")
            bar.start(client, kept, checked.count)

        judgments = judged(items, on_start=started, on_judgment=bar.advance, **settings)
    if not shown.quiet:
        tell_session(judgments.session, f"{len(judgments)} judgments")
    if judgments.missing:
        note_all(f"{len(judgments.missing)} answers are not among the recordings", judgments.missing)
    found = controllability(items, judgments, good_from=good_from)
    data = {
        "model": judgments.record.model,
        "baseline": judgments.record.baseline,
        "good_from": good_from,
        "systems": [one.model_dump(mode="json") for one in found],
    }
    result(data, _lines(found, good_from, judgments), as_json=shown.json_output)
    summary = judgments.summary
    end(summary.failed, judgments.session, there=summary.any_score, reasons=summary.reasons)


def _lines(
    found: Sequence[Controllability], good_from: int, judgments: Judgments
) -> Iterator[RenderableType]:
    from conqret.report.debates import controllability_table

    yield controllability_table(found, good_from)
    if judgments.folder is not None:
        yield at(judgments.folder.judgments_file, "judgments")
        yield at(judgments.folder.report_file, "report")
