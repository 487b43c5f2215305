"""What the subcommands that judge statements have in common: one run of a format, with its progress and its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import shared_options as options
from conqret.console.printing import NONE, at, end, result
from conqret.errors import number

if TYPE_CHECKING:
    from conqret.data import Item
    from conqret.debate.debatune.debate_judging import Systems
    from conqret.debate.debatune.sifting import Sifted
    from conqret.judging.judgments import Judgments
    from conqret.judging.study_command import StudyOptions
    from conqret.show.table import Table

COLUMNS = (
    "Columns topic, side and statement (or response), optionally id and system: JSONL, CSV, TSV, Parquet; "
    "several files are several systems."
)
Output = Annotated[Path | None, options.run_folder("STATEMENTS-FORMAT-MODEL")]
Folder = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "The run's folder; the same command again goes on where it stopped. Default: runs/FILE-FORMAT-MODEL.",
        "--run",
    ),
]


def sifted_file(rows: str) -> Any:
    """``-o`` of a command that keeps some of many ``rows``."""
    return options.option(
        options.FILES,
        f"The {rows} that are kept; beside it, NAME.dropped.jsonl.",
        "--output",
        "-o",
        dir_okay=False,
    )


Statements = Annotated[list[Path], typer.Argument(help=COLUMNS)]


def judged(
    items: Sequence[Item],
    files: Sequence[Path],
    format: str,  # noqa: A002 - the word that users know
    *,
    model: str | None,
    output: Path | None,
    asking: StudyOptions,
    by: Callable[..., Any] | None = None,
) -> Any:
    """Judge items by a format into a run's folder; for a dry run say what that would cost, and return None.

    ``by`` is the function of the public face that does it, with its statements given; without, ``judge`` does.
    """
    from conqret.judging.judge import expected_cost, judge
    from conqret.llm.client_options import OFFLINE_MODEL
    from conqret.runs.run_folder import default_folder, stem

    named = stem(files[0]) + (f"-and-{len(files) - 1}-more" if len(files) > 1 else "")
    who = model or (
        "replayed" if asking.kept.replay else OFFLINE_MODEL
    )  # a replay says itself which model it is of
    settings: dict[str, Any] = {
        "model": model, "prompts": asking.prompts, "output": output or default_folder(named, format, who),
        **asking.calls.given(), **asking.kept.given(),
    }  # fmt: skip
    if asking.dry_run:
        asking.tell_cost([expected_cost(items, format=format, **settings)])
        return None
    run: Callable[..., Any] = by or partial(judge, items, format=format)
    return asking.ask(
        lambda on_start, on_row: run(on_start=on_start, on_judgment=on_row, **settings), len(items),
        "judgments", about=f"{number(len(items), 'item')}, judged by {format} with",
    )  # fmt: skip


def conclude(
    judgments: Judgments,
    table: Callable[[], Table],
    *,
    shown: options.OutputOptions,
    files: Mapping[str, Path] = NONE,
    **more: Any,
) -> None:
    """Print what the judgments come to, and end the command; ``files`` were written, ``more`` is part of the data."""
    record, summary = judgments.record, judgments.summary

    def lines() -> Iterator[Table | str]:
        yield table()
        yield from (at(file, what) for what, file in files.items())
        if judgments.folder is not None:
            yield at(judgments.folder.judgments_file, "judgments")
            yield at(judgments.folder.report_file, "report")

    result({"model": record.model, "baseline": record.baseline, **more}, lines(), as_json=shown.json_output)
    end(summary.failed, judgments.session, there=summary.any_score, reasons=summary.reasons)


def conclude_systems(
    found: Systems[Any], table: Callable[[], Table], *, shown: options.OutputOptions, **more: Any
) -> None:
    """The same with what the judgments say of each system."""
    systems = [one.model_dump(mode="json") for one in found.systems]
    conclude(found.judgments, table, shown=shown, **more, systems=systems)


def sifted(
    judgments: Judgments, found: Sifted, file: Path, title: str, rows: str, *, asking: StudyOptions
) -> None:
    """Write and print what is kept of many ``rows`` and what is not, and end the command."""
    from conqret.debate.debatune.page import sifted_table

    register = None if judgments.folder is None else judgments.folder.path
    files = {"kept": file, "dropped": found.write(file, overwrite=asking.kept.overwrite, register=register)}
    conclude(
        judgments, lambda: sifted_table(title, rows, found), shown=asking.shown, files=files, kept=len(found.kept),
        dropped=found.reasons,
    )  # fmt: skip
