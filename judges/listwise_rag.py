"""listwise-rag: the documents together, groundedness, and the fifteen dimensions (ConQRet, section 5.2.2).

Rated from 0 to 5 like rag-fine-grained, its counterpart by single document, so that the two compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conqret.data import Measure
from conqret.judges.listwise import baseline_dimensions, score_dimensions
from conqret.judging.base import Ask, Case, Judge, Reply
from conqret.judging.baseline import stated
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.responses import Typed, ZeroToFive, with_dimensions
from conqret.judging.scales import ZERO_TO_FIVE, rated


class ListwiseRagAnswer(Typed):
    """The answer; the dimensions follow in the order of the prompt."""

    context_relevance: ZeroToFive
    groundedness: ZeroToFive
    dimensions: Any


def score(reply: Reply[ListwiseRagAnswer], case: Case) -> Mapping[str, Measure]:
    """Each rating by 5."""
    return {
        metric: rated(ZERO_TO_FIVE, given.rating, given.explanation)
        for metric, given in (
            ("context_relevance", reply.value.context_relevance),
            ("groundedness", reply.value.groundedness),
        )
    } | score_dimensions(reply.value.dimensions, ZERO_TO_FIVE)


def baseline(case: Case) -> dict[str, Any]:
    """The same answer from lexical evidence."""
    return {
        "context_relevance": stated(case.evidence.context_relevance(), ZERO_TO_FIVE),
        "groundedness": stated(case.evidence.groundedness(), ZERO_TO_FIVE),
        "dimensions": baseline_dimensions(case, ZERO_TO_FIVE),
    }


JUDGE = Judge(
    name="listwise-rag",
    summary="relevance of the documents together, groundedness and the 15 quality dimensions, in one call",
    scale=str(ZERO_TO_FIVE),
    score="rating / 5",
    source="ConQRet, section 5.2.2",
    asks=(
        Ask(
            prompt="listwise-rag",
            metrics=("context_relevance", "groundedness", *(dimension.name for dimension in DIMENSIONS)),
            needs=frozenset({"documents", "argument"}),
            response=lambda case: with_dimensions(ListwiseRagAnswer, case.dimensions, ZERO_TO_FIVE),
            score=score,
            baseline=baseline,
        ),
    ),
)
