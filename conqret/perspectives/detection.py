"""Does a document contain a perspective? A grade for each pair, and from which grade it is a yes (BeRDS, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pydantic import Field

from conqret.io.pairs import Pair
from conqret.judging.cost import ExpectedCost, expected_asking
from conqret.judging.responses import Typed
from conqret.llm.request import Answer, Request, messages
from conqret.perspectives.offline_detection import baseline_grade
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.session import Session
from conqret.runs.study_run import ResponseRow
from conqret.runs.trials import Trial

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


class Detection(ResponseRow):
    """The grade of one pair (a place in :data:`GRADES`) with its ``explanation``; None with a ``reason`` where there
    was no valid answer."""

    grade: int | None = None
    explanation: str = ""

    def contains(self, yes_from: int = YES_FROM) -> bool | None:
        """Whether the grade is ``yes_from`` or higher; None without a grade."""
        return None if self.grade is None else self.grade >= yes_from


def trials(pairs: Sequence[Pair], session: Session) -> list[Trial[Detection]]:
    """The question about each pair."""
    return [Trial(pair.id, partial(_detected, pair, session)) for pair in pairs]


def estimate(pairs: Sequence[Pair], session: Session) -> ExpectedCost:
    """The calls, tokens and dollars of all of them; nothing that is recorded already is taken off."""
    prompts = (_prompt(pair, session.library) for pair in pairs)
    return expected_asking("detect", session.options, prompts, ANSWER_TOKENS)


def _prompt(pair: Pair, library: Library) -> RenderedPrompt:
    return library[PROMPT].render({"document": pair.document, "perspective": pair.perspective})


async def recorded_answers(pairs: Sequence[Pair], session: Session) -> list[Answer[Graded]]:
    """The answers about the pairs as a session has them that replays a run, with the calls that each took."""
    return [await session.client.ask(_request(pair, session)) for pair in pairs]


async def _detected(pair: Pair, session: Session, earlier: object) -> Detection:
    return Detection.of(pair.id, await session.client.ask(_request(pair, session)))


def _request(pair: Pair, session: Session) -> Request[Graded]:
    return Request(
        ask=PROMPT,
        item=pair.id,
        messages=messages(_prompt(pair, session.library)),
        response=Graded,
        temperature=0.0,
        baseline=lambda: _by_words(pair),
    )


def _by_words(pair: Pair) -> dict[str, object]:
    grade, covered = baseline_grade(pair.document, pair.perspective)
    return {"explanation": f"the best passage holds {covered:.0%} of the statement's words", "grade": grade}
