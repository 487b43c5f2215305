"""The pieces that typed answers are made of, with the checks that make an answer valid.

An answer that leaves out a document, rates one twice or invents one is invalid; the validator says which,
in words that the model is shown when it is requested again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
)

from conqret.data import Measure, Reason
from conqret.errors import DeclarationError
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.scales import (
    ONE_TO_FIVE,
    ZERO_TO_FIVE,
    ZERO_TO_TEN,
    with_confidence,
)
from conqret.llm.replies import after_thoughts, describe, written_text
from conqret.prompts import Library


def _without_thoughts(text: str) -> str:
    """Return a text of a response without the model's thoughts, which some models put into the first text of
    an object.

    Raises:
        ValueError: there is nothing but thoughts.
    """
    if after_thoughts(text) == text:
        return text
    if not (written := written_text(text)):
        raise ValueError("there is no text after the thoughts in it")
    return written


Written = Annotated[str, AfterValidator(_without_thoughts)]
"""A text that is used as it is written."""


class Typed(BaseModel, extra="forbid"):
    """Base of all answers: no fields but the declared ones."""


def no_truth_value(value: Any) -> Any:
    """Return ``value`` unchanged, unless it is a bool, which pydantic would read as the number 0 or 1.

    Raises:
        ValueError: ``value`` is True or False.
    """
    if isinstance(value, bool):
        raise ValueError("a whole number is wanted, not true or false")
    return value


Whole = Annotated[int, BeforeValidator(no_truth_value)]
ZeroToTen = Annotated[int, Field(ge=ZERO_TO_TEN.low, le=ZERO_TO_TEN.high), BeforeValidator(no_truth_value)]
ZeroToFiveRating = Annotated[
    int, Field(ge=ZERO_TO_FIVE.low, le=ZERO_TO_FIVE.high), BeforeValidator(no_truth_value)
]
OneToFive = Annotated[int, Field(ge=ONE_TO_FIVE.low, le=ONE_TO_FIVE.high), BeforeValidator(no_truth_value)]
Percent = Annotated[int, Field(ge=0, le=100), BeforeValidator(no_truth_value)]


class ZeroToFive(Typed):
    """An explanation, then a rating from 0 to 5."""

    explanation: str
    rating: ZeroToFiveRating


class ZeroToFiveOrNull(Typed):
    """An explanation, then a rating from 0 to 5; null where it cannot be judged."""

    explanation: str
    rating: ZeroToFiveRating | None


def once_each(items: Iterable[Any], expected: Sequence[Any], noun: str) -> None:
    """Check that ``items`` contains each of ``expected`` exactly once, and nothing else.

    Raises:
        ValueError: items are missing, repeated or unexpected; the message names them all.
    """
    counts, wanted = Counter(items), set(expected)
    if counts == Counter(wanted):
        return
    faults = []
    for problem, names in (
        ("missing", [name for name in expected if name not in counts]),
        ("given more than once", [name for name in expected if counts[name] > 1]),
        ("not among those asked for", sorted(name for name in counts if name not in wanted)),
    ):
        if names:
            faults.append(f"{noun} {', '.join(map(str, names))} {problem}")
    if faults:
        raise ValueError("; ".join(faults))


def each_once(key: Callable[[Any], Any], context: str, noun: str) -> AfterValidator:
    """Return a validator that sorts a list of objects by ``key`` and checks that each expected key occurs
    exactly once.

    The validation context holds the expected keys under ``context``; without them, the list is only sorted
    (see :func:`once_each`).
    """

    def check(items: list[Any], info: ValidationInfo) -> list[Any]:
        expected = (info.context or {}).get(context)
        if expected is not None:
            once_each(map(key, items), expected, noun)
        return sorted(items, key=key)

    return AfterValidator(check)


def valid_alone(
    judge_prompt: JudgePrompt[Any], case: Case, response_fields: Mapping[str, Any]
) -> dict[str, Measure]:
    """Return the measures of a response that is invalid as a whole, by validating each section separately.

    Valid sections are scored; others are missing, with the fault. The result is empty if the prompt has no
    sections to separate.
    """
    measures: dict[str, Measure] = {}
    section = judge_prompt.about or judge_prompt.section
    if section is None:
        return measures
    for metric in judge_prompt.metrics:
        part = section(frozenset({metric}))
        response = part.answer(case)
        section_fields = {
            name: response_fields[name] for name in response.model_fields if name in response_fields
        }
        try:
            value = response.model_validate(section_fields, context=part.context(case))
        except ValidationError as error:
            invalid = Measure.missing(Reason.INVALID_ANSWER, describe(error))
            measures |= dict.fromkeys(part.metrics, invalid)
        else:
            measures |= part.score(JudgeReply(value), case)
    return measures


PROMPT = "confidence"
"""The prompt file that requests the confidence."""
BASELINE = 50
"""What the offline model says: it does not know."""


def stating_confidence(judge: Judge, library: Library) -> Judge:
    """Return the judge with prompts that also request its confidence in each response.

    Raises:
        DeclarationError: the judge is computed or reads log-probabilities, so that no model writes a confidence.
    """
    if all(judge_prompt.reading is not None for judge_prompt in judge.judge_prompts):
        raise DeclarationError(
            f"--confidence needs a response in which the model can state its confidence, and {judge.name} has none"
        )
    words = library[PROMPT].render({}).system
    return replace(
        judge, judge_prompts=tuple(_stating(judge_prompt, words) for judge_prompt in judge.judge_prompts)
    )


def _stating(judge_prompt: JudgePrompt[Any], words: str) -> JudgePrompt[Any]:
    def score(reply: JudgeReply[Any], case: Case) -> Mapping[str, Measure]:
        sure = {"stated": reply.value.confidence / 100}
        return {
            name: with_confidence(measure, sure) for name, measure in judge_prompt.score(reply, case).items()
        }

    about = judge_prompt.about
    return replace(
        judge_prompt,
        response=lambda case: _with_confidence_field(judge_prompt.answer(case)),  # type: ignore[arg-type]  # a class has a hash
        score=score,
        baseline=lambda case: {**judge_prompt.baseline(case), "confidence": BASELINE},
        typed=None,
        about=None if about is None else lambda metrics: _stating(about(metrics), words),
        further=words,
    )


@lru_cache(maxsize=256)
def _with_confidence_field(answer: type[BaseModel]) -> type[BaseModel]:
    """The answer with a confidence as its last field."""
    return create_model(answer.__name__, __base__=answer, confidence=(Percent, ...))
