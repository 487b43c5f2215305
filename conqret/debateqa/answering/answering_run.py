"""Answers to questions as a run: recorded, resumable, in the layout that ``conqret debateqa score`` reads.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the answers as they came),
``answers.jsonl`` (those that there are, with the chunks that they were given and the trace of the search),
``summary.json`` and ``report.html``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel

from conqret.data.item import Frozen
from conqret.debateqa.answering.rag_session import (
    KINDS,
    ROOM,
    AnswerPlan,
    AnswerStrategy,
    NextStep,
    RagSession,
    SearchStep,
)
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.errors import DeclarationError
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generator import GENERATED_TOKENS
from conqret.io.jsonl import json_lines
from conqret.io.questions import SourcedQuestion
from conqret.io.safe_files import Content, InFolder
from conqret.judging.cost import ExpectedCost, expected
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.prompt_fitting import prompt_tokens
from conqret.llm.request import Answer, Plain, Request
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.loop import Loop
from conqret.runs.session import Session, Sessions
from conqret.runs.study_run import AskedFolder, AskedRecord, ResponseRow, StudyOutcome, StudyPlan, lost
from conqret.runs.trials import Trial

if TYPE_CHECKING:
    from conqret.debateqa.answering.retrieved_chunks import ChunkSearch


class GivenAnswer(ResponseRow):
    """An answer and how it came about: its length in tokens, whether the room for it was too small (``cut``), the ids
    of the chunks that it was given, and the trace of the search."""

    text: str = ""
    tokens: int = 0
    cut: bool = False
    documents: tuple[str, ...] = ()
    trace: tuple[SearchStep, ...] = ()


class AnswersRecord(AskedRecord):
    """What ``run.json`` says of answers; ``agent`` is what searches, with its settings (empty: nothing does), and
    ``source`` is what is searched."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME,
        "asked": "questions",
        "strategy": "strategy",
        "plan": "settings",
        "agent": "agent",
        "source": "index",
    }

    kind: str = "answer"
    strategy: str
    plan: dict[str, Any]
    agent: dict[str, Any]
    source: str


@dataclass(frozen=True)
class AnswersFolder(AskedFolder[AnswersRecord, GivenAnswer]):
    """The files of answers under one folder."""

    COMMAND: ClassVar[str] = "conqret debateqa answer"

    answers_file = InFolder("answers.jsonl")
    """The answers, ready to be scored."""


class AnswersSummary(Frozen):
    """A run in numbers: questions, answers, those that the room cut off, tokens of an answer and chunks for one (both
    means, None without an answer), retrievals in all, and why answers are missing."""

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


AnswersOutcome = StudyOutcome[GivenAnswer, AnswersSummary]


@dataclass(frozen=True)
class Answering:
    """Which questions are answered, in which way, by whom, from what.

    Raises:
        DeclarationError: the strategy wants something to search in, or takes none of what was set.
    """

    questions: Sequence[SourcedQuestion]
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

    @property
    def searcher(self) -> ClientOptions:
        """The agent, which is the answerer where no other is named."""
        return self.agent or self.answerer

    @property
    def prompts(self) -> dict[str, type[BaseModel]]:
        """What is asked by, with the types of the answers."""
        prompts_by_id = self.strategy.prompts or {self.plan.prompt: Plain}
        return {**prompts_by_id, **({self.strategy.agent: NextStep} if self.strategy.agent else {})}

    def check(self, library: Library) -> None:
        """Check that prompts and models are there and can do what is wanted of them.

        Raises:
            DeclarationError: a prompt is not there, or a model cannot answer in this way.
        """
        for name in self.prompts:
            library[name]  # raises where it is not there
        self.answerer.backend.check_can_ask("a debatable question", plain=not self.strategy.prompts)
        if self.strategy.agent:
            self.searcher.backend.check_can_ask("an agent's next step")

    def desk(
        self, question: SourcedQuestion, library: Library, answerer: Client, agent: Client
    ) -> RagSession:
        """Where a question is answered."""
        way, plan = self.strategy, self.plan
        return RagSession(
            question, plan, library, answerer, agent, self.answerer.model, self.source,
            chunks=plan.chunks or way.chunks, searches=plan.searches or way.searches,
            room=self.answerer.max_tokens or ROOM,
        )  # fmt: skip


