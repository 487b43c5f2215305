"""The typed questions of ``rag``: on sentences in place of claims, on the question, and on documents."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, prod
from typing import Any

from conqret.data import Measure, Reason
from conqret.errors import number
from conqret.judges._questions import likeliest, mean_measure
from conqret.judges._shared import average_precision
from conqret.judging.deciding import CANNOT, declared, expected
from conqret.judging.judge_parts import Case, TypedQuestions
from conqret.llm.decisions import Decided, Question, UnansweredError
from conqret.text.sentences import Span, sentences

FAITHFUL = {"supported": 1.0, "contradicted": 0.0, "not in the documents": 0.0}
TO_THE_POINT = {"yes": 1.0, "no": 0.0}
USES = {"answers": 1.0, "helps": 0.5, "none": 0.0}
HELD = {"all": 1.0, "partly": 0.5, "none": 0.0}
GIVEN = {"answered": 1.0, "partly": 1.0, "declined": 0.0, "missing": 0.0}
COMPLETE = GIVEN | {"partly": 0.5}
"""What an answer counts, by question and metric."""

SPARED = {"supported": 1.0, "contradicted": 0.25, "not in the documents": 0.5}
"""The factor by which a sentence lowers ``1 - unsupported_claims``: 2 to the power of minus its weight."""


def questions(case: Case) -> dict[str, Question]:
    """Return the questions about an answer, and about the documents if there are any."""
    documents, typed = case.item.documents, {"in_answer": declared("rag_in_answer")}
    if documents:
        typed["in_documents"] = declared("rag_in_documents")
    for place in range(1, len(documents) + 1):
        typed[f"document_{place}"] = declared("rag_document", number=place)
    for place in range(1, len(_sentences(case)) + 1):
        typed[f"to_the_point_{place}"] = declared("rag_to_the_point", number=place)
        if documents:
            typed[f"sentence_{place}"] = declared("rag_sentence", number=place)
    return typed


def _sentences(case: Case) -> list[Span]:
    return [span for span in sentences(case.item.argument or "") if any(map(str.isalnum, span.text))]


def variables(case: Case) -> Mapping[str, Any]:
    """Return the answer in numbered sentences, in place of the item's argument."""
    numbered = [{"number": place, "text": span.text} for place, span in enumerate(_sentences(case), start=1)]
    return {"argument": numbered, "stance": ""}


def _claims(decided: Decided, case: Case, name: str, values: Mapping[str, float]) -> Measure:
    """Return the measure with the mean over the sentences that claim something, each of them a part.

    ``name`` is the beginning of the names of the questions about sentences, and ``values`` the value in [0,
    1] of each answer.

    Raises:
        UnansweredError: no sentence does, or an answer is missing.
    """
    measured, texts = [], []
    for place, span in enumerate(_sentences(case), start=1):
        try:
            measured.append(expected(decided[f"{name}_{place}"], values))
        except UnansweredError as error:
            if error.reason is not Reason.CANNOT_JUDGE:
                raise
        else:
            texts.append(span.text)
    if not measured:
        declines = decided.answers.get("in_answer", {}).get("declined", 0.0) > 0.5
        raise UnansweredError(
            Reason.DECLINED if declines else Reason.NOTHING_TO_JUDGE,
            "no sentence of the answer claims anything",
        )
    measure = mean_measure(measured, texts, verdicts=True)
    return measure.model_copy(update={"explanation": f"by {number(len(texts), 'sentence')} of the answer"})


def _on_documents(case: Case) -> None:
    if not case.item.documents:
        raise UnansweredError(Reason.NO_EVIDENCE, "the item has no documents")


def _claims_on_documents(decided: Decided, case: Case, values: Mapping[str, float]) -> Measure:
    """The mean over the sentences that claim something of what the documents say; an answer without a claim, such as
    one that declines, is no case of missing documents."""
    if not case.item.documents:
        _claims(decided, case, "to_the_point", TO_THE_POINT)
    _on_documents(case)
    return _claims(decided, case, "sentence", values)


def faithfulness(decided: Decided, case: Case) -> Measure:
    """Compute the mean probability that the documents support a sentence of the answer."""
    return _claims_on_documents(decided, case, FAITHFUL)


def unsupported_claims(decided: Decided, case: Case) -> Measure:
    """Compute how much of the answer is unsupported; ``raw`` is the expected number of such sentences."""
    measure = _claims_on_documents(decided, case, SPARED)
    shares = [part.distribution for part in measure.parts]
    spared = prod(part.value or 0.0 for part in measure.parts)
    raw = fsum(1 - share["supported"] / (1 - share[CANNOT]) for share in shares)
    return measure.model_copy(update={"value": 1 - spared, "raw": raw, "parts": ()})


def context_relevance(decided: Decided, case: Case) -> Measure:
    """Compute the mean expected use of the documents."""
    _on_documents(case)
    uses = [expected(decided[f"document_{place}"], USES) for place in range(1, len(case.item.documents) + 1)]
    return mean_measure(uses, [document.id for document in case.item.documents], verdicts=True)


def context_precision(decided: Decided, case: Case) -> Measure:
    """Compute the average precision of the documents by rank, each counting its expected use."""
    measure = context_relevance(decided, case)
    value = average_precision([part.value or 0.0 for part in measure.parts])
    return measure.model_copy(update={"value": value, "parts": ()})


def context_sufficiency(decided: Decided, case: Case) -> Measure:
    """Compute how much of what the question asks for the documents hold."""
    _on_documents(case)
    return expected(decided["in_documents"], HELD)


def answered(decided: Decided, case: Case) -> Measure:
    """Compute the probability that the answer gives anything that the question asks for. The label says whether it
    declines, and how rightly: wrongly if the documents hold an answer."""
    shares = decided["in_answer"]
    measure, label = expected(shares, GIVEN), likeliest(shares)
    if label == "declined":
        held = decided["in_documents"]["none"] <= 0.5 if case.item.documents else False
        label = "declined wrongly" if held else "declined rightly"
    return measure.model_copy(
        update={"label": {"partly": "answered", "missing": "not answered"}.get(label, label)}
    )


def completeness(decided: Decided, case: Case) -> Measure:
    """Compute how much of the question is answered.

    Raises:
        UnansweredError: nothing is due, as the answer declines or is silent and the documents hold nothing of it.
    """
    shares = decided["in_answer"]
    measure = expected(shares, COMPLETE)
    nothing_held = bool(case.item.documents) and decided["in_documents"]["none"] > 0.5
    if nothing_held and likeliest(shares) in ("declined", "missing"):
        raise UnansweredError(
            Reason.NOTHING_TO_JUDGE, "the documents hold nothing that the question asks for"
        )
    return measure


def rag_questions() -> TypedQuestions:
    """Return the questions about an answer and its documents, with the measures from their answers."""
    return TypedQuestions(
        questions,
        {
            "faithfulness": faithfulness,
            "unsupported_claims": unsupported_claims,
            "answer_relevance": lambda decided, case: _claims(decided, case, "to_the_point", TO_THE_POINT),
            "completeness": completeness,
            "answered": answered,
            "context_relevance": context_relevance,
            "context_precision": context_precision,
            "context_sufficiency": context_sufficiency,
        },
        variables,
        {"topic": "question", "argument": "answer"},
    )
