"""Words, stems and sentences of a text, found once and kept.

Every score of the offline baseline reads these sets; no other module looks at characters again, except
for numbers and names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from functools import cached_property

from conqret.data.citations import citations, strip_citations
from conqret.data.sentences import sentences
from conqret.llm.offline.lexicons import COMMON_WORDS, NEGATIONS, STOP_WORDS
from conqret.llm.offline.numbers import Quantity, quantities

_word = re.compile(r"\w+(?:['\u2019]\w+)?")
_name = re.compile(r"(?<!^)(?<![.!?:\"\u201c\u2018(] )(?<![\"\u201c\u2018(\n])\b[A-Z][\w'\u2019-]+")

COMMON_WEIGHT = 0.5
_CACHE_LIMIT = 200_000

_INFLEXIONS = ("ing", "ings", "ies", "ied", "ed", "es", "s")
_DERIVATIONS = (
    "ianism ianisms iz izations isations ization isation ations ation ments ment ities ity ness ables able ibles ible ialism ional "
    "ical ially ally ial isms ism ists ist ians ian ures ure ives ive ions ion izes ize ises ise ers er ors or "
    "ally ily ly ic"
).split()
_MINIMUM_STEM = 3
_BY_LAST = {last: tuple(s for s in _DERIVATIONS if s[-1] == last) for last in {s[-1] for s in _DERIVATIONS}}


def stem(word: str) -> str:
    """A light stem of a lower-case word: one ending of inflexion and one of derivation are taken off.

    At least 3 letters stay; a doubled last consonant is undone, and a last ``e`` or ``y`` goes.
    ``votes``, ``voting`` and ``voter`` share ``vot``. Words with a digit stay as they are. Stems are for
    comparison and need not be words (the idea: Porter 1980, in two steps instead of five).
    """
    word = word.replace("\u2019", "'")
    if word.endswith("'s"):
        word = word[:-2]
    if len(word) < 4 or not word.isalpha():
        return word
    if word[-1] in "sgd" and not word.endswith(("ss", "us", "is")):
        for ending in _INFLEXIONS:
            if word.endswith(ending) and len(word) - len(ending) >= _MINIMUM_STEM:
                word = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
                break
    for ending in _BY_LAST.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) >= _MINIMUM_STEM:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


class _Terms(dict[str, str]):
    """Word to stem, or to the empty string for a stop word; bounded, and filled as words are seen."""

    def __missing__(self, word: str) -> str:
        if len(self) > _CACHE_LIMIT:
            self.clear()
        plain = word.replace("\u2019", "'")
        value = "" if plain in STOP_WORDS or len(plain) < 2 else stem(plain)
        self[word] = value
        return value


_terms = _Terms()
COMMON_STEMS = frozenset(stem(word) for word in COMMON_WORDS)


def weight(term: str) -> float:
    """How much a stem says about a topic: 1/2 for common words, 1 for the rest (stop words have no stem)."""
    return COMMON_WEIGHT if term in COMMON_STEMS else 1.0


class Sentence:
    """One sentence without its citation marks: its words in lower case, and the documents it cites."""

    def __init__(self, text: str, cites: tuple[int, ...] = ()) -> None:
        self.text = text
        self.cites = cites
        self.words = _word.findall(text.lower())

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its content stems."""
        return frozenset([_terms[word] for word in self.words]) - _NOTHING

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        """The quantities that it names, in order."""
        return quantities(self.text, self.words)

    @cached_property
    def names(self) -> frozenset[str]:
        """Capitalised words inside it (its first word does not count), lower case."""
        return frozenset([name.lower() for name in _name.findall(self.text)])

    @cached_property
    def negations(self) -> int:
        """How many words of negation it has."""
        return sum(word.replace("\u2019", "'") in NEGATIONS for word in self.words)


class Text:
    """An analysed text: its sentences, and how often each word and each content stem occurs in it."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.words = Counter([word for sentence in sentences for word in sentence.words])
        terms: dict[str, int] = {}
        stems = _terms
        for word, n in self.words.items():
            term = stems[word]
            terms[term] = terms.get(term, 0) + n
        self.length = self.words.total()
        self.stop_words = terms.pop("", 0)
        self.terms = terms

    @classmethod
    def of(cls, raw: str) -> Text:
        """The text of a string; a citation mark that stands alone belongs to the sentence before it."""
        found: list[Sentence] = []
        for span in sentences(raw):
            cites = citations(span.text)
            sentence = Sentence(strip_citations(span.text) if cites else span.text, cites)
            if sentence.words:
                found.append(sentence)
            elif cites and found:
                found[-1].cites = tuple(dict.fromkeys(found[-1].cites + cites))
        return cls(found)

    def without(self, dropped: Set[int]) -> Text:
        """The same text without the sentences of these numbers (from 0)."""
        return Text([sentence for i, sentence in enumerate(self.sentences) if i not in dropped])

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        """The quantities of all its sentences."""
        return tuple([quantity for sentence in self.sentences for quantity in sentence.numbers])

    def count(self, cues: Set[str]) -> int:
        """How many of its words are among ``cues``."""
        words = self.words
        return sum([words[cue] for cue in words.keys() & cues])


_NOTHING = frozenset({""})
