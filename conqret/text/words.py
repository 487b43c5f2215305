"""Words of a text in any language.

Letters with their marks, figures and what joins them make a word, by Unicode's classes (``regex``), so that a Hindi or
an Arabic word is one word with its vowel signs. Scripts that put no space between words (Chinese, Japanese, Thai, Lao,
Khmer, Burmese) give the pairs of neighboring characters of each run, as Lucene's CJKAnalyzer does: a known good unit
for overlap and BM25 (Nie et al. 2000, "On the use of words and n-grams for Chinese information retrieval"), which needs
no dictionary and is the same for query and document.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Any

import regex

from conqret.text.lexicons import STOP_WORDS

_DENSE = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U000323af"
)
_LOOSE = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
_CHARACTERS_A_WORD = 2, 4
"""Characters of an average word in Chinese and Japanese, and in Thai, Lao, Khmer and Burmese."""

_PAIRS_STAND_FOR_WORDS = frozenset({"zh", "ja"})
"""Languages whose words are pairs of characters."""

UNSPACED = _DENSE + _LOOSE
"""The characters of scripts without spaces between words, for a character class of a regular expression."""

_DOTTED = "i\u0307"
"""What Python makes of a Turkish capital I with its dot in lower case."""

_RAISED = dict.fromkeys(map(ord, "\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079"), " ")
"""Figures in superscript, which would become common ones."""

_SEPARATORS = {0x66B: ".", 0x66C: ","}

_unspaced = re.compile(f"[{UNSPACED}]+")
_dense = re.compile(f"[{_DENSE}]+")
_loose = re.compile(f"[{_LOOSE}]+")
_piece = re.compile(r"\S+")
_short_piece = re.compile(rf"[{_DENSE}]{{1,2}}[^\s\w]*|[{_LOOSE}]{{1,4}}[^\s\w]*|[^\s{UNSPACED}]+")
_letter_or_figure = re.compile(r"[^\W_]")
_not_latin = re.compile("[^\x00-\u02ff\u1e00-\u1eff\u2000-\u2bff\ufb00-\ufb06]")
_latin_word = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[^\W_]+(?:['\u2019][^\W_]+)?")

_ASCII = bytes(range(128))


def is_latin(text: str) -> bool:
    r"""Return True if all letters of a text are Latin and it has no combining marks.

    Python's ``\w`` then finds its words.
    """
    return text.isascii() or _not_latin.search(_beyond_ascii(text)) is None


def _beyond_ascii(text: str) -> str:
    """The characters of a text that are not ASCII: few in most texts, and found ten times as fast as by a pattern."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order.

    A number with its separators is one word (``1,940.5``); digits of any script become ASCII. Chinese and
    Japanese text gives overlapping pairs of characters: ``税收减少`` is ``税收``, ``收减``, ``减少``.
    """
    if is_latin(text):
        return _latin_word.findall(text.lower().replace(_DOTTED, "i"))
    words: list[str] = []
    text = unicodedata.normalize("NFKC", text.translate(_RAISED))
    for word in _pattern().findall(text.lower()):
        if word[0].isdecimal() and not word.isascii():
            words.append(ascii_digits(word).translate(_SEPARATORS))
        elif not _unspaced.match(word) or len(word) == 1:
            words.append(word)
        else:
            words += [first + second for first, second in pairwise(word)]
    return words


def count_words(text: str) -> int:
    """Count the words of a text: the pieces between whitespace that contain a letter or a digit.

    In scripts without spaces, two Chinese or Japanese characters, or four Thai, Lao, Khmer or Burmese
    ones, count as one word. Lengths are thus comparable across languages, but are no count of dictionary
    words.
    """
    pieces = text.split()
    dense = sum(map(len, _dense.findall(text)))
    loose = sum(map(len, _loose.findall(text)))
    if dense or loose:
        pieces = _unspaced.sub(" ", text).split()
    spaced = sum(map(bool, map(_letter_or_figure.search, pieces)))
    return spaced + -(-dense // _CHARACTERS_A_WORD[0]) + -(-loose // _CHARACTERS_A_WORD[1])


def words_in_all(words: int, language: str) -> int:
    """Convert a number of words to the number of tokens of :func:`split_words`, which is twice as many in
    Chinese and Japanese.

    ``language`` is an ISO 639-1 code.
    """
    return 2 * words if language in _PAIRS_STAND_FOR_WORDS else words


def words_counted(pieces: int, language: str) -> int:
    """Convert a number of tokens of :func:`split_words` to a number of words: half of it, rounded up, in
    Chinese and Japanese.
    """
    return (pieces + 1) // 2 if language in _PAIRS_STAND_FOR_WORDS else pieces


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end (in characters, end exclusive) of each word of a text, in order.

    Words are the pieces between whitespace, or in scripts without spaces the groups of characters that
    :func:`count_words` counts as one word.
    """
    if is_latin(text) or not _unspaced.search(text):
        return [match.span() for match in _piece.finditer(text)]
    return [match.span() for match in _short_piece.finditer(text)]


