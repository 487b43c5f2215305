"""Reranking by a decision model: the usefulness of each document by itself, as an expected grade."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from conqret.data import Document, Item, Reason, Stance
from conqret.llm.client import Client
from conqret.llm.decisions import GRADE, Decision, Question, UnansweredError, expected_grade, rating
from conqret.llm.prompt_fitting import fit
from conqret.prompts import RenderedPrompt

_SIDED = {
    0: "It is on another subject, even if it names the topic in passing.",
    1: "It mainly serves the other side.",
    2: "It bears on the topic and serves neither side.",
    3: "It has some evidence or arguments for this side, or for both.",
    4: "It has strong evidence, data, expert opinion or arguments for this side.",
}
_FOR_SIDE = (
    "Of what use is `document` to someone who argues {}? Not how often it uses the words of the topic counts."
)

QUESTIONS: Mapping[Stance, Question] = {
    "none": rating(
        "How relevant is `document` to a reader who researches `topic`, whichever side it takes?",
        {
            0: "It is on another subject, or a page without content of its own.",
            1: "It mentions the topic in passing.",
            2: "It bears on the topic, with little to argue with.",
            3: "It has arguments or evidence on the topic.",
            4: "It has evidence, data, expert opinion or arguments that bear directly on it.",
        },
    ),
    "pro": rating(_FOR_SIDE.format("for answering `topic` with yes, or for what it proposes"), _SIDED),
    "con": rating(_FOR_SIDE.format("for answering `topic` with no, or against what it proposes"), _SIDED),
}
"""The question about a document, for either side or for neither."""


async def grade(item: Item, client: Client, task: str) -> tuple[list[float | UnansweredError], int]:
    """Have a decision model grade each document of an item, with one request for each.

    Returns:
        The expected grade (0 to 4) of each document, or why it has none, and how many documents were trimmed.
    """
    graded = await asyncio.gather(
        *(_grade(item, place, client, task) for place in range(len(item.documents)))
    )
    return [value for value, _ in graded], sum(trimmed for _, trimmed in graded)


async def _grade(item: Item, place: int, client: Client, task: str) -> tuple[float | UnansweredError, bool]:
    def decision(documents: Sequence[Document]) -> Decision:
        (document,) = documents
        shown: dict[str, Any] = {"title": document.title} if document.title else {}
        state = {"topic": item.topic, "document": {**shown, "text": document.text}}
        return Decision(state, {GRADE: QUESTIONS[item.stance]})

    def texts(documents: Sequence[Document]) -> RenderedPrompt:
        return RenderedPrompt(*decision(documents).texts)

    document = item.documents[place]
    fitted = fit((document,), texts, client, answer_room=0)
    if fitted is None:
        return UnansweredError(Reason.CONTEXT_OVERFLOW, "the topic alone does not fit the model"), False
    decided, _ = await client.decide(task, f"{item.id}:{document.id}", decision(fitted.documents))
    try:
        return expected_grade(decided[GRADE]), bool(fitted.trims)
    except UnansweredError as error:
        return error, bool(fitted.trims)


def order_of(grades: Sequence[float | UnansweredError]) -> list[int]:
    """Return the order of documents by their grades, the highest first and equal ones in the given order; a
    document without a grade keeps its place.
    """
    known = {place: grade for place, grade in enumerate(grades) if not isinstance(grade, UnansweredError)}
    by_grade = iter(sorted(known, key=lambda place: -known[place]))
    return [next(by_grade) if place in known else place for place in range(len(grades))]
