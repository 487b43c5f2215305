"""A corpus for each question, of the pages that a search finds for it, in passages of 100 words (BeRDS, 4.2).

The folder holds, next to ``run.json``:

=================  ================================================================================
``corpora.jsonl``  the questions: results of the search, pages that were had, passages
``corpora/``       a corpus directory for each question that has any
``topics.jsonl``   the questions as topics, for ``conqret retrieve run``
``pages.jsonl``    the pages as they were read, each once however many questions find it
=================  ================================================================================
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

from conqret.data.corpus import CorpusTopic
from conqret.data.digest import digest_of, gathered
from conqret.data.item import Frozen
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.debateqa.curation.page_sources import PAGES, PageEvidence, PageSource, web_source
from conqret.errors import DeclarationError, check_positive, strict_options
from conqret.io.checks import Filled, Identifier, Text
from conqret.io.corpus_folder import CorpusDirectory, write_lines, write_models
from conqret.io.files import file_rows
from conqret.io.questions import SourcedQuestion, read_sourced
from conqret.io.rows import columns_of
from conqret.io.safe_files import InFolder
from conqret.io.schema import in_columns, read_table
from conqret.perspectives.perspective_files import read_perspectives
from conqret.retrieval.collection import CORPORA, own_folder
from conqret.runs.run_folder import RunFolder, RunRecord, default_folder, stem
from conqret.runs.trials import RowStore, Trial, perform
from conqret.scrapers.fetch_ledger import make_document
from conqret.text.text_passages import WORDS, passages


@dataclass(frozen=True, slots=True)
class _GivenPage:
    question: Annotated[
        Identifier, in_columns("question_id", "question", needed="Name the question of the result")
    ]
    text: Annotated[Filled, in_columns(needed="Give the text of the page")]
    title: Text = ""
    url: Text = ""
    licence: Annotated[Text, in_columns("licence", "license")] = ""


class GivenPages(PageSource):
    """Web pages read from a file: each row has the id of its question, and rows are in the order of the
    search results.

    Raises:
        ItemsError: rows have faults.
        DeclarationError: there is no row, or none of the questions has one.
    """

    def __init__(self, path: Path, questions: Sequence[SourcedQuestion]) -> None:
        named_pages = [
            (page.question, PageEvidence(make_document(page.text, page.title, page.url), page.licence))
            for page in read_table(path, _GivenPage, wanted="pages")
        ]
        ids = {question.question: question.id for question in questions}
        self._pages = gathered((ids.get(name, name), page.document.id) for name, page in named_pages)
        self._evidence = {page.document.id: page for _, page in named_pages}
        self._ids = ids
        if not self._pages.keys() & set(ids.values()):
            raise DeclarationError(
                f"{path} has no page for any of the {len(ids)} questions: its questions are "
                f"{', '.join(list(self._pages)[:3])}, but yours are {questions[0].id} and so on: use the same ids"
            )
        self.name = (
            f"pages {digest_of([(name, page.document.id, page.licence) for name, page in named_pages])}"
        )
        self.described = f"the {len(named_pages):,} pages of {path}"

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """Return for each query, a question or its id, the ids of its pages, ``depth`` at most."""
        return [self._pages.get(self._ids.get(query, query), [])[:depth] for query in queries]

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """Return the pages with these ids, in this order; unknown ids are skipped."""
        return [self._evidence[name] for name in identifiers if name in self._evidence]


RESULTS = 100
"""Results of a question (BeRDS, section 4.2: the top hundred documents)."""
AT_ONCE = 4
"""Questions that are worked on at a time; hosts have a pace of their own."""


class CollectedPages(Frozen):
    """The numbers of search results, fetched pages and passages of one question.

    ``problem`` says why the search failed; it is empty where it succeeded.
    """

    id: str
    question: str
    results: int = 0
    pages: int = 0
    passages: int = 0
    problem: str = ""


@dataclass(frozen=True)
class CollectedFolder(
    RunFolder[RunRecord],
    kind="own corpora",
    same={"source": "search", "asked": "questions", "results": "results", "words": "passages"},
):
    """The folder of a run that collects a corpus for each question."""

    COMMAND: ClassVar[str] = "conqret perspectives collect"

    rows_file = InFolder(CORPORA)
    corpora = InFolder("corpora")
    topics_file = InFolder("topics.jsonl")
    pages_file = InFolder(PAGES)


@strict_options
def collect_corpora(
    questions: str | Path,
    *,
    search: str | Sequence[str] | None = None,
    user_agent: str | None = None,
    pages: str | Path | None = None,
    results: int = RESULTS,
    output: str | Path | None = None,
    overwrite: bool = False,
    on_start: Callable[[int, int, str], None] = lambda questions, kept, source: None,
    on_row: Callable[[CollectedPages], None] = lambda row: None,
) -> tuple[list[CollectedPages], CollectedFolder]:
    """Make a corpus for each question from the pages that a web search finds for it (BeRDS, section 4.2).

    Args:
        questions: a file with a column ``question``, optionally ``id``.
        search: search engines: ``google``, ``brave`` or ``searxng``, with keys from the environment.
        user_agent: the user agent that web sites see.
        pages: a file of pages that replaces the search.
        results: how many results of a search are read.
        output: the folder, by default ``runs/QUESTIONS-collect``; the same call continues a stopped run.
        overwrite: start anew where the folder contains another run.
        on_start: called with the number of questions, the number already done, and a description of the
            source.
        on_row: called with the numbers of each question; a failed search is retried by the next call.

    Returns:
        The numbers of pages and passages of each question, and the folder, which is a corpus.

    Raises:
        DeclarationError: not exactly one of ``search`` and ``pages`` is set, ``results`` is below 1, or the
            folder contains something else or another run.
    """
    source_file = Path(questions)
    found = questions_of(source_file)
    if (search is None) == (pages is None):
        raise DeclarationError("name where pages come from: --search for the web, or --pages FILE")
    if pages is None:
        source: PageSource = web_source(search or (), user_agent)
    elif user_agent is None:
        source = GivenPages(Path(pages), found)
    else:
        raise DeclarationError(
            "--user-agent needs --search, because pages of a file are not fetched: leave it out"
        )
    folder = CollectedFolder(default_folder(stem(source_file), "collect") if output is None else Path(output))
    check_positive({"results": results})
    asked = digest_of([asdict(question) for question in found])
    kind: Any = CollectedFolder.RECORD
    record = kind(source=source.name, asked=asked, results=results, words=WORDS)
    with (
        folder.claimed(record, overwrite=overwrite),
        RowStore(
            folder.rows_file, CollectedPages, lambda row: row.id, finished=lambda row: not row.problem
        ) as rows,
    ):
        on_start(len(found), len(rows), source.described)
        trials = [
            Trial(question.id, partial(_made, question, source, folder.path, results)) for question in found
        ]

        async def work() -> None:
            async with source.opened(folder.path):
                async for row in perform(trials, rows, in_flight=AT_ONCE):
                    on_row(row)

        asyncio.run(work())
        rows.arrange([question.id for question in found])
        topics = (CorpusTopic(id=question.id, question=question.question, split="test") for question in found)
        write_models(CorpusDirectory(folder.path).topics_file, topics)
        return list(rows.rows()), folder


def questions_of(path: Path) -> tuple[SourcedQuestion, ...]:
    """Read the questions of a file, with the same ids as :func:`read_perspectives` gives them where it has
    perspectives.

    Raises:
        ItemsError: rows have faults.
        DeclarationError: there is no question.
    """
    if "perspectives" not in columns_of(file_rows(path)):
        return read_sourced([path])
    return tuple(
        SourcedQuestion(perspective.id, perspective.question) for perspective in read_perspectives(path)
    )


async def _made(question: SourcedQuestion, source: PageSource, folder: Path, results: int) -> CollectedPages:
    try:
        (identifiers,) = await source.search([question.question], results)
    except NoValidResponse as error:
        return CollectedPages(id=question.id, question=question.question, problem=error.detail)
    had = source.read(list(dict.fromkeys(identifiers)))
    corpus = CorpusDirectory(own_folder(folder, question.id))
    count = write_lines(corpus.documents_file, (line for page in had for line in _lines(page)))
    return CollectedPages(
        id=question.id, question=question.question, results=len(identifiers), pages=len(had), passages=count
    )


def _lines(page: PageEvidence) -> Iterator[dict[str, str]]:
    """Yield the passages of a page, of at most :data:`WORDS` words, as rows of a corpus with the ids PAGE-NUMBER from
    1. The page's title is part of the first passage."""
    document = page.document
    text = document.text if document.text.startswith(document.title) else f"{document.title}\n{document.text}"
    for number, passage in enumerate(passages(text, WORDS), start=1):
        yield {
            "id": f"{document.id}-{number}",
            "text": passage,
            "title": "",
            "url": document.url,
            "licence": page.licence,
        }
