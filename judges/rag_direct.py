"""rag-direct: all four metrics for two arguments in one call (ConQRet, Figure 10, D.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conqret.data import Measure
from conqret.judging.base import SECOND, Ask, Case, Judge, Reply
from conqret.judging.baseline import SIDES
from conqret.judging.responses import LABELS, OneToFive, Side, Typed
from conqret.judging.scales import ONE_TO_FIVE, preferred, rated


class PairRating(Typed):
    """An explanation, then a rating for each argument."""

    explanation: str
    argument_1: OneToFive
    argument_2: OneToFive


class PairPreference(Typed):
    """An explanation, then the better argument."""

    explanation: str
    preference: Side


class RagDirect(Typed):
    """The answer."""

    context_relevance: PairRating
    answer_relevance: PairRating
    groundedness: PairRating
    preference: PairPreference


METRICS = ("context_relevance", "answer_relevance", "groundedness")


def score(reply: Reply[RagDirect], case: Case) -> Mapping[str, Measure]:
    """(rating - 1) / 4 for either argument; the preference as it is, ties included."""
    measures: dict[str, Measure] = {}
    for metric in METRICS:
        given: PairRating = getattr(reply.value, metric)
        measures[metric] = rated(ONE_TO_FIVE, given.argument_1, given.explanation)
        measures[SECOND + metric] = rated(ONE_TO_FIVE, given.argument_2, given.explanation)
    verdict = reply.value.preference
    return measures | {"preference": preferred(LABELS[verdict.preference], verdict.explanation)}


def baseline(case: Case) -> dict[str, Any]:
    """The same answer from lexical evidence; the documents are as relevant to one argument as to the other."""
    evidence = case.evidence
    context, preference = evidence.context_relevance(), evidence.preference()
    pairs = {
        "context_relevance": (context, context),
        "answer_relevance": (evidence.answer_relevance(), evidence.answer_relevance("second_argument")),
        "groundedness": (evidence.groundedness(), evidence.groundedness("second_argument")),
    }
    return {
        metric: {
            "explanation": f"Argument 1: {first.explanation} Argument 2: {second.explanation}",
            "argument_1": ONE_TO_FIVE.rating(first.value),
            "argument_2": ONE_TO_FIVE.rating(second.value),
        }
        for metric, (first, second) in pairs.items()
    } | {"preference": {"explanation": preference.explanation, "preference": SIDES[preference.label]}}


JUDGE = Judge(
    name="rag-direct",
    summary="context relevance, answer relevance, groundedness and preference for two arguments, in one call",
    scale=str(ONE_TO_FIVE),
    score="(rating - 1) / 4; preference with ties",
    source="ConQRet, Figure 10, Appendix D.6",
    asks=(
        Ask(
            prompt="rag-direct",
            metrics=(*(name for metric in METRICS for name in (metric, SECOND + metric)), "preference"),
            needs=frozenset({"documents", "argument", "second_argument"}),
            response=lambda case: RagDirect,
            score=score,
            baseline=baseline,
            both_orders=True,
        ),
    ),
)
