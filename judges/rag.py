"""rag: an ordinary answer to a question over retrieved documents, in one call: which of its claims the documents
support (cited or not), which parts of the question it answers, and which documents were of use.

An answer that declines claims nothing, so it has neither faithfulness nor relevance. Whether it declined rightly shows
in ``answered``: rightly, where the documents hold nothing of what it leaves open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import create_model
from pydantic.json_schema import SkipJsonSchema

from conqret.baseline import (
    Evidence,
    SentenceFinding,
    clauses_that_claim,
    declines,
    only_yes_or_no,
    quoted,
    refers,
)
from conqret.data import Measure, Reason, Status
from conqret.errors import shortened
from conqret.judges._rag_questions import rag_questions
from conqret.judges._shared import (
    DifferentClaims,
    average_precision,
    credited_part,
    credited_share,
    different,
)
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed, Whole, each_once
from conqret.text.sentences import sentences

OF_CLAIMS = ("faithfulness", "unsupported_claims", "answer_relevance")
OF_PARTS = ("completeness", "answered", "context_sufficiency")
OF_USES = ("context_relevance", "context_precision")
METRICS = (*OF_CLAIMS, *OF_PARTS[:2], *OF_USES, OF_PARTS[2])
ON_DOCUMENTS = (*OF_CLAIMS[:2], *OF_USES, OF_PARTS[2])
WEIGHT = {"supported": 0.0, "partly": 0.5, "not_in_documents": 1.0, "contradicted": 2.0}
"""What a claim weighs in ``unsupported_claims``."""


class QuestionPartAlone(Typed):
    """A part of the question, and what the answer gives."""

    part: str
    explanation: str
    in_answer: Literal["answered", "partly", "declined", "missing"]


class QuestionPart(Typed):
    """A part of the question: what the documents hold of it, and what the answer gives."""

    part: str
    explanation: str
    in_documents: Literal["all", "partly", "none"]
    in_answer: Literal["answered", "partly", "declined", "missing"]
    sure: SkipJsonSchema[bool] = True
    """False where the offline baseline, which alone sets it, cannot tell what the documents hold; no model is asked."""


class DocumentUse(Typed):
    """Of what use a document is for the question."""

    document: Whole
    explanation: str
    use: Literal["answers", "helps", "none"]


class ClaimAlone(Typed):
    """A claim of the answer, and whether it is to the point."""

    claim: str
    explanation: str
    to_the_point: Literal["yes", "no"]


class Claim(Typed):
    """A claim of the answer: what the documents say of it, and whether it is to the point."""

    claim: str
    explanation: str
    document: Whole | None
    verdict: Literal["supported", "partly", "contradicted", "not_in_documents"]
    to_the_point: Literal["yes", "no"]


DifferentParts = different(lambda part: part.part, "parts of the question")
EachDocument = each_once(lambda use: use.document, "documents", "document")

Parts = Annotated[list[QuestionPart], DifferentParts]
Uses = Annotated[list[DocumentUse], EachDocument]
Claims = Annotated[list[Claim], DifferentClaims]
PartsAlone = Annotated[list[QuestionPartAlone], DifferentParts]
ClaimsAlone = Annotated[list[ClaimAlone], DifferentClaims]
WithDocuments = create_model(
    "RagAnswer", __base__=Typed, question_parts=(Parts, ...), documents=(Uses, ...), claims=(Claims, ...)
)
WithoutDocuments = create_model(
    "RagAnswerAlone", __base__=Typed, question_parts=(PartsAlone, ...), claims=(ClaimsAlone, ...)
)


def score(reply: JudgeReply[Any], case: Case) -> Mapping[str, Measure]:
    """Return a mapping from metric to measure for one response; without documents, those on documents are unscored."""
    value = reply.value
    of_parts = score_parts(value.question_parts, case)
    declined = any(part.in_answer == "declined" for part in value.question_parts)
    measures = {**score_claims(value.claims, case, declined=declined), **of_parts}
    if case.item.documents:
        return measures | score_uses(value.documents, case)
    missing = Measure.missing(Reason.NO_EVIDENCE, "the item has no documents")
    return measures | {name: measures.get(name, missing) for name in ON_DOCUMENTS}


def score_claims(claims: Sequence[Any], case: Case, *, declined: bool = False) -> dict[str, Measure]:
    """Return the measures that follow from the claims of the answer; those on documents only if there are any. Without
    claims all are missing: because the answer declines (``declined``), or because it claims nothing."""
    if not claims:
        why = Measure.missing(Reason.DECLINED) if declined else _nothing("the answer claims nothing")
        return dict.fromkeys(OF_CLAIMS, why)
    relevance = {"answer_relevance": credited_share(claims, "claim", "to_the_point")}
    if not case.item.documents:
        return relevance
    return {
        "faithfulness": credited_share(claims, "claim", "verdict"),
        "unsupported_claims": unsupported(claims),
        **relevance,
    }


def score_parts(parts: Sequence[Any], case: Case) -> dict[str, Measure]:
    """Return completeness, ``answered`` and, with documents, context sufficiency, from the parts of the question. A
    part that neither the answer nor the documents have does not count for completeness."""
    due = [part for part in parts if not _open_on_both_sides(part)]
    asks_nothing = _nothing("the question asks for nothing")
    measures = {"completeness": asks_nothing, "answered": answered(parts, case.item.reference or "")}
    if parts:
        nothing_due = _nothing("the documents hold nothing that the question asks for")
        measures["completeness"] = credited_share(due, "part", "in_answer") if due else nothing_due
    if case.item.documents:
        measures["context_sufficiency"] = (
            credited_share(parts, "part", "in_documents") if parts else asks_nothing
        )
    return measures


def score_uses(uses: Sequence[DocumentUse], case: Case) -> dict[str, Measure]:
    """Return context relevance and precision from the use of the documents; there must be one entry for each document,
    in their order."""
    relevance = credited_share(uses, "document", "use")
    parts = tuple(
        part.model_copy(update={"id": document.id})
        for part, document in zip(relevance.parts, case.item.documents, strict=True)
    )
    precision = average_precision([part.value or 0.0 for part in parts])
    return {
        "context_relevance": relevance.model_copy(update={"parts": parts}),
        "context_precision": Measure(
            status=Status.SCORED, value=precision, explanation=relevance.explanation
        ),
    }


def answered(parts: Sequence[Any], reference: str = "") -> Measure:
    """Return the measure 1 where the answer gives anything that the question asks for, else 0 (missing
    without ``parts`` of the question); the label says whether it declined, and how rightly: rightly, where
    the documents hold nothing of what it declines to say. A ``reference`` that answers is named in the
    explanation then: either the documents were not found, or the judge errs. Where a part is not ``sure``,
    the label is ``declined``.
    """
    if not parts:
        return _nothing("the question asks for nothing")
    declined = [part for part in parts if part.in_answer == "declined"]
    given = any(part.in_answer in ("answered", "partly") for part in parts)
    if not declined:
        return Measure(
            status=Status.SCORED, value=float(given), label="answered" if given else "not answered"
        )
    wrongly = [part for part in declined if getattr(part, "in_documents", "none") != "none"]
    label = "declined wrongly" if wrongly else "declined rightly"
    if not all(getattr(part, "sure", True) for part in declined):
        label, wrongly = "declined", []
    reasons = [f"{part.part}: {part.explanation}" for part in wrongly or declined]
    if not wrongly and reference and not declines(reference):
        reasons.append(f"but the reference answers: {shortened(reference, 100)}")
    return Measure(
        status=Status.SCORED,
        value=float(given),
        label=f"{label} in part" if given else label,
        explanation="; ".join(reasons),
    )


def unsupported(claims: Sequence[Claim]) -> Measure:
    """Return how much of an answer is unsupported, whatever its length, each such claim as a part.

    ``raw`` counts the claims that documents do not fully support, and the value is 1 - 2^-w, where w is the
    sum of their weights (:data:`WEIGHT`): 0 where there are none.
    """
    faults = [claim for claim in claims if claim.verdict != "supported"]
    parts = [credited_part(claim, "claim", "verdict") for claim in faults]
    counts = Counter(part.label for part in parts)
    return Measure(
        status=Status.SCORED,
        value=1 - 0.5 ** sum(WEIGHT[claim.verdict] for claim in faults),
        raw=len(faults),
        explanation=", ".join(f"{count} {label}" for label, count in counts.most_common()),
        parts=tuple(parts),
    )


def _open_on_both_sides(part: Any) -> bool:
    unanswered = part.in_answer in ("declined", "missing")
    return unanswered and getattr(part, "in_documents", "all") == "none"


def _nothing(why: str) -> Measure:
    return Measure.missing(Reason.NOTHING_TO_JUDGE, why)


_GREETING = 4
"""Words of a sentence that may come before an answer: Thanks for your question!"""
_MARKERS = re.compile(r"^[ \t]*\d{1,3}[.)][ \t]+", re.MULTILINE)
"""The numbers of a list."""
_FIGURE = re.compile(r"\d")
_HELPFUL, _ANSWERING = 0.2, 0.4
"""The relevance from which a document helps, or answers; and an answer is to the point from the first on."""


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's response: the sentences of the answer as claims, by the words, figures and names
    of the document that supports each best; the question as one part, and documents by their relevance. A
    sentence that declines is no claim, nor is a hint next to one whom to contact; what it states after *but*
    and the like is.
    """
    evidence, item = case.evidence, case.item
    plain = _MARKERS.sub("", item.argument or "")  # the number of an entry is no figure of its claim
    answer, states = _claims_apart(plain)
    if answer != item.argument:
        evidence = Evidence(item.model_copy(update={"argument": answer}))
    to_the_point = "yes" if evidence.answer_relevance().value >= _HELPFUL else "no"
    by: Literal["documents", "argument"] = "documents" if item.documents else "argument"
    findings = evidence.sentences("argument", by=by)
    claims = _claims(findings, states=states, documents=bool(item.documents))
    declined = not claims and any(declines(finding.text) for finding in findings)
    uses = evidence.document_relevances
    best = max((finding.value for finding in uses), default=0.0)
    held, explanation, sure = _graded(best, "all", "partly"), _closest(evidence), not declined
    if declined and (answer := _stated_reference(evidence)):
        held, sure = "all", True
        explanation = f"The documents state the reference: {shortened(answer, 100)}"
    part = {
        "part": item.topic,
        "explanation": explanation,
        "in_answer": "declined" if declined else "answered",
    }
    stated = [
        {"claim": claim.text, "explanation": claim.explanation, "to_the_point": to_the_point}
        for claim in claims
    ]
    if not item.documents:
        return {"question_parts": [part], "claims": stated}
    verdicts = {"stated": "supported", "": "not_in_documents"}
    return {
        "question_parts": [part | {"in_documents": held} | ({} if sure else {"sure": False})],
        "documents": [
            {
                "document": number,
                "explanation": use.explanation,
                "use": _graded(use.value, "answers", "helps"),
            }
            for number, use in enumerate(uses, start=1)
        ],
        "claims": [
            entry | {"document": None, "verdict": verdicts.get(claim.verdict, claim.verdict)}
            for entry, claim in zip(stated, claims, strict=True)
        ],
    }


