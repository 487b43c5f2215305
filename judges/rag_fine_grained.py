"""rag-fine-grained: every document by itself, then the argument, in one call (ConQRet, Figure 11, D.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conqret.data import Measure, Status
from conqret.judges.listwise import baseline_dimensions, score_dimensions
from conqret.judging.base import Ask, Case, Judge, Reply
from conqret.judging.baseline import stated
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.responses import DocumentRatings, Typed, ZeroToFive, with_dimensions
from conqret.judging.scales import ZERO_TO_FIVE, graded, rated, share


class FineGrained(Typed):
    """The answer; the dimensions follow in the order of the prompt."""

    context_relevance: DocumentRatings
    answer_relevance: ZeroToFive
    groundedness: ZeroToFive
    dimensions: Any


def score(reply: Reply[FineGrained], case: Case) -> Mapping[str, Measure]:
    """Each rating by 5; context relevance is the mean over the documents, predicted precision the share of
    documents rated ``relevant_from`` or higher (Table 7)."""
    answer = reply.value
    parts = [
        graded(ZERO_TO_FIVE, document.id, given.rating, given.explanation)
        for document, given in zip(case.item.documents, answer.context_relevance, strict=True)
    ]
    relevant = sum(part.raw is not None and part.raw >= case.options.relevant_from for part in parts)
    return {
        "context_relevance": share(parts),
        "predicted_precision": Measure(
            status=Status.SCORED,
            value=relevant / len(parts),
            explanation=f"{relevant} of {len(parts)} documents rated {case.options.relevant_from} or higher",
        ),
        "answer_relevance": rated(
            ZERO_TO_FIVE, answer.answer_relevance.rating, answer.answer_relevance.explanation
        ),
        "groundedness": rated(ZERO_TO_FIVE, answer.groundedness.rating, answer.groundedness.explanation),
    } | score_dimensions(answer.dimensions, ZERO_TO_FIVE)


def baseline(case: Case) -> dict[str, Any]:
    """The same answer from lexical evidence."""
    evidence = case.evidence
    return {
        "context_relevance": [
            {"document": index + 1, **stated(evidence.document_relevance(index), ZERO_TO_FIVE)}
            for index in range(len(case.item.documents))
        ],
        "answer_relevance": stated(evidence.answer_relevance(), ZERO_TO_FIVE),
        "groundedness": stated(evidence.groundedness(), ZERO_TO_FIVE),
        "dimensions": baseline_dimensions(case, ZERO_TO_FIVE),
    }


JUDGE = Judge(
    name="rag-fine-grained",
    summary="relevance of each document, then answer relevance, groundedness and 15 quality dimensions, in one call",
    scale=str(ZERO_TO_FIVE),
    score="rating / 5; predicted precision is the share of documents at or above the threshold",
    source="ConQRet, Figure 11, Appendix D.7",
    asks=(
        Ask(
            prompt="rag-fine-grained",
            metrics=(
                "context_relevance",
                "predicted_precision",
                "answer_relevance",
                "groundedness",
                *(dimension.name for dimension in DIMENSIONS),
            ),
            needs=frozenset({"documents", "argument"}),
            response=lambda case: with_dimensions(FineGrained, case.dimensions, ZERO_TO_FIVE),
            context=lambda case: {"documents": range(1, len(case.item.documents) + 1)},
            score=score,
            baseline=baseline,
        ),
    ),
)
