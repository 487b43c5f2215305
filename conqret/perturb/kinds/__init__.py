"""The perturbations by what they change (see :mod:`conqret.perturb.perturbation`)."""

from conqret.perturb.kinds import (
    added_texts,
    changed_citations,
    changed_documents,
    changed_sentences,
    reversed_claims,
)

PERTURBATIONS = (
    *added_texts.PERTURBATIONS,
    *changed_citations.PERTURBATIONS,
    *changed_documents.PERTURBATIONS,
    *changed_sentences.PERTURBATIONS,
    *reversed_claims.PERTURBATIONS,
)
