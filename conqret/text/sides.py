"""What the yes side of a question stands for: its words, and whether it speaks well of the subject or ill.

"Should bottled water be banned?" is answered with yes by those who find ill of bottled water; "Should Gay
Marriage Be Legal?" by those who find good of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from conqret.text.analysis import stem
from conqret.text.lexicons import NEGATIONS
from conqret.text.stance_words import AGAINST
from conqret.text.text_passages import Passage
from conqret.text.word_lists import fold

STANDPOINTS = {
    "yes side": "benefits advantages reasons for supporters evidence in favour",
    "no side": "harms risks disadvantages reasons against critics opponents",
}
"""By either side of a question, words to search with for it."""


def standpoints(question: str) -> dict[str, str]:
    """The offline baseline's perspectives: the question with the words of either side, by its name."""
    return {name: f"{question} {words}" for name, words in STANDPOINTS.items()}


@dataclass(frozen=True, slots=True)
class QuestionSides:
    """The sides of a question.

    ``terms`` are its content stems; ``polarity`` is 1 where yes speaks for the subject, -1 where it speaks
    against it. Two turns cancel out: "Should the ban on hunting be abolished?" has 1.
    """

    terms: frozenset[str]
    polarity: int

    @classmethod
    def of(cls, question: str) -> QuestionSides:
        """Read the sides off a question or a claim, by its words."""
        passage = Passage(fold(question))
        turns = sum(stem(word) in AGAINST or word in NEGATIONS for word in passage.words)
        return cls(frozenset(passage.roots) - {""}, -1 if turns % 2 else 1)
