"""conqret's own ways to answer: none, rag, react (Yao et al. 2023) and cited."""

from __future__ import annotations

from conqret.data import Reason
from conqret.data.corpus import CorpusTopic
from conqret.debateqa.answering.rag_session import AnswerStrategy, RagSession
from conqret.debateqa.curation.curation_requests import NoValidResponse
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generator import GenerateOptions, GenerationTask, Generator
from conqret.generation.strategies.cited import STRATEGY as CITED

NONE = AnswerStrategy(
    name="none",
    summary="no retrieval: the model answers from what it knows",
    source="DebateQA, section 5.2 and Table 16",
    respond=RagSession.answer,
)


CHUNKS = 10
"""DebateQA, F.1."""


async def _after_a_search(desk: RagSession) -> str:
    """Search with the question, and answer."""
    desk.search(desk.question.question)
    return await desk.answer()


RAG = AnswerStrategy(
    name="rag",
    summary="vanilla RAG: the ten best chunks for the question, then the answer",
    source="DebateQA, section 5.4.1, F.1 and Table 17",
    respond=_after_a_search,
    chunks=CHUNKS,
)


PROMPT = "answer/react"


async def _as_an_agent(desk: RagSession) -> str:
    """Search as the agent says, and answer."""
    desk.search(desk.question.question)
    while len(desk.trace) < desk.searches:
        step = await desk.next_step(PROMPT)
        if not step.query:
            break
        desk.search(step.query, step.thought)
    return await desk.answer()


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


async def _for_either_side(desk: RagSession) -> str:
    """Search with the question, and argue for either side; a side for which the chunks hold nothing is left out."""
    documents = tuple(desk.search(desk.question.question))
    topic = CorpusTopic(id=desk.question.id, question=desk.question.question, split="test")
    options = GenerateOptions(shots=0, strategy=CITED.name, temperature=desk.plan.temperature)
    generator = Generator(options, desk.library, desk.answerer, desk.model)
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
