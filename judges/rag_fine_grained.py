"""rag-fine-grained: every document by itself, then the argument, in one call (ConQRet, Figure 11, D.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conqret.baseline import Evidence
from conqret.data import Measure, Status
from conqret.judges._questions import mean_measure, states_facts
from conqret.judging.deciding import expected, expected_rating, has_argument, rating_questions
from conqret.judging.judge_parts import Case, Judge, TypedQuestions
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
from conqret.llm.decisions import Decided, Question, rating


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
    for number, finding in enumerate(case.evidence.document_relevances, start=1):
        ratings.append({"document": number, **stated(case, finding, ZERO_TO_FIVE)})
    return ratings


RELEVANCE_LEVELS = {
    0: "about something else, or mere advertising and site furniture",
    1: "mentions the topic in passing",
    2: "touches on it with little of use",
    3: "relevant, with usable content",
    4: "relevant and specific",
    5: "direct, detailed evidence on the question",
}


def relevance_questions(case: Case) -> dict[str, Question]:
    """Return one question for each document: how relevant it is to the topic."""
    questions = {}
    for number in range(1, len(case.item.documents) + 1):
        text = f"How relevant is document {number} of `documents`, taken by itself, to the question in `topic`? Both"
        questions[f"document_{number}"] = rating(f"{text} sides count alike.", RELEVANCE_LEVELS)
    return questions


def expected_relevance(decided: Decided, case: Case) -> Measure:
    """Compute context relevance as the mean of the expected ratings of the documents."""
    ratings = [expected_rating(decided[name], ZERO_TO_FIVE) for name in relevance_questions(case)]
    return mean_measure(ratings, [document.id for document in case.item.documents])


def expected_precision(decided: Decided, case: Case) -> Measure:
    """Compute predicted precision as the mean probability that a document is rated ``relevant_from`` or
    higher.
    """
    least = case.options.relevant_from
    values = {str(level): float(level >= least) for level in RELEVANCE_LEVELS}
    chances = [expected(decided[name], values) for name in relevance_questions(case)]
    measure = mean_measure(chances, [document.id for document in case.item.documents])
    words = f"the mean probability that a document is rated {least} or higher"
    return measure.model_copy(update={"explanation": words, "parts": ()})


def answer_relevance_questions() -> TypedQuestions:
    """Return the question how well an argument answers, with the question whether it is one."""
    return rating_questions(
        "answer_relevance",
        "Does the text in `argument` answer the question in `topic`, on the side in `stance` if one is given? How true "
        "or convincing it is does not matter here.",
        {
            0: "it is about something else, or argues for the other side",
            1: "it is on the subject, but gives no answer",
            2: "it answers in part or by implication; much of it is general",
            3: "it answers, but in general terms, or with one narrow point",
            4: "it answers with particular points; something that matters is left out",
            5: "it answers from beginning to end, with particular points",
        },
        has_argument,
    )


def groundedness_questions() -> TypedQuestions:
    """Return the question how much the documents bear out, with the question whether there are any facts."""
    return rating_questions(
        "groundedness",
        "How many of the statements of fact in `argument` do the `documents` bear out? A number in brackets, such as "
        "[2], cites the document of that number; a statement borne out by another document counts half. Values and "
        "conclusions need no support.",
        {
            0: "none, or hardly any",
            1: "about a quarter",
            2: "about half",
            3: "most, about three in four",
            4: "nearly all, about nine in ten",
            5: "all of them",
        },
        states_facts,
    )


GROUNDEDNESS = rating_section(
    "groundedness", ZERO_TO_FIVE, ZeroToFiveOrNull, Evidence.groundedness, typed=groundedness_questions
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
                    typed=answer_relevance_questions,
                ),
                GROUNDEDNESS,
                *dimension_sections(ZERO_TO_FIVE, ZeroToFiveOrNull, DOCUMENTS_AND_ARGUMENT),
            ),
        ),
    ),
)
