"""Is a question debatable? The criteria of DebateQA (A.1), and no personal experience (BeRDS, section 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject
from conqret.io.questions import SourcedQuestion
from conqret.judging.responses import Typed
from conqret.text.text_passages import root
from conqret.text.word_lists import words

CRITERIA = {
    "clear": "its meaning is not clear",
    "several_answers": "it has one definitive answer",
    "beyond_taste": "personal taste alone decides",
    "about_issue": "it asks about somebody's own experience",
}
"""What must be true of a debatable question, and what is wrong where it is not."""

_OWN = re.compile(
    r"\b(have|has|had|did|do|are|were|was) you\b|\byour (own|life|home|household|family|name|age|community)\b"
)
_TASTE = re.compile(r"\b(favou?rites?|tastes?|tastier|prettier|cutest|you prefer|you like)\b")
_FACT = re.compile(r"^(who|when|where|which|how (many|much|long|old|far|tall))\b")
_OPINION = re.compile(r"\b(you|your) (think|feel|believe|opinion|view|worried|concerned)\b")
_OPEN = re.compile(r"^(it|this|that|he|she|they)\b|\b(is|does|should|can) (it|this|that|he|she|they)\b")
LEAST_WORDS = 2
"""Words that carry meaning, which a clear question has at least."""


class Debatable(Typed):
    """A short explanation, then of each criterion whether the question meets it."""

    explanation: str
    clear: bool
    several_answers: bool
    beyond_taste: bool
    about_issue: bool


VERDICT = CheckVerdict("curate/debatable", Debatable, 60, "whether questions are debatable")


def subjects(questions: Sequence[SourcedQuestion]) -> list[Subject]:
    """What is asked about each question."""
    return [
        Subject(one.id, {"question": one.question}, lambda one=one: by_words(one.question))  # type: ignore[misc]
        for one in questions
    ]


def failed(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Which criteria a judged question does not meet."""
    return tuple(name for name in CRITERIA if not answer[name])


def by_words(question: str) -> dict[str, Any]:
    """The offline answer, from the words with which questions of each kind begin."""
    text = " ".join(question.lower().split())
    opinion = bool(_OPINION.search(text))
    return {
        "explanation": "by the words of the question alone",
        "clear": len({root(word) for word in words(text)} - {""}) >= LEAST_WORDS and not _OPEN.search(text),
        "several_answers": not _FACT.search(text),
        "beyond_taste": not _TASTE.search(text),
        "about_issue": opinion or not _OWN.search(text),
    }
