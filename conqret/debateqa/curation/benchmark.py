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
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Unpack

from pydantic import BaseModel

from conqret._optional import require
from conqret.data import Item
from conqret.data.item import Frozen
from conqret.debateqa.curation import curation_requests as asking
from conqret.debateqa.curation.algorithm import (
    DEPTH,
    LISTWISE,
    PAGES,
    POOL,
    STEPS,
    Collector,
    CurationPlan,
    CurationStep,
    PageEvidence,
    cleaned,
)
from conqret.debateqa.curation.source_pages import page_source
from conqret.debateqa.curation.trusted_domains import TrustedDomains, read_trusted
from conqret.errors import strict_options
from conqret.io.jsonl import json_lines
from conqret.io.questions import SourcedQuestion, read_sourced
from conqret.io.safe_files import Content, InFolder
from conqret.judging.cost import ExpectedCost, counter, expected_asking
from conqret.judging.judge_settings import AskedSettings, as_path, run_asked
from conqret.prompts import RenderedPrompt
from conqret.retrieval.rerank import INSTRUCTIONS, RankingAnswer
from conqret.runs.run_folder import ITEMS, default_folder, stem
from conqret.runs.session import Session
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome, StudyPlan
from conqret.runs.trials import Trial

UNSTATED = "not stated"
"""The licence of a text for which neither the corpus nor the list of domains has one."""

_ASKED: Mapping[str, type[BaseModel]] = {
    asking.QUERIES: asking.SearchQueries,
    INSTRUCTIONS["none"]: RankingAnswer,
    asking.VIEWS: asking.PointsOfView,
    asking.EXPLANATION: asking.Explanation,
}
"""What is asked, by prompt."""


class CurateRecord(AskedRecord):
    """What ``run.json`` says of a benchmark, beside what is asked of which model."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME,
        "asked": "questions",
        "source": "corpus",
        "trusted": "trusted domains",
        "plan": "settings",
    }

    kind: str = "curate"
    source: str
    trusted: dict[str, list[str]]
    plan: dict[str, int | str]


@dataclass(frozen=True)
class CurateFolder(AskedFolder[CurateRecord, CurationStep]):
    """The files of a benchmark under one folder."""

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
    """A benchmark in numbers: how many questions are left after each filter, how many have no answer (by reason),
    partial answers and their documents, documents found and trusted (with repetitions over questions), and how many
    tokens of documents were cut off."""

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


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What became of a question: its documents and its partial answers, each with the ids of its own; or why it has
    none: ``why`` is ``few documents``, ``few points of view`` or a reason."""

    question: SourcedQuestion
    documents: tuple[str, ...] = ()
    answers: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    why: str = ""
    detail: str = ""

    def record(self) -> dict[str, Any]:
        """The question as the benchmark holds it."""
        record = self.question.record()
        answers = [
            {"point_of_view": view, "explanation": explanation, "documents": list(documents)}
            for view, explanation, documents in self.answers
        ]
        return {**record, "licence": record.get("licence", UNSTATED), "partial_answers": answers,
                "documents": list(self.documents)}  # fmt: skip


FEW_DOCUMENTS, FEW_VIEWS = "few documents", "few points of view"


def question_outcomes(
    questions: Sequence[SourcedQuestion], rows: Sequence[CurationStep], collector: Collector
) -> Iterator[QuestionOutcome]:
    """What became of each question, whose steps are in ``rows`` one behind the other."""
    plan = collector.plan
    for place, question in enumerate(questions):
        steps = rows[place * len(STEPS) : (place + 1) * len(STEPS)]
        _, search_step, taken, *explanations = steps
        documents, views = search_step.documents, taken.views
        failed = next((step for step in steps if not step.answered), None)
        if failed is not None:
            yield QuestionOutcome(question, why=str(failed.reason), detail=failed.detail)
        elif len(documents) < plan.least_documents:
            yield QuestionOutcome(question, why=FEW_DOCUMENTS, detail=f"{len(documents)} trusted documents")
        elif len(views) < plan.least_views:
            yield QuestionOutcome(question, why=FEW_VIEWS, detail=f"{len(views)} points of view")
        else:
            cited = [tuple(documents[number - 1] for number in sorted(set(view.documents))) for view in views]
            explained = [
                (view.point_of_view, step.explanation)
                for view, step in zip(views, explanations, strict=False)
            ]
            yield QuestionOutcome(
                question, documents, tuple((*pair, used) for pair, used in zip(explained, cited, strict=True))
            )


