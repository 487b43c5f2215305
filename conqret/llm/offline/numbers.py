"""Quantities in running text: ``64%``, ``£9.6 million``, ``1,940``, ``nine``, ``half``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Quantity(NamedTuple):
    """A number with its kind (``percent``, ``money`` or ``plain``), as written, and whether it is approximate."""

    value: float
    kind: str
    text: str
    about: bool = False


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: float(n) for n, word in enumerate(_SMALL) if n > 1}
_WORDS |= {word: 10.0 * n for n, word in enumerate(_TENS, start=2)}
_WORDS |= {"hundred": 100.0, "dozen": 12.0, "twice": 2.0, "double": 2.0, "doubled": 2.0}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_FRACTIONS = {"half": 50.0, "third": 100 / 3, "thirds": 100 / 3, "quarter": 25.0, "quarters": 25.0, "fifth": 20.0, "fifths": 20.0}
_ABOUT_SHARE = 0.1

_words_pattern = "|".join(sorted(_WORDS, key=len, reverse=True))
_core = re.compile(r"(?<![\w.])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
_core_or_word = re.compile(
    rf"{_core.pattern}|\b(?:{_words_pattern})(?:[- ](?:{_words_pattern}))?\b|\bhalf\b|\ban?(?= (?:third|quarter|fifth)\b)",
    re.IGNORECASE,
)
_before = re.compile(
    r"(?P<about>\b(?:about|around|almost|nearly|roughly|some|over|under|more than|less than|fewer than|at least|"
    r"approximately|close to|up to|barely|only|just)\s+)?(?P<money>[$\u00a3\u20ac\u00a5]\s?)?\Z",
    re.IGNORECASE,
)
_after = re.compile(
    r"(?:[ -]?(?P<scale>hundred|thousand|million|billion|trillion|bn|m|k)\b)?"
    r"(?P<percent>\s?%|[ -]per ?cent\b|[ -]percentage points?\b)?"
    r"(?:[ -](?P<fraction>thirds?|quarters?|fifths?)\b)?"
    r"(?P<currency> (?:pounds|dollars|euros)\b)?",
    re.IGNORECASE,
)
_REACH = 14  # characters before a number that may qualify it
_WORD_CUES = frozenset(_WORDS) | frozenset(_FRACTIONS)


def quantities(text: str, words: Iterable[str]) -> tuple[Quantity, ...]:
    """The quantities of ``text`` in order, ``words`` being its words in lower case.

    Numerals, number words from two up, and fractions (as percentages) count; ``one`` and ordinals do not.
    """
    pattern = _core if _WORD_CUES.isdisjoint(words) else _core_or_word
    found = []
    end = 0
    for match in pattern.finditer(text):
        if match.start() >= end:
            quantity, end = _read(text, match)
            found.append(quantity)
    return tuple(found)


def _read(text: str, match: re.Match[str]) -> tuple[Quantity, int]:
    core = match.group().lower()
    start = match.start()
    before = _before.search(text, max(0, start - _REACH), start)
    about = before is not None and before["about"] is not None
    money = before is not None and before["money"] is not None
    after = _after.match(text, match.end())
    if after is None:  # it matches the empty string: this is for the type checker
        return Quantity(0.0, "plain", core), match.end()
    written = text[start : after.end()]
    if core == "half":
        return Quantity(50.0, "percent", written, about), after.end()
    if core[0] in "0123456789":
        value = float(core.replace(",", "")[:300])
    else:
        value = 0.0
        for word in re.split(r"[-\s]+", core):
            value = value * 100 if word == "hundred" and value else value + _WORDS.get(word, 1.0)
    if after["fraction"]:
        return Quantity(value * _FRACTIONS[after["fraction"].lower()], "percent", written, True), after.end()
    value *= _SCALES.get((after["scale"] or "").lower(), 1.0)
    kind = "percent" if after["percent"] else "money" if money or after["currency"] else "plain"
    return Quantity(value, kind, written, about), after.end()


def agrees(claim: Quantity, source: Quantity) -> bool:
    """Whether the claimed quantity is the source's: equal, its rounding, or within 10 % where approximate.

    A percentage never agrees with an amount of money; a plain number agrees with either.
    """
    if claim.kind != source.kind and "plain" not in (claim.kind, source.kind):
        return False
    if claim.value == source.value:
        return True
    if claim.about or source.about:
        return abs(claim.value - source.value) <= _ABOUT_SHARE * abs(source.value)
    decimals = len(claim.text.partition(".")[2].rstrip("% ")) if "." in claim.text else 0
    return decimals > 0 and round(source.value, decimals) == claim.value
