"""none: the model answers from what it knows."""

from __future__ import annotations

from conqret.debateqa.answering.answering_strategy import AnswerStrategy
from conqret.debateqa.answering.desk import Desk


async def respond(desk: Desk) -> str:
    """Ask, and nothing else."""
    return await desk.answer()


STRATEGY = AnswerStrategy(
    name="none",
    summary="no retrieval: the model answers from what it knows",
    source="DebateQA, section 5.2 and Table 16",
    respond=respond,
)