def benchmark_files(
    questions: Sequence[SourcedQuestion],
    rows: Sequence[CurationStep],
    collector: Collector,
    folder: CurateFolder,
) -> tuple[CurateSummary, dict[Path, Content]]:
    """What came of all questions in numbers, and the files of a benchmark."""
    outcomes = list(question_outcomes(questions, rows, collector))
    kept = [outcome for outcome in outcomes if not outcome.why]
    used = dict.fromkeys(document for outcome in kept for document in outcome.documents)
    evidence = {page.document.id: page for page in collector.source.read(list(used))}
    texts = [_text(page, collector) for page in evidence.values()]
    whys = Counter(outcome.why for outcome in outcomes)
    summary = CurateSummary(
        model=collector.session.options.model,
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
    """An item for each partial answer: the question, the partial answer, and the documents that it rests on."""
    for outcome in kept:
        for number, (view, explanation, documents) in enumerate(outcome.answers, start=1):
            yield Item(
                id=f"{outcome.question.id}#{number}",
                topic=outcome.question.question,
                argument=f"{view}\n\n{explanation}",
                documents=tuple(evidence[document].document for document in documents),
                metadata={"question": outcome.question.id, "number": number},
            )


VIEWS = 4
"""Points of view of a question, for an estimate: 11,640 on 2,941 questions, removed ones included (A.4)."""
SOURCES = 2
"""Documents that a point of view rests on, for an estimate."""
PIECES = {
    "search queries": 60,
    "the best documents": 100,
    "points of view": 50 * VIEWS,
    "explanations": 400,
}
"""What is asked for, and an answer in tokens: some short queries; 20 numbers; a sentence and numbers for each point of
view; 300 words."""


@dataclass(frozen=True)
class CurationRun(StudyPlan[CurationStep, CurateSummary]):
    """Every question passes through the steps of the algorithm."""

    ABOUT = "what documents say on a question"

    models: Session
    folder: CurateFolder
    questions: Sequence[SourcedQuestion]
    collector: Collector

    def record(self) -> CurateRecord:
        """What ``run.json`` says."""
        collector = self.collector
        return CurateRecord.of(
            collector.session, _ASKED, ((question.id, question.question) for question in self.questions),
            source=collector.source.name, trusted=collector.trusted.record(), plan=asdict(collector.plan),
        )  # fmt: skip

    def resources(self) -> AbstractAsyncContextManager[object]:
        """The source, as long as it is searched."""
        return self.collector.source.opened(self.folder.path)

    def trials(self) -> Iterator[Trial[CurationStep]]:
        """A trial for each."""
        return (trial for question in self.questions for trial in self.collector.trials(question))

    def conclude(self, rows: tuple[CurationStep, ...]) -> tuple[CurateSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        return benchmark_files(self.questions, rows, self.collector, self.folder)


USUAL = CurationPlan()
"""What is kept where nothing else is said."""


def curation_run(
    questions: str | Path,
    models: Session,
    *,
    corpus: str | Path | None = None,
    search: str | Sequence[str] | None = None,
    user_agent: str | None = None,
    trusted: str | Path | None = None,
    plan: CurationPlan = USUAL,
    output: str | Path | None = None,
) -> CurationRun:
    """A benchmark that is ready to be made, or to be estimated; takes what :func:`curate_benchmark` takes."""
    require("pyterrier", "pandas", extra="retrieval")
    domains = TrustedDomains() if trusted is None else read_trusted(Path(trusted))
    source = page_source(corpus, search, user_agent, domains)
    folder = as_path(output) or default_folder(stem(Path(questions)), "curate", models.options.model)
    collector = Collector(source, domains, plan, models)
    return CurationRun(models, CurateFolder(folder), read_sourced([Path(questions)]), collector)


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
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[CurationStep, CurateSummary]:
    """Collect partial answers to debatable questions: queries, trusted documents, points of view, and an explanation of
    each (DebateQA, Algorithm 1).

    Args:
        questions: a file with a column ``question``.
        corpus: the corpus directory in which evidence is searched; it is indexed first where it is not.
        search: search engines in its place: ``google``, ``brave`` or ``searxng``, with keys from the environment.
        user_agent: the user agent that web sites see.
        trusted: a file of domains to trust besides .edu, .org, .gov, .info and .pro.
        plan: what is kept, and how much of a document is read.
        output: the benchmark's folder, by default ``runs/QUESTIONS-curate-MODEL``; the same call goes on there.
        settings: who is asked, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the questions or the folder. No model is asked then.
        MissingDependencyError: pyterrier is not installed.
    """
    return run_asked(
        settings,
        lambda session: curation_run(
            questions,
            session,
            corpus=corpus,
            search=search,
            user_agent=user_agent,
            trusted=trusted,
            plan=plan,
            output=output,
        ),
    )


def estimate(questions: Sequence[SourcedQuestion], collector: Collector) -> list[ExpectedCost]:
    """The calls, tokens and dollars of :class:`CurationRun`, from documents that a search may find; nothing that is
    recorded already is taken off."""
    session, library = collector.session, collector.session.library
    client = counter(session.options)
    prompts: dict[str, list[RenderedPrompt]] = {name: [] for name in PIECES}
    for question in questions:
        text = question.question
        likely = collector.source.likely(text, DEPTH)
        documents = [cleaned(document) for document in likely if document.url in collector.trusted][:POOL]
        shown, _ = collector.within_budget(documents[: collector.plan.keep], client)
        prompts["search queries"].append(asking.queries_prompt(library, text))
        if collector.plan.rerank == LISTWISE and len(documents) > collector.plan.keep:
            prompts["the best documents"].append(
                library[INSTRUCTIONS["none"]].render(
                    {"topic": text, "stance": "none", "documents": documents}
                )
            )
        prompts["points of view"].append(asking.views_prompt(library, text, shown))
        explained = asking.explanation_prompt(library, text, text, shown[:SOURCES])
        prompts["explanations"] += [explained] * VIEWS
    return [
        expected_asking("curate", session.options, prompts[piece], tokens, by=piece)
        for piece, tokens in PIECES.items()
    ]
