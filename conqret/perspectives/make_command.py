"""``conqret perspectives make``: questions with perspectives, from surveys, statements, arguments or questions."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, result
from conqret.errors import number
from conqret.judging.study_command import StudyOptions


class From(StrEnum):
    """The kinds of rows."""

    opinionqa = "opinionqa"
    kialo = "kialo"
    arguana = "arguana"
    open = "open"
    inspected = "inspected"


@grouped
def make(
    rows: Path,
    *,
    source: From,
    model: options.Model = None,
    output: Annotated[Path | None, options.run_folder("ROWS-make-MODEL", "The folder")] = None,
    asking: StudyOptions,
) -> None:
    """Make questions with contradicting perspectives: written by a model, then checked by it (BeRDS, section 4).

    Questions about personal experience, questions that are not debatable, and those whose perspectives do not
    contradict each other are left out and counted by subset. A perspective that is a question is never taken. `conqret
    perspectives score` reads perspectives.jsonl; inspect.csv has twenty questions of each subset for annotators to
    check.

    Args:
        rows: The rows from which perspectives are made, with the columns that `--from` names; optionally id, subset,
            url, licence.
    Files:
        source (--from): The kind of rows, with their columns. `opinionqa`: question and options (surveys); `kialo`:
            question and statement, or answers; `arguana`: argument and counter; `open`: question. `inspected`: a
            completed inspect.csv, whose errors are counted by subset (BeRDS, Table 19): in its column `error`, no means
            none, yes or a description an error, and an empty cell was not checked.

    Examples:

    conqret perspectives make survey.csv --from opinionqa --model gpt-4o-mini --dry-run

    conqret perspectives make statements.jsonl --from kialo --model gpt-4o-mini -o runs/perspectives

    conqret perspectives make runs/perspectives/inspect.csv --from inspected
    """
    if source is From.inspected:
        _count_errors(rows, asking.shown)
        return

    from conqret.perspectives.page import made_table
    from conqret.perspectives.perspectives_run import estimate, making_plan

    session = asking.session(model)
    plan = making_plan(rows, session, source=source.value, output=output)
    read, folder = plan.sources, plan.folder
    if asking.dry_run:
        asking.tell_cost(estimate(read, session))
        return
    outcome = asking.execute(
        plan, len(read), "rows",
        about=f"{number(len(read), 'row')} from {rows}, by", doing="writing",
        role="an author",
    )  # fmt: skip
    summary = outcome.summary
    files = (folder.perspectives_file, folder.left_out_file, folder.inspect_file)
    named = map(at, files, ("kept", "left out", "inspect"))
    there = len(read) - sum(summary.unanswered.values())
    asking.conclude(summary, [made_table(summary), "", *named], outcome, summary.unanswered, there=there)


def _count_errors(sheet: Path, shown: options.OutputOptions) -> None:
    from conqret.perspectives.page import errors_table
    from conqret.perspectives.perspectives_run import perspective_errors

    subset_errors = perspective_errors(sheet)
    result(
        [error.model_dump() for error in subset_errors],
        [errors_table(subset_errors)],
        as_json=shown.json_output,
    )