@dataclass(frozen=True)
class AnsweringRun(StudyPlan[GivenAnswer, AnswersSummary]):
    """Every question is answered."""

    models: Sessions
    folder: AnswersFolder
    plan: Answering

    @cached_property
    def sessions(self) -> tuple[Session, Session]:
        """Who answers, and who searches."""
        return self.models.of(self.plan.answerer), self.models.of(self.plan.searcher)

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        self.plan.check(self.models.library)

    def record(self) -> AnswersRecord:
        """What ``run.json`` says."""
        run, searcher = self.plan, self.plan.searcher
        return AnswersRecord.of(
            self.sessions[0],
            run.prompts,
            ((question.id, question.question) for question in run.questions),
            strategy=run.strategy.name,
            plan={**asdict(run.plan), "temperature": run.plan.sampling_temperature},
            agent={"model": searcher.model, **searcher.identity} if run.strategy.agent else {},
            source="" if run.source is None else run.source.name,
        )

    def trials(self) -> Iterator[Trial[GivenAnswer]]:
        """A trial for each."""
        return (
            Trial(question.id, partial(_answered, self.plan, question, *self.sessions))
            for question in self.plan.questions
        )

    def conclude(self, rows: tuple[GivenAnswer, ...]) -> tuple[AnswersSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        answers = [
            {
                "id": row.id,
                "question": question.question,
                "generation": row.text,
                **row.model_dump(include={"tokens", "documents", "trace"}, mode="json"),
                **({"cut": True} if row.cut else {}),
            }
            for question, row in zip(self.plan.questions, rows, strict=True)
            if row.answered
        ]
        return _summary(self.plan, rows), {self.folder.answers_file: json_lines(answers)}


async def _answered(
    run: Answering,
    question: SourcedQuestion,
    answerer: Session,
    agent: Session,
    earlier: Mapping[str, GivenAnswer],
) -> GivenAnswer:
    desk = run.desk(question, answerer.library, answerer.client, agent.client)
    try:
        text = await run.strategy.respond(desk)
    except NoValidResponse as error:
        return GivenAnswer(id=question.id, trace=tuple(desk.trace), reason=error.reason, detail=error.detail)
    return GivenAnswer(
        id=question.id,
        text=text,
        tokens=answerer.client.count_tokens(text),
        cut=desk.cut,
        documents=tuple(document.id for document in desk.documents),
        trace=tuple(desk.trace),
    )


def _summary(run: Answering, rows: Sequence[GivenAnswer]) -> AnswersSummary:
    there = [row for row in rows if row.answered]
    count = len(there)
    return AnswersSummary(
        model=run.answerer.model,
        agent=run.searcher.model if run.strategy.agent else "",
        strategy=run.strategy.name,
        questions=len(rows),
        answered=count,
        cut=sum(row.cut for row in there),
        tokens=sum(row.tokens for row in there) / count if count else None,
        chunks=sum(len(row.documents) for row in there) / count if count else None,
        searches=sum(bool(step.query) for row in there for step in row.trace),
        unanswered=lost(rows),
    )


ANSWER_TOKENS = 500
"""An answer where nothing is said of its length: between the averages of 250 and 800 of the paper's models (Figure
14)."""
STEP_TOKENS = 80
"""A thought and a query."""


class _CountingClient(Client):
    """A model that is not asked: it counts what it would be, and has the offline baseline answer."""

    def __init__(self, options: ClientOptions) -> None:
        super().__init__(replace(options, budget_usd=None), store=None)
        self.prompts: dict[str, list[int]] = defaultdict(list)

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        system, user = (message.content for message in request.messages)
        self.prompts[request.ask].append(prompt_tokens(RenderedPrompt(system, user), self))
        made = request.baseline() if request.baseline is not None else None
        value = {"text": made} if request.plain else made
        return Answer(request.response.model_validate(value, context=dict(request.context)), ())


def estimate(run: Answering, library: Library) -> list[ExpectedCost]:
    """The calls, tokens and dollars of answerer and agent; nothing that is recorded already is taken off."""
    run.check(library)
    answerer, agent = _CountingClient(run.answerer), _CountingClient(run.searcher)

    async def follow() -> None:
        for question in run.questions:
            try:
                await run.strategy.respond(run.desk(question, library, answerer, agent))
            except NoValidResponse:
                continue

    with Loop() as loop:
        loop.run(follow())
    types = run.prompts
    return [
        expected(
            "answer", model, len(prompts), sum(prompts), len(prompts) * _tokens(types[name], run), by=name
        )
        for model, asked in ((run.answerer, answerer), (run.searcher, agent))
        for name, prompts in asked.prompts.items()
    ]


def _tokens(response: type[Any], run: Answering) -> int:
    """Of an answer of this type."""
    if response is GeneratedArgument:
        return GENERATED_TOKENS
    return (run.plan.length or ANSWER_TOKENS) if response is Plain else STEP_TOKENS
