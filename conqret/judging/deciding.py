"""Judging by a decision model: the item as plain data, typed questions about it, and measures from probabilities.

The value of a measure is the expected value of the answer, never the likeliest answer alone. Its confidence
(``probabilities``) is ``1 - 2 * sd``, with the standard deviation of the answer's value in [0, 1]: 1 where one answer
is certain, 0 where the ends of the scale are equally likely.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from conqret.data import Document, Item, Measure, Reason, Status
from conqret.judging.judge_options import PAIRED
from conqret.judging.judge_parts import Case, JudgePrompt, TypedQuestions, nothing
from conqret.judging.scales import PLACES, PREFERENCE, Scale, preferred_side
from conqret.llm.decisions import (
    NO,
    YES,
    Decided,
    Decision,
    Distribution,
    Question,
    UnansweredError,
    choice,
    rating,
)

METHOD = "probabilities"
"""The method of the measures, and the source of their confidence."""

CANNOT = "cannot be judged"
"""The label with which a model says that there is nothing to judge."""

YES_OR_NO = {YES: 1.0, NO: 0.0}
"""The values of yes and no."""

SHORT = 400
"""A text of so many characters or more is one that can be judged; of a shorter one, the model has to say."""

Precondition = Callable[[Case], Mapping[str, Question]]
"""The question, by its name, whether a case can be judged at all, which has the label :data:`CANNOT`.

It is put only where the text alone leaves that open: a model that has to answer it for every item withholds
scores of texts that can be judged.
"""


@cache
def _declared() -> dict[str, dict[str, Any]]:
    text = resources.files("conqret.judging").joinpath("questions.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def levels_of(name: str) -> dict[int, str]:
    """Return the meaning of each level of a rating that ``questions.toml`` declares, the lowest first."""
    return {int(level): meaning for level, meaning in _declared()[name]["levels"].items()}


def declared(name: str, **numbers: int) -> Question:
    """Return the question that ``questions.toml`` declares under ``name``, with ``numbers`` in its text."""
    row = _declared()[name]
    text = row["text"].format(**numbers)
    return choice(text, row["options"]) if "options" in row else rating(text, levels_of(name))


def has_argument(case: Case) -> dict[str, Question]:
    """Return the question whether there is an argument to be judged; nothing for a text of 400 characters or more."""
    return {} if len(case.item.argument or "") >= SHORT else {"argument": declared("has_argument")}


def state_of(judge_prompt: JudgePrompt[Any], case: Case) -> dict[str, Any]:
    """Return the item as plain data, with the fields that the prompt shows; documents have their numbers,
    from 1, and empty fields are left out."""
    item, typed = case.item, judge_prompt.questions
    state: dict[str, Any] = {"topic": item.topic}
    if item.stance != "none":
        state["stance"] = item.stance
    if item.messages:
        state["conversation"] = [{"role": turn.role, "content": turn.content} for turn in item.messages]
    for name in ("documents", "argument", "second_argument", "reference", "nuggets"):
        value = getattr(item, name) if name in judge_prompt.looked_at else None
        if name == "documents" and value:
            value = [_document(number, document) for number, document in enumerate(value, 1)]
        elif name == "nuggets" and value:
            value = [nugget.text for nugget in value]
        state[name] = value
    state |= typed.variables(case)
    return {typed.names.get(name, name): value for name, value in state.items() if value}


def _document(number: int, document: Document) -> dict[str, Any]:
    return {"number": number, **({"title": document.title} if document.title else {}), "text": document.text}


def pictures_of(judge_prompt: JudgePrompt[Any], item: Item) -> bool:
    """Return True if the prompt shows images of the item, which a decision model does not get."""
    documents = item.documents if "documents" in judge_prompt.looked_at else ()
    turns = any(turn.images for turn in item.messages)
    return bool(item.images) or turns or any(document.image for document in documents)


def measures_of(judge_prompt: JudgePrompt[Any], decided: Decided, case: Case) -> dict[str, Measure]:
    """Return the measures of a prompt's metrics from the answers; a missing answer costs no other metric."""
    found = {}
    for metric, measure in judge_prompt.questions.measures.items():
        try:
            found[metric] = measure(decided, case)
        except UnansweredError as error:
            found[metric] = Measure.missing(error.reason, str(error))
    return found


