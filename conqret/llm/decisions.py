"""Typed questions about data, which decision models answer with probabilities.

A question is put as yes or no, as a choice among labels, or as a score on levels. Its answer is a distribution: a
mapping from each label to its probability.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from conqret.data import Reason
from conqret.errors import DeclarationError

MAX_LABELS, MAX_LEVELS = 255, 10
"""The most labels of a choice, and levels of a score, in both wires."""

YES, NO = "yes", "no"

ROUNDED = 0.02
"""Probabilities are rounded by servers: their sum may differ from 1 by so much."""

Distribution = Mapping[str, float]
"""The probability of each label."""


@dataclass(frozen=True, slots=True)
class Question:
    """One typed question.

    ``options`` are the labels with their descriptions (empty: none), for a score from the lowest level to
    the highest. A yes/no question has the options yes and no, with or without descriptions.

    Raises:
        DeclarationError: a choice or score has fewer than two options, or more than ``MAX_LABELS`` or
            ``MAX_LEVELS``.
    """

    kind: Literal["yes_no", "choice", "score"]
    text: str
    options: tuple[tuple[str, str], ...] = ((YES, ""), (NO, ""))

    def __post_init__(self) -> None:
        most = MAX_LEVELS if self.kind == "score" else MAX_LABELS
        if not 2 <= len(dict(self.options)) == len(self.options) <= most:
            raise DeclarationError(
                f"the question {self.text[:60]!r} has {len(self.options)} options: a {self.kind.replace('_', '/')} "
                f"question has 2 to {most}, all different"
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its options, in order."""
        return tuple(label for label, _ in self.options)

    def plain(self) -> list[Any]:
        """Return the question as JSON data."""
        return [self.kind, self.text, [list(option) for option in self.options]]


GRADE = "grade"
"""The name of a question for a grade."""


def expected_grade(distribution: Distribution) -> float:
    """Return the expected value of a grade, whose labels are whole numbers."""
    return math.fsum(int(label) * share for label, share in distribution.items())


def yes_no(text: str, yes: str = "", no: str = "") -> Question:
    """Return a question that is answered with yes or no; ``yes`` and ``no`` describe when (empty: no
    description).
    """
    return Question("yes_no", text, ((YES, yes), (NO, no)))


def choice(text: str, options: Mapping[str, str]) -> Question:
    """Return a question that is answered with one of several labels; ``options`` maps each label to its
    description (empty: none).

    Raises:
        DeclarationError: there are fewer than two labels, or more than 255.
    """
    return Question("choice", text, tuple(options.items()))


def rating(text: str, levels: Mapping[int, str]) -> Question:
    """Return a question that is answered with a rating: a score, or a choice where there are more than ten
    levels.

    ``levels`` maps each level to its meaning, the lowest first.

    Raises:
        DeclarationError: there are fewer than two levels, or more than 255.
    """
    kind: Literal["score", "choice"] = "score" if len(levels) <= MAX_LEVELS else "choice"
    return Question(kind, text, tuple((str(level), meaning) for level, meaning in levels.items()))


@dataclass(frozen=True, slots=True)
class Decision:
    """Questions by name about one state, which is plain data."""

    state: Mapping[str, Any]
    questions: Mapping[str, Question]

    @property
    def texts(self) -> tuple[str, str]:
        """The questions and the state as JSON; they determine the key of the recording."""
        asked = {name: question.plain() for name, question in self.questions.items()}
        return _json(asked), _json(self.state)

    @property
    def longest(self) -> str:
        """The longest question as JSON; empty where there is none."""
        return max((_json(question.plain()) for question in self.questions.values()), key=len, default="")

    def fitting(
        self, window: int | None, count_tokens: Callable[[str], int]
    ) -> tuple[Decision, dict[str, tuple[Reason, str]]]:
        """Return the decision with the questions that fit ``window`` tokens together with the state, and by
        name of each other question the reason and detail why not.

        ``window`` is the limit for the state with one question; None is no limit.
        """
        if window is None or sum(len(text.encode("utf-8", "replace")) for text in self.texts) <= window:
            return self, {}  # a token has at least one byte
        state, asked, faults = count_tokens(self.texts[1]), dict[str, Question](), {}
        for name, question in self.questions.items():
            tokens = state + count_tokens(_json(question.plain()))
            if tokens <= window:
                asked[name] = question
            else:
                why = f"the item takes {tokens:,} tokens with this question, and the model {window:,}"
                faults[name] = Reason.CONTEXT_OVERFLOW, why
        return Decision(self.state, asked), faults

    def parts(
        self, most: int | None, room: int | None, count_tokens: Callable[[str], int]
    ) -> Iterator[Decision]:
        """Split the questions into requests of at most ``most`` questions and ``room`` tokens (None: no limit).

        A single question is one request, whatever its length.
        """
        left = None if room is None else room - count_tokens(_json(self.state))
        batch, used = dict[str, Question](), 0
        for name, question in self.questions.items():
            size = 0 if left is None else count_tokens(_json([name, question.plain()]))
            if batch and (len(batch) == most or (left is not None and used + size > left)):
                yield Decision(self.state, batch)
                batch, used = {}, 0
            batch[name], used = question, used + size
        if batch:
            yield Decision(self.state, batch)


