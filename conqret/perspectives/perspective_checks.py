"""How what was written as perspectives is checked: the question, and each statement (BeRDS, 4.1 and B.4)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationInfo, model_validator

from conqret.judging.responses import Typed, Whole
from conqret.llm.request import Request, messages
from conqret.perspectives.perspective_files import QuestionPerspective
from conqret.prompts import Library, RenderedPrompt
from conqret.text.word_lists import words

CHECK = "perspectives/check"
LEAST = 2
"""Statements that a question needs: with fewer there is no diversity."""

UNDEBATABLE = "the question is not debatable"
TOGETHER = "the two statements do not contradict each other"
WRONG = "a statement does not answer the question, or says what another says"


class Checked(Typed):
    """A short explanation; whether the question is debatable, which statements must go, and whether two contradict."""

    explanation: str
    debatable: bool
    wrong: list[Whole]
    apart: bool

    @model_validator(mode="after")
    def _known(self, info: ValidationInfo) -> Checked:
        count = (info.context or {}).get("statements")
        unknown = [number for number in self.wrong if count and not 1 <= number <= count]
        if unknown:
            raise ValueError(f"there is no statement {unknown[0]}: wrong holds numbers from 1 to {count}")
        return self

    def sound(self, views: Sequence[QuestionPerspective]) -> tuple[QuestionPerspective, ...]:
        """The perspectives that stay."""
        return tuple(view for number, view in enumerate(views, 1) if number not in self.wrong)

    def faults(self, views: Sequence[QuestionPerspective]) -> tuple[str, ...]:
        """What the question is left out for; empty where it stays, with those of its statements that are sound.

        More than two statements need not contradict each other; those that say the same are among the wrong ones.
        """
        failed = {
            UNDEBATABLE: not self.debatable,
            TOGETHER: len(views) == LEAST and not self.apart,
            WRONG: len(self.sound(views)) < LEAST,
        }
        return tuple(fault for fault, faulty in failed.items() if faulty)


def check_request(
    item: str, question: str, views: Sequence[QuestionPerspective], library: Library
) -> Request[Checked]:
    """What is asked of a question and its perspectives."""
    return Request(
        ask=CHECK,
        item=item,
        messages=messages(check_prompt(library, question, views)),
        response=Checked,
        context={"statements": len(views)},
        temperature=0.0,
        baseline=lambda: _by_words(question, views),
    )


def check_prompt(library: Library, question: str, views: Sequence[QuestionPerspective]) -> RenderedPrompt:
    """The prompt of the check."""
    return library[CHECK].render({"question": question, "statements": [view.text for view in views]})


def _by_words(question: str, views: Sequence[QuestionPerspective]) -> dict[str, object]:
    """The offline check: no statement is a question, and none has the words of another."""
    word_sets = [frozenset(words(view.text.lower())) for view in views]
    return {
        "explanation": "by the words alone",
        "debatable": question.endswith("?") or len(views) > LEAST,
        "wrong": [
            number
            for number, view in enumerate(views, 1)
            if view.text.endswith("?") or word_sets[number - 1] in word_sets[: number - 1]
        ],
        "apart": True,
    }
