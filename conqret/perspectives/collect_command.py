"""``conqret perspectives collect``: a corpus for each question, of what a web search finds for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, end, note, note_all, progress, result
from conqret.debateqa.curation.command import WebSearch


@grouped
def collect(
    questions: Path,
    *,
    web: WebSearch,
    pages: Path | None = None,
    results: int | None = None,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-collect", "The folder")] = None,
    overwrite: options.Overwrite = False,
    shown: options.OutputOptions,
) -> None:
    """Make a corpus for each question, of the pages that a web search finds for it (BeRDS, section 4.2).

    Pages are fetched with pauses, each once, and cut into passages of 100 words. The folder is a corpus for
    `conqret retrieve index`, `conqret retrieve run` and `conqret perspectives score`; each question is searched only
    in its own pages.

    Args:
        questions: Column question, optionally id: JSONL, CSV, TSV, Parquet.
        results: How many results of a search are read. Default: 100.
    Files:
        pages: Pages that you have, instead of a search: columns question_id and text, optionally title, url, licence.

    Examples:

    conqret perspectives collect questions.jsonl --search google --user-agent 'our-lab (mailto:someone@example.org)'
    -o web/

    conqret perspectives collect questions.jsonl --pages pages.jsonl -o web/

    conqret perspectives score bm25 mmr --corpus web/ --perspectives questions.jsonl --model gpt-4o-mini
    """
    from conqret.perspectives.own_corpora import RESULTS, collect_corpora
    from conqret.perspectives.page import collected_table

    with progress("collecting", quiet=shown.quiet) as bar:

        def started(count: int, kept: int, source: str) -> None:
            shown.tell(f"{count:,} questions, searched for in {source}")
            bar.reach(kept, total=count)

        rows, folder = collect_corpora(
            questions, search=web.search, user_agent=web.user_agent, pages=pages,
            results=RESULTS if results is None else results,
            output=output, overwrite=overwrite, on_start=started, on_row=lambda row: bar.advance(),
        )  # fmt: skip
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
