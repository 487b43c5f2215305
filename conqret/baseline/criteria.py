"""Evidence for yes/no rubrics: named values in [0, 1] about the documents and about the argument."""

from __future__ import annotations

import math
from collections.abc import Sequence

from conqret.baseline.findings import CitationVerdict, Finding, clip
from conqret.baseline.relevance import Features
from conqret.text.analysis import Text

RELEVANT = 0.4


def criteria(
    documents: Sequence[Features],
    relevances: Sequence[float],
    aspects: Sequence[frozenset[str]],
    argument: Text,
    verdicts: Sequence[CitationVerdict],
) -> dict[str, Finding]:
    """The criteria by name, each in [0, 1]. A document is relevant from a relevance of 0.4.

    relevant_share: relevant documents / documents. breadth: share of the built-in aspects of debate of which
    some relevant document has two words. evidence: share of documents that are relevant and give figures and
    names. consistency: 1 - 2 sd of the relevances. focus: 1 - mean noise (1 for what is not relevant).
    citation_presence: sentences that cite / sentences. citation_validity, citation_precision: citations that
    point to a document, or are borne out, / citations. no_contradiction: 1 - clashes / citations.
    """
    n = len(documents)
    if not n:
        relevant_share = breadth = figures = spread = noise = 0.0
    else:
        relevant = [d for d, r in zip(documents, relevances, strict=True) if r >= RELEVANT]
        relevant_share = len(relevant) / n
        touched = sum(any(len(a & d.body.terms) >= 2 for d in relevant) for a in aspects)
        breadth = touched / len(aspects)
        figures = (
            sum(
                any(s.numbers for s in d.body.sentences) and any(s.names for s in d.body.sentences)
                for d in relevant
            )
            / n
        )
        mean = math.fsum(relevances) / n
        spread = math.sqrt(math.fsum((r - mean) ** 2 for r in relevances) / n)
        noise = (
            math.fsum(d.noise if r >= RELEVANT else 1.0 for d, r in zip(documents, relevances, strict=True))
            / n
        )
    cited = [s for s in argument.sentences if s.cites]
    known = [v for v in verdicts if v.label is not None]

    def share(part: int, whole: int) -> float:
        return part / whole if whole else 0.0

    supports = sum(v.label == "supports" for v in verdicts)
    clashes = sum(v.label == "contradicts" for v in verdicts)
    return {
        "relevant_share": Finding(
            relevant_share, f"{relevant_share:.0%} of the documents keep to the topic."
        ),
        "breadth": Finding(
            breadth, f"The relevant documents touch {breadth:.0%} of the usual aspects of a debate."
        ),
        "evidence": Finding(
            figures, f"{figures:.0%} of the documents are relevant and give figures and names."
        ),
        "consistency": Finding(
            clip(1 - 2 * spread) if n else 0.0, f"Relevance varies by {spread:.2f} between documents."
        ),
        "focus": Finding(
            clip(1 - noise) if n else 0.0, f"{noise:.0%} of the documents is off the topic or page furniture."
        ),
        "citation_presence": Finding(
            share(len(cited), len(argument.sentences)),
            f"{len(cited)} of {len(argument.sentences)} sentences cite.",
        ),
        "citation_validity": Finding(
            share(len(known), len(verdicts)),
            f"{len(known)} of {len(verdicts)} citations point to a document.",
        ),
        "citation_precision": Finding(
            share(supports, len(verdicts)), f"{supports} of {len(verdicts)} citations are borne out."
        ),
        "no_contradiction": Finding(
            1 - share(clashes, len(verdicts)),
            f"{clashes} of {len(verdicts)} citations clash with their source.",
        ),
    }
