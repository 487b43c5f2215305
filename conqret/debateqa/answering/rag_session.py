"""Strategies of answering (none, rag, react and cited), and the session in which one answers a question: its
searches and requests, and the trace of what it did."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval
from pydantic import BaseModel, Field, ValidationInfo, field_validator

from conqret.data import Document, Reason
from conqret.data.corpus import CorpusTopic
from conqret.data.item import Frozen
from conqret.debateqa.curation.curation_requests import (
    NonEmptyText,
    NoValidResponse,
    fitted,
    offline_views,
    response_to,
)
from conqret.errors import DeclarationError
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generator import GenerateOptions, GenerationTask, Generator
from conqret.generation.strategies.cited import STRATEGY as CITED
from conqret.io.questions import SourcedQuestion
from conqret.judging.responses import Typed
from conqret.llm.client import Client
from conqret.llm.request import NucleusSampling, Plain
from conqret.options import check_ranges
from conqret.prompts import Library, RenderedPrompt
from conqret.registry import Registry
from conqret.text.stance_detection import standpoints

if TYPE_CHECKING:
    from conqret.debateqa.answering.retrieved_chunks import ChunkSearch


SENTENCES = 8
"""Of an answer, where nothing is said of its length."""
TOKENS = 30
"""Of a sentence, to keep a length: those of the fixtures have 20 words."""


def offline_answer(question: str, texts: Sequence[str], length: int | None = None) -> str:
    """Return the offline answer: the sentences of ``texts`` most relevant to the question, at most two of
    each text.

    ``length`` is in tokens, taken as 30 a sentence (at least one sentence); with None, there are at most 8
    sentences. Without relevant sentences, the answer is the question itself as an affirmed and a denied
    statement.
    """
    most = SENTENCES if length is None else max(1, length // TOKENS)
    viewpoints = [view["point_of_view"] for view in offline_views(question, texts, most)["points_of_view"]]
    return " ".join(viewpoints or standpoints(question).values())


def next_step(question: str, done: int) -> dict[str, str]:
    """Return the offline agent's next query, after ``done`` queries: the question's yes side, then its no
    side, then empty."""
    sides = list(standpoints(question).values())
    query = sides[done - 1] if done <= len(sides) else ""
    return {"thought": "by rule: the question itself, then the words of either side", "query": query}


ROOM = 2_048
"""Tokens that an answer may take where no one says how many: the paper's longest averages stay under 1,000 (Figure
14)."""
KINDS = ("basic", "comprehensive", "detailed")
"""The prompts of Table 18; each is ``answer/KIND``."""


@dataclass(frozen=True, slots=True)
class AnswerPlan(NucleusSampling):
    """How questions are answered, whatever the strategy. The answerer draws tokens (DebateQA, F.2), the agent does not.

    How it is answered:
        kind (--prompt-kind): `basic`, `comprehensive` or `detailed` (DebateQA, Table 18).
        length: Request an answer of about so many tokens. Default: no length.
    What is searched:
        chunks: How many chunks each retrieval gives. Default: 10 (rag, cited), 3 (react).
        searches: The most retrievals of the agent, including the first. Default: 3.

    Raises:
        DeclarationError: a number is out of its range.
    """

    kind: str = KINDS[0]
    length: Annotated[int | None, Interval(ge=1)] = None
    chunks: Annotated[int | None, Interval(ge=1)] = None
    searches: Annotated[int | None, Interval(ge=1)] = None

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def prompt(self) -> str:
        """Return the prompt's name in the library: ``answer/`` and the kind of prompt, such as
        ``answer/basic``."""
        return f"answer/{self.kind}"


class NextStep(Typed):
    """What is still missing, and the query to search with next; an empty query where enough is found."""

    thought: NonEmptyText
    query: str = Field(max_length=1_000)

    @field_validator("query")
    @classmethod
    def _new(cls, query: str, info: ValidationInfo) -> str:
        words = query.lower().split()
        if words and any(
            words == earlier.lower().split() for earlier in (info.context or {}).get("queries", ())
        ):
            raise ValueError("this was searched for already: search for something else, or leave it empty")
        return " ".join(query.split())


class SearchStep(Frozen):
    """One step of an agent's search: the thought before it, the query, and the ids of the chunks found.

    The first step has no thought. An empty query means that enough was found.
    """

    thought: str = ""
    query: str = ""
    found: tuple[str, ...] = ()


@dataclass
class RagSession:
    """One question with the models and the corpus that a strategy may use to answer it.

    ``chunks`` and ``searches`` limit the chunks of a retrieval and the number of retrievals. ``trace`` has
    the steps so far, and ``documents`` all chunks found. ``room`` is the most tokens of an answer, and
    ``model`` the name of the answering model. ``cut`` is True if the answer was cut off at the token limit.
    """

    question: SourcedQuestion
    plan: AnswerPlan
    library: Library
    answerer: Client
    agent: Client
    model: str
    source: ChunkSearch | None
    chunks: int
    searches: int
    room: int = ROOM
    trace: list[SearchStep] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    cut: bool = False

    def search(self, query: str, thought: str = "") -> list[Document]:
        """Search for a query, and return the best chunks that were not found before, at most :attr:`chunks`.
        The step is added to the trace, and the chunks to the documents.

        Raises:
            DeclarationError: there is no corpus to search, or no retrieval is left.
        """
        if self.source is None or len(self.trace) >= self.searches:
            raise DeclarationError(
                f"a strategy searches more often than it declares: {self.searches} time(s)"
            )
        known = {document.id for document in self.documents}
        ranked = self.source.search(query, self.chunks + len(known), self.question.id)
        new = [document for document in ranked if document.id not in known][: self.chunks]
        self.documents += new
        self.trace.append(
            SearchStep(thought=thought, query=query, found=tuple(document.id for document in new))
        )
        return new

    async def next_step(self, prompt: str) -> NextStep:
        """Request the agent's next step, given all that it has found; a step with an empty query ends the
        search, and is added to the trace.

        Raises:
            NoValidResponse: the agent gave no valid response.
        """
        queries = [step.query for step in self.trace]

        def render(shown: Sequence[Document]) -> RenderedPrompt:
            left = iter(shown)
            steps = [
                {
                    "thought": step.thought,
                    "query": step.query,
                    "documents": list(islice(left, len(step.found))),
                }
                for step in self.trace
            ]
            return self.library[prompt].render(
                {"question": self.question.question, "steps": steps, "left": self.searches - len(steps)}
            )

        step = await response_to(
            prompt,
            self.question.id,
            fitted(render, self.documents, self.agent, answer_room=ROOM),
            NextStep,
            self.agent,
            lambda: next_step(self.question.question, len(queries)),
            context={"queries": queries},
        )
        if not step.query:
            self.trace.append(SearchStep(thought=step.thought))
        return step

    async def answer(self) -> str:
        """Request the answer with the user's prompt and the documents found, and return its text. Sets
        ``cut``.

        Raises:
            NoValidResponse: the model gave no valid response.
        """
        question, plan = self.question.question, self.plan
        prompt = self.library[plan.prompt]
        settings = {"with_documents": bool(self.documents), "length": plan.length or 0}

        def render(shown: Sequence[Document]) -> RenderedPrompt:
            return prompt.render({"question": question, "documents": shown}, settings)

        reply = await response_to(
            prompt.id,
            self.question.id,
            fitted(render, self.documents, self.answerer, answer_room=self.room),
            Plain,
            self.answerer,
            lambda: offline_answer(question, [document.text for document in self.documents], plan.length),
            temperature=plan.sampling_temperature,
            top_p=plan.top_p,
            max_tokens=self.room,
        )
        self.cut = reply.cut
        return reply.text


@dataclass(frozen=True)
class AnswerStrategy:
    """A strategy of answering a question.

    - ``respond(session)`` answers the question of the session and returns the text. It may search, and
    request an agent's steps. It raises :class:`~conqret.debateqa.curation.curation_requests.NoValidResponse`
    where a model gives no valid response.
    - ``chunks`` is the number of chunks of a retrieval (0: nothing is retrieved), ``searches`` the most
    retrievals
    - ``agent`` is the id of the prompt by which an agent chooses its next step; empty without an agent
    - ``prompts`` maps the ids of the strategy's own prompts to their response types; without any, the user's
    prompt is used
    """

    name: str
    summary: str
    source: str
    respond: Callable[[RagSession], Awaitable[str]]
    chunks: int = 0
    searches: int = 1
    agent: str = ""
    prompts: Mapping[str, type[BaseModel]] = field(default_factory=dict)


NONE = AnswerStrategy(
    name="none",
    summary="no retrieval: the model answers from what it knows",
    source="DebateQA, section 5.2 and Table 16",
    respond=RagSession.answer,
)


CHUNKS = 10
"""DebateQA, F.1."""


async def _after_a_search(session: RagSession) -> str:
    """Search with the question, and answer."""
    session.search(session.question.question)
    return await session.answer()


RAG = AnswerStrategy(
    name="rag",
    summary="vanilla RAG: the ten best chunks for the question, then the answer",
    source="DebateQA, section 5.4.1, F.1 and Table 17",
    respond=_after_a_search,
    chunks=CHUNKS,
)


PROMPT = "answer/react"


async def _as_an_agent(session: RagSession) -> str:
    """Search with the question, then with each query of the agent until it gives none or no search is left,
    and return the answer."""
    session.search(session.question.question)
    while len(session.trace) < session.searches:
        step = await session.next_step(PROMPT)
        if not step.query:
            break
        session.search(step.query, step.thought)
    return await session.answer()


REACT = AnswerStrategy(
    name="react",
    summary="ReAct: an agent thinks, searches and reads, three times three chunks at most; then the answer",
    source="DebateQA, section 5.4.1 and F.1",
    respond=_as_an_agent,
    chunks=3,  # of each retrieval (DebateQA, F.1)
    searches=3,  # at most, that for the question itself among them (F.1)
    agent=PROMPT,
)


HEADINGS = {"pro": "In favour:", "con": "Against:"}


async def _for_either_side(session: RagSession) -> str:
    """Search with the question, and return an argument for either side, each under its heading; a side for
    which the chunks hold nothing is left out.

    Raises:
        NoValidResponse: a response failed, or there is nothing for either side.
    """
    documents = tuple(session.search(session.question.question))
    topic = CorpusTopic(id=session.question.id, question=session.question.question, split="test")
    options = GenerateOptions(shots=0, strategy=CITED.name, temperature=session.plan.temperature)
    generator = Generator(options, session.library, session.answerer, session.model)
    sides = {side: await generator.write(GenerationTask(topic, side, documents)) for side in CITED.prompts}
    for response in sides.values():
        if response.reason is not None and response.reason is not Reason.NO_EVIDENCE:
            raise NoValidResponse(response.reason, response.detail)
    texts = [f"{HEADINGS[side]}\n\n{answer.argument}" for side, answer in sides.items() if answer.argument]
    if not texts:
        raise NoValidResponse(Reason.NO_EVIDENCE, "the model found nothing for either side in the chunks")
    return "\n\n".join(texts)


CITED_SIDES = AnswerStrategy(
    name="cited",
    summary="the argument generator for either side, each premise citing the ten best chunks",
    source="ConQRet, section 3.2.2",
    respond=_for_either_side,
    chunks=CHUNKS,
    prompts=dict.fromkeys(CITED.prompts.values(), GeneratedArgument),
)


STRATEGIES = (NONE, RAG, REACT, CITED_SIDES)
"""conqret's own strategies; react is of Yao et al. 2023."""

ANSWER_STRATEGIES = Registry(
    "answering strategy",
    "conqret.answers",
    AnswerStrategy,
    package="conqret.debateqa.answering.rag_session",
    attribute="STRATEGIES",
    first=("none", "rag", "react"),
)
"""Every strategy by its name."""
