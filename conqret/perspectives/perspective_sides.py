"""Which of two perspectives supports its question? A typed judgment (BeRDS, A.8), asked where nobody has said it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject, VerdictRow
from conqret.judging.responses import Typed
from conqret.perspectives.perspective_files import SIDES, PerspectiveQuestion
from conqret.text.lexicons import NEGATIONS
from conqret.text.word_lists import words


class Supports(Typed):
    """A short explanation, then the number of the statement that supports the question."""

    explanation: str
    supports: Literal[1, 2]


VERDICT = CheckVerdict("perspectives/side", Supports, 50, "which perspective supports a question")


def unsided(questions: Sequence[PerspectiveQuestion]) -> list[PerspectiveQuestion]:
    """The questions with two perspectives of which nobody has said which supports."""
    return [
        question for question in questions if len(question.perspectives) == len(SIDES) and not question.sided
    ]


def subjects(questions: Sequence[PerspectiveQuestion]) -> list[Subject]:
    """What is asked about each of such questions."""
    return [
        Subject(
            question.id,
            {
                "question": question.question,
                "first": question.perspectives[0].text,
                "second": question.perspectives[1].text,
            },
            lambda question=question: _by_words(question),  # type: ignore[misc]
        )
        for question in questions
    ]


def with_sides(
    questions: Sequence[PerspectiveQuestion], rows: Sequence[VerdictRow]
) -> tuple[PerspectiveQuestion, ...]:
    """The questions with the sides that were judged; those without an answer stay without."""
    answers: Mapping[str, Mapping[str, Any]] = {row.id: row.answer for row in rows if row.answered}
    return tuple(
        question.with_support(answers[question.id]["supports"] - 1) if question.id in answers else question
        for question in questions
    )


def _by_words(question: PerspectiveQuestion) -> dict[str, object]:
    """The offline answer: the statement supports whose number of denials is nearer to that of the question."""
    asked = _denials(question.question)
    apart = [abs(_denials(perspective.text) - asked) for perspective in question.perspectives]
    return {
        "explanation": "the one that denies as often as the question",
        "supports": 1 if apart[0] <= apart[1] else 2,
    }


def _denials(text: str) -> int:
    return sum(word in NEGATIONS for word in words(text.lower()))
