"""Does a document contain a perspective? A grade for each pair, and from which grade it is a yes (BeRDS, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict, Field

from conqret.data import Reason
from conqret.io.pairs import Pair
from conqret.judging.expected_cost import Expected, capped, counter, expected
from conqret.judging.fitting import prompt_tokens
from conqret.judging.responses import Typed
from conqret.llm.client import Client
from conqret.llm.request import Message, Request
from conqret.perspectives.baseline import baseline_grade
from conqret.prompts import Library, Rendered
from conqret.runs.session import Session
from conqret.runs.trials import Memory, Sink, Trial, perform

PROMPT = "perspective-detection"

GRADES = ("against it", "nothing", "touches it", "speaks for it in part", "clearly speaks for it")
"""What the grades mean, from 0 on."""

YES_FROM = 3
"""The grade from which a document contains its perspective, where no labels say better: from there on the prompt says
that the document leans to the statement's side, so that somebody who holds it would cite it."""

ANSWER_TOKENS = 60
"""An answer in tokens: a sentence and a number."""


class Graded(Typed):
    """A short explanation, then how far the document speaks for the statement."""

    explanation: str
    grade: int = Field(ge=0, le=len(GRADES) - 1, strict=True)


class Detection(BaseModel):
    """The grade of one pair (a place in :data:`GRADES`) with its ``explanation``; None with a ``reason`` where there
    was no valid answer."""

    model_config = ConfigDict(frozen=True)

    id: str
    grade: int | None
    explanation: str = ""
    reason: Reason | None = None
    detail: str = ""

    def contains(self, yes_from: int = YES_FROM) -> bool | None:
        """Whether the grade is ``yes_from`` or higher; None without a grade."""
        return None if self.grade is None else self.grade >= yes_from


def detect(pairs: Sequence[Pair], session: Session) -> list[Detection]:
    """Ask about every pair, each under an id of its own, and give their detections in the same order."""
    kept: Memory[Detection] = Memory(lambda found: found.id)
    session.run(lambda client: ask_all(pairs, session, client, kept))
    return [kept.rows[pair.id] for pair in pairs]


async def ask_all(
    pairs: Sequence[Pair],
    session: Session,
    client: Client,
    sink: Sink[Detection],
    on_detection: Callable[[Detection], None] = lambda found: None,
) -> None:
    """Ask about every pair that ``sink`` does not hold, and put its detection there."""

    def trial(pair: Pair) -> Trial[Detection]:
        return Trial(pair.id, lambda earlier: _one(pair, session, client))

    async for found in perform(map(trial, pairs), sink, in_flight=client.in_flight):
        on_detection(found)


def estimate(pairs: Sequence[Pair], session: Session) -> Expected:
    """The calls, tokens and dollars of :func:`detect`; nothing that is recorded already is taken off."""
    client = counter(session.options)
    tokens = sum(capped(prompt_tokens(_prompt(pair, session.library), client), client) for pair in pairs)
    return expected("detect", session.options, len(pairs), tokens, ANSWER_TOKENS * len(pairs))


def _prompt(pair: Pair, library: Library) -> Rendered:
    return library[PROMPT].render({"document": pair.document, "perspective": pair.perspective})


async def _one(pair: Pair, session: Session, client: Client) -> Detection:
    rendered = _prompt(pair, session.library)
    answer = await client.ask(
        Request(
            ask=PROMPT,
            item=pair.id,
            messages=(Message("system", rendered.system), Message("user", rendered.user)),
            response=Graded,
            temperature=0.0,
            baseline=lambda: _by_words(pair),
        )
    )
    if answer.value is None:
        reason = answer.reason or Reason.INVALID_ANSWER
        return Detection(id=pair.id, grade=None, reason=reason, detail=answer.detail)
    return Detection(id=pair.id, grade=answer.value.grade, explanation=answer.value.explanation)


def _by_words(pair: Pair) -> dict[str, object]:
    grade, covered = baseline_grade(pair.document, pair.perspective)
    return {"explanation": f"the best passage holds {covered:.0%} of the statement's words", "grade": grade}
