"""What a run of Algorithm 1 leaves: a benchmark in DebateQA's layout, and the texts that it rests on.

=====================  ============================================================================================
``rows.jsonl``         each step of each question as it came
``benchmark.jsonl``    the questions that are kept with their partial answers, as ``conqret debateqa score
                       perspective-diversity`` reads them; each partial answer names its documents
``documents.jsonl``    the documents that partial answers rest on: ``id``, ``title``, ``url``, ``licence``, ``text``
``filtered.jsonl``     the questions that are not kept, and why
``items.jsonl``        an item for each partial answer with its documents, for ``conqret labels sample`` and the judges
``summary.json``       the run in numbers
=====================  ============================================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

from conqret._optional import require
from conqret.data import Item
from conqret.data.item import Frozen
from conqret.debateqa.curation import curation_requests as requests
from conqret.debateqa.curation.algorithm import (
    FEW_DOCUMENTS,
    FEW_VIEWS,
    POOL,
    RERANKERS,
    UNSTATED,
    VIEWS,
    Collector,
    CurationPlan,
    CurationStep,
    QuestionOutcome,
)
from conqret.debateqa.curation.page_sources import (
    PAGES,
    PageEvidence,
    TrustedDomains,
    page_source,
    read_trusted,
)
from conqret.errors import number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.questions import read_sourced
from conqret.io.safe_files import Content, InFolder
from conqret.llm.client_options import client_options
from conqret.retrieval.rerank import INSTRUCTIONS, RankingAnswer
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import ITEMS, as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, StudyOutcome


def prompts(plan: CurationPlan) -> dict[str, RunPrompt]:
    """Return the prompts of a run by their ids.

    Estimates of cost assume 60 tokens of response for search queries, 100 for a ranking, 50 for each point of
    view, and 400 for an explanation.
    """
    views = requests.views_response(plan.views)
    return {
        requests.QUERIES: RunPrompt(requests.SearchQueries, "curate", 60, "search queries"),
        INSTRUCTIONS["none"]: RunPrompt(RankingAnswer, "curate", 100, "the best documents"),
        requests.VIEWS: RunPrompt(views, "curate", 50 * VIEWS, "points of view"),
        requests.EXPLANATION: RunPrompt(requests.Explanation, "curate", 400, "explanations"),
    }


@dataclass(frozen=True)
class CurateFolder(
    RequestFolder[RequestRecord, CurationStep],
    kind="curate",
    same={"asked": "questions", "source": "corpus", "trusted": "trusted domains", "plan": "settings"},
):
    """The files of a curated benchmark in one folder."""

    COMMAND: ClassVar[str] = "conqret debateqa curate"

    benchmark_file = InFolder("benchmark.jsonl")
    """The questions with their partial answers."""
    documents_file = InFolder("documents.jsonl")
    """The documents that they rest on."""
    filtered_file = InFolder("filtered.jsonl")
    """The questions that are not kept."""
    items_file = InFolder(ITEMS)
    pages_file = InFolder(PAGES)


class CurateSummary(Frozen):
    """The numbers of a curated benchmark.

    ``few_documents`` and ``few_views`` count the questions that were filtered out, ``unanswered`` those
    without a valid response by reason, and ``kept`` those left. ``found`` and ``trusted`` count documents,
    with repetitions over questions. ``cut_tokens`` counts the tokens of documents that were cut off.
    """

    model: str
    questions: int
    few_documents: int
    few_views: int
    unanswered: dict[str, int]
    kept: int
    partial_answers: int
    found: int
    trusted: int
    documents: int
    unstated_licences: int
    cut_tokens: int


def _files(
    outcomes: Sequence[QuestionOutcome],
    pages: Sequence[PageEvidence],
    rows: Sequence[CurationStep],
    collector: Collector,
) -> tuple[CurateSummary, dict[Path, Content]]:
    """Return the numbers of a curation, and the contents of the benchmark's files by path; nothing is written here."""
    folder: CurateFolder = collector.run.folder  # type: ignore[assignment]
    kept = [outcome for outcome in outcomes if not outcome.why]
    evidence = {page.document.id: page for page in pages}
    texts = [_text(page, collector) for page in evidence.values()]
    whys = Counter(outcome.why for outcome in outcomes)
    summary = CurateSummary(
        model=collector.client.model_id,
        questions=len(outcomes),
        few_documents=whys.pop(FEW_DOCUMENTS, 0),
        few_views=whys.pop(FEW_VIEWS, 0),
        kept=whys.pop("", 0),
        unanswered=dict(whys),
        partial_answers=sum(len(question.answers) for question in kept),
        found=sum(row.found for row in rows),
        trusted=sum(row.trusted for row in rows),
        documents=len(texts),
        unstated_licences=sum(text["licence"] == UNSTATED for text in texts),
        cut_tokens=sum(row.cut for row in rows),
    )
    left_out = (
        {**outcome.question.record(), "why": outcome.why, "detail": outcome.detail}
        for outcome in outcomes
        if outcome.why
    )
    return summary, {
        folder.benchmark_file: json_lines(question.record() for question in kept),
        folder.documents_file: json_lines(texts),
        folder.filtered_file: json_lines(left_out),
        folder.items_file: json_lines(item.model_dump(mode="json") for item in _items(kept, evidence)),
    }


