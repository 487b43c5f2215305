"""From a text to the words that are indexed; what both engines share."""

from __future__ import annotations

import re
import unicodedata

_QUOTES = {ord("\u2019"): "'", ord("\u2018"): "'", ord("\u02bc"): "'"}
_MARKS = re.compile("[\u0300-\u036f]+")
_TOKEN = re.compile(r"(?:[^\W_]\.){2,}|[^\W_]+(?:'[^\W_]+)?")
_LUCENE = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these "
    "they this to was will with"
)


def fold(text: str) -> str:
    """``text`` without accents and with straight apostrophes, so that ``Pokémon`` is found by ``pokemon``.

    PISA's tokeniser takes every byte outside ASCII for a space; without this ``café`` would be ``caf``.
    """
    if text.isascii():
        return text
    return _MARKS.sub("", unicodedata.normalize("NFKD", text.translate(_QUOTES)))


def caseless(text: str) -> str:
    """``text`` by which other spellings of it are known: without case, one space between words."""
    return " ".join(text.casefold().split())


def words(text: str) -> list[str]:
    """The words of a folded text in lower case: ``U.S.`` is ``us``, ``John's`` is ``john``, ``don't`` is ``don't``."""
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
