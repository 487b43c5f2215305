"""From a text to the words that are indexed."""

from __future__ import annotations

import re
import unicodedata

from conqret.text.words import is_latin, split_words

_QUOTES = {ord("\u2019"): "'", ord("\u2018"): "'", ord("\u02bc"): "'"}
_MARKS = re.compile("[\u0300-\u036f]+")
_LATIN_MARKS = re.compile("([A-Za-z])[\u0300-\u036f]+")
_ARABIC_MARKS = re.compile("[\u0640\u064b-\u0655\u0670]+")
"""The short vowels of Arabic, hamza above and below a letter, and what stretches a word: few write them."""

_TOKEN = re.compile(r"(?:[^\W_]\.){2,}|[^\W_]+(?:'[^\W_]+)?")
_LUCENE = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these "
    "they this to was will with"
)


def fold(text: str) -> str:
    """``text`` without accents and with straight apostrophes, so that ``Pokémon`` is found by ``pokemon``."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_QUOTES))
    if is_latin(text):
        return _MARKS.sub("", plain)
    return unicodedata.normalize("NFC", _ARABIC_MARKS.sub("", _LATIN_MARKS.sub(r"\1", plain)))


def caseless(text: str) -> str:
    """``text`` by which other spellings of it are known: without case, one space between words."""
    return " ".join(text.casefold().split())


def words(text: str) -> list[str]:
    """The words of a folded text in lower case: ``U.S.`` is ``us``, ``John's`` is ``john``, ``don't`` is ``don't``. Of
    other scripts than the Latin one they are those of :func:`conqret.text.words.split_words`."""
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
    """The words of a stop list that conqret holds itself: ``english``, ``lucene`` or ``none``."""
    if name == "english":
        from conqret.text.lexicons import STOP_WORDS

        return STOP_WORDS
    return frozenset(_LUCENE.split()) if name == "lucene" else frozenset()
