"""response-quality: two responses to one instruction, each rated from 1 to 10 in one answer, in both orders (DEBATunE,
section 4.1).

The item's topic is the instruction. Which response is better in each of the two orders stands in the parts of the
preference, so that a win can be told as the paper tells it (:mod:`conqret.debate.debatune.statement_scores`).
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from conqret.baseline import Which
from conqret.data import Measure, Part
from conqret.judging.judge_parts import SECOND, Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed, no_truth_value
from conqret.judging.scales import Scale, preferred, rated

ONE_TO_TEN = Scale(1, 10)
METRICS = ("response_quality", f"{SECOND}response_quality", "preference")
Rating = Annotated[int, Field(ge=ONE_TO_TEN.low, le=ONE_TO_TEN.high), BeforeValidator(no_truth_value)]

GIVEN, SWAPPED = "given order", "swapped order"
"""The parts of the preference: which response was better when the first stood first, and when it stood second."""


class Ratings(Typed):
    """An explanation, then an overall rating of either response."""

    explanation: str
    response_1: Rating
    response_2: Rating


def score(reply: JudgeReply[Ratings], case: Case) -> Mapping[str, Measure]:
    """Compute (rating - 1) / 9 of each response, and the preference for the one with the higher rating."""
    first_rating, other, why = reply.value.response_1, reply.value.response_2, reply.value.explanation
    label = "tie" if first_rating == other else "first" if first_rating > other else "second"
    order = SWAPPED if case.swapped else GIVEN
    return {
        "response_quality": rated(ONE_TO_TEN, first_rating, why),
        f"{SECOND}response_quality": rated(ONE_TO_TEN, other, why),
        "preference": preferred(label, why, [Part(id=order, label=label)]),
    }


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's response: for each of the two texts a rating, the mean of its relevance to the
    instruction and its quality dimensions."""
    first_rating, other = (
        ONE_TO_TEN.rating(_quality(case, which)) for which in ("argument", "second_argument")
    )
    why = "the means of what can be counted of quality and relevance"
    return {"explanation": why, "response_1": first_rating, "response_2": other}


def _quality(case: Case, which: Which) -> float:
    qualities = [dimension.value for dimension in case.evidence.dimensions(which).values()]
    return fmean([fmean(qualities), case.evidence.answer_relevance(which).value])


JUDGE = Judge(
    name="response-quality",
    summary="two responses to one instruction (the topic): helpfulness, relevance, accuracy, detail in one rating each",
    scale=str(ONE_TO_TEN),
    score="(rating - 1) / 9; preference is for the response with the higher rating, a tie where the orders disagree",
    source="DEBATunE, section 4.1, Figure 4",
    judge_prompts=(
        JudgePrompt(
            prompt="response-quality",
            metrics=METRICS,
            needs=frozenset({"argument", "second_argument"}),
            response=Ratings,
            score=score,
            baseline=baseline,
            both_orders=True,
            english_only=frozenset(METRICS),
        ),
    ),
)
