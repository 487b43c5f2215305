"""rag-fine-grained: every document by itself, then the argument, in one call (ConQRet, Figure 11, D.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conqret.baseline import Evidence
from conqret.data import Measure, Status
from conqret.judges._questions import mean_measure
from conqret.judges._sections import (
    DOCUMENTS_AND_ARGUMENT,
    GROUNDEDNESS,
    DocumentRating,
    DocumentRatings,
    JudgeSection,
    dimension_sections,
    in_one_call,
    rating_section,
    stated,
)
from conqret.judging.deciding import declared, expected, expected_rating, has_argument, rating_questions
from conqret.judging.judge_parts import Case, Judge, TypedQuestions
from conqret.judging.responses import ZeroToFiveOrNull
from conqret.judging.scales import ZERO_TO_FIVE, graded, mean_of_parts
from conqret.llm.decisions import Decided, Question


def score_documents(ratings: Sequence[DocumentRating], case: Case) -> Mapping[str, Measure]:
    """Compute context relevance and predicted precision from the ratings of documents (ConQRet, Table 7).

    Context relevance is the mean of rating / 5. Predicted precision is the share of documents rated
    ``relevant_from`` or higher.
    """
    parts, relevant = [], 0
    for document, rated in zip(case.item.documents, ratings, strict=True):
        parts.append(graded(ZERO_TO_FIVE, document.id, rated.rating, rated.explanation))
        relevant += rated.rating >= case.options.relevant_from
    return {
        "context_relevance": mean_of_parts(parts),
        "predicted_precision": Measure(
            status=Status.SCORED,
            value=relevant / len(parts),
            explanation=f"{relevant} of {len(parts)} documents rated {case.options.relevant_from} or higher",
        ),
    }


def baseline_documents(case: Case) -> list[dict[str, Any]]:
    """Return the baseline's rating of each document, from lexical relevance to the topic."""
    ratings = []
    for number, finding in enumerate(case.evidence.document_relevances, start=1):
        ratings.append({"document": number, **stated(case, finding, ZERO_TO_FIVE)})
    return ratings


def relevance_questions(case: Case) -> dict[str, Question]:
    """Return one question for each document: how relevant it is to the topic."""
    numbers = range(1, len(case.item.documents) + 1)
    return {f"document_{number}": declared("document_relevance", number=number) for number in numbers}


def expected_relevance(decided: Decided, case: Case) -> Measure:
    """Compute context relevance as the mean of the expected ratings of the documents."""
    ratings = [expected_rating(decided[name], ZERO_TO_FIVE) for name in relevance_questions(case)]
    return mean_measure(ratings, [document.id for document in case.item.documents])


def expected_precision(decided: Decided, case: Case) -> Measure:
    """Compute predicted precision as the mean probability that a document is rated ``relevant_from`` or
    higher.
    """
    least = case.options.relevant_from
    values = {str(level): float(level >= least) for level in range(ZERO_TO_FIVE.high + 1)}
    chances = [expected(decided[name], values) for name in relevance_questions(case)]
    measure = mean_measure(chances, [document.id for document in case.item.documents])
    words = f"the mean probability that a document is rated {least} or higher"
    return measure.model_copy(update={"explanation": words, "parts": ()})


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
                    typed=lambda: TypedQuestions(
                        relevance_questions,
                        {"context_relevance": expected_relevance, "predicted_precision": expected_precision},
                    ),
                ),
                rating_section(
                    "answer_relevance",
                    ZERO_TO_FIVE,
                    ZeroToFiveOrNull,
                    Evidence.answer_relevance,
                    typed=lambda: rating_questions(
                        "answer_relevance", declared("answer_relevance"), has_argument
                    ),
                ),
                GROUNDEDNESS,
                *dimension_sections(ZERO_TO_FIVE, ZeroToFiveOrNull, DOCUMENTS_AND_ARGUMENT),
            ),
        ),
    ),
)
