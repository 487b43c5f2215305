"""cited: what the argument generator writes for either side, from the chunks that the question finds."""

from __future__ import annotations

from conqret.data import Reason
from conqret.data.corpus import CorpusTopic
from conqret.debateqa.answering.answering_strategy import AnswerStrategy
from conqret.debateqa.answering.desk import Desk
from conqret.debateqa.answering.strategies.rag import CHUNKS
from conqret.debateqa.curation.curation_requests import Unanswered
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generator import GenerateOptions, GenerationTask, Generator
from conqret.generation.strategies.cited import STRATEGY as CITED

HEADINGS = {"pro": "In favour:", "con": "Against:"}


async def respond(desk: Desk) -> str:
    """Search with the question, and argue for either side; a side for which the chunks hold nothing is left out."""
    documents = tuple(desk.search(desk.question.question))
    topic = CorpusTopic(id=desk.question.id, question=desk.question.question, split="test")
    options = GenerateOptions(shots=0, strategy=CITED.name, temperature=desk.plan.temperature)
    generator = Generator(options, desk.library, desk.answerer, desk.model)
    sides = {side: await generator.write(GenerationTask(topic, side, documents)) for side in CITED.prompts}
    for found in sides.values():
        if found.reason is not None and found.reason is not Reason.NO_EVIDENCE:
            raise Unanswered(found.reason, found.detail)
    said = [f"{HEADINGS[side]}\n\n{found.argument}" for side, found in sides.items() if found.argument]
    if not said:
        raise Unanswered(Reason.NO_EVIDENCE, "the chunks hold nothing for either side, says the model")
    return "\n\n".join(said)


STRATEGY = AnswerStrategy(
    name="cited",
    summary="the argument generator for either side, each premise citing the ten best chunks",
    source="ConQRet, section 3.2.2",
    respond=respond,
    chunks=CHUNKS,
    prompts=dict.fromkeys(CITED.prompts.values(), GeneratedArgument),
)
