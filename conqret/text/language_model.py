"""A language model of words and pairs of words, made of a few texts over a flat background.

    P(w | v) = a * c(v w) / c(v) + (1 - a) * P(w)    where v occurs before another word in the texts; else P(w)
    P(w)     = b * c(w) / N      + (1 - b) * B(w)

with counts c in the texts and N their words (Jelinek and Mercer 1980, with fixed weights). The background B knows
two kinds of words: stop words, which are half of any text, and all others, each as likely as the next. Where no stop
words are known there is one kind.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import pairwise

from conqret.text.lexicons import STOP_WORDS

PAIR_WEIGHT = 0.4
"""a: the trust in what followed the same word before."""

WORD_WEIGHT = 0.5
"""b: the trust in the texts' own words, against the background's."""

STOP_SHARE = 0.48
"""The share of stop words among the words of the demo documents (79,368 words)."""

VOCABULARY = 50_000
"""Words that are no stop words, as many as a desk dictionary has entries."""


class LanguageModel:
    """Probabilities of words after the words of ``texts``, each a list of words in lower case; ``stop_words`` are those
    of their language."""

    def __init__(self, texts: Iterable[Sequence[str]], stop_words: Set[str] = STOP_WORDS) -> None:
        self._stop_words = stop_words
        self._rest = (1 - STOP_SHARE if stop_words else 1.0) / VOCABULARY
        self._words: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._before: Counter[str] = Counter()
        for words in texts:
            self._words.update(words)
            self._pairs.update(pairwise(words))
            self._before.update(words[:-1])
        self._total = self._words.total()

    def log_likelihood(self, words: Sequence[str]) -> float:
        """The sum of log P over ``words`` in nats; the first has no word before it."""
        return math.fsum(
            math.log(self.probability(word, before))
            for before, word in zip((None, *words), words, strict=False)
        )

    def probability(self, word: str, before: str | None = None) -> float:
        """P(word | before); of ``word`` alone where nothing is known of what stands before it."""
        background = STOP_SHARE / len(self._stop_words) if word in self._stop_words else self._rest
        alone = background
        if self._total:
            alone = WORD_WEIGHT * self._words[word] / self._total + (1 - WORD_WEIGHT) * background
        if before is None or not (seen := self._before[before]):
            return alone
        return PAIR_WEIGHT * self._pairs[before, word] / seen + (1 - PAIR_WEIGHT) * alone
