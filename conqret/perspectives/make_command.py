"""``conqret perspectives make``: questions with perspectives, from surveys, statements, arguments or questions."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from annotated_types import Interval

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.printing import at, note, note_all, progress, result
from conqret.console.shared_options import StudyOptions
from conqret.console.source_options import WebSearch
from conqret.perspectives.own_corpora import RESULTS, collect_corpora
from conqret.perspectives.page import collected_table, errors_table, made_table
from conqret.perspectives.perspectives_run import make_perspectives, perspective_errors


class From(StrEnum):
    """The kinds of rows."""

    opinionqa = "opinionqa"
    kialo = "kialo"
    arguana = "arguana"
    open = "open"
    inspected = "inspected"


def make(
    rows: Path,
    *,
    source: From,
    model: options.Model = None,
    output: Annotated[Path | None, options.run_folder("ROWS-make-MODEL", "The folder")] = None,
    run_options: StudyOptions,
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
        errors = perspective_errors(rows)
        plain = [error.model_dump() for error in errors]
        result(plain, [errors_table(errors)], as_json=run_options.shown.json_output)
        return
    outcome = run_options.study(
        make_perspectives,
        rows,
        source=source.value,
        output=output,
        model=run_options.calls.for_model(model),
        rows="rows",
        doing="writing",
        role="an author",
    )
    summary, folder = outcome.summary, outcome.folder
    files = (folder.perspectives_file, folder.left_out_file, folder.inspect_file)
    named = map(at, files, ("kept", "left out", "inspect"))
    there = len(outcome.rows) - sum(summary.unanswered.values())
    run_options.conclude(summary, [made_table(summary), "", *named], outcome, summary.unanswered, there=there)


def collect(
    questions: Path,
    *,
    web: WebSearch,
    pages: Path | None = None,
    results: Annotated[int, Interval(ge=1)] = RESULTS,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-collect", "The folder")] = None,
    overwrite: options.Overwrite = False,
    shown: options.OutputOptions,
) -> None:
    """Make a corpus for each question, of the pages that a web search finds for it (BeRDS, section 4.2).

    Pages are fetched with pauses, each once, and cut into passages of 100 words. The folder is a corpus for
    `conqret retrieve index`, `conqret retrieve run`, `conqret perspectives score` and `conqret debateqa answer`; each
    question is searched only in its own pages.

    Args:
        questions: Column question, optionally id: JSONL, CSV, TSV, Parquet.
        results: The most results of a search that are read, for each question (BeRDS: 100; DebateQA: 10).
    Files:
        pages: Pages that you have, instead of a search: columns question_id and text, optionally title, url, licence.

    Examples:

    conqret perspectives collect questions.jsonl --search google --user-agent 'our-lab (mailto:someone@example.org)'
    -o web/

    conqret perspectives collect questions.jsonl --pages pages.jsonl -o web/

    conqret perspectives score bm25 mmr --corpus web/ --perspectives questions.jsonl --model gpt-4o-mini
    """

    with progress("collecting", quiet=shown.quiet) as bar:

        def started(count: int, kept: int, source: str) -> None:
            shown.tell(f"{count:,} questions, searched for in {source}")
            bar.reach(kept, total=count)

        rows, folder = collect_corpora(
            questions,
            search=web.search,
            user_agent=web.user_agent,
            pages=pages,
            results=results,
            output=output,
            overwrite=overwrite,
            on_start=started,
            on_row=lambda row: bar.advance(),
        )
    result(
        [row.model_dump() for row in rows],
        [collected_table(rows), "", at(folder.path, "corpora")],
        as_json=shown.json_output,
    )
    if not shown.quiet and (empty := [row.id for row in rows if not row.passages and not row.problem]):
        note_all(f"{len(empty)} questions have no page, so no document will be found for them", empty, 5)
    if failed := [row for row in rows if row.problem]:
        note(
            f"{len(failed)} searches failed (first reason: {failed[0].problem}); run the same command to retry them"
        )
    end(failed)
