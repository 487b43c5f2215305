"""What the subcommands that judge statements have in common: one run of a format, with its progress and its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.cli import options
from conqret.cli.asking import ask
from conqret.cli.console import at, end, result

if TYPE_CHECKING:
    from pydantic import BaseModel

    from conqret import Judgments
    from conqret.data import Item
    from conqret.report.table import Table

COLUMNS = (
    "Columns topic, side and statement (or response), perhaps id and system: JSONL, CSV, TSV, Parquet; several files "
    "are several systems."
)
Output = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "The run's folder; the same command again goes on where it stopped. Default: runs/STATEMENTS-FORMAT-MODEL.",
        "--output",
        "-o",
    ),
]
Statements = Annotated[list[Path], typer.Argument(help=COLUMNS)]


def judged(
    items: Sequence[Item],
    files: Sequence[Path],
    format: str,  # noqa: A002 - the word that users know
    *,
    model: str | None,
    output: Path | None,
    prompts: Path | None,
    calls: options.Calls,
    kept: options.Kept,
    dry_run: bool,
    shown: options.Shown,
) -> Judgments | None:
    """Judge items by a format into a run's folder; with ``dry_run`` say what that would cost, and return None."""
    from conqret import judge
    from conqret.api.judging import expected_cost
    from conqret.cli.expected_cost import tell_cost
    from conqret.llm.options import OFFLINE_MODEL
    from conqret.runs.places import default_folder, stem

    named = stem(files[0]) + (f"-and-{len(files) - 1}-more" if len(files) > 1 else "")
    by = model or ("replayed" if kept.replay else OFFLINE_MODEL)  # a replay says itself which model it is of
    settings: dict[str, Any] = {
        "format": format, "model": model, "prompts": prompts, "output": output or default_folder(named, format, by),
        **calls.given(), **kept.given(),
    }  # fmt: skip
    if dry_run:
        tell_cost([expected_cost(items, **settings)], budget=calls.budget_usd, as_json=shown.json_output)
        return None
    judgments: Judgments = ask(
        lambda on_start, on_row: judge(items, on_start=on_start, on_judgment=on_row, **settings), len(items),
        "judgments", about=f"{len(items):,} items, judged by {format} with", shown=shown,
    )  # fmt: skip
    return judgments


def conclude(
    judgments: Judgments,
    systems: Sequence[BaseModel],
    table: Callable[[], Table],
    *,
    shown: options.Shown,
    **more: object,
) -> None:
    """Print what the judgments say of each system, and end the command; ``more`` stands beside it as data."""
    record, summary = judgments.record, judgments.summary
    data = {
        "model": record.model, "baseline": record.baseline, **more,
        "systems": [one.model_dump(mode="json") for one in systems],
    }  # fmt: skip

    def lines() -> Iterator[Table | str]:
        yield table()
        if judgments.folder is not None:
            yield at(judgments.folder.judgments_file, "judgments")
            yield at(judgments.folder.report_file, "report")

    result(data, lines(), as_json=shown.json_output)
    end(summary.failed, judgments.session, there=summary.any_score, reasons=summary.reasons)