def _claims_apart(answer: str) -> tuple[str, bool]:
    """Return the answer with the claims of a declining sentence as sentences of their own after it, and whether there
    are some that follow its declining clause."""
    texts, states = list[str](), False
    for span in (spans := sentences(answer)):
        before, after = clauses_that_claim(span.text)
        texts += [span.text, *before, *after]
        states |= bool(after)
    return "\n\n".join(texts) if len(texts) > len(spans) else answer, states


def _claims(findings: Sequence[SentenceFinding], *, states: bool, documents: bool) -> list[SentenceFinding]:
    """Return the sentences that claim something: all but those that decline, a yes or no alone, and, where some
    decline, those that refer to others. If the answer begins by declining, it has no claim unless one follows in the
    same sentence (``states``), a figure stands in the rest, or ``documents`` hold something of it."""
    declining = [declines(finding.text) for finding in findings]
    claims = [
        finding
        for finding, declined in zip(findings, declining, strict=True)
        if not (declined or only_yes_or_no(finding.text) or (any(declining) and refers(finding.text)))
    ]
    for finding, declined in zip(findings, declining, strict=True):
        if declined and not states:
            states = any((documents and claim.verdict) or _FIGURE.search(claim.text) for claim in claims)
            return claims if states else []
        if len(finding.text.split()) > _GREETING:
            break
    return claims


