"""``conqret perspectives collect``: a corpus for each question, of what a web search finds for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, end, note, note_all, progress, result
from conqret.debateqa.curation.command import WebSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.debateqa.curation.source_pages import PageSource
    from conqret.io.questions import SourcedQuestion


@grouped
def collect(
    questions: Path,
    *,
    web: WebSearch,
    pages: Path | None = None,
    results: int | None = None,
    words: int | None = None,
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
        words: Words in each passage. Default: 100.
    Files:
        pages: Pages that you have, instead of a search: columns question_id and text, optionally title, url, licence.

    Examples:

    conqret perspectives collect questions.jsonl --search google --user-agent 'our-lab (mailto:someone@example.org)'
    -o web/

    conqret perspectives collect questions.jsonl --pages pages.jsonl -o web/

    conqret perspectives score bm25 mmr --corpus web/ --perspectives questions.jsonl --model gpt-4o-mini
    """
    from conqret.perspectives import own_corpora
    from conqret.perspectives.page import collected_table
    from conqret.runs.run_folder import default_folder, stem
    from conqret.text.text_passages import WORDS

    found = own_corpora.questions_of(questions)
    wanted = own_corpora.RESULTS if results is None else results
    source = _source(found, web, pages, wanted)
    folder = own_corpora.CollectedFolder(output or default_folder(stem(questions), "collect"))
    shown.tell(f"{len(found):,} questions, searched for in {source.described}")
    with progress("collecting", quiet=shown.quiet) as bar:
        rows = own_corpora.collect(
            found, source, folder, results=wanted, words=WORDS if words is None else words,
            overwrite=overwrite, on_start=lambda kept: bar.reach(kept, total=len(found)),
            on_row=lambda row: bar.advance(),
        )  # fmt: skip
    result(
        [one.model_dump() for one in rows],
        [collected_table(rows), "", at(folder.path, "corpora")],
        as_json=shown.json_output,
    )
    if not shown.quiet and (empty := [one.id for one in rows if not one.passages and not one.problem]):
        note_all(f"{len(empty)} questions have no page, and nothing will be found for them", empty, 5)
    if failed := [one for one in rows if one.problem]:
        note(f"{len(failed)} searches failed, as {failed[0].problem}; the same command asks again")
    end(failed)


def _source(
    questions: Sequence[SourcedQuestion], web: WebSearch, pages: Path | None, results: int
) -> PageSource:
    from conqret.errors import DeclarationError
    from conqret.perspectives.own_corpora import GivenPages

    if (web.search is None) == (pages is None):
        raise DeclarationError("say where pages come from: --search for the web, or --pages FILE")
    if pages is None:
        return web.source(None, results=results)
    if web.user_agent is not None:
        raise DeclarationError("--user-agent is for --search: pages of a file are not fetched")
    return GivenPages(pages, questions)
