"""The perturbations by what they change (see :mod:`conqret.perturb.perturbation`).

- ``changed_documents``: documents of other topics (``irrelevant``), in another order (``shuffle``), or dated back
  (``outdated-evidence``)
- ``changed_citations``: marks removed (``drop-citations``) or moved (``wrong-citations``), sources misnamed
  (``wrong-names``)
- ``changed_sentences``: sentences contradicted (``hallucinate``) or in other words (``paraphrase``), ``truncate``,
  ``flip-stance``
- ``reversed_claims``: sentences turned round, so that they say the opposite (``reverse``)
- ``added_texts``: ``fallacies``, ``one-sided-evidence``, ``padding``, ``inject-argument`` and ``inject-document``
"""

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
