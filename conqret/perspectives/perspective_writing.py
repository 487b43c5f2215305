"""How perspectives are requested: a prompt and the types of answers for each kind of source (BeRDS, 4.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo, model_validator

from conqret.judging.responses import Typed, Whole
from conqret.llm.request import Request, messages
from conqret.perspectives.perspective_files import SIDES, PerspectiveSource, QuestionPerspective
from conqret.prompts import Library
from conqret.text.words import caseless, words

MAX_STATEMENTS = 10
"""Perspectives of an open question at most, as in the expansion of queries."""


def _statement(text: str) -> str:
    if text.rstrip("\"'”’ ").endswith("?"):
        raise ValueError("this is a question; a perspective is a statement")
    return text


def _question(text: str) -> str:
    if not text.endswith("?"):
        raise ValueError("this is no question; it ends with a question mark")
    return text


_Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
StatementText = Annotated[_Said, AfterValidator(_statement)]
Asked = Annotated[_Said, AfterValidator(_question)]


def _apart(*statements: str) -> None:
    if len({caseless(statement).rstrip(".") for statement in statements}) < len(statements):
        raise ValueError("two of the statements have the same words; each must be different")


class FromSurvey(Typed):
    """A short explanation, whether own experience is asked for, and else a question with its two sides."""

    explanation: str
    own_experience: bool
    question: Asked | None
    supporting: StatementText | None
    opposing: StatementText | None

    @model_validator(mode="after")
    def _whole(self) -> FromSurvey:
        if not self.own_experience:
            if self.question is None or self.supporting is None or self.opposing is None:
                raise ValueError(
                    "question, supporting and opposing are null only where own_experience is true"
                )
            _apart(self.supporting, self.opposing)
        return self


class Opposite(Typed):
    """A short explanation, then the statement of the other side."""

    explanation: str
    opposing: StatementText


class FromAnswers(Typed):
    """A statement for each answer, in their order."""

    statements: list[StatementText] = Field(min_length=2)

    @model_validator(mode="after")
    def _whole(self, info: ValidationInfo) -> FromAnswers:
        wanted = (info.context or {}).get("answers")
        if wanted and len(self.statements) != wanted:
            raise ValueError(
                f"there are {wanted} answers, and {len(self.statements)} statements: write one for each"
            )
        _apart(*self.statements)
        return self


class FromArguments(Typed):
    """A short explanation, then the question on which two arguments part."""

    explanation: str
    question: Asked


class BothSides(Typed):
    """A yes/no question as a statement, and the negation of the statement."""

    supporting: StatementText
    opposing: StatementText

    @model_validator(mode="after")
    def _whole(self) -> BothSides:
        _apart(self.supporting, self.opposing)
        return self


class Views(Typed):
    """The different answers to an open question."""

    statements: list[StatementText] = Field(min_length=2, max_length=MAX_STATEMENTS)

    @model_validator(mode="after")
    def _whole(self) -> Views:
        _apart(*self.statements)
        return self


WrittenQuestion = tuple[str, tuple[QuestionPerspective, ...]]
"""A question and its perspectives."""


@dataclass(frozen=True, slots=True)
class WritingVariant:
    """How perspectives are written from one kind of source.

    ``shown`` returns the variables of the prompt. ``made`` returns the question and its perspectives from a
    response (None where it concerns personal experience). ``baseline`` returns the offline response. ``then`` names
    the variant that writes the perspectives of the question, where this one writes the question alone.
    """

    prompt: str
    response: type[Typed]
    shown: Callable[[PerspectiveSource], Mapping[str, Any]]
    made: Callable[[PerspectiveSource, Mapping[str, Any]], WrittenQuestion | None]
    baseline: Callable[[PerspectiveSource], dict[str, Any]]
    then: str = ""


def _two(question: str, supporting: str, opposing: str) -> WrittenQuestion:
    return question, (QuestionPerspective(supporting, SIDES[0]), QuestionPerspective(opposing, SIDES[1]))


_OWN = re.compile(
    r"\b(have|has|had|did|do|are|were|was) you\b(?! (think|feel|believe|favor|favour|support|worried))", re.I
)


def _plain(text: str) -> str:
    """A text as the end of a sentence."""
    plain_text = " ".join(text.split()).rstrip("?.!… ")
    return plain_text[:1].lower() + plain_text[1:] if plain_text[1:2].islower() else plain_text


def _survey_offline(source: PerspectiveSource) -> dict[str, Any]:
    asked = source.question.rstrip(" ?.…")
    is_own = _OWN.search(asked) is not None
    return {
        "explanation": "by the words of the question alone",
        "own_experience": is_own,
        "question": None if is_own else f"{asked}: {_plain(source.options[0])}?",
        "supporting": None if is_own else f"It is so: {_plain(source.options[0])}.",
        "opposing": None if is_own else f"It is not so: {_plain(source.options[-1])}.",
    }


def _first_claim(source: PerspectiveSource) -> str:
    return _plain(re.split(r"(?<=[.!?])\s", source.argument.strip())[0])


WRITING_VARIANTS: Mapping[str, WritingVariant] = {
    "survey": WritingVariant(
        "perspectives/survey",
        FromSurvey,
        lambda source: {"question": source.question, "options": source.options},
        lambda source, answer: (
            None
            if answer["own_experience"]
            else _two(answer["question"], answer["supporting"], answer["opposing"])
        ),
        _survey_offline,
    ),
    "opposite": WritingVariant(
        "perspectives/opposite",
        Opposite,
        lambda source: {"question": source.question, "statement": source.statement},
        lambda source, answer: _two(source.question, source.statement, answer["opposing"]),
        lambda source: {
            "explanation": "the statement, denied",
            "opposing": f"It is not so that {_plain(source.statement)}.",
        },
    ),
    "answers": WritingVariant(
        "perspectives/answers",
        FromAnswers,
        lambda source: {"question": source.question, "answers": source.answers},
        lambda source, answer: (source.question, tuple(map(QuestionPerspective, answer["statements"]))),
        lambda source: {"statements": [f"The answer is {_plain(answer)}." for answer in source.answers]},
    ),
    "arguments": WritingVariant(
        "perspectives/arguments",
        FromArguments,
        lambda source: {"argument": source.argument, "second_argument": source.counter},
        lambda source, answer: (answer["question"], ()),
        lambda source: {
            "explanation": "the first sentence of the first argument",
            "question": f"Is it so that {_first_claim(source)}?",
        },
        then="statements",
    ),
    "statements": WritingVariant(
        "perspectives/statements",
        BothSides,
        lambda source: {"question": source.question},
        lambda source, answer: _two(source.question, answer["supporting"], answer["opposing"]),
        lambda source: {
            "supporting": f"It is so that {_first_claim(source)}.",
            "opposing": f"It is not so that {_first_claim(source)}.",
        },
    ),
    "open": WritingVariant(
        "perspectives/open",
        Views,
        lambda source: {"question": source.question},
        lambda source, answer: (source.question, tuple(map(QuestionPerspective, answer["statements"]))),
        lambda source: {
            "statements": [
                f"Yes: {_plain(source.question)}.",
                f"No, it is not so: {_plain(source.question)}.",
            ]
        },
    ),
}
"""What is done with each kind of source, and with a question that was written first."""


def variant_of(source: PerspectiveSource) -> WritingVariant:
    """Return the variant of :data:`WRITING_VARIANTS` that fits a source, by the fields that the source has."""
    for name, there in (
        ("survey", source.options),
        ("opposite", source.statement),
        ("answers", source.answers),
        ("arguments", source.argument),
    ):
        if there:
            return WRITING_VARIANTS[name]
    return WRITING_VARIANTS["open"]


CHECK = "perspectives/check"
MIN_STATEMENTS = 2
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
        """Return the perspectives that are not among the wrong ones."""
        return tuple(view for number, view in enumerate(views, 1) if number not in self.wrong)

    def faults(self, views: Sequence[QuestionPerspective]) -> tuple[str, ...]:
        """Return the reasons why the question is left out; empty where it is kept with its sound
        perspectives.

        A question is left out if it is not debatable, or if fewer than two perspectives are sound. It is also
        left out if its only two perspectives do not contradict each other.
        """
        failed = {
            UNDEBATABLE: not self.debatable,
            TOGETHER: len(views) == MIN_STATEMENTS and not self.apart,
            WRONG: len(self.sound(views)) < MIN_STATEMENTS,
        }
        return tuple(fault for fault, faulty in failed.items() if faulty)


def check_request(
    item: str, question: str, views: Sequence[QuestionPerspective], library: Library
) -> Request[Checked]:
    """Build the request that has a model check a question and its perspectives."""
    return Request(
        ask=CHECK,
        item=item,
        messages=messages(
            library[CHECK].render({"question": question, "statements": [view.text for view in views]})
        ),
        response=Checked,
        context={"statements": len(views)},
        temperature=0.0,
        baseline=lambda: _by_words(question, views),
    )


def _by_words(question: str, views: Sequence[QuestionPerspective]) -> dict[str, object]:
    """Return the offline check as the fields of :class:`Checked`: ``wrong`` are statements that are questions
    or have the same words as an earlier one; a question with two statements is debatable if it ends with a
    question mark."""
    word_sets = [frozenset(words(view.text.lower())) for view in views]
    return {
        "explanation": "by the words alone",
        "debatable": question.endswith("?") or len(views) > MIN_STATEMENTS,
        "wrong": [
            number
            for number, view in enumerate(views, 1)
            if view.text.endswith("?") or word_sets[number - 1] in word_sets[: number - 1]
        ],
        "apart": True,
    }
