"""The offline baseline of perspective detection: the words of the statement, and what it denies.

Lexical entailment in the manner of the first RTE systems (Dagan et al. 2006).
"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.text.analysis import weight
from conqret.text.lexicons import NEGATIONS
from conqret.text.passages import Passage, read
from conqret.text.stance import values

COVERED = 0.6
"""The share of a statement's words that its best passage must hold; from 3 of 5 on, the passage is taken to
speak of the same thing (as in the offline baseline's alignment of claims with sources)."""

PASSAGE = 2
"""Sentences that are read together."""


def baseline_contains(document: str, perspective: str) -> bool:
    """Whether the document's best passage for the perspective holds its words and does not affirm what it denies.

    The best passage are the two neighbouring sentences with the greatest share of the perspective's stems, by
    weight (a half for common words, else 1). A perspective that denies something is contained only where that
    passage denies something too, or speaks more ill of things than well.
    """
    statement = Passage(perspective)
    passage, covered = best_passage(statement, read(document).sentences)
    if covered < COVERED:
        return False
    if not _denies(statement) or any(_denies(sentence) for sentence in passage):
        return True
    counts = [values(sentence) for sentence in passage]
    return sum(bad for _, bad in counts) > sum(good for good, _ in counts)


def best_passage(statement: Passage, sentences: Sequence[Passage]) -> tuple[Sequence[Passage], float]:
    """The neighbouring sentences that hold most of the statement's stems by weight, and that share in [0, 1]."""
    weights = {term: weight(term) for term in sorted(set(statement.roots) - {""})}
    total = sum(weights.values())
    if not total or not sentences:
        return (), 0.0
    shares = []
    for place in range(len(sentences)):
        held = {term for sentence in sentences[place : place + PASSAGE] for term in sentence.roots}
        shares.append(sum(value for term, value in weights.items() if term in held))
    best = shares.index(max(shares))
    return sentences[best : best + PASSAGE], shares[best] / total


def _denies(sentence: Passage) -> bool:
    return not NEGATIONS.isdisjoint(sentence.words)
