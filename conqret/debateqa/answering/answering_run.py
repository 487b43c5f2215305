"""Answers to questions as a run: recorded, resumable, in the layout that ``conqret debateqa score`` reads.

Besides ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the answers as they came),
``answers.jsonl`` (those that there are, with the chunks that they were given and the trace of the search),
``summary.json`` and ``report.html``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Unpack

from conqret._optional import require
from conqret.data.item import Frozen
from conqret.debateqa.answering.rag_session import (
    ANSWER_STRATEGIES,
    KINDS,
    ROOM,
    AnswerPlan,
    AnswerStrategy,
    NextStep,
    RagSession,
    SearchStep,
)
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.debateqa.curation.page_sources import TrustedDomains, read_trusted
from conqret.errors import DeclarationError, number, strict_options
from conqret.generation.generator import GENERATED_TOKENS
from conqret.io.jsonl import json_lines
from conqret.io.questions import SourcedQuestion, read_sourced
from conqret.io.safe_files import Content, InFolder
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions, client_options
from conqret.llm.request import Plain
from conqret.prompts import Library
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome, lost
from conqret.show.page import page

if TYPE_CHECKING:
    from conqret.debateqa.answering.retrieved_chunks import ChunkSearch

RETRIEVER = "bm25"
"""By which chunks are searched where no retriever is named: it needs no encoder."""
SHOWN = 200
"""Answers on the page; more would make it slow to open, and all are in ``answers.jsonl``."""
ANSWER_TOKENS = 500
"""An answer where nothing is said of its length: between the averages of 250 and 800 of the paper's models (Figure
14)."""
STEP_TOKENS = 80
"""A thought and a query."""


class GivenAnswer(ResponseRow):
    """An answer of a model, with the chunks and the trace of the search behind it.

    ``tokens`` is its length, ``cut`` is True if it was cut off at the token limit, and ``documents`` are the
    ids of the chunks.
    """

    text: str = ""
    tokens: int = 0
    cut: bool = False
    documents: tuple[str, ...] = ()
    trace: tuple[SearchStep, ...] = ()


@dataclass(frozen=True)
class AnswersFolder(
    RequestFolder[RequestRecord, GivenAnswer],
    kind="answer",
    same={
        "asked": "questions",
        "strategy": "strategy",
        "plan": "settings",
        "agent": "agent",
        "source": "index",
    },
):
    """The files of a run of answers in one folder.

    In its record, ``agent`` is the searching model with its settings (empty: none), and ``source`` is the
    searched corpus.
    """

    COMMAND: ClassVar[str] = "conqret debateqa answer"

    answers_file = InFolder("answers.jsonl")
    """The answers, ready to be scored."""


class AnswersSummary(Frozen):
    """The numbers of a run of answers.

    ``cut`` counts the answers that were cut off at the token limit. ``tokens`` and ``chunks`` are means over
    answers (None without an answer), ``searches`` is the number of all retrievals, and ``unanswered`` counts
    missing answers by reason.
    """

    model: str
    agent: str
    strategy: str
    questions: int
    answered: int
    cut: int
    tokens: float | None
    chunks: float | None
    searches: int
    unanswered: dict[str, int]


@dataclass(frozen=True)
class Answering:
    """The strategy, settings, models and corpus by which questions are answered.

    Raises:
        DeclarationError: the strategy needs a corpus that is not set, does not use one of the settings,
            or cannot be used with one of the models.
    """

    strategy: AnswerStrategy
    plan: AnswerPlan
    answerer: ClientOptions
    agent: ClientOptions | None = None
    source: ChunkSearch | None = None

    def __post_init__(self) -> None:
        way, plan = self.strategy, self.plan
        if way.chunks and self.source is None:
            raise DeclarationError(
                f"the strategy {way.name} retrieves documents: name their corpus with --index CORPUS"
            )
        unused = {
            "--index": self.source is not None and not way.chunks,
            "--chunks": plan.chunks is not None and not way.chunks,
            "--agent": self.agent is not None and not way.agent,
            "--searches": plan.searches is not None and not way.agent,
            "--prompt-kind": plan.kind != KINDS[0] and way.prompts,
            "--length": plan.length is not None and way.prompts,
            "--top-p": plan.top_p is not None and way.prompts,
        }
        for option, is_unused in unused.items():
            if is_unused:
                raise DeclarationError(
                    f"{option} has no effect on the strategy {way.name} ({way.summary}): leave it out"
                )
        self.answerer.backend.check_can_request("a debatable question", plain=not way.prompts)
        if way.agent:
            self.searcher.backend.check_can_request("an agent's next step")

    @property
    def searcher(self) -> ClientOptions:
        """Return the model that searches: the agent, or the answering model where no agent is set."""
        return self.agent or self.answerer

    @property
    def prompts(self) -> dict[str, RunPrompt]:
        """Return the prompts of the run by id."""
        own, plan = self.strategy.prompts, self.plan
        tokens = GENERATED_TOKENS if own else plan.length or ANSWER_TOKENS
        asked = {name: (response, tokens) for name, response in (own or {plan.prompt: Plain}).items()}
        if self.strategy.agent:
            asked[self.strategy.agent] = NextStep, STEP_TOKENS
        return {
            name: RunPrompt(response, "answer", count, by=name) for name, (response, count) in asked.items()
        }

    def open_session(
        self, question: SourcedQuestion, library: Library, answerer: Client, agent: Client
    ) -> RagSession:
        """Create the session in which one question is answered. Numbers of chunks and searches that the plan leaves
        open are the strategy's."""
        way, plan = self.strategy, self.plan
        return RagSession(
            question,
            plan,
            library,
            answerer,
            agent,
            self.answerer.model,
            self.source,
            chunks=plan.chunks or way.chunks,
            searches=plan.searches or way.searches,
            room=self.answerer.max_tokens or ROOM,
        )


