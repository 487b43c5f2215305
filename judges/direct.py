"""direct: one bare score for one metric, as popular RAG libraries ask for it (ConQRet, Table 3, D.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from conqret.baseline import Evidence, Finding
from conqret.data import Measure
from conqret.judges._shared import LABELS, SIDES
from conqret.judging.deciding import declared, preference_questions, rating_questions
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply, TypedQuestions
from conqret.judging.responses import Typed, ZeroToTen
from conqret.judging.scales import ZERO_TO_TEN, preferred, rated

GradedSide = Literal["argument_1", "argument_1_slightly", "tie", "argument_2_slightly", "argument_2"]
SLIGHTLY = "_slightly"
"""Ends the name of an argument that is the better one by a little."""


class Preference(Typed):
    """Which argument is better, clearly or slightly."""

    preference: GradedSide


def score_preference(reply: JudgeReply[Preference], case: Case) -> Mapping[str, Measure]:
    """Return the metric ``preference`` of a response; a slight preference is halfway between a clear one and
    a tie.
    """
    side = reply.value.preference
    verdict = preferred(LABELS[side.removesuffix(SLIGHTLY)], slightly=side.endswith(SLIGHTLY))
    return {"preference": verdict}


class Score(Typed):
    """A whole number from 0 to 10."""

    score: ZeroToTen


class ScoreOrNull(Typed):
    """A whole number from 0 to 10; null where it cannot be judged."""

    score: ZeroToTen | None


def _scored(
    metric: str,
    find: Callable[[Evidence], Finding],
    needs: frozenset[str],
    typed: Callable[[], TypedQuestions],
    response: type[Score | ScoreOrNull] = Score,
) -> JudgePrompt[Score | ScoreOrNull]:
    return JudgePrompt(
        prompt=f"direct/{metric.replace('_', '-')}",
        metrics=(metric,),
        needs=needs,
        response=response,
        score=lambda reply, case: {metric: rated(ZERO_TO_TEN, reply.value.score)},
        baseline=lambda case: {"score": ZERO_TO_TEN.rating(find(case.evidence).value)},
        typed=typed,
    )


JUDGE = Judge(
    name="direct",
    summary="one bare score for each metric, one prompt each; preference without a reason",
    scale=str(ZERO_TO_TEN),
    score="score / 10; preference is 1 if the first argument is better, .75 if slightly, .5 for a tie, and so down "
    "to 0",
    source="ConQRet, Table 3, Appendix D.1",
    judge_prompts=(
        _scored(
            "context_relevance",
            Evidence.context_relevance,
            frozenset({"documents"}),
            lambda: rating_questions("context_relevance", declared("direct_context_relevance")),
        ),
        _scored(
            "groundedness",
            Evidence.groundedness,
            frozenset({"documents", "argument"}),
            lambda: rating_questions("groundedness", declared("direct_groundedness")),
            ScoreOrNull,
        ),
        JudgePrompt(
            prompt="direct/preference",
            metrics=("preference",),
            needs=frozenset({"argument", "second_argument"}),
            optional=frozenset({"documents"}),
            response=Preference,
            score=score_preference,
            baseline=lambda case: {"preference": SIDES[case.evidence.preference().label]},
            both_orders=True,
            english_only=frozenset({"preference"}),
            typed=lambda: preference_questions(
                "Which argument on `topic` would convince more readers who have not made up their minds? Concrete "
                "reasons and explanations convince; length, order and your own view do not count. Where there are "
                "`documents`, what they contradict counts against an argument.",
                "there is no reason to prefer either",
            ),
        ),
    ),
)
