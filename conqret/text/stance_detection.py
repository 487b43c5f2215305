"""The offline stance baseline: detect from its words alone which side of a question a text takes.

Stance detection by lexical evidence, in the manner of the first systems (Somasundaran and Wiebe 2010; the
feature sets of SemEval-2016 task 6): what the text declares, what it finds good and bad, what it denies, and
which of that the yes side of the question would say (:class:`QuestionSides`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from conqret.text.analysis import stem, weight
from conqret.text.lexicons import NEGATIONS, word_list
from conqret.text.text_passages import REACH, Passage, read
from conqret.text.words import fold


def _stems(name: str) -> frozenset[str]:
    return frozenset(map(stem, word_list(name, "stance")))


GOOD = _stems("good")
BAD = _stems("bad")
LESSEN = _stems("lessen")
"""Verbs that turn something bad into something good, and the reverse: *reduce harm*, *limit freedom*."""

AGAINST = _stems("against")
"""Words that a question says against its own subject (*ban*, *abolish*): then the yes side speaks ill of
the subject.
"""

_ADVERB = r"(?:strongly |firmly |fully |wholeheartedly |respectfully )?"

DECLARES_FOR = "|".join(
    (
        r"\bin favou?r of\b",
        rf"\b(?:i|we) {_ADVERB}(?:support|agree|endorse|advocate|favou?r)\b",
        r"\bstrong(?:ly)? support\b",
        r"\bfirm(?:ly)? support\b",
        r"\b(?:strongly|firmly) believe that .{0,80}\bshould\b(?! not)",
        r"\barguments? (?:in support of|supporting|for)\b",
        r"\bcase for\b",
        r"\baffirmative\b",
        r"\bsupporters? (?:of|argue)\b",
        r"\badvocates? (?:of|for)\b",
        r"\b(?:should|must|ought to) be "
        r"(?:mandatory|legal|allowed|permitted|adopted|introduced|implemented|encouraged)\b",
        r"\bthe answer is (?:yes|a (?:clear|resounding) yes)\b",
        r"^\W*yes\b",
    )
)
"""A pattern of phrases that take the yes side of the question."""

DECLARES_AGAINST = "|".join(
    (
        r"\bargu\w* against\b",
        r"\bcase against\b",
        r"\bagainst (?:this|it|the "
        r"(?:idea|notion|topic|proposal|motion|introduction|use|adoption|claim|statement))\b",
        rf"\b(?:i|we) {_ADVERB}(?:oppose|disagree|reject|object)\b",
        r"\bopposed to\b",
        r"\bopposition to\b",
        rf"\b(?:i am|i'm|we are|stand) {_ADVERB}against\b",
        r"\bopponents? (?:of|argue)\b",
        r"\bcritics (?:of|argue|say)\b",
        r"\b(?:should|must|ought) (?:not|never)\b",
        r"\b(?:shouldn't|mustn't)\b",
        r"\bnot the (?:solution|answer|best|right|most)\b",
        r"^\W*negative\b",
        r"\bnegative (?:side|position|stance)\b",
        r"\bthe answer is (?:no|a (?:clear|resounding) no)\b",
        r"^\W*no\b[,.:]",
        r"\bnot (?:necessarily|always|justified|acceptable|appropriate|desirable|feasible|true)\b",
        r"\binstead of\b",
        r"\brather than\b",
    )
)
"""A pattern of phrases that take the no side of the question."""


STANDPOINTS = {
    "yes side": "benefits advantages reasons for supporters evidence in favour",
    "no side": "harms risks disadvantages reasons against critics opponents",
}
"""The words to search with for each side of a question."""


def standpoints(question: str) -> dict[str, str]:
    """Return the offline baseline's perspectives: a mapping from ``yes side`` and ``no side`` to the
    question followed by that side's search words.
    """
    return {name: f"{question} {words}" for name, words in STANDPOINTS.items()}


@dataclass(frozen=True, slots=True)
class QuestionSides:
    """The two sides of a question, as the lexical stance baseline sees them.

    ``terms`` are the question's content stems. ``polarity`` is 1 if answering yes favors the subject, and
    -1 if it opposes it. Two reversals cancel out: "Should the ban on hunting be abolished?" has polarity
    1.
    """

    terms: frozenset[str]
    polarity: int

    @classmethod
    def from_question(cls, question: str) -> QuestionSides:
        """Derive terms and polarity from the words of a question or a claim."""
        passage = Passage(fold(question))
        turns = sum(stem(word) in AGAINST or word in NEGATIONS for word in passage.words)
        return cls(frozenset(passage.roots) - {""}, -1 if turns % 2 else 1)


DECLARED, VALUED, DENIED = 1.0, 2.0, 0.5
"""The weights of declarations, of the balance of good and bad words, and of denials of the question's
words in :func:`lean`.

Chosen by hand: a text full of bad words weighs as much as two declarations.
"""

LEAD = 2
"""So many sentences at either end of a text count double, because a side is declared there."""

PRIOR = 4.0
"""Good and bad words, of each kind, that are added to every text's count, so that short texts lean less."""

