"""Criteria in a sentence: a judge made from what a user writes, without a prompt file or a class.

A criterion is a statement, which is met or not, or a question that is rated on a scale. All criteria of a call stand
in one prompt (``prompts/criteria.j2``) and are answered in one response: for each a short reason first, then the
rating. A judge of criteria is a format like any other: its fingerprint is the text and the scale of its criteria.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from conqret.data import Item, Measure, Reason
from conqret.errors import DeclarationError
from conqret.judging.criterion import CRITERIA, FIELDS, Criterion, criteria_of
from conqret.judging.judge_parts import Ask, Case, Judge, JudgeReply
from conqret.judging.responses import Typed, no_truth_value
from conqret.judging.scales import Scale, rated

DECLARED, ONE_EACH = "criteria", "one call each"
"""The parts of an identity that say from what such a judge was made."""
MOST_IN_ONE_CALL = 12
YES_OR_NO = Scale(0, 1)
NO_BASELINE = "word statistics say nothing of a criterion in words: name a model"


def criteria_judge(criteria: Sequence[Criterion], *, one_call_each: bool = False) -> Judge:
    """The judge of these criteria: one request an item for up to :data:`MOST_IN_ONE_CALL`, or one each.

    Raises:
        DeclarationError: there are none.
    """
    if not criteria:
        raise DeclarationError("no criterion is given")
    size = 1 if one_call_each else MOST_IN_ONE_CALL
    numbered = tuple(_Numbered(number, criterion) for number, criterion in enumerate(criteria, 1))
    asks = tuple(_ask(numbered[start : start + size]) for start in range(0, len(numbered), size))
    return Judge(
        name=CRITERIA,
        summary=f"criteria in a sentence each: {'; '.join(map(_in_words, criteria))}",
        scale="yes or no, or from the lowest to the highest rating that a criterion names",
        score="yes 1, no 0; (rating - lowest) / (highest - lowest)",
        source="the user's own",
        asks=asks,
        declared={
            DECLARED: [criterion.plain() for criterion in criteria],
            **({ONE_EACH: True} if one_call_each else {}),
        },
    )


def _in_words(criterion: Criterion) -> str:
    """A criterion as reports and cards say it."""
    return f"{criterion.name} (“{criterion}”{', yes or no' if criterion.scale is None else ''})"


def recorded_criteria(identity: Mapping[str, Any]) -> Judge:
    """The judge whose identity a record holds.

    Raises:
        DeclarationError: the record holds no criteria, or faulty ones.
    """
    return criteria_judge(
        criteria_of(identity.get(DECLARED) or ()), one_call_each=identity.get(ONE_EACH) is True
    )


def identity_in_words(identity: Mapping[str, Any]) -> dict[str, Any]:
    """An identity in which each of its criteria, if it has any, is a part of its own, in words."""
    criteria = criteria_of(identity.get(DECLARED) or ())
    if not criteria:
        return dict(identity)
    parts = {
        f"criterion {criterion.name}": f"{criterion}; looks at {', '.join(criterion.shows).replace('_', ' ')}"
        for criterion in criteria
    }
    return {**identity, DECLARED: ", ".join(criterion.name for criterion in criteria), **parts}


@dataclass(frozen=True)
class _Numbered:
    """A criterion with its place, by which prompt and response name it."""

    number: int
    criterion: Criterion

    @property
    def field(self) -> str:
        return f"criterion_{self.number}"

    def lacking(self, item: Item) -> list[str]:
        """What the item lacks of what the criterion looks at."""
        return [name for name in self.criterion.shows if name in FIELDS and not getattr(item, FIELDS[name])]

    def missing(self, item: Item) -> Measure:
        lacking = " and no ".join(name.replace("_", " ") for name in self.lacking(item))
        return Measure.missing(
            Reason.NOTHING_TO_JUDGE, f"the item has no {lacking}, which this criterion looks at"
        )


def _ask(criteria: tuple[_Numbered, ...]) -> Ask[Typed]:
    """One request for several criteria. What an item lacks is not asked of it."""
    shown = frozenset[str]().union(*(entry.criterion.fields for entry in criteria))

    def judged(case: Case) -> tuple[_Numbered, ...]:
        return tuple(entry for entry in criteria if not entry.lacking(case.item))

    def lost(case: Case) -> dict[str, Measure]:
        return {
            entry.criterion.name: entry.missing(case.item) for entry in criteria if entry.lacking(case.item)
        }

    def settled(case: Case) -> Mapping[str, Measure] | None:
        return None if judged(case) else lost(case)

    def score(reply: JudgeReply[Typed], case: Case) -> Mapping[str, Measure]:
        return lost(case) | {
            entry.criterion.name: _measure(entry.criterion, getattr(reply.value, entry.field))
            for entry in judged(case)
        }

    def about(metrics: frozenset[str]) -> Ask[Typed]:
        return _ask(tuple(entry for entry in criteria if entry.criterion.name in metrics))

    return Ask(
        prompt=CRITERIA,
        metrics=tuple(entry.criterion.name for entry in criteria),
        needs=frozenset(),
        optional=shown,
        response=lambda case: _response(judged(case)),
        score=score,
        baseline=lambda case: {entry.field: _unknown(entry.criterion) for entry in judged(case)},
        variables=lambda case: {
            **{name: () if name == "documents" else None for name in FIELDS.values() if name not in shown},
            "answered": tuple(entry.field for entry in judged(case)),
        },
        settings={"criteria": criteria, "shown": tuple(sorted(shown))},
        settled=settled,
        about=about,
    )


def _scale(criterion: Criterion) -> Scale:
    return YES_OR_NO if criterion.scale is None else Scale(*criterion.scale)


def _measure(criterion: Criterion, answer: Any) -> Measure:
    if answer.rating is None and answer.explanation == NO_BASELINE:
        return Measure.missing(Reason.NO_BASELINE, NO_BASELINE)
    rating = {"yes": 1, "no": 0}.get(answer.rating) if criterion.scale is None else answer.rating
    return rated(_scale(criterion), rating, answer.explanation)


def _unknown(criterion: Criterion) -> dict[str, Any]:
    """The offline baseline's answer: word statistics are no evidence for a criterion in words."""
    return {"explanation": NO_BASELINE, "rating": None}


@lru_cache(maxsize=256)
def _response(criteria: tuple[_Numbered, ...]) -> type[Typed]:
    """The model of the response: an explanation and a rating for each criterion, in their order."""
    fields: dict[str, Any] = {entry.field: (_answer_type(entry.criterion.scale), ...) for entry in criteria}
    return create_model("CriteriaAnswer", __base__=Typed, **fields)


@lru_cache(maxsize=256)
def _answer_type(scale: tuple[int, int] | None) -> type[Typed]:
    """An explanation, then yes or no, or a rating on the scale; null where it cannot be judged."""
    if scale is None:
        name, rating = "YesOrNo", Literal["yes", "no"]
    else:
        low, high = scale
        name = f"Rating{low}To{high}"
        rating = Annotated[int, Field(ge=low, le=high), BeforeValidator(no_truth_value)]
    fields: dict[str, Any] = {"explanation": (str, ...), "rating": (rating | None, ...)}
    return create_model(name, __base__=Typed, **fields)
