"""Criteria in a sentence: a judge made from what a user writes, without a prompt file or a class.

A criterion is a statement, which is met or not, or a question that is rated on a scale. All criteria of a call stand
in one prompt (``prompts/criteria.j2``) and are answered in one response: for each a short reason first, then the
rating. A judge of criteria is a format like any other: its fingerprint is the text and the scale of its criteria.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from conqret.data import Item, Measure, Reason
from conqret.errors import DeclarationError
from conqret.judging.criterion import FIELDS, PAIRED, Criterion, criteria_of, criterion_of, parse_criterion
from conqret.judging.judge_options import CRITERIA
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Preference, Typed, no_truth_value, score_preference
from conqret.judging.scales import Scale, rated

DECLARED, ONE_EACH, IN_ONE_CALL = "criteria", "one call each", "criteria in one call"
"""The parts of an identity that say from what such a judge was made."""
MOST_IN_ONE_CALL = 12
YES_OR_NO = Scale(0, 1)
NO_BASELINE = "word statistics cannot judge a criterion in words: name a model"


def criteria_judge(criteria: Sequence[Criterion], *, in_one_call: int = MOST_IN_ONE_CALL) -> Judge:
    """The judge of these criteria: one request an item for so many of them, as many again for the next.

    Raises:
        DeclarationError: there are none.
    """
    if not criteria:
        raise DeclarationError("no criterion is given: give at least one (--criterion)")
    numbered = tuple(
        Numbered(number, criterion, criterion.name) for number, criterion in enumerate(criteria, 1)
    )
    asks = tuple(
        _ask(numbered[start : start + in_one_call]) for start in range(0, len(numbered), in_one_call)
    )
    return Judge(
        name=CRITERIA,
        summary=f"criteria in a sentence each: {'; '.join(map(_in_words, criteria))}",
        scale="yes or no, or from the lowest to the highest rating that a criterion names",
        score="yes 1, no 0; (rating - lowest) / (highest - lowest)",
        source="the user's own",
        asks=asks,
        declared={
            DECLARED: [criterion.plain() for criterion in criteria],
            **size_declared(in_one_call),
        },
    )


def size_declared(in_one_call: int) -> dict[str, Any]:
    """How an identity says how many criteria stand in one call, where it is not the usual number."""
    if in_one_call == MOST_IN_ONE_CALL:
        return {}
    return {ONE_EACH: True} if in_one_call == 1 else {IN_ONE_CALL: in_one_call}


def declared_size(identity: Mapping[str, Any]) -> int:
    """How many criteria stand in one call, as an identity says."""
    size = identity.get(IN_ONE_CALL)
    if identity.get(ONE_EACH) is True:
        return 1
    return size if isinstance(size, int) and size > 0 else MOST_IN_ONE_CALL


def _in_words(criterion: Criterion) -> str:
    """A criterion as reports and cards say it."""
    return f"{criterion.name} (“{criterion}”{', yes or no' if criterion.scale is None else ''})"


def recorded_criteria(identity: Mapping[str, Any]) -> Judge:
    """The judge whose identity a record holds.

    Raises:
        DeclarationError: the record holds no criteria, or faulty ones.
    """
    return criteria_judge(criteria_of(identity.get(DECLARED) or ()), in_one_call=declared_size(identity))


def in_parts(criteria: Sequence[Criterion]) -> dict[str, str]:
    """Each criterion as a part of an identity, in words."""
    return {
        f"criterion {criterion.name}": "; ".join(
            (
                str(criterion),
                f"looks at {', '.join(criterion.shows).replace('_', ' ')}",
                *(f"{name} {value}" for name, value in criterion.in_a_rubric.items()),
            )
        )
        for criterion in criteria
    }


@dataclass(frozen=True)
class Numbered:
    """A criterion with its place, by which prompt and response name it, and the metric that it is."""

    number: int
    criterion: Criterion
    metric: str

    @property
    def field(self) -> str:
        """What the response calls it."""
        return f"criterion_{self.number}"

    def lacking(self, item: Item) -> list[str]:
        """What the item lacks of what the criterion looks at."""
        return [name for name in self.criterion.shows if name in FIELDS and not getattr(item, FIELDS[name])]

    def missing(self, item: Item) -> Measure:
        """The measure of an item that lacks something."""
        lacking = " and no ".join(name.replace("_", " ") for name in self.lacking(item))
        return Measure.missing(
            Reason.NOTHING_TO_JUDGE, f"the item has no {lacking}, which this criterion looks at"
        )


NOT_IN_ITS_RUBRIC = "the rubric of this item has fewer criteria"


def criteria_ask(
    prompt: str,
    metrics: tuple[str, ...],
    criteria_of_item: Callable[[Item], tuple[Numbered, ...]],
    *,
    shown: frozenset[str],
    given: tuple[Numbered, ...] | None = None,
) -> JudgePrompt[Typed]:
    """One request for the criteria of an item that are called so; ``given`` are those of all items, where they are the
    same. ``shown`` are the fields that any of them looks at. What an item lacks is not asked of it."""

    def criteria(case: Case) -> tuple[Numbered, ...]:
        every = criteria_of_item(case.item) if given is None else given
        return tuple(entry for entry in every if entry.metric in metrics)

    def judged(case: Case) -> tuple[Numbered, ...]:
        return tuple(entry for entry in criteria(case) if not entry.lacking(case.item))

    def lost(case: Case) -> dict[str, Measure]:
        beyond = Measure.missing(Reason.NOTHING_TO_JUDGE, NOT_IN_ITS_RUBRIC)
        return dict.fromkeys(metrics, beyond) | {
            entry.metric: entry.missing(case.item) for entry in criteria(case) if entry.lacking(case.item)
        }

    def settled(case: Case) -> Mapping[str, Measure] | None:
        return None if judged(case) else lost(case)

    def score(reply: JudgeReply[Typed], case: Case) -> Mapping[str, Measure]:
        return lost(case) | {
            entry.metric: _measure(entry.criterion, getattr(reply.value, entry.field))
            for entry in judged(case)
        }

    def about(wanted: frozenset[str]) -> JudgePrompt[Typed]:
        fewer = tuple(metric for metric in metrics if metric in wanted)
        fields = shown
        if given is not None:
            kept = (entry.criterion.fields for entry in given if entry.metric in fewer)
            fields = frozenset[str]().union(*kept)
        return criteria_ask(prompt, fewer, criteria_of_item, shown=fields, given=given)

    def own(case: Case) -> dict[str, Any]:
        looked_at = frozenset[str]().union(*(entry.criterion.fields for entry in criteria(case)))
        return {"criteria": criteria(case), "shown": tuple(sorted(looked_at))}

    def hidden(case: Case) -> dict[str, Any]:
        looked_at = own(case)["shown"]
        return {
            name: () if name == "documents" else None for name in FIELDS.values() if name not in looked_at
        }

    return JudgePrompt(
        prompt=prompt,
        metrics=metrics,
        needs=frozenset(),
        optional=shown,
        response=lambda case: _response(judged(case)),
        score=score,
        baseline=lambda case: {entry.field: _unknown(entry.criterion) for entry in judged(case)},
        variables=lambda case: {**hidden(case), "answered": tuple(entry.field for entry in judged(case))},
        settings=own,
        settled=settled,
        about=about,
    )


def _ask(criteria: tuple[Numbered, ...]) -> JudgePrompt[Typed]:
    """One request for several criteria, the same for all items."""
    return criteria_ask(
        CRITERIA,
        tuple(entry.metric for entry in criteria),
        lambda item: criteria,
        shown=frozenset[str]().union(*(entry.criterion.fields for entry in criteria)),
        given=criteria,
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
def _response(criteria: tuple[Numbered, ...]) -> type[Typed]:
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


COMPARISON = "comparison"
"""The name of the judge of a criterion that two arguments are compared by, and of its prompt."""
COMPARED_BY = "criterion"
"""Under this name the identity of such a judge holds the criterion."""
_ANY_SCALE = " 0-1"
"""What lets a question that asks how be read: of two arguments it needs no scale."""


def comparison_criterion(criterion: Criterion | str) -> Criterion:
    """The criterion by which two arguments are compared: a statement, or a question such as ``How clear is it?``.

    Raises:
        DeclarationError: it is none, it has a scale, or it compares by itself.
    """
    if isinstance(criterion, str):
        asks_how = re.search(r"(?:\A|:\s)\s*how\b.*\?\s*\Z", criterion, re.I | re.S)
        read = parse_criterion(criterion + _ANY_SCALE if asks_how else criterion)
        found = Criterion(read.name, read.question, None if asks_how else read.scale, (), read.looks_at)
    else:
        found = criterion_of(criterion)
    if found.scale is not None:
        low, high = found.scale
        raise DeclarationError(
            f"the criterion {found.question[:60]!r} has a scale, but a comparison only decides which of two arguments "
            f"meets it better: leave {low}-{high} out"
        )
    if "second_answer" in found.shows:
        raise DeclarationError(
            f"the criterion {found.question[:60]!r} mentions a second answer: describe what one argument must fulfill, "
            "and the judge decides which of two arguments meets it better"
        )
    return found


def comparison_judge(criterion: Criterion) -> Judge:
    """The judge that says which of two arguments meets the criterion better."""
    optional = frozenset(FIELDS[name] for name in criterion.shows if name in ("documents", "reference"))
    hidden: dict[str, Any] = {"documents": (), "reference": None}
    hidden = {name: value for name, value in hidden.items() if name not in optional}
    return Judge(
        name=COMPARISON,
        summary=f"which of two arguments meets a criterion better: {criterion.name} (“{criterion}”)",
        scale="clearly, slightly, or a tie",
        score="preference is 1 if the first argument is clearly better, .75 if slightly, .5 for a tie, and so down "
        "to 0",
        source="the user's own",
        asks=(
            JudgePrompt(
                prompt=COMPARISON,
                metrics=(PAIRED,),
                needs=frozenset({"argument", "second_argument"}),
                optional=optional,
                response=Preference,
                score=score_preference,
                baseline=lambda case: {"preference": "tie"},
                variables=lambda case: hidden,
                settings=lambda case: {"criterion": criterion},
                both_orders=True,
            ),
        ),
        declared={COMPARED_BY: criterion.plain()},
    )
