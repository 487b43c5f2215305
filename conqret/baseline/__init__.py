"""The offline baseline: lexical and statistical evidence in place of a model.

It is deterministic, needs neither key nor network, and is the baseline that an LLM judge must beat to be worth its
price. Its few fitted numbers stand in ``fitted.json``; the rest is made by hand.

- ``evidence``: `Evidence`, all that the baseline finds about one item, and which of two arguments is stronger
- ``alignment``: whether documents support a sentence: groundedness, and verdicts on citations
- ``relevance``: relevance of a text to a topic, and nuggets (key points) of a topic or of documents
- ``text_quality``: the fifteen dimensions of argument quality, and the models in ``fitted.json``
- ``declining``: sentences by which an answer says that it does not know
"""

from conqret.baseline.alignment import (
    By,
    CitationVerdict,
    Finding,
    PreferenceFinding,
    SentenceFinding,
    Which,
    only_yes_or_no,
    quoted,
)
from conqret.baseline.declining import clauses_that_claim, declines, refers
from conqret.baseline.evidence import Evidence, foreign_documents, not_english

__all__ = [
    "By",
    "CitationVerdict",
    "Evidence",
    "Finding",
    "PreferenceFinding",
    "SentenceFinding",
    "Which",
    "clauses_that_claim",
    "declines",
    "foreign_documents",
    "not_english",
    "only_yes_or_no",
    "quoted",
    "refers",
]
