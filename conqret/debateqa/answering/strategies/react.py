"""react: an agent thinks, searches and reads in turn; then the model answers from all that was found (Yao et al. 2023).

The first retrieval is for the question itself; the agent chooses the others, or that it has enough.
"""

from __future__ import annotations

from conqret.debateqa.answering.answering_strategy import AnswerStrategy
from conqret.debateqa.answering.desk import Desk

CHUNKS = 3
"""Of each retrieval (DebateQA, F.1)."""
SEARCHES = 3
"""Retrievals at most, that for the question itself among them (DebateQA, F.1)."""
PROMPT = "answer/react"


async def respond(desk: Desk) -> str:
    """Search as the agent says, and answer."""
    desk.search(desk.question.question)
    while len(desk.trace) < desk.searches:
        step = await desk.next_step(PROMPT)
        if not step.query:
            break
        desk.search(step.query, step.thought)
    return await desk.answer()


STRATEGY = AnswerStrategy(
    name="react",
    summary="ReAct: an agent thinks, searches and reads, three times three chunks at most; then the answer",
    source="DebateQA, section 5.4.1 and F.1",
    respond=respond,
    chunks=CHUNKS,
    searches=SEARCHES,
    agent=PROMPT,
)
