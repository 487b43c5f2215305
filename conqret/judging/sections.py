"""One question that asks for several things: an answer in sections, each with measures of its own.

Prompt, schema of the answer and scores hold the sections that are asked for, and no other; and where a section is
invalid, the others stand. How sure a judge says that it is, is a further field of any format's answer, asked for where
somebody wants it: its number stands behind the answer, so that a model writes it last (Tian et al., EMNLP 2023).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel, ValidationError, create_model

from conqret.baseline import By, Finding
from conqret.data import Measure, Reason
from conqret.errors import DeclarationError
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import OneToThreeOrNull, Percent, Typed, ZeroToFiveOrNull
from conqret.judging.scales import (
    ONE_TO_FIVE,
    ONE_TO_THREE,
    ZERO_TO_FIVE,
    Scale,
    graded,
    rated,
    share,
    with_confidence,
)
from conqret.llm.replies import describe
from conqret.prompts import Library

SIDES = {"first": "argument_1", "second": "argument_2", "tie": "tie"}


def stated(case: Case, finding: Finding, scale: Scale) -> dict[str, Any]:
    """A finding as an explanation and a rating on ``scale``.

    Of several samples so many go up to the next rating as the finding is near to it: their mean is finer than the
    scale, which has three points at times.
    """
    up = (case.sample + 0.5) / case.options.samples
    return {"explanation": finding.explanation, "rating": scale.rating(finding.value, up)}


def side(first: float, second: float, tie: str) -> str:
    """Which of two ratings is higher, as ``argument_1``, ``argument_2`` or the word for neither."""
    return tie if first == second else "argument_1" if first > second else "argument_2"


def covered(case: Case, nuggets: Sequence[str], by: By, *, weight: float = 1.0) -> list[int]:
    """The coverage of each nugget by the documents or an argument, times ``weight``, from 1 to 5."""
    return [ONE_TO_FIVE.rating(weight * case.evidence.coverage(nugget, by)) for nugget in nuggets]


def nugget_share(nuggets: Sequence[Any], rating: str) -> Measure:
    """The mean of (rating - 1) / 4 over nuggets, each a part; ``rating`` is the field that holds it."""
    return share([graded(ONE_TO_FIVE, nugget.nugget, getattr(nugget, rating)) for nugget in nuggets])


DOCUMENTS_AND_ARGUMENT = frozenset({"documents", "argument"})


@dataclass(frozen=True, eq=False)
class JudgeSection:
    """One field of an answer.

    - ``name``: the field
    - ``metrics``: what it yields; ``score(given, case)``: the measures of what was given, a pure function
    - ``answer``: the type of the field, whose validators find the numbers of the ``documents``
    - ``baseline(case)``: the offline model's answer, as plain data
    - ``needs``: the fields of the item that must be there
    - ``english_only``: whether ``baseline`` rests on English word lists
    """

    name: str
    metrics: tuple[str, ...]
    answer: Any
    score: Callable[[Any, Case], Mapping[str, Measure]]
    baseline: Callable[[Case], Any]
    needs: frozenset[str] = DOCUMENTS_AND_ARGUMENT
    english_only: bool = False


def in_one_call(
    prompt: str, name: str, sections: tuple[JudgeSection, ...], *, both_orders: bool = False
) -> JudgePrompt[Typed]:
    """The question for all ``sections``; ``name`` is that of the answer's model, which is part of its schema.

    Dimensions stand behind the other sections, in the order of the case.
    """

    def response(case: Case) -> type[Typed]:
        places = {dimension.name: place for place, dimension in enumerate(case.dimensions)}
        return _answer(name, tuple(sorted(sections, key=lambda section: places.get(section.name, -1))))

    def score(reply: JudgeReply[Typed], case: Case) -> Mapping[str, Measure]:
        measures: dict[str, Measure] = {}
        for section in sections:
            measures |= section.score(getattr(reply.value, section.name), case)
        return measures

    def about(metrics: frozenset[str]) -> JudgePrompt[Typed]:
        wanted = tuple(section for section in sections if metrics & set(section.metrics))
        return in_one_call(prompt, name, wanted, both_orders=both_orders)

    def baseline(case: Case) -> dict[str, Any]:
        answers = {section.name: section.baseline for section in sections}
        return {name: answers[name](case) for name in response(case).model_fields}

    metrics, english, needs = list[str](), list[str](), frozenset[str]()
    for section in sections:
        metrics += section.metrics
        needs |= section.needs
        english += section.metrics if section.english_only else ()
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
    )


def dimension_sections(scale: Scale, needs: Iterable[str]) -> tuple[JudgeSection, ...]:
    """A section for each of the fifteen dimensions, rated on ``scale``; or said to be nothing that can be judged."""
    answer = {ZERO_TO_FIVE: ZeroToFiveOrNull, ONE_TO_THREE: OneToThreeOrNull}[scale]
    return tuple(
        rating_section(
            dimension.name,
            scale,
            answer,
            partial(_baseline_dimension, dimension.name, scale),
            frozenset(needs),
            english_only=True,
        )
        for dimension in DIMENSIONS
    )


def _baseline_dimension(name: str, scale: Scale, case: Case) -> dict[str, Any]:
    return stated(case, case.evidence.dimensions()[name], scale)


def rating_section(
    metric: str,
    scale: Scale,
    answer: type[Typed],
    baseline: Callable[[Case], Any],
    needs: frozenset[str] = DOCUMENTS_AND_ARGUMENT,
    *,
    english_only: bool = False,
) -> JudgeSection:
    """A section with an explanation and a rating, which is the measure."""
    return JudgeSection(
        name=metric,
        metrics=(metric,),
        answer=answer,
        score=lambda response, case: {metric: rated(scale, response.rating, response.explanation)},
        baseline=baseline,
        needs=needs,
        english_only=english_only,
    )


def valid_alone(ask: JudgePrompt[Any], case: Case, response_fields: Mapping[str, Any]) -> dict[str, Measure]:
    """The measures of an answer that is not valid as a whole, section by section: of what is valid by itself, its
    scores; of anything else, why it is not. Empty where the question is always asked whole."""
    measures: dict[str, Measure] = {}
    if ask.about is None:
        return measures
    for metric in ask.metrics:
        part = ask.about(frozenset({metric}))
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
    fields: dict[str, Any] = {section.name: (section.answer, ...) for section in sections}
    return create_model(name, __base__=Typed, **fields)


PROMPT = "confidence"
"""The prompt file that asks for it."""
BASELINE = 50
"""What the offline model says: it does not know."""


def stating_confidence(judge: Judge, library: Library) -> Judge:
    """The same judge, asked also how sure it is of each answer. Raises DeclarationError where no model writes one."""
    if any(ask.reading is not None for ask in judge.asks):
        raise DeclarationError(
            f"--confidence needs a response in which the model can state its confidence, and {judge.name} has none"
        )
    words = library[PROMPT].render({}).system
    return replace(judge, asks=tuple(_stating(ask, words) for ask in judge.asks))


def _stating(ask: JudgePrompt[Any], words: str) -> JudgePrompt[Any]:
    def score(reply: JudgeReply[Any], case: Case) -> Mapping[str, Measure]:
        sure = {"stated": reply.value.confidence / 100}
        return {name: with_confidence(measure, sure) for name, measure in ask.score(reply, case).items()}

    about = ask.about
    return replace(
        ask,
        response=lambda case: _with_confidence_field(ask.answer(case)),  # type: ignore[arg-type]  # a class has a hash
        score=score,
        baseline=lambda case: {**ask.baseline(case), "confidence": BASELINE},
        about=None if about is None else lambda metrics: _stating(about(metrics), words),
        further=words,
    )


@lru_cache(maxsize=256)
def _with_confidence_field(answer: type[BaseModel]) -> type[BaseModel]:
    """The answer with a confidence as its last field."""
    return create_model(answer.__name__, __base__=answer, confidence=(Percent, ...))
