"""Prompts made from criteria (parsed in :mod:`conqret.data.criterion`): their response types and scores.

A criterion is a statement, which is met or not, or a question that is rated on a scale. All criteria of a call stand
in one prompt (``prompts/criteria.j2``) and are answered in one response: for each a short reason first, then the
rating. A judge of criteria is a format like any other: its fingerprint is the text and the scale of its criteria.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from conqret.data import Item, Measure, Reason
from conqret.data.criterion import FIELDS, Criterion, fields_of
from conqret.errors import DeclarationError
from conqret.io.rubric_set import Rubrics
from conqret.judging.deciding import YES_OR_NO, expected, expected_rating
from conqret.judging.judge_parts import Case, JudgePrompt, JudgeReply, TypedQuestions
from conqret.judging.responses import Typed, no_truth_value
from conqret.judging.scales import Scale, rated
from conqret.llm.decisions import Decided, Distribution, Question, rating, yes_no

NO_BASELINE = "word statistics cannot judge a criterion in words: name a model"
UNKNOWN = {"explanation": NO_BASELINE, "rating": None}
"""The offline baseline's answer: word statistics are no evidence for a criterion in words."""


@dataclass(frozen=True)
class Numbered:
    """A criterion with its number in the prompt and the response, and the name of its metric."""

    number: int
    criterion: Criterion
    metric: str

    @property
    def field(self) -> str:
        """The name of this criterion's field in the response: ``criterion_`` and its number."""
        return f"criterion_{self.number}"

    def missing(self, item: Item) -> Measure | None:
        """Return a missing measure if the item lacks a text that the criterion needs; None if it has them
        all.
        """
        lacking = [
            name.replace("_", " ")
            for name in self.criterion.shows
            if name in FIELDS and not getattr(item, FIELDS[name])
        ]
        if not lacking:
            return None
        why = f"the item has no {' and no '.join(lacking)}, which this criterion looks at"
        return Measure.missing(Reason.NOTHING_TO_JUDGE, why)


NOT_IN_ITS_RUBRIC = "the rubric of this item has fewer criteria"


def criteria_prompts(
    prompt: str, rubrics: Rubrics, names: Sequence[str], in_one_call: int
) -> tuple[JudgePrompt[Typed], ...]:
    """Build the requests that rate all criteria of an item.

    Args:
        prompt: the name of the prompt file.
        rubrics: the criteria.
        names: the metrics, one for each criterion, in order.
        in_one_call: the maximum number of criteria in one request.

    Raises:
        DeclarationError: the number is not one of at least 1.
    """
    if in_one_call < 1:
        raise DeclarationError(
            f"criteria_per_call is {in_one_call!r}, but it must be a whole number of at least 1"
        )
    starts = range(0, len(names), in_one_call)
    return tuple(
        _criteria_prompt(prompt, rubrics, names, names[start : start + in_one_call]) for start in starts
    )


