"""The pieces that typed answers are made of, with the checks that make an answer valid.

An answer that leaves out a document, rates one twice or invents one is invalid; the validator says which,
in words that the model is shown when it is requested again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import attrgetter
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
)

from conqret.baseline import Evidence, Finding
from conqret.data import Measure, Reason
from conqret.errors import DeclarationError
from conqret.judging.deciding import has_argument, levels_of, rating_questions, together
from conqret.judging.dimensions import DIMENSIONS, Dimension
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply, TypedQuestions
from conqret.judging.scales import (
    ONE_TO_FIVE,
    ZERO_TO_FIVE,
    ZERO_TO_TEN,
    Scale,
    rated,
    with_confidence,
)
from conqret.llm.decisions import rating
from conqret.llm.replies import after_thoughts, describe, written_text
from conqret.prompts import Library

Side = Literal["argument_1", "argument_2", "tie"]
LABELS = {"argument_1": "first", "argument_2": "second", "tie": "tie", "both": "tie"}


def _without_thoughts(text: str) -> str:
    """A model that must write an object at once may put its thoughts into the first text of it."""
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


class DocumentRating(Typed):
    """The rating of one document, named by its number."""

    document: Whole
    explanation: str
    rating: ZeroToFiveRating


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


DocumentRatings = Annotated[list[DocumentRating], each_once(attrgetter("document"), "documents", "document")]


SIDES = {"first": "argument_1", "second": "argument_2", "tie": "tie"}


def stated(case: Case, finding: Finding, scale: Scale) -> dict[str, Any]:
    """Return a finding as an explanation and a rating on ``scale``.

    With several samples, a matching share of them is rounded up, so that their mean is more precise than a
    scale of few points.
    """
    up = (case.sample + 0.5) / case.options.samples
    return {"explanation": finding.explanation, "rating": scale.rating(finding.value, up)}


DOCUMENTS_AND_ARGUMENT = frozenset({"documents", "argument"})


@dataclass(frozen=True, eq=False)
class JudgeSection:
    """One field of a response that rates several things at once.

    - ``name``: the name of the field
    - ``metrics``: the metrics that it yields; ``score(given, case)`` computes them from the field's value
    - ``answer``: the type of the field; its validators can read the numbers of the ``documents``
    - ``baseline(case)``: the offline baseline's response, as plain data
    - ``needs``: the fields that the item must have
    - ``english_only``: True if ``baseline`` uses English word lists
    - ``typed()``: the typed questions for a decision model
    """

    name: str
    metrics: tuple[str, ...]
    answer: Any
    score: Callable[[Any, Case], Mapping[str, Measure]]
    baseline: Callable[[Case], Any]
    needs: frozenset[str] = DOCUMENTS_AND_ARGUMENT
    english_only: bool = False
    typed: Callable[[], TypedQuestions] | None = None


def in_one_call(
    prompt: str, name: str, sections: tuple[JudgeSection, ...], *, both_orders: bool = False
) -> JudgePrompt[Typed]:
    """Return one prompt that requests all ``sections``; ``name`` is the name of the response model, part of
    its schema.

    Dimensions follow the other sections, in the order of the case.
    """

    by_name: dict[str, JudgeSection] = {}
    metrics, english, needs = list[str](), list[str](), frozenset[str]()
    typed = list[Callable[[], TypedQuestions]]()
    for section in sections:
        by_name[section.name] = section
        metrics += section.metrics
        needs |= section.needs
        english += section.metrics if section.english_only else ()
        typed += () if section.typed is None else (section.typed,)

    def response(case: Case) -> type[Typed]:
        in_order = dict(by_name)
        for dimension in case.dimensions:
            if dimension.name in in_order:  # moves behind the others
                in_order[dimension.name] = in_order.pop(dimension.name)
        return _answer(name, tuple(in_order.values()))

    def score(reply: JudgeReply[Typed], case: Case) -> Mapping[str, Measure]:
        measures: dict[str, Measure] = {}
        for section in sections:
            measures |= section.score(getattr(reply.value, section.name), case)
        return measures

    def about(metrics: frozenset[str]) -> JudgePrompt[Typed]:
        wanted = tuple(section for section in sections if metrics & set(section.metrics))
        return in_one_call(prompt, name, wanted, both_orders=both_orders)

    def baseline(case: Case) -> dict[str, Any]:
        plain = {}
        for field in response(case).model_fields:
            plain[field] = by_name[field].baseline(case)
        return plain

    return JudgePrompt(
        prompt=prompt,
        metrics=tuple(metrics),
        needs=needs,
        response=response,
        score=score,
        baseline=baseline,
        context=lambda case: {"documents": range(1, len(case.item.documents) + 1)},
        both_orders=both_orders,
        about=about,
        english_only=frozenset(english),
        typed=partial(together, typed) if len(typed) == len(sections) else None,
    )


def dimension_sections(scale: Scale, answer: type[Typed], needs: Iterable[str]) -> tuple[JudgeSection, ...]:
    """Return a section for each of the fifteen dimensions, rated on ``scale``; ``answer`` is its response
    type.
    """
    sections, fields = [], frozenset(needs)
    for dimension in DIMENSIONS:

        def find(evidence: Evidence, name: str = dimension.name) -> Finding:
            return evidence.dimensions()[name]

        typed = partial(dimension_questions, dimension, scale)
        sections.append(
            rating_section(dimension.name, scale, answer, find, fields, english_only=True, typed=typed)
        )
    return tuple(sections)


def dimension_questions(dimension: Dimension, scale: Scale) -> TypedQuestions:
    """Return the typed question for a dimension of quality, on a scale from 0 to 5 or from 1 to 3."""
    text = f"Of the text in `argument`: {dimension.question} {dimension.definition}"
    levels = levels_of(f"quality_{scale.low}_to_{scale.high}")
    return rating_questions(dimension.name, rating(text, levels), has_argument)


def rating_section(
    metric: str,
    scale: Scale,
    answer: type[Typed],
    find: Callable[[Evidence], Finding],
    needs: frozenset[str] = DOCUMENTS_AND_ARGUMENT,
    *,
    english_only: bool = False,
    typed: Callable[[], TypedQuestions] | None = None,
) -> JudgeSection:
    """Return a section whose response is an explanation and a rating; the rating is the metric.

    The offline baseline rates what ``find`` computes from the evidence.
    """
    return JudgeSection(
        name=metric,
        metrics=(metric,),
        answer=answer,
        score=lambda response, case: {metric: rated(scale, response.rating, response.explanation)},
        baseline=lambda case: stated(case, find(case.evidence), scale),
        needs=needs,
        english_only=english_only,
        typed=typed,
    )


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


@lru_cache(maxsize=256)
def _answer(name: str, sections: tuple[JudgeSection, ...]) -> type[Typed]:
    """The model of an answer, its fields in the order of ``sections`` (a model writes them in schema order)."""
    fields: dict[str, Any] = {}
    for section in sections:
        fields[section.name] = (section.answer, ...)
    return create_model(name, __base__=Typed, **fields)


PROMPT = "confidence"
"""The prompt file that requests the confidence."""
BASELINE = 50
"""What the offline model says: it does not know."""


def stating_confidence(judge: Judge, library: Library) -> Judge:
    """Return the judge with prompts that also request its confidence in each response.

    Raises:
        DeclarationError: the judge reads log-probabilities, so that no model writes a confidence.
    """
    if any(judge_prompt.reading is not None for judge_prompt in judge.judge_prompts):
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
