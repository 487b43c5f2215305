"""The offline stance baseline: which side of a question does a text take, by its words alone?

Stance detection by lexical evidence, in the manner of the first systems (Somasundaran and Wiebe 2010;
the feature sets of SemEval-2016 task 6): what the text declares, what it finds good and bad, what it denies,
and which of that the yes side of the question would say (see :mod:`conqret.retrieval.sides`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from conqret.llm.offline.lexicons import NEGATIONS
from conqret.llm.offline.text import stem, weight
from conqret.retrieval.passages import REACH, Passage, Reading, read
from conqret.retrieval.sides import Sides
from conqret.retrieval.stance_words import BAD, DECLARES_AGAINST, DECLARES_FOR, GOOD, LESSEN

DECLARED, VALUED, DENIED = 1.0, 2.0, 0.5
"""What a declaration, the balance of good and bad words, and a denial of the question's words weigh.
Chosen by hand: a text full of ill words weighs as much as two declarations."""

LEAD = 2
"""Sentences at either end of a text count double: that is where a side is declared."""

PRIOR = 4.0
"""Good or bad words that a text is taken to have of each kind before it is read: short texts lean less."""

_for = re.compile(DECLARES_FOR, re.IGNORECASE)
_against = re.compile(DECLARES_AGAINST, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lean:
    """Which side a text takes: ``value`` in (-1, 1), positive for yes; and what it is made of."""

    value: float
    declared: float
    valued: float
    denied: float


def lean(text: Reading, sides: Sides) -> Lean:
    """The side that ``text`` takes on a question.

    ``value = tanh(1 d + 2 p v - 0.5 n)``: d the declarations for less those against, damped by
    ``d / (1 + |d|/2)``; v in [-1, 1] the balance of good and bad words ``(g - b) / (g + b + 8)``, times the
    polarity p of the yes side; n the share of sentences that deny a word of the question.
    """
    declared = good = bad = denied = 0.0
    count = len(text.sentences)
    for place, sentence in enumerate(text.sentences):
        weight = 2.0 if place < LEAD or place >= count - LEAD else 1.0
        declared += weight * (len(_for.findall(sentence.text)) - len(_against.findall(sentence.text)))
        plus, minus = _values(sentence)
        good, bad = good + weight * plus, bad + weight * minus
        denied += bool(sentence.denied & sides.terms)
    damped = declared / (1 + abs(declared) / 2)
    valued = (good - bad) / (good + bad + 2 * PRIOR)
    share = denied / count if count else 0.0
    value = math.tanh(DECLARED * damped + VALUED * sides.polarity * valued - DENIED * share)
    return Lean(value, damped, valued, share)


def stance_scores(question: str, stance: str, texts: Sequence[str]) -> list[float]:
    """How well each text serves one side (``pro`` or ``con``) of the question, or either (``none``).

    Topical relevance (``conqret.llm.offline``, in [0, 1]) times how far the text leans that way:
    ``relevance * (1 + lean) / 2``. Texts off the topic come last whatever they lean to.
    """
    sides = Sides.of(question)
    sign = {"pro": 1.0, "con": -1.0, "none": 0.0}[stance]
    readings = [read(text) for text in texts]
    return [match(reading, sides) * (1 + sign * lean(reading, sides).value) / 2 for reading in readings]


def stance_order(question: str, stance: str, texts: Sequence[str]) -> list[int]:
    """The numbers (from 0) of the texts, those that serve the side best first; equals keep their order."""
    scores = stance_scores(question, stance, texts)
    return sorted(range(len(texts)), key=lambda place: -scores[place])


def match(text: Reading, sides: Sides) -> float:
    """How far a text keeps to the question, in [0, 1]: ``sum(w_t (1 - 2^-f_t)) / sum(w_t)`` over the
    question's stems t, f_t how often the text has it, w_t a half for common words, else 1."""
    weights = {term: weight(term) for term in sorted(sides.terms)}
    total = sum(weights.values())
    held = sum(w * (1 - 0.5 ** text.frequency.get(term, 0)) for term, w in weights.items())
    return held / total if total else 0.0


def _values(sentence: Passage) -> tuple[float, float]:
    """How many of a sentence's words speak well of things and how many ill, after what turns them."""
    good = bad = 0.0
    turned = 0
    for word in sentence.words:
        if word in NEGATIONS:
            turned = REACH
            continue
        root = stem(word)
        if root in GOOD or root in BAD:
            is_good = (root in GOOD) != (turned > 0)
            good, bad = good + is_good, bad + (not is_good)
        if root in LESSEN:
            turned = REACH
        elif turned:
            turned -= 1
    return good, bad