def chunk_search(
    index: str | Path | None,
    *,
    retriever: str = RETRIEVER,
    encoder: str | None = None,
    trusted: bool | str | Path = False,
    on_document: Callable[[], object] = lambda: None,
) -> ChunkSearch | None:
    """Return a search engine over the chunks of a corpus directory; None where ``index`` is None. They are
    indexed first if they are not yet.

    The arguments are those of :func:`answer`; ``on_document`` is called for each chunk that is read to be
    indexed.

    Raises:
        DeclarationError: a setting is wrong, or is set without a corpus.
        MissingDependencyError: pyterrier is not installed.
    """
    if index is None:
        if trusted is not False or encoder is not None or retriever != RETRIEVER:
            raise DeclarationError(
                "--retriever, --encoder and --trusted need a corpus to search: name it with --index CORPUS"
            )
        return None
    require("pyterrier", extra="retrieval")
    from conqret.debateqa.answering.retrieved_chunks import ChunkSearch

    engines = [part.strip() for part in retriever.split(",") if part.strip()]
    domains = None
    if trusted is not False:
        domains = TrustedDomains() if trusted is True else read_trusted(Path(trusted))
    return ChunkSearch(
        Path(index), engines=engines, encoder=encoder, trusted=domains, on_document=on_document
    )