def ascii_digits(text: str) -> str:
    """Return ``text`` with the digits of all scripts as ASCII digits: ``١٢`` becomes ``12``."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in text)


@lru_cache(maxsize=1)
def _pattern() -> Any:
    """The pattern of a word, or of a run of a script without spaces."""
    return regex.compile(
        rf"\p{{Nd}}+(?:[.,\u066b\u066c]\p{{Nd}}+)*"
        rf"|[{_DENSE}]+|[{_LOOSE}]+"
        rf"|[\p{{L}}\p{{Nl}}--[{UNSPACED}]][[\p{{L}}\p{{M}}\p{{Nd}}\u200c\u200d]--[{UNSPACED}]]*"
        rf"(?:['\u2019][[\p{{L}}\p{{M}}]--[{UNSPACED}]]+)?",
        regex.VERSION1,
    )


_QUOTES = {ord("\u2019"): "'", ord("\u2018"): "'", ord("\u02bc"): "'"}
_ACCENTS = re.compile("[\u0300-\u036f]+")
_LATIN_MARKS = re.compile("([A-Za-z])[\u0300-\u036f]+")
_ARABIC_MARKS = re.compile("[\u0640\u064b-\u0655\u0670]+")
"""The short vowels of Arabic, hamza above and below a letter, and what stretches a word: few write them."""

_TOKEN = re.compile(r"(?:[^\W_]\.){2,}|[^\W_]+(?:'[^\W_]+)?")
_LUCENE = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these "
    "they this to was will with"
)


def fold(text: str) -> str:
    """Return ``text`` without accents and with straight apostrophes, so that ``pokemon`` matches
    ``Pokémon``."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_QUOTES))
    if is_latin(text):
        return _ACCENTS.sub("", plain)
    return unicodedata.normalize("NFC", _ARABIC_MARKS.sub("", _LATIN_MARKS.sub(r"\1", plain)))


def caseless(text: str) -> str:
    """Return ``text`` in a form for comparison: case-folded, with single spaces between words."""
    return " ".join(text.casefold().split())


def words(text: str) -> list[str]:
    """Return the words of a text that :func:`fold` returned, in lower case and in order.

    ``U.S.`` becomes ``us``, ``John's`` becomes ``john``, and ``don't`` stays. Text in other scripts than
    Latin is split by :func:`conqret.text.words.split_words`.
    """
    if not is_latin(text):
        return split_words(text)
    tokens = []
    for token in _TOKEN.findall(text.lower()):
        if "." in token:
            token = token.replace(".", "")
        elif token.endswith("'s"):
            token = token[:-2]
        tokens.append(token)
    return tokens


def stop_list(name: str) -> frozenset[str]:
    """Return the words of a built-in stop list: ``english``, ``lucene``, or ``none`` (an empty set, as for
    any other name).
    """
    if name == "english":
        return STOP_WORDS
    return frozenset(_LUCENE.split()) if name == "lucene" else frozenset()


def dimension_name(text: str) -> str:
    """Return a name in lower case, with spaces, hyphens and underscores turned into single underscores.

    Other characters stay (camelCase is not split): ``" Con-Rel score"`` becomes ``con_rel_score``.
    """
    return "_".join(text.strip().casefold().replace("-", " ").replace("_", " ").split())
