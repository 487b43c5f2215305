"""The offline baseline: lexical and statistical evidence in place of a model.

It is deterministic, needs neither key nor network, and is the baseline that an LLM judge must beat to be worth its
price. Its few fitted numbers stand in ``fitted.json`` (`conqret.baseline.text_quality`); the rest is made by hand.
`Evidence` is all that other packages need.
"""

from conqret.baseline.alignment import By, CitationVerdict, Finding, PreferenceFinding, SentenceFinding, Which
from conqret.baseline.evidence import Evidence, foreign_documents, not_english, reads_english

__all__ = [
    "By",
    "CitationVerdict",
    "Evidence",
    "Finding",
    "PreferenceFinding",
    "SentenceFinding",
    "Which",
    "foreign_documents",
    "not_english",
    "reads_english",
]