@strict_options
def answer(
    questions: str | Path | Sequence[SourcedQuestion],
    *,
    strategy: str | AnswerStrategy = "none",
    agent: str | ClientOptions | None = None,
    index: str | Path | ChunkSearch | None = None,
    retriever: str = RETRIEVER,
    encoder: str | None = None,
    trusted: bool | str | Path = False,
    plan: AnswerPlan | None = None,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[GivenAnswer, AnswersSummary]:
    """Answer questions without retrieval, from what a search finds, or with an agent that searches (DebateQA,
    5.4).

    Args:
        questions: a file with a column ``question``, or the questions.
        strategy: ``none``, ``rag``, ``react``, ``cited``, or a plug-in's.
        agent: the model that searches, if the strategy has an agent; by default the answering model.
        index: the corpus directory in which chunks are searched, or the folder of ``conqret perspectives
            collect``, with a corpus of web pages for each question.
        retriever: ``bm25``, ``dense``, a plug-in's, or several with commas, which are fused.
        encoder: the location of the encoder of a dense index.
        trusted: True for only documents from DebateQA's trusted domains; a file adds its domains to
            these.
        plan: the prompt, length, temperature and top-p of answers, and how much is retrieved.
        output: the run's folder, by default ``runs/QUESTIONS-answer-STRATEGY-MODEL``; the same call
            continues a stopped run. It contains ``answers.jsonl``, which ``conqret debateqa score`` reads.
        settings: the answering model, and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The answers, and a summary of the run.

    Raises:
        DeclarationError: the call, the questions or the folder are wrong, or the strategy does not use a
            setting.
        MissingDependencyError: something is retrieved, and pyterrier is not installed.
        AnswersAwaited: responses are still in a batch.
    """
    name, given = "questions", questions
    if isinstance(given, str | Path):
        name, given = stem(Path(given)), read_sourced([given])
    if index is None or isinstance(index, str | Path):
        index = chunk_search(index, retriever=retriever, encoder=encoder, trusted=trusted)
    if (
        index is not None
        and index.questions is not None
        and index.questions.isdisjoint(question.id for question in given)
    ):
        raise DeclarationError(
            "the index has a corpus for each of its questions, but for none of these: give `conqret perspectives "
            "collect` and this command the same questions"
        )
    answerer = client_options(settings.get("model"), settings).resolved()
    searcher = None if agent is None else client_options(agent, settings).resolved()
    way = Answering(ANSWER_STRATEGIES.resolve(strategy), plan or AnswerPlan(), answerer, searcher, index)
    folder = AnswersFolder(
        as_path(output) or default_folder(name, "answer", way.strategy.name, answerer.model)
    )
    chunks = "" if index is None else f" from {number(len(index), 'chunk')}"

    def concluded(rows: tuple[GivenAnswer, ...]) -> tuple[AnswersSummary, Mapping[Path, Content]]:
        summary, found = (
            _summary(way, rows),
            dict.fromkeys(chunk for row in rows for step in row.trace for chunk in step.found),
        )
        pairs = list(zip(given, rows, strict=True))
        content = page(
            "answers.html.j2",
            answers=pairs[:SHOWN],
            omitted=max(0, len(rows) - SHOWN),
            passages={} if index is None else index.read(tuple(found)),
            record=folder.record(),
            summary=summary,
            does=way.strategy.summary,
        )
        lines = json_lines(
            {
                "id": row.id,
                "question": question.question,
                "generation": row.text,
                **row.model_dump(include={"tokens", "documents", "trace"}, mode="json"),
                **({"cut": True} if row.cut else {}),
            }
            for question, row in pairs
            if row.answered
        )
        return summary, {folder.answers_file: lines, folder.report_file: content}

    with Run(
        folder,
        [answerer, way.searcher],
        way.prompts,
        settings,
        contents=((question.id, question.question) for question in given),
        total=len(given),
        purpose="",
        about=f"{number(len(given), 'question')}, strategy {way.strategy.name}{chunks}, answered by",
        record={
            "strategy": way.strategy.name,
            "plan": {**asdict(way.plan), "temperature": way.plan.sampling_temperature},
            "agent": {"model": way.searcher.model, **way.searcher.identity} if way.strategy.agent else {},
            "source": "" if index is None else index.name,
        },
    ) as run:
        run.request_all(_answered(run, way, question) for question in given)
        return run.finish(concluded)


async def _answered(run: Run[GivenAnswer], way: Answering, question: SourcedQuestion) -> GivenAnswer:
    answerer = run.client(way.answerer)

    async def made() -> GivenAnswer:
        session = way.open_session(question, run.library, answerer, run.client(way.searcher))
        try:
            text = await way.strategy.respond(session)
        except NoValidResponse as error:
            trace = tuple(session.trace)
            return GivenAnswer(id=question.id, trace=trace, reason=error.reason, detail=error.detail)
        return GivenAnswer(
            id=question.id,
            text=text,
            tokens=answerer.count_tokens(text),
            cut=session.cut,
            documents=tuple(document.id for document in session.documents),
            trace=tuple(session.trace),
        )

    return await run.row(question.id, made)


def _summary(way: Answering, rows: Sequence[GivenAnswer]) -> AnswersSummary:
    there = [row for row in rows if row.answered]
    count = len(there)
    return AnswersSummary(
        model=way.answerer.model,
        agent=way.searcher.model if way.strategy.agent else "",
        strategy=way.strategy.name,
        questions=len(rows),
        answered=count,
        cut=sum(row.cut for row in there),
        tokens=sum(row.tokens for row in there) / count if count else None,
        chunks=sum(len(row.documents) for row in there) / count if count else None,
        searches=sum(bool(step.query) for row in there for step in row.trace),
        unanswered=lost(rows),
    )
