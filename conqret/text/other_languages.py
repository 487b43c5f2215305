"""Words, stems, figures and names of texts in other languages than English, for evidence that needs no English.

Stems are the first five letters of a word: the simplest of the language-independent ways that match inflected forms
(McNamee, Nicholas and Mayfield 2009). Of a Korean word, to which particles are written, they are the first two
syllables, which are as many letters. The pairs of characters that stand for Chinese and Japanese words stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from conqret.text.function_words import FUNCTION_WORDS
from conqret.text.numbers import Quantity

STEM = 5
"""Letters of a stem."""

SYLLABLES = 2
"""Syllables of a Korean stem: a character of Hangul is a syllable of two or three letters."""

_COMMA_IS_DECIMAL = frozenset(
    "de fr es pt ru it nl pl cs sk sv da no fi ro tr id uk bg el hu hr ca vi".split()
)
_EVERY_NOUN_HAS_A_CAPITAL = frozenset({"de", "lb"})

_SCALES: dict[str, dict[str, float]] = {
    language: {word: float(scale) for scale, words_text in scales.items() for word in words_text.split()}
    for language, scales in {
        "de": {1e3: "tausend tsd", 1e6: "mio million millionen", 1e9: "mrd milliarde milliarden"},
        "fr": {1e3: "mille", 1e6: "million millions", 1e9: "milliard milliards"},
        "es": {1e3: "mil", 1e6: "millón millones"},
        "pt": {1e3: "mil", 1e6: "milhão milhões", 1e9: "bilhão bilhões"},
        "ru": {1e3: "тыс тысяч тысячи", 1e6: "млн миллион миллиона миллионов", 1e9: "млрд миллиарда миллиардов"},
        "ar": {1e3: "ألف آلاف", 1e6: "مليون ملايين", 1e9: "مليار مليارات"},
        "hi": {1e3: "हज़ार हजार", 1e5: "लाख", 1e7: "करोड़", 1e9: "अरब"},
        "zh": {1e3: "千", 1e4: "万 萬", 1e8: "亿 億"},
        "ja": {1e3: "千", 1e4: "万", 1e8: "億"},
    }.items()
}  # fmt: skip
_article = re.compile(
    r"[\u0648\u0641\u0628\u0643]?\u0627\u0644(?=\w{3})|\u0644\u0644(?=\w{3})|\u0648(?=\w{4})"
)
"""*al-* with the conjunctions and prepositions written with it, as light10 takes them off (Larkey et al. 2002)."""
_hangul = re.compile("[\uac00-\ud7a3]")
_LONGEST = 15  # digits: a longer figure is cut, so that no number overflows
_GROUP = 3
_group = re.compile(r"[0-9]{3}(?:,[0-9]{1,15})?\Z")
_capitalised = re.compile(
    r"(?<!^)(?<![.!?:\"\u201c\u2018\u00ab\u201e\u00bf\u00a1(] )(?<![\"\u201c\u2018\u00ab\u201e\u00bf\u00a1(\n])"
    r"\b[^\W\d_][\w'\u2019-]+"
)


@lru_cache(maxsize=64)
def function_words(language: str) -> frozenset[str]:
    """The function words of a language; empty where none are known."""
    return frozenset(word for word, languages in FUNCTION_WORDS.items() if language in languages)


class OtherTerms(dict[str, str]):
    """Word to stem in one language, or to the empty string for a function word; bounded, filled as words are seen."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language

    def __missing__(self, word: str) -> str:
        stem = "" if self.language in FUNCTION_WORDS.get(word, ()) else other_stem(word)
        if len(self) > _MOST_KEPT:
            self.clear()
        self[word] = stem
        return stem


_MOST_KEPT = 50_000


def other_stem(word: str) -> str:
    """The first five letters of a word, of an Arabic one without its article, of a Korean one its first two syllables;
    figures stay whole."""
    if word[:1].isdigit():
        return word
    if _hangul.match(word):
        return word[:SYLLABLES]
    article = _article.match(word)
    return (word[article.end() :] if article else word)[:STEM]


@lru_cache(maxsize=64)
def other_terms(language: str) -> OtherTerms:
    """The stems of a language's words."""
    return OtherTerms(language)


def other_quantities(found: Sequence[str], language: str) -> tuple[Quantity, ...]:
    """The quantities among words, in order: figures, with the word of scale behind them (``6,7 Mio``)."""
    return tuple(_quantities(found, language))


def _quantities(found: Sequence[str], language: str) -> Iterator[Quantity]:
    scales = _SCALES.get(language, {})
    end = 0
    for place, word in enumerate(found):
        if place >= end and "0" <= word[0] <= "9":
            end = place + 1
            if language in _COMMA_IS_DECIMAL and len(word) <= _GROUP:
                while end < len(found) and _group.match(found[end]):
                    word += found[end]  # 1 940 000
                    end += 1
            figure, decimals = _value(word, language)
            following = found[end] if end < len(found) else ""
            scale = scales.get(following) or scales.get(
                following[:1] if language in ("zh", "ja") else "", 1.0
            )
            yield Quantity(figure * scale, "plain", word, figure, place, decimals)


def _value(word: str, language: str) -> tuple[float, int]:
    """The number that a figure says, and its decimals: a mark that comes once stands before decimals where it is the
    language's, and before a group of three digits where it is not."""
    decimal = "," if language in _COMMA_IS_DECIMAL else "."
    whole, _, fraction = word.rpartition(decimal)
    if not whole or word.count(decimal) > 1:
        whole, fraction = word, ""
    digits = "".join(filter(str.isdigit, whole))
    return float(f"{digits[:_LONGEST]}.{fraction[:_LONGEST]}"), len(fraction)


def other_names(text: str, language: str) -> frozenset[str]:
    """Capitalised words inside a sentence, in lower case; none where capitals do not mark names, as in German."""
    if language in _EVERY_NOUN_HAS_A_CAPITAL:
        return frozenset()
    return frozenset(
        [match.group().lower() for match in _capitalised.finditer(text) if match.group()[0].isupper()]
    )
