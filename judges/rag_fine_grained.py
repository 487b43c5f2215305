"""rag-fine-grained: every document by itself, then the argument, in one call (ConQRet, Figure 11, D.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conqret.baseline import Evidence
from conqret.data import Measure, Status
from conqret.judging.judge_parts import Case, Judge
from conqret.judging.responses import (
    DOCUMENTS_AND_ARGUMENT,
    DocumentRating,
    DocumentRatings,
    JudgeSection,
    ZeroToFiveOrNull,
    dimension_sections,
    in_one_call,
    rating_section,
    stated,
)
from conqret.judging.scales import ZERO_TO_FIVE, graded, share


def score_documents(ratings: Sequence[DocumentRating], case: Case) -> Mapping[str, Measure]:
    """Compute context relevance and predicted precision from the ratings of documents (ConQRet, Table 7).

    Context relevance is the mean of rating / 5. Predicted precision is the share of documents rated
    ``relevant_from`` or higher.
    """
    parts, relevant = [], 0
    for document, rating in zip(case.item.documents, ratings, strict=True):
        parts.append(graded(ZERO_TO_FIVE, document.id, rating.rating, rating.explanation))
        relevant += rating.rating >= case.options.relevant_from
    return {
        "context_relevance": share(parts),
        "predicted_precision": Measure(
            status=Status.SCORED,
            value=relevant / len(parts),
            explanation=f"{relevant} of {len(parts)} documents rated {case.options.relevant_from} or higher",
        ),
    }


def baseline_documents(case: Case) -> list[dict[str, Any]]:
    """Return the baseline's rating of each document, from lexical relevance to the topic."""
    ratings = []
    for index in range(len(case.item.documents)):
        finding = case.evidence.document_relevance(index)
        ratings.append({"document": index + 1, **stated(case, finding, ZERO_TO_FIVE)})
    return ratings


GROUNDEDNESS = rating_section(
    "groundedness",
    ZERO_TO_FIVE,
    ZeroToFiveOrNull,
    Evidence.groundedness,
)

JUDGE = Judge(
    name="rag-fine-grained",
    summary="relevance of each document, then answer relevance, groundedness and 15 quality dimensions, in one call",
    scale=str(ZERO_TO_FIVE),
    score="rating / 5; predicted precision is the share of documents at or above the threshold",
    source="ConQRet, Figure 11, Appendix D.7",
    judge_prompts=(
        in_one_call(
            "rag-fine-grained",
            "FineGrained",
            (
                JudgeSection(
                    name="context_relevance",
                    metrics=("context_relevance", "predicted_precision"),
                    answer=DocumentRatings,
                    needs=frozenset({"documents"}),
                    score=score_documents,
                    baseline=baseline_documents,
                ),
                rating_section(
                    "answer_relevance",
                    ZERO_TO_FIVE,
                    ZeroToFiveOrNull,
                    Evidence.answer_relevance,
                ),
                GROUNDEDNESS,
                *dimension_sections(ZERO_TO_FIVE, ZeroToFiveOrNull, DOCUMENTS_AND_ARGUMENT),
            ),
        ),
    ),
)