def _closest(evidence: Evidence) -> str:
    """Say which document has most of the question's words, and which it lacks."""
    closest = evidence.closest_document()
    if closest is None:
        return "There are no documents."
    number, has, lacks = closest
    if not has:
        return f"No document has a word of the question: {quoted(lacks)}."
    missing = f", and lacks {quoted(lacks)}" if lacks else ""
    return f"Document {number} is the closest: of the question's words it has {quoted(has)}{missing}."


def _stated_reference(evidence: Evidence) -> str:
    """Return the first sentence of the reference that answers and that the documents state, or an empty string."""
    if not evidence.item.reference:
        return ""
    findings = evidence.sentences("reference", by="documents")
    stated = [finding.text for finding in findings if finding.verdict in ("stated", "partly")]
    return next((text for text in stated if not declines(text)), "")


def _graded(relevance: float, high: str, middle: str) -> str:
    return high if relevance >= _ANSWERING else middle if relevance >= _HELPFUL else "none"


_SECTIONS: tuple[tuple[tuple[str, ...], str, Any, Callable[[Any, Case], Mapping[str, Measure]]], ...] = (
    (OF_USES, "documents", Uses, score_uses),
    (OF_CLAIMS, "claims", Claims, score_claims),
    (OF_PARTS, "question_parts", Parts, score_parts),
)
"""The lists of a response: the metrics that follow from each, its name, its type, and its scores."""


