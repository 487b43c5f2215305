"""The probe of typed questions: levels from high to low, or yes/no questions negated, for a decision model."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conqret.data import Item, Measure
from conqret.judging.deciding import CANNOT
from conqret.judging.instrument import case_of
from conqret.judging.judge_parts import Case, TypedQuestions
from conqret.judging.setup import Setup
from conqret.llm.decisions import NO, YES, Decided, Question, UnansweredError
from conqret.studies.bias.contrast import (
    AS_IS,
    LEVELS_REVERSED,
    NEGATED,
    Contrast,
    JudgedVersion,
    ProbeContext,
    ProbeUnavailableError,
    VersionPair,
    own_contrast,
    own_probe,
)


class _Read(dict[str, dict[str, float]]):
    """Answers that remember the questions whose answers were read."""

    def __init__(self, answers: Mapping[str, dict[str, float]]) -> None:
        super().__init__(answers)
        self.names = set[str]()

    def __getitem__(self, name: str) -> dict[str, float]:
        self.names.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


def questions_of(typed: TypedQuestions, metric: str, case: Case) -> list[Question]:
    """Return the questions about a case whose answers a metric is computed from. They are found by computing it once
    with all answers equally likely, and noting which are read."""
    questions = typed.questions(case)
    answers = {
        name: dict.fromkeys(question.labels, 1 / len(question.labels)) for name, question in questions.items()
    }
    read = _Read(answers)
    with contextlib.suppress(UnansweredError):
        typed.measures[metric](Decided.model_construct(answers=read, faults={}), case)
    return [question for name, question in questions.items() if name in read.names]


def in_reverse(question: Question) -> Question:
    """Return the question with its levels from high to low, or its labels in reverse; :data:`CANNOT` stays the
    last. A yes/no question stays as it is.
    """
    if question.kind == "yes_no":
        return question
    rest = [option for option in question.options if option[0] != CANNOT]
    cannot = [option for option in question.options if option[0] == CANNOT]
    return replace(question, options=(*reversed(rest), *cannot))


def negated(question: Question) -> Question:
    """Return the negation of a yes/no question: yes to it is no to the question. Others stay as they are."""
    if question.kind != "yes_no":
        return question
    (_, yes), (_, no) = question.options
    text = f'Is "no" the right answer to this question? {question.text}'
    return replace(question, text=text, options=((YES, no), (NO, yes)))


def put_otherwise(typed: TypedQuestions, change: Callable[[Question], Question]) -> TypedQuestions:
    """Return the questions as :func:`in_reverse` or :func:`negated` changes them, with measures on the same
    scale as before: yes to a negation counts as no.
    """

    def changed(decided: Decided, case: Case) -> Decided:
        answers = dict(decided.answers)
        for name, question in typed.questions(case).items():
            if name in answers and question.kind == "yes_no" and change(question) != question:
                answers[name] = {YES: answers[name][NO], NO: answers[name][YES]}
        return Decided.model_construct(answers=answers, faults=decided.faults)

    def read(metric: str) -> Callable[[Decided, Case], Measure]:
        return lambda decided, case: typed.measures[metric](changed(decided, case), case)

    return replace(
        typed,
        questions=lambda case: {name: change(question) for name, question in typed.questions(case).items()},
        measures={metric: read(metric) for metric in typed.measures},
    )


def with_questions(setup: Setup, change: Callable[[Question], Question]) -> Setup:
    """Return the judge configuration with its typed questions changed, also those of its members. Prompts without typed
    questions are left out, so that it is for decision models only."""
    judge_prompts = tuple(
        replace(part, typed=partial(put_otherwise, part.questions, change), about=None)
        for part in setup.judge_prompts
        if part.typed is not None
    )
    members = tuple(
        replace(member, judge=with_questions(inner, change).judge)
        for member, (inner, _) in zip(setup.judge.members, setup.members, strict=True)
    )
    return replace(setup, judge=replace(setup.judge, judge_prompts=judge_prompts, members=members))


QUESTION_CHANGES = {LEVELS_REVERSED: in_reverse, NEGATED: negated}
"""How the typed questions of a decision model are changed, by the variant of the request."""


def questions_otherwise(context: ProbeContext) -> Sequence[Contrast]:
    """Return two contrasts for a decision model: levels listed from high to low, and yes/no questions negated.

    With p the probability of yes, and q that of yes to the negation, the effect of the second is ``p + q -
    1`` where the score is p.

    Raises:
        ProbeUnavailableError: the judge answers no typed questions, or none that could be changed.
    """
    setup, items = context.setup, context.items
    if context.log is not None or not setup.client.backend.decides:
        raise ProbeUnavailableError(
            "it is for decision models, which answer typed questions with probabilities"
        )
    contrasts = []
    for variant, change in QUESTION_CHANGES.items():
        affected = _changed_metrics(setup, items, change)
        metrics = tuple(metric for metric in context.metrics if metric in affected)
        if not metrics:
            continue
        pairs = []
        for item in items:
            plain, other = JudgedVersion(AS_IS, item), JudgedVersion(variant, item)
            base, changed = (other, plain) if variant == NEGATED else (plain, other)
            pairs.append(VersionPair(base, changed, item.topic))
        contrasts.append(own_contrast(variant, metrics=metrics, pairs=tuple(pairs)))
    if not contrasts:
        raise ProbeUnavailableError(
            "no metric of this judge comes from typed questions with levels or yes/no"
        )
    return contrasts


def _changed_metrics(
    setup: Setup, items: Sequence[Item], change: Callable[[Question], Question]
) -> frozenset[str]:
    """The metrics of a judge that come from a question which ``change`` changes, by their names in reports."""
    if setup.members:
        return frozenset(
            names[metric]
            for member, names in setup.members
            for metric in _changed_metrics(member, items, change)
            if metric in names
        )
    cases = [case_of(item, setup.options) for item in items]
    rated = {
        metric
        for part in setup.judge_prompts
        for metric in part.questions.measures
        if any(change(one) != one for case in cases for one in questions_of(part.questions, metric, case))
    }
    combined = {} if setup.judge.combined is None else setup.judge.combined.made_of
    return frozenset(rated | {name for name, parts in combined.items() if rated & parts})


LEVELS = own_probe("levels", questions_otherwise)
"""Does a decision model's score depend on the order of levels, or on whether a question is negated?"""
