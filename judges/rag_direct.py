"""rag-direct: all four metrics for two arguments in one call (ConQRet, Figure 10, D.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conqret.baseline import Evidence, Finding
from conqret.data import Measure
from conqret.judges._sections import JudgeSection, in_one_call
from conqret.judges._shared import LABELS, SIDES, Side
from conqret.judging.judge_parts import SECOND, Case, Judge
from conqret.judging.responses import OneToFive, Typed
from conqret.judging.scales import ONE_TO_FIVE, preferred, rated

NEEDS = frozenset({"documents", "argument", "second_argument"})


class PairRating(Typed):
    """An explanation, then a rating for each argument."""

    explanation: str
    argument_1: OneToFive
    argument_2: OneToFive


class PairRatingOrNull(Typed):
    """An explanation, then a rating for each argument; null for one that cannot be judged."""

    explanation: str
    argument_1: OneToFive | None
    argument_2: OneToFive | None


class PairPreference(Typed):
    """An explanation, then the better argument."""

    explanation: str
    preference: Side


def _pair(
    metric: str,
    find: Callable[[Evidence], tuple[Finding, Finding]],
    answer: type[PairRating | PairRatingOrNull] = PairRating,
) -> JudgeSection:
    """Return the section that rates both arguments on ``metric``; the second one's metric begins with
    :data:`SECOND`.

    ``find`` returns the baseline's findings on the first and on the second argument.
    """

    def score(rating: PairRating | PairRatingOrNull, case: Case) -> Mapping[str, Measure]:
        return {
            metric: rated(ONE_TO_FIVE, rating.argument_1, rating.explanation),
            SECOND + metric: rated(ONE_TO_FIVE, rating.argument_2, rating.explanation),
        }

    def baseline(case: Case) -> dict[str, Any]:
        first, second = find(case.evidence)
        return {
            "explanation": f"Argument 1: {first.explanation} Argument 2: {second.explanation}",
            "argument_1": ONE_TO_FIVE.rating(first.value),
            "argument_2": ONE_TO_FIVE.rating(second.value),
        }

    return JudgeSection(metric, (metric, SECOND + metric), answer, score, baseline, NEEDS)


def _baseline_preference(case: Case) -> dict[str, Any]:
    preference = case.evidence.preference()
    return {"explanation": preference.explanation, "preference": SIDES[preference.label]}


JUDGE = Judge(
    name="rag-direct",
    summary="context relevance, answer relevance, groundedness and preference for two arguments, in one call",
    scale=str(ONE_TO_FIVE),
    score="(rating - 1) / 4; preference is 1 if the first argument is better, .5 for a tie, 0 if the second is",
    source="ConQRet, Figure 10, Appendix D.6",
    judge_prompts=(
        in_one_call(
            "rag-direct",
            "RagDirect",
            (
                # the documents are as relevant to one argument as to the other
                _pair("context_relevance", lambda evidence: (evidence.context_relevance(),) * 2),
                _pair(
                    "answer_relevance",
                    lambda evidence: (
                        evidence.answer_relevance(),
                        evidence.answer_relevance("second_argument"),
                    ),
                ),
                _pair(
                    "groundedness",
                    lambda evidence: (evidence.groundedness(), evidence.groundedness("second_argument")),
                    PairRatingOrNull,
                ),
                JudgeSection(
                    "preference",
                    ("preference",),
                    PairPreference,
                    lambda rating, case: {
                        "preference": preferred(LABELS[rating.preference], rating.explanation)
                    },
                    _baseline_preference,
                    NEEDS,
                    english_only=True,
                ),
            ),
            both_orders=True,
        ),
    ),
)
