"""context-recall: what of a reference the documents bear out, claim by claim, in one call.

Context recall is the share of the reference's claims that the documents bear out, one that they bear out in part
counting half (the claim recall of RAGChecker's retriever, Ru et al. 2024, section 3.3; ragas and DeepEval call it
context recall). The argument is not looked at: what is measured is the retrieval.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from conqret.data import Measure
from conqret.judges._shared import DifferentClaims, claim_share, claims
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed


class RetrievedClaim(Typed):
    """A claim of the reference, and whether the documents bear it out."""

    claim: str
    explanation: str
    verdict: Literal["borne_out", "partly", "not_in_documents", "contradicted"]


class ReferenceInDocuments(Typed):
    """The claims of the reference, each with its verdict."""

    reference_claims: Annotated[list[RetrievedClaim], Field(min_length=1), DifferentClaims]


def score(reply: JudgeReply[ReferenceInDocuments], case: Case) -> Mapping[str, Measure]:
    """Return a mapping from the metric to its measure: the share of the reference's claims that the documents
    support."""
    return {"context_recall": claim_share(reply.value.reference_claims, "the reference")}


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's verdict on each sentence of the reference, by the document that supports it
    best.
    """
    findings = case.evidence.sentences("reference", by="documents")
    return {"reference_claims": claims(findings, stated="borne_out", nothing="not_in_documents")}


JUDGE = Judge(
    name="context-recall",
    summary="what of a reference the documents bear out, claim by claim",
    scale="borne out, partly, not in the documents, contradicted",
    score="context recall: the share of the reference's claims that are borne out, partly counting half",
    source="own; after RAGChecker (Ru et al. 2024), section 3.3",
    judge_prompts=(
        JudgePrompt(
            prompt="context-recall",
            metrics=("context_recall",),
            needs=frozenset({"documents"}),
            against=frozenset({"reference"}),
            response=ReferenceInDocuments,
            score=score,
            baseline=baseline,
        ),
    ),
)