class UnansweredError(Exception):
    """Raised where a question has no usable answer; ``reason`` and the message say why."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Decided(BaseModel, frozen=True, extra="forbid"):
    """The answers to the questions of a decision: a distribution each, or the reason why there is none.

    Raises:
        ValueError: no question has an answer.
    """

    answers: dict[str, dict[str, float]]
    faults: dict[str, tuple[Reason, str]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _answers_something(self) -> Decided:
        if self.faults and not self.answers:
            name, (_, why) = next(iter(self.faults.items()))
            raise ValueError(f"no question has a usable answer; {name}: {why}")
        return self

    def __getitem__(self, name: str) -> Distribution:
        """Return the distribution of the answer to a question.

        Raises:
            UnansweredError: it has none.
        """
        if name in self.answers:
            return self.answers[name]
        raise UnansweredError(*self.faults.get(name, (Reason.INVALID_ANSWER, "there is no answer")))

    def __or__(self, other: Decided) -> Decided:
        """Return the answers of both."""
        return Decided.model_construct(
            answers=self.answers | other.answers, faults=self.faults | other.faults
        )


def distribution(question: Question, probabilities: Mapping[str, Any]) -> dict[str, float]:
    """Return the distribution over the labels of a question, from what a server sent; it sums to 1.

    Raises:
        UnansweredError: labels are missing or unknown, or the numbers are no probabilities.
    """

    def invalid(why: str) -> UnansweredError:
        return UnansweredError(Reason.INVALID_ANSWER, why)

    if lacking := [label for label in question.labels if label not in probabilities]:
        raise invalid(f"the answer has no probability of {lacking[0]!r}")
    if len(probabilities) > len(question.options):
        unknown = next(label for label in probabilities if label not in question.labels)
        raise invalid(f"the answer has a probability of {str(unknown)[:60]!r}, which is no option")
    values = [probabilities[label] for label in question.labels]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise invalid("a probability of the answer is not a number")
    total = math.fsum(values)
    if not all(0 <= value <= 1 for value in values) or abs(total - 1) > ROUNDED:  # nan is in no range
        raise invalid(
            f"the probabilities of the answer do not lie in [0, 1], or sum to {total:g} and not to 1"
        )
    return {label: value / total for label, value in zip(question.labels, values, strict=True)}


def answered(question: Question, name: str, answer: Any) -> dict[str, float]:
    """Return the distribution that an answer of either wire gives to a question.

    Raises:
        UnansweredError: the model refuses the question, or the answer is missing or invalid.
    """

    def invalid(why: str) -> UnansweredError:
        return UnansweredError(Reason.INVALID_ANSWER, why)

    if not isinstance(answer, Mapping):
        raise invalid("the response has no answer to this question")
    if answer.get("type") == "refusal":
        raise UnansweredError(Reason.REFUSAL, "the model refuses to answer this question")
    if answer.get("name") not in (None, name):
        raise invalid(f"the answer is to another question ({str(answer['name'])[:60]!r})")
    if question.kind == "yes_no":
        yes = answer.get("noul", answer.get("probability"))
        if not isinstance(yes, int | float):
            raise invalid("the answer has no probability of yes")
        return distribution(question, {YES: yes, NO: 1 - yes})
    listed = answer.get("probabilities")
    if isinstance(listed, list):  # OpenAI's; the value of a level is its index
        listed = {str(row.get("value")): row.get("probability") for row in listed if isinstance(row, Mapping)}
    if not isinstance(listed, Mapping):
        raise invalid("the answer has no probabilities")
    if question.kind == "score":
        listed = _by_label(question, listed)
    return distribution(question, listed)


def _by_label(question: Question, listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """A score's probabilities, which come by the index of the level, or by its text."""
    indexes = {str(place): label for place, label in enumerate(question.labels)}
    texts = {meaning or label: label for label, meaning in question.options}
    names = texts if texts.keys() >= listed.keys() else indexes
    return {names.get(name, name): value for name, value in listed.items()}


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
