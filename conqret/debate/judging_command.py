"""What the commands share that judge statements and arguments of debates as items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.printing import NONE, at, result
from conqret.console.shared_options import StudyOptions
from conqret.data import Item
from conqret.judging.judge import expected_cost
from conqret.judging.judgments import Judgments
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.runs.dry_run import Counted
from conqret.runs.run_folder import default_folder, stem
from conqret.show.table import Table


def run_judge(
    items: Sequence[Item],
    files: Sequence[Path],
    format: str,  # noqa: A002 - the word that users know
    *,
    model: str | None,
    output: Path | None,
    run_options: StudyOptions,
    by: Callable[..., Any],
) -> Any:
    """Judge items by a format into a run's folder, and return the result; a dry run prints the cost and ends
    the command.

    ``by`` is the public function that judges, with its items already bound.
    """
    named = stem(files[0]) + (f"-and-{len(files) - 1}-more" if len(files) > 1 else "")
    # a replay says itself which model it is of
    who = model or ("replayed" if run_options.kept.replay else OFFLINE_MODEL)

    def study(*, dry_run: bool = False, **settings: Any) -> Any:
        if dry_run:
            raise Counted([expected_cost(items, format=format, **settings)])
        return by(**settings)

    output = output or default_folder(named, format, who)
    return run_options.study(study, rows="judgments", model=model, output=output, **run_options.calls.given())


def conclude(
    judgments: Judgments,
    table: Callable[[], Table],
    *,
    shown: options.OutputOptions,
    files: Mapping[str, Path] = NONE,
    **more: Any,
) -> None:
    """Print the results of judgments and the written files, and end the command.

    Args:
        judgments: the judgments of the run.
        table: returns the table to print.
        shown: the options of the output.
        files: written files by their description.
        more: further values of the JSON output.
    """
    record, summary = judgments.record, judgments.summary

    def lines() -> Iterator[Table | str]:
        yield table()
        yield from (at(file, what) for what, file in files.items())
        if judgments.folder is not None:
            yield at(judgments.folder.judgments_file, "judgments")
            yield at(judgments.folder.report_file, "report")

    result({"model": record.model, "baseline": record.baseline, **more}, lines(), as_json=shown.json_output)
    end(summary.failed, judgments.session, there=summary.any_score, reasons=summary.reasons)
