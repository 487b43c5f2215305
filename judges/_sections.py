"""Sections: the fields of a response that rates several things in one call, among them the fifteen dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import attrgetter
from typing import Annotated, Any

from pydantic import create_model

from conqret.baseline import Evidence, Finding
from conqret.data import Measure
from conqret.judges._questions import states_facts
from conqret.judging.deciding import declared, has_argument, levels_of, merge_questions, rating_questions
from conqret.judging.dimensions import DIMENSIONS, Dimension
from conqret.judging.judge_parts import Case, JudgePrompt, JudgeReply, TypedQuestions
from conqret.judging.responses import Typed, Whole, ZeroToFiveOrNull, ZeroToFiveRating, each_once
from conqret.judging.scales import ZERO_TO_FIVE, Scale, rated
from conqret.llm.decisions import rating


class DocumentRating(Typed):
    """The rating of one document, named by its number."""

    document: Whole
    explanation: str
    rating: ZeroToFiveRating


DocumentRatings = Annotated[list[DocumentRating], each_once(attrgetter("document"), "documents", "document")]


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
        typed=partial(merge_questions, typed) if len(typed) == len(sections) else None,
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


@lru_cache(maxsize=256)
def _answer(name: str, sections: tuple[JudgeSection, ...]) -> type[Typed]:
    """The model of an answer, its fields in the order of ``sections`` (a model writes them in schema order)."""
    fields: dict[str, Any] = {}
    for section in sections:
        fields[section.name] = (section.answer, ...)
    return create_model(name, __base__=Typed, **fields)


GROUNDEDNESS = rating_section(
    "groundedness",
    ZERO_TO_FIVE,
    ZeroToFiveOrNull,
    Evidence.groundedness,
    typed=lambda: rating_questions("groundedness", declared("groundedness"), states_facts),
)
"""How far the documents support the argument; null where it states no facts."""