def _section(metrics: frozenset[str]) -> JudgePrompt[Any]:
    """Return the prompt reduced to the list of a response from which ``metrics`` follow, so that another list that is
    not valid costs them nothing."""
    followed, name, kind, score_list = next(row for row in _SECTIONS if metrics & set(row[0]))
    fields: dict[str, Any] = {name: (kind, ...)}
    return replace(
        PROMPT,
        metrics=followed,
        response=create_model("RagSection", __base__=Typed, **fields),
        score=lambda reply, case: score_list(getattr(reply.value, name), case),
    )


PROMPT: JudgePrompt[Any] = JudgePrompt(
    prompt="rag",
    metrics=METRICS,
    needs=frozenset({"argument"}),
    optional=frozenset({"documents"}),
    response=lambda case: WithDocuments if case.item.documents else WithoutDocuments,
    score=score,
    baseline=baseline,
    context=lambda case: {"documents": range(1, len(case.item.documents) + 1)},
    settings=lambda case: {"shown": ("argument", "documents") if case.item.documents else ("argument",)},
    section=_section,
    typed=rag_questions,
)
JUDGE = Judge(
    name="rag",
    summary="an answer over documents: faithfulness, relevance, completeness, and the retrieval, in one call",
    scale="verdicts on claims, on parts of the question and on documents",
    score="shares, partly and helps counting half; context_precision: average precision by rank; unsupported_claims: "
    "0 where there are none, .5 for one that is not in the documents, .75 for one that they contradict, nearer to 1 "
    "for more",
    source="own; claims against documents after RAGChecker (Ru et al. 2024), section 3.3",
    judge_prompts=(PROMPT,),
)