def _criteria_prompt(
    prompt: str, rubrics: Rubrics, names: Sequence[str], metrics: Sequence[str]
) -> JudgePrompt[Typed]:
    """Return one prompt for those criteria of an item's rubric that are called ``metrics``. Criteria whose texts the
    item lacks are not requested, and neither are metrics beyond its rubric: both are missing measures."""
    alike = [criterion for criterion, name in zip(rubrics.shared, names, strict=False) if name in metrics]
    shown = fields_of(alike or chain(*rubrics.each))

    def criteria(case: Case) -> tuple[Numbered, ...]:
        own = enumerate(zip(rubrics.for_item(case.item), names, strict=False), 1)
        return tuple(
            Numbered(number, criterion, name) for number, (criterion, name) in own if name in metrics
        )

    def judged(case: Case) -> tuple[Numbered, ...]:
        return tuple(entry for entry in criteria(case) if entry.missing(case.item) is None)

    def lost(case: Case) -> dict[str, Measure]:
        beyond = Measure.missing(Reason.NOTHING_TO_JUDGE, NOT_IN_ITS_RUBRIC)
        missing = ((entry.metric, entry.missing(case.item)) for entry in criteria(case))
        return dict.fromkeys(metrics, beyond) | {name: why for name, why in missing if why is not None}

    def score(reply: JudgeReply[Typed], case: Case) -> Mapping[str, Measure]:
        return lost(case) | {
            entry.metric: _measure(entry.criterion, getattr(reply.value, entry.field))
            for entry in judged(case)
        }

    def typed(entry_of: str) -> Callable[[Decided, Case], Measure]:
        def measure(decided: Decided, case: Case) -> Measure:
            entry = next((entry for entry in judged(case) if entry.metric == entry_of), None)
            if entry is None:
                return lost(case)[entry_of]
            return _expected(entry.criterion, decided[entry.field])

        return measure

    def settings(case: Case) -> dict[str, Any]:
        own = criteria(case)
        return {"criteria": own, "shown": tuple(sorted(fields_of(entry.criterion for entry in own)))}

    def hidden(case: Case) -> dict[str, Any]:
        own = settings(case)["shown"]
        return {name: () if name == "documents" else None for name in FIELDS.values() if name not in own}

    def variables(case: Case) -> dict[str, Any]:
        return {**hidden(case), "answered": tuple(entry.field for entry in judged(case))}

    return JudgePrompt(
        prompt=prompt,
        metrics=tuple(metrics),
        needs=frozenset(),
        optional=shown,
        response=lambda case: _response(judged(case)),
        score=score,
        baseline=lambda case: {entry.field: UNKNOWN for entry in judged(case)},
        variables=variables,
        settings=settings,
        settled=lambda case: None if judged(case) else lost(case),
        about=lambda wanted: _criteria_prompt(
            prompt, rubrics, names, [name for name in metrics if name in wanted]
        ),
        typed=lambda: TypedQuestions(
            lambda case: {entry.field: _question(entry.criterion) for entry in judged(case)},
            {name: typed(name) for name in metrics},
            hidden,
            {"topic": "question", **{field: name for name, field in FIELDS.items()}},
        ),
    )


def _question(criterion: Criterion) -> Question:
    """The typed question of a criterion; "the answer" in it is the state's ``answer``."""
    if criterion.scale is None:
        return yes_no(f"Is this met? {criterion.question}")
    low, high = criterion.scale
    meanings = dict(criterion.anchors)
    return rating(criterion.question, {level: meanings.get(level, "") for level in range(low, high + 1)})


def _expected(criterion: Criterion, distribution: Distribution) -> Measure:
    if criterion.scale is not None:
        return expected_rating(distribution, Scale(*criterion.scale))
    measure = expected(distribution, YES_OR_NO)
    return measure.model_copy(update={"raw": measure.value})


def _measure(criterion: Criterion, answer: Any) -> Measure:
    if answer.rating is None and answer.explanation == NO_BASELINE:
        return Measure.missing(Reason.NO_BASELINE, NO_BASELINE)
    if criterion.scale is None:
        return rated(Scale(0, 1), {"yes": 1, "no": 0}.get(answer.rating), answer.explanation)
    return rated(Scale(*criterion.scale), answer.rating, answer.explanation)


@lru_cache(maxsize=256)
def _response(criteria: tuple[Numbered, ...]) -> type[Typed]:
    """The model of the response: an explanation and a rating for each criterion, in their order."""
    fields: dict[str, Any] = {entry.field: (_answer_type(entry.criterion.scale), ...) for entry in criteria}
    return create_model("CriteriaAnswer", __base__=Typed, **fields)


@lru_cache(maxsize=256)
def _answer_type(scale: tuple[int, int] | None) -> type[Typed]:
    """Return the response type of a criterion: an explanation, then a whole number on the ``scale``, or yes or no
    without one; null if it cannot be judged."""
    if scale is None:
        name, rating = "YesOrNo", Literal["yes", "no"]
    else:
        low, high = scale
        name = f"Rating{low}To{high}"
        rating = Annotated[int, Field(ge=low, le=high), BeforeValidator(no_truth_value)]
    fields: dict[str, Any] = {"explanation": (str, ...), "rating": (rating | None, ...)}
    return create_model(name, __base__=Typed, **fields)
