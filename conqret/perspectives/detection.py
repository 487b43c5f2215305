"""Does a document contain a perspective? A grade for each pair, and from which grade it is a yes (BeRDS, section 5)."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pydantic import BaseModel, ConfigDict

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.llm.client import Client
from conqret.llm.request import Message, Request
from conqret.perspectives.baseline import baseline_grade
from conqret.runs.session import Session
from conqret.runs.trials import collect

PROMPT = "perspective-detection"

GRADES = ("against it", "nothing", "touches it", "speaks for it in part", "clearly speaks for it")
"""What the grades mean, from 0 on."""

YES_FROM = 3
"""The grade from which a document contains its perspective, where no labels say better: from there on the prompt says
that the document leans to the statement's side, so that somebody who holds it would cite it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A document and a perspective, under an id."""

    id: str
    document: str
    perspective: str


class Graded(BaseModel):
    """A short reason, then how far the document speaks for the statement."""

    model_config = ConfigDict(extra="forbid")

    explanation: str
    grade: Literal[0, 1, 2, 3, 4]


@dataclass(frozen=True, slots=True)
class Detection:
    """The grade of one pair (a place in :data:`GRADES`) with its ``explanation``; None with a ``reason`` where there
    was no valid answer."""

    id: str
    grade: int | None
    explanation: str = ""
    reason: Reason | None = None
    detail: str = ""

    def contains(self, yes_from: int = YES_FROM) -> bool | None:
        """Whether the grade is ``yes_from`` or higher; None without a grade."""
        return None if self.grade is None else self.grade >= yes_from


@dataclass(frozen=True, slots=True)
class Agreement:
    """Detections against labels: counts over the answered pairs, and how many were not answered."""

    true_positive: int
    false_positive: int
    true_negative: int
    false_negative: int
    unanswered: int

    @property
    def accuracy(self) -> float:
        """The share of answered pairs that agree; 0 without any."""
        n = self.true_positive + self.false_positive + self.true_negative + self.false_negative
        return (self.true_positive + self.true_negative) / n if n else 0.0

    @property
    def f1(self) -> float:
        """``2 TP / (2 TP + FP + FN)`` of the positive class; 0 where nothing is positive."""
        whole = 2 * self.true_positive + self.false_positive + self.false_negative
        return 2 * self.true_positive / whole if whole else 0.0

    @property
    def positive(self) -> float:
        """The share of answered pairs that are said to contain their perspective."""
        n = self.true_positive + self.false_positive + self.true_negative + self.false_negative
        return (self.true_positive + self.false_positive) / n if n else 0.0


def detect(pairs: Sequence[Pair], session: Session) -> list[Detection]:
    """Ask about every pair, and give their detections in the same order."""

    def all_of(client: Client) -> Awaitable[list[Detection]]:
        works = ((str(place), partial(_one, pair, session, client)) for place, pair in enumerate(pairs))
        return collect(works, in_flight=client.in_flight)

    return session.run(all_of)


def agreement(
    detections: Sequence[Detection], labels: Sequence[bool], *, yes_from: int = YES_FROM
) -> Agreement:
    """Count detections against labels, pair by pair; a grade of ``yes_from`` or higher is a yes.

    Raises:
        DeclarationError: there are not as many labels as detections.
    """
    if len(detections) != len(labels):
        raise DeclarationError(
            f"{len(detections)} detections and {len(labels)} labels: there must be one for each"
        )
    counts = {(said, label): 0 for said in (True, False, None) for label in (True, False)}
    for detection, label in zip(detections, labels, strict=True):
        counts[detection.contains(yes_from), bool(label)] += 1
    return Agreement(
        counts[True, True],
        counts[True, False],
        counts[False, False],
        counts[False, True],
        counts[None, True] + counts[None, False],
    )


async def _one(pair: Pair, session: Session, client: Client) -> Detection:
    rendered = session.library[PROMPT].render({"document": pair.document, "perspective": pair.perspective})
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
        return Detection(pair.id, None, reason=answer.reason or Reason.INVALID_ANSWER, detail=answer.detail)
    return Detection(pair.id, answer.value.grade, answer.value.explanation)


def _by_words(pair: Pair) -> dict[str, object]:
    grade, covered = baseline_grade(pair.document, pair.perspective)
    return {"explanation": f"the best passage holds {covered:.0%} of the statement's words", "grade": grade}
