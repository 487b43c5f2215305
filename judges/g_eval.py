"""g-eval: criteria, fixed evaluation steps, and one rating (ConQRet, Figure 7, D.3; Liu et al. 2023).

Where the provider returns log-probabilities, the rating is their weighted mean, sum over x of P(x) * x
(G-Eval, equation 1), and the measure's method says ``logprobs``; else it is the rating given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from conqret.baseline import Evidence
from conqret.data import Measure, Reason, Status
from conqret.errors import DeclarationError, ExecutionError
from conqret.judges._prompt_questions import g_eval_questions
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import OneToFive, Typed
from conqret.judging.scales import ONE_TO_FIVE, rated
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Request, messages
from conqret.prompts import Library, Prompt
from conqret.runs.session import Session

CHOICES = tuple(range(ONE_TO_FIVE.low, ONE_TO_FIVE.high + 1))

PREFERS = 3.0
"""The middle of the scale: above it the first argument is preferred, below it the second."""

_BASELINE_PREFERENCE = {"first": 5, "tie": 3, "second": 1}


class GEvalRating(Typed):
    """A rating from 1 to 5."""

    rating: OneToFive


class GEvalRatingOrNull(Typed):
    """A rating from 1 to 5; null where it cannot be judged."""

    rating: OneToFive | None


def expected_rating(reply: JudgeReply[Any]) -> tuple[float, str]:
    """Return the rating and its method: the expected value over ``logprobs``, or the stated ``rating``."""
    if reply.distribution is None:
        return float(reply.value.rating), "rating"
    return sum(rating * probability for rating, probability in reply.distribution.items()), "logprobs"


def score_preference(reply: JudgeReply[GEvalRating], case: Case) -> Mapping[str, Measure]:
    """Compute the preference for the first argument from the expected rating; the label is its side of the
    middle.
    """
    rating, method = expected_rating(reply)
    label = "tie" if rating == PREFERS else "first" if rating > PREFERS else "second"
    measure = Measure(
        status=Status.SCORED, value=ONE_TO_FIVE.unit(rating), raw=rating, label=label, method=method
    )
    return {"preference": measure}


def _rating(metric: str, find: Callable[[Case], int], needs: frozenset[str]) -> JudgePrompt[Any]:
    def score(reply: JudgeReply[Any], case: Case) -> Mapping[str, Measure]:
        if reply.value.rating is None:
            return {metric: rated(ONE_TO_FIVE, None)}
        rating, method = expected_rating(reply)
        return {metric: rated(ONE_TO_FIVE, rating, method=method)}

    return JudgePrompt(
        prompt=f"g-eval/{metric.replace('_', '-')}",
        metrics=(metric,),
        needs=needs,
        optional=frozenset({"documents"}),
        response=GEvalRatingOrNull if metric == "groundedness" else GEvalRating,
        score=score_preference if metric == "preference" else score,
        baseline=lambda case: {"rating": find(case)},
        both_orders=metric == "preference",
        english_only=frozenset({"preference"}) & {metric},
        rating_field="rating",
        choices=CHOICES,
        typed=partial(g_eval_questions, metric),
    )


def _found(find: Callable[[Evidence], float]) -> Callable[[Case], int]:
    return lambda case: ONE_TO_FIVE.rating(find(case.evidence))


JUDGE = Judge(
    name="g-eval",
    summary="criteria and fixed evaluation steps, then one rating for each metric",
    scale=str(ONE_TO_FIVE),
    score="(rating - 1) / 4, the rating weighted by its log-probabilities where there are any",
    source="ConQRet, Figure 7, Appendix D.3; G-Eval (Liu et al. 2023)",
    judge_prompts=(
        _rating(
            "context_relevance",
            _found(lambda evidence: evidence.context_relevance().value),
            frozenset({"documents"}),
        ),
        _rating(
            "groundedness",
            _found(lambda evidence: evidence.groundedness().value),
            frozenset({"documents", "argument"}),
        ),
        _rating(
            "preference",
            lambda case: _BASELINE_PREFERENCE[case.evidence.preference().label],
            frozenset({"argument", "second_argument"}),
        ),
    ),
)


STEPS_PROMPT = "g-eval/steps"

_STEPS = re.compile(r"^steps = \[\n(?:(?!\]$|steps = \[$).*\n)*+\]$", re.MULTILINE)


class Steps(Typed):
    """Evaluation steps, in the order in which they are done."""

    steps: list[Annotated[str, Field(min_length=10, max_length=400)]] = Field(min_length=3, max_length=10)


def generate_steps(prompt: Prompt, options: ClientOptions, library: Library) -> tuple[str, ...]:
    """Have the model write evaluation steps for ``prompt`` (with ``metric``, ``criteria`` and ``anchors``),
    and return them.

    Raises:
        DeclarationError: ``prompt`` has no criteria.
        ExecutionError: no valid response came; its reason says why.
    """
    if not {"metric", "criteria", "anchors"} <= set(prompt.data):
        raise DeclarationError(
            f"prompt {prompt.id!r} contains no criteria to write steps for; use one of g-eval/"
        )
    rendered = library[STEPS_PROMPT].render(prompt.data)
    request = Request(
        ask=STEPS_PROMPT,
        item=prompt.id,
        messages=messages(rendered),
        response=Steps,
        baseline=lambda: {"steps": baseline_steps(prompt.data)},
    )
    answer = Session(options, prompts=library).run(lambda client: client.request(request))
    if answer.value is None:
        reason = answer.reason or Reason.INVALID_ANSWER
        raise ExecutionError(f"the model wrote no steps: {reason}: {answer.detail}", reason=reason)
    return tuple(answer.value.steps)


def baseline_steps(data: Any) -> list[str]:
    """Return the offline baseline's evaluation steps: one per question in the criteria, between reading and
    rating.
    """
    questions = [question.strip() for question in re.findall(r"(?<![^?.])[^?.]++\?", data["criteria"])]
    return [
        "Read all of the material to its end before you rate anything.",
        *(
            f"Answer for yourself, with evidence from the text: {question}"[:400]
            for question in questions[:8]
        ),
        f"Weigh the answers, and choose the rating of {data['metric'].lower()}.",
    ]


def with_steps(prompt: Prompt, steps: Sequence[str]) -> str:
    """Return the text of the prompt file with new steps and the next version number.

    Raises:
        DeclarationError: the file has no list ``steps = [`` … ``]`` over several lines.
    """
    listed = "steps = [\n" + "".join(f"  {json.dumps(step, ensure_ascii=False)},\n" for step in steps) + "]"
    text, replacements = _STEPS.subn(lambda _: listed, prompt.text, count=1)
    if not replacements:
        raise DeclarationError(
            f"prompt {prompt.id!r} contains no steps to replace: write them as 'steps = [', a line for each, and ']'"
        )
    return re.sub(r"^version = \d+$", f"version = {prompt.version + 1}", text, count=1, flags=re.MULTILINE)