def decision_of(judge_prompt: JudgePrompt[Any], case: Case) -> Decision:
    """Return the questions about a case, with the item as their state."""
    return Decision(state_of(judge_prompt, case), judge_prompt.questions.questions(case))


def judged(distribution: Distribution) -> Distribution:
    """Return the distribution over the other answers than :data:`CANNOT`.

    Raises:
        UnansweredError: the model says that there is nothing to judge, with a probability above 1/2.
    """
    chance = distribution.get(CANNOT, 0.0)
    if chance > 0.5:
        raise UnansweredError(Reason.CANNOT_JUDGE, f"the model finds nothing to judge (P = {chance:.2f})")
    return {label: share / (1 - chance) for label, share in distribution.items() if label != CANNOT}


def expected(distribution: Distribution, values: Mapping[str, float]) -> Measure:
    """Return the measure with the expected value of an answer, by the value in [0, 1] of each label.

    Its confidence is 1 - 2 standard deviations, at least 0.

    Raises:
        UnansweredError: as :func:`judged`.
    """
    shares = judged(distribution)
    mean = math.fsum(values[label] * share for label, share in shares.items())
    spread = math.fsum(share * (values[label] - mean) ** 2 for label, share in shares.items())
    mean = min(max(mean, 0.0), 1.0)
    sure = min(max(1 - 2 * math.sqrt(spread), 0.0), 1.0)
    return Measure(
        status=Status.SCORED,
        value=mean,
        method=METHOD,
        confidence={METHOD: round(sure, PLACES)},
        distribution=dict(distribution),
    )


def expected_rating(distribution: Distribution, scale: Scale) -> Measure:
    """Return the measure with the expected rating on a scale, whose ratings are the labels (:func:`expected`)."""
    levels = {str(level): scale.unit(level) for level in range(scale.low, scale.high + 1)}
    measure = expected(distribution, levels)
    raw = scale.low + (measure.value or 0.0) * (scale.high - scale.low)
    return measure.model_copy(update={"raw": raw})


def rating_questions(metric: str, question: Question, before: Precondition = nothing) -> TypedQuestions:
    """Return the question for a rating of one metric.

    Args:
        metric: the metric, and the question's name.
        question: a rating, or a choice among more than ten levels and, possibly, :data:`CANNOT`.
        before: a precondition, without which the metric has no value.
    """
    levels = [int(label) for label in question.labels if label != CANNOT]
    scale = Scale(levels[0], levels[-1])

    def measure(decided: Decided, case: Case) -> Measure:
        for name in before(case):
            judged(decided[name])
        return expected_rating(decided[metric], scale)

    return TypedQuestions(lambda case: {**before(case), metric: question}, {metric: measure})


_SIDES = {"argument_1": "first", "argument_2": "second", "tie": "tie"}


def preference_questions(
    text: str, tie: str, variables: Callable[[Case], Mapping[str, Any]] = nothing
) -> TypedQuestions:
    """Return the question which of two arguments is better, `argument_1` and `argument_2` in the state.

    Args:
        text: the question.
        tie: when neither is.
        variables: as in :class:`TypedQuestions`.
    """
    options = {"argument_1": "argument_1 is better", "argument_2": "argument_2 is better", "tie": tie}

    def measure(decided: Decided, case: Case) -> Measure:
        shares = {_SIDES[label]: chance for label, chance in decided[PAIRED].items()}
        return expected(shares, PREFERENCE).model_copy(update={"label": preferred_side(shares)})

    return TypedQuestions(
        lambda case: {PAIRED: choice(text, options)},
        {PAIRED: measure},
        variables,
        {"argument": "argument_1", "second_argument": "argument_2"},
    )


def merge_questions(several: Sequence[Callable[[], TypedQuestions]]) -> TypedQuestions:
    """Return the typed questions of several parts as one. A question, measure or field of one name must be the same in
    all parts; the last one counts."""
    every = [make() for make in several]

    def merged(name: str) -> Callable[[Case], dict[str, Any]]:
        return lambda case: {key: value for one in every for key, value in getattr(one, name)(case).items()}

    measures = {metric: measure for one in every for metric, measure in one.measures.items()}
    names = {name: known for one in every for name, known in one.names.items()}
    return TypedQuestions(merged("questions"), measures, merged("variables"), names)
