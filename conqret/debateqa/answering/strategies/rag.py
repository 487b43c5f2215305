"""rag: the chunks that the question itself finds, then the answer."""

from __future__ import annotations

from conqret.debateqa.answering.answering_strategy import AnswerStrategy
from conqret.debateqa.answering.desk import Desk

CHUNKS = 10
"""DebateQA, F.1."""


async def respond(desk: Desk) -> str:
    """Search with the question, and answer."""
    desk.search(desk.question.question)
    return await desk.answer()


STRATEGY = AnswerStrategy(
    name="rag",
    summary="vanilla RAG: the ten best chunks for the question, then the answer",
    source="DebateQA, section 5.4.1, F.1 and Table 17",
    respond=respond,
    chunks=CHUNKS,
)