def _text(evidence: PageEvidence, collector: Collector) -> dict[str, str]:
    document = evidence.document
    licence = evidence.licence or collector.trusted.licence(document.url) or UNSTATED
    return {
        "id": document.id,
        "title": document.title,
        "url": document.url,
        "licence": licence,
        "text": document.text,
    }


def _items(kept: Iterable[QuestionOutcome], evidence: Mapping[str, PageEvidence]) -> Iterator[Item]:
    """Yield an item for each partial answer (with the id QUESTION#NUMBER, from 1): the question, the partial
    answer, and the documents that it rests on."""
    for outcome in kept:
        for place, (view, explanation, documents) in enumerate(outcome.answers, start=1):
            yield Item(
                id=f"{outcome.question.id}#{place}",
                topic=outcome.question.question,
                argument=f"{view}\n\n{explanation}",
                documents=tuple(evidence[document].document for document in documents),
                metadata={"question": outcome.question.id, "number": place},
            )


USUAL = CurationPlan()
"""What is kept where nothing else is said."""


@strict_options
def curate_benchmark(
    questions: str | Path,
    *,
    corpus: str | Path | None = None,
    search: str | Sequence[str] | None = None,
    user_agent: str | None = None,
    trusted: str | Path | None = None,
    plan: CurationPlan = USUAL,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[CurationStep, CurateSummary]:
    """Collect partial answers to debatable questions from documents (DebateQA, Algorithm 1).

    The steps are search queries, trusted documents, points of view, and an explanation of each.

    Args:
        questions: a file with a column ``question``.
        corpus: the corpus directory in which evidence is searched; it is indexed first if it is not yet.
        search: search engines that replace the corpus: ``google``, ``brave`` or ``searxng``, with keys
            from the environment.
        user_agent: the user agent that web sites see.
        trusted: a file of domains to trust in addition to .edu, .org, .gov, .info and .pro.
        plan: what is kept, and how much of a document is read.
        output: the benchmark's folder, by default ``runs/QUESTIONS-curate-MODEL``; the same call
            continues a stopped run.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The results of all steps, and a summary of the benchmark.

    Raises:
        DeclarationError: the call, the questions or the folder are wrong. No request is sent then.
        MissingDependencyError: pyterrier is not installed.
    """
    require("pyterrier", "pandas", extra="retrieval")
    domains = TrustedDomains() if trusted is None else read_trusted(Path(trusted))
    author = client_options(settings.get("model"), settings)
    source = page_source(corpus, search, user_agent, domains, dry_run=settings.get("dry_run", False))
    reranker = None
    if plan.rerank not in RERANKERS and not settings.get("dry_run", False):
        from conqret.retrieval.rescoring import CrossEncoder

        reranker = CrossEncoder(plan.rerank, candidates=POOL)
    file = Path(questions)
    folder = CurateFolder(as_path(output) or default_folder(stem(file), "curate", author.model))
    given = read_sourced([file])
    with Run(
        folder,
        [author],
        prompts(plan),
        settings,
        contents=((question.id, question.question) for question in given),
        total=len(given) * len(plan.steps),
        purpose="what documents say on a question",
        about=f"{number(len(given), 'question')}, {source.described}, by",
        record={"source": source.name, "trusted": domains.record(), "plan": plan.record()},
    ) as run:
        collector = Collector(source, domains, plan, run, reranker)

        async def collected() -> tuple[list[QuestionOutcome], list[PageEvidence]]:
            async with source.opened(folder.path):
                outcomes = await run.gather(map(collector.collect, given))
                used = (document for outcome in outcomes if not outcome.why for document in outcome.documents)
                return outcomes, source.read(list(dict.fromkeys(used)))

        outcomes, pages = run.sessions.run(collected())
        return run.finish(lambda rows: _files(outcomes, pages, rows, collector))
