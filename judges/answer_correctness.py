"""answer-correctness: an answer against a reference, claim by claim, in one call.

Both texts are broken into claims. Completeness is the share of the reference's claims that the answer states,
correctness the share of the answer's claims that the reference bears out, each one that is so in part counting half,
and correctness_f1 their harmonic mean (claim recall, precision and F1: RAGChecker, Ru et al. 2024, section 3.3; here
one response holds both lists, where RAGChecker extracts and checks in separate calls, and there are halves).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from conqret.data import Measure, Reason, Status
from conqret.judges._shared import DifferentClaims, claim_share, claims
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed

METRICS = ("correctness", "completeness", "correctness_f1")


class ReferenceClaim(Typed):
    """A claim of the reference, and what the answer makes of it."""

    claim: str
    explanation: str
    verdict: Literal["stated", "partly", "left_out", "contradicted"]


class AnswerClaim(Typed):
    """A claim of the answer, and whether the reference bears it out."""

    claim: str
    explanation: str
    verdict: Literal["borne_out", "partly", "not_in_reference", "contradicted"]


class AnswerAgainstReference(Typed):
    """The claims of both, each with its verdict; an answer may claim nothing."""

    reference_claims: Annotated[list[ReferenceClaim], Field(min_length=1), DifferentClaims]
    answer_claims: Annotated[list[AnswerClaim], DifferentClaims]


def score(reply: JudgeReply[AnswerAgainstReference], case: Case) -> Mapping[str, Measure]:
    """Compute correctness (precision), completeness (recall) and F1 from the verdicts on claims.

    If the answer has no claims, correctness is missing and F1 is 0.
    """
    completeness = claim_share(reply.value.reference_claims, "the reference")
    if not reply.value.answer_claims:
        correctness = Measure.missing(Reason.NOTHING_TO_JUDGE, "the answer claims nothing")
        return {"correctness": correctness, "completeness": completeness, "correctness_f1": _f1(0.0, 0.0)}
    correctness = claim_share(reply.value.answer_claims, "the answer")
    return {
        "correctness": correctness,
        "completeness": completeness,
        "correctness_f1": _f1(correctness.value or 0.0, completeness.value or 0.0),
    }


def _f1(precision: float, recall: float) -> Measure:
    value = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    return Measure(status=Status.SCORED, value=value)


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's verdicts on the sentences of both texts, from shared words, figures and names."""
    stated = case.evidence.sentences("reference", by="argument")
    borne_out = case.evidence.sentences("argument", by="reference")
    return {
        "reference_claims": claims(stated, nothing="left_out"),
        "answer_claims": claims(borne_out, stated="borne_out", nothing="not_in_reference"),
    }


JUDGE = Judge(
    name="answer-correctness",
    summary="an answer against a reference, claim by claim: what it states of it, leaves out, contradicts and adds",
    scale="stated, partly, left out, contradicted; borne out, partly, not in the reference, contradicted",
    score="correctness and completeness: shares of claims, partly counting half; correctness_f1: harmonic mean",
    source="own; after RAGChecker (Ru et al. 2024), section 3.3",
    judge_prompts=(
        JudgePrompt(
            prompt="answer-correctness",
            metrics=METRICS,
            needs=frozenset({"argument"}),
            against=frozenset({"reference"}),
            response=AnswerAgainstReference,
            score=score,
            baseline=baseline,
        ),
    ),
)
