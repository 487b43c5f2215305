"""A text as the stance baseline sees it (:class:`Passage` and the like): passages, sentences of words, and
the stems of their content words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from scipy.sparse import csr_matrix

from conqret.text.analysis import Text, stem, weight
from conqret.text.language import is_english
from conqret.text.lexicons import NEGATIONS, STOP_WORDS
from conqret.text.sentences import boundaries
from conqret.text.words import fold, word_spans, words

WORDS = 100
"""Words in a passage: the segments of DPR's Wikipedia, and of every corpus of BeRDS (section 4.2)."""


def passages(text: str, words: int = WORDS) -> list[str]:
    """Split ``text`` into consecutive pieces of at most ``words`` words; a text without words gives one
    empty piece."""
    spans = word_spans(text)
    ends = [end for _, end in spans[words - 1 :: words]] + [len(text)]
    return [
        " ".join(text[start:end].split()) for (start, _), end in zip(spans[::words], ends, strict=False)
    ] or [""]


def blocks(texts: Iterable[str], words: int, size: int) -> Iterator[tuple[list[str], list[int]]]:
    """Split documents (``texts``) into passages of at most ``words`` words, and yield them in batches of
    whole documents.

    Each batch is the list of passages, at least ``size`` except in the last, and the number of passages of
    each document.
    """
    pieces: list[str] = []
    counts: list[int] = []
    for text in texts:
        pieces_of_text = passages(text, words)
        pieces += pieces_of_text
        counts.append(len(pieces_of_text))
        if len(pieces) >= size:
            yield pieces, counts
            pieces, counts = [], []
    if counts:
        yield pieces, counts


REACH = 3
"""A negation flips a good or bad word within so many words after it."""


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """Return the stem of a word; empty for stop words and single letters."""
    return "" if word in STOP_WORDS or len(word) < 2 else stem(word)


def lexical(texts: Sequence[str]) -> Any:
    """Return a sparse TF-IDF matrix with one row for each text and one column for each content stem.

    An entry is ``(1 + log f) log((n + 1) / (d + 1/2))``. ``f`` is the stem's frequency in the text, and
    ``d`` the number of the ``n`` texts that contain it.
    """
    counts = [Counter(filter(None, map(root, words(fold(text))))) for text in texts]
    holders = Counter(term for count in counts for term in count)
    columns = {term: place for place, term in enumerate(sorted(holders))}
    values, places, starts = [], [], [0]
    for count in counts:
        for term, frequency in count.items():
            places.append(columns[term])
            values.append((1 + math.log(frequency)) * math.log((len(texts) + 1) / (holders[term] + 0.5)))
        starts.append(len(places))
    return csr_matrix((values, places, starts), shape=(len(texts), max(1, len(columns))))


@dataclass(frozen=True)
class Passage:
    """One sentence of a text, with straight apostrophes."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """The words of the sentence in lower case, in order."""
        return words(self.text)

    @cached_property
    def roots(self) -> list[str]:
        """The stem of each word; empty for stop words."""
        return [root(word) for word in self.words]

    @cached_property
    def denied(self) -> frozenset[str]:
        """The stems that a sentence negates: those of the first three content words after each negation;
        ``not only`` negates nothing.
        """
        denied_stems: set[str] = set()
        left = 0
        for place, word in enumerate(self.words):
            if word in NEGATIONS:
                left = 0 if self.words[place + 1 : place + 2] == ["only"] else REACH
            elif left and self.roots[place]:
                denied_stems.add(self.roots[place])
                left -= 1
        return frozenset(denied_stems)


@dataclass(frozen=True)
class ReadText:
    """A text split into sentences, with the frequency of each content stem."""

    sentences: tuple[Passage, ...]
    frequency: Mapping[str, int]


def read(raw: str) -> ReadText:
    """Split a text (without accents, with straight apostrophes) into sentences, and count its content
    stems.
    """
    text = fold(raw)
    sentences = tuple(Passage(part) for start, end in boundaries(text) if (part := text[start:end].strip()))
    return ReadText(sentences, Counter(term for sentence in sentences for term in sentence.roots if term))


def stems(text: str) -> set[str]:
    """Return the set of stems of a text's content words."""
    return {root for sentence in read(text).sentences for root in sentence.roots if root}


def support(claim: str, evidence: str, language: str = "") -> float:
    """Return the weighted share of a claim's stems that occur in the evidence, from 0 to 1; 0 for a claim
    without words."""
    if not is_english(language):
        other = Text(claim, language).terms
        return len(other & Text(evidence, language).terms) / len(other) if other else 0.0
    wanted = stems(claim)
    total = sum(map(weight, sorted(wanted)))
    return sum(map(weight, sorted(wanted & stems(evidence)))) / total if total else 0.0
