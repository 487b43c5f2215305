"""Does a source bear a sentence out? Words, numbers, names and negation against its best passage.

Lexical entailment in the manner of the first RTE systems (Dagan et al. 2006): coverage of the claim's words
by the source, with vetoes for what must agree exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from conqret.llm.offline.findings import clip, quoted
from conqret.llm.offline.lexicons import OPPOSITES
from conqret.llm.offline.numbers import agrees
from conqret.llm.offline.text import Sentence, Text, stem, weight

SUPPORT_COVERAGE = 0.5
SUPPORT_COVERAGE_WITH_NUMBERS = 0.25
CONTRADICTION_COVERAGE = 0.25
POLARITY_COVERAGE = 0.6
FULL_COVERAGE = 0.6
CLASH_FACTOR = 0.25
MISSING_FACTOR = 0.5


@dataclass(frozen=True)
class Alignment:
    """How far one source bears out one sentence.

    ``value`` in [0, 1]; ``coverage`` the weighted share of its content stems in the best passage.
    """

    value: float
    coverage: float
    label: Literal["supports", "contradicts", "silent"]
    explanation: str


def align(claim: Sentence, source: Text) -> Alignment:
    """Compare ``claim`` with the passage of ``source`` that shares most of its words.

    A passage is two neighbouring sentences. ``value = min(1, coverage / 0.6) * n * m * p``: n is the share of the claim's
    numbers that the passage holds (those found only elsewhere count half), m is 1/2 if a name of the claim is nowhere in
    the source, and p is 1/4 if passage and claim differ in negation or use opposite words.
    """
    passage, coverage = best_passage(claim, source.sentences)
    numbers, wrong, elsewhere = _numbers(claim, passage, source)
    n_claimed = len(claim.numbers)
    known = source.words
    strangers = [name for name in sorted(claim.names) if stem(name) not in source.terms and name not in known]
    polarity = _opposite(claim, passage) if coverage >= POLARITY_COVERAGE else ""
    value = min(1.0, coverage / FULL_COVERAGE)
    if n_claimed:
        value *= (numbers + 0.5 * elsewhere) / n_claimed
    if strangers:
        value *= MISSING_FACTOR
    if polarity:
        value *= CLASH_FACTOR
    value = clip(value)
    if wrong and coverage >= CONTRADICTION_COVERAGE:
        return Alignment(value, coverage, "contradicts", f"It says {quoted(wrong)} where the source has other figures.")
    if polarity:
        return Alignment(value, coverage, "contradicts", polarity)
    needed = SUPPORT_COVERAGE_WITH_NUMBERS if n_claimed else SUPPORT_COVERAGE
    if coverage >= needed and not strangers and numbers + elsewhere == n_claimed:
        return Alignment(value, coverage, "supports", f"The source holds {coverage:.0%} of its words and all of its figures.")
    missing = quoted(strangers) if strangers else f"{1 - coverage:.0%} of its words"
    return Alignment(value, coverage, "silent", f"The best passage lacks {missing}.")


def best_passage(claim: Sentence, sentences: Sequence[Sentence]) -> tuple[tuple[Sentence, ...], float]:
    """The two neighbouring sentences that hold most of the claim's stems by weight, and that share.

    The share is in [0, 1]; 0 for a claim without content words. The first of equals is taken.
    """
    weights = {term: weight(term) for term in claim.terms}
    total = sum(sorted(weights.values()))
    if not total or not sentences:
        return (), 0.0
    hits = [claim.terms & sentence.terms for sentence in sentences]
    best, score = 0, -1.0
    for i, hit in enumerate(hits):
        both = hit | hits[i + 1] if i + 1 < len(hits) else hit
        held = 0.0
        for term in both:
            held += weights[term]
        if held > score:
            best, score = i, held
    return tuple(sentences[best : best + 2]), clip(score / total)


def _numbers(claim: Sentence, passage: Sequence[Sentence], source: Text) -> tuple[int, list[str], int]:
    """How many claimed quantities the passage holds, those with no match, how many are only elsewhere."""
    if not claim.numbers:
        return 0, [], 0
    near = [q for sentence in passage for q in sentence.numbers]
    held = elsewhere = 0
    wrong = []
    for quantity in claim.numbers:
        if any(agrees(quantity, other) for other in near):
            held += 1
            continue
        if any(agrees(quantity, other) for other in source.numbers):
            elsewhere += 1
        elif near:
            wrong.append(quantity.text)
    return held, wrong, elsewhere


def _opposite(claim: Sentence, passage: Sequence[Sentence]) -> str:
    """In words, how the polarity of the closest sentence differs from the claim's; empty if it does not."""
    closest = max(passage, key=lambda sentence: len(claim.terms & sentence.terms))
    if (claim.negations > 0) != any(sentence.negations for sentence in passage):
        if claim.negations:
            return "It denies what the source affirms."
        if closest.negations:
            return "It affirms what the source denies."
    theirs = set(closest.words)
    for word in claim.words:
        for opposite in OPPOSITES.get(word, ()):
            if opposite in theirs and word not in theirs:
                return f"It says \u201c{word}\u201d where the source says \u201c{opposite}\u201d."
    return ""