_for = re.compile(DECLARES_FOR, re.IGNORECASE)
_against = re.compile(DECLARES_AGAINST, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Signs:
    """The stance signals of a text, independent of any question.

    ``declared`` is the declarations for minus those against. ``good`` and ``bad`` are the weights of
    positive and negative words. ``denied`` holds the negated stems of each sentence, and ``frequency`` the
    count of each stem.
    """

    declared: float
    good: float
    bad: float
    denied: tuple[frozenset[str], ...]
    frequency: Mapping[str, int]


@lru_cache(maxsize=2_000)
def signs(text: str) -> Signs:
    """Compute the stance signals of a text; recent results are cached, since the windows of a ranking
    overlap."""
    reading = read(text)
    declared = good = bad = 0.0
    count = len(reading.sentences)
    for place, sentence in enumerate(reading.sentences):
        weight_here = 2.0 if place < LEAD or place >= count - LEAD else 1.0
        declared += weight_here * (len(_for.findall(sentence.text)) - len(_against.findall(sentence.text)))
        plus, minus = values(sentence)
        good, bad = good + weight_here * plus, bad + weight_here * minus
    return Signs(
        declared, good, bad, tuple(sentence.denied for sentence in reading.sentences), reading.frequency
    )


def lean(text_signs: Signs, sides: QuestionSides) -> float:
    """Estimate the side that a text takes on a question, in (-1, 1): positive for yes.

    ``value = tanh(d + 2 p v - n / 2)``. ``d`` is the declarations for minus those against, damped by ``d /
    (1 + |d| / 2)``. ``v`` in [-1, 1] is the balance of good and bad words ``(g - b) / (g + b + 8)``, and
    ``p`` the polarity. ``n`` is the share of sentences that negate a word of the question.
    """
    damped = text_signs.declared / (1 + abs(text_signs.declared) / 2)
    valued = (text_signs.good - text_signs.bad) / (text_signs.good + text_signs.bad + 2 * PRIOR)
    share = sum(not sides.terms.isdisjoint(denied) for denied in text_signs.denied) / max(
        1, len(text_signs.denied)
    )
    return math.tanh(DECLARED * damped + VALUED * sides.polarity * valued - DENIED * share)


def match(text_signs: Signs, sides: QuestionSides) -> float:
    """Compute how relevant a text is to the question, in [0, 1].

    The value is ``sum(w_t (1 - 2^-f_t)) / sum(w_t)`` over the question's stems t. ``f_t`` is the stem's
    frequency in the text, and ``w_t`` is 0.5 for common words, else 1.
    """
    weights = {term: weight(term) for term in sorted(sides.terms)}
    total = sum(weights.values())
    held = sum(w * (1 - 0.5 ** text_signs.frequency.get(term, 0)) for term, w in weights.items())
    return held / total if total else 0.0


def leaning(question: str, texts: Sequence[str]) -> list[float]:
    """Return for each text how strongly it takes the yes side of a question, from -1 (no) to 1 (yes)."""
    sides = QuestionSides.from_question(question)
    return [lean(signs(text), sides) for text in texts]


def stance_scores(question: str, stance: str, texts: Sequence[str]) -> list[float]:
    """Score how well each text supports one side (``pro`` or ``con``) of the question, or either
    (``none``).

    Returns one score in [0, 1] for each text, in order: ``match^2 (2 + s * lean) / 3``, where ``match`` in
    [0, 1] is how much of the question the text is about, ``lean`` in [-1, 1] its side, and s is 1 for
    ``pro``, -1 for ``con``, and 0 for ``none`` (at most 2/3). Of two equally relevant texts, one fully for
    the side scores three times one fully against it.
    """
    sides = QuestionSides.from_question(question)
    sign = {"pro": 1.0, "con": -1.0, "none": 0.0}[stance]
    read_texts = [signs(text) for text in texts]
    return [
        match(read_text, sides) ** 2 * (2 + sign * lean(read_text, sides)) / 3 for read_text in read_texts
    ]


def stance_order(question: str, stance: str, texts: Sequence[str]) -> list[int]:
    """Return the indices (from 0) of the texts by descending :func:`stance_scores`; ties keep their order."""
    scores = stance_scores(question, stance, texts)
    return sorted(range(len(texts)), key=lambda place: -scores[place])


def values(sentence: Passage) -> tuple[int, int]:
    """Return the number of positive and of negative words in a sentence; a negation or a reversing word
    (``LESSEN``) flips those among the three words after it.
    """
    good = bad = turned = 0
    for word in sentence.words:
        if word in NEGATIONS:
            turned = REACH
            continue
        kind, turns = _kind(word)
        if kind:
            if (kind > 0) != (turned > 0):
                good += 1
            else:
                bad += 1
        turned = REACH if turns else max(0, turned - 1)
    return good, bad


@lru_cache(maxsize=50_000)
def _kind(word: str) -> tuple[int, bool]:
    """1 for a good word, -1 for a bad one, else 0; and whether it turns the words after it."""
    word_stem = stem(word)
    kind = 1 if word_stem in GOOD else -1 if word_stem in BAD else 0
    return kind, word_stem in LESSEN
