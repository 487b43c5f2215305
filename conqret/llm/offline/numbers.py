"""Quantities in running text: ``64%``, ``£9.6 million``, ``1,940``, ``nine``, ``half``."""

from __future__ import annotations

import re
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

_number_words = "|".join(sorted(_WORDS, key=len, reverse=True))
_quantity = re.compile(
    r"(?P<about>\b(?:about|around|almost|nearly|roughly|some|over|under|more than|less than|fewer than|at least|"
    r"approximately|close to|up to|barely|only|just)\s+)?"
    r"(?:(?P<money>[$\u00a3\u20ac\u00a5])\s?)?"
    rf"(?:(?P<digits>(?<![\w.])[0-9]+(?:,[0-9]{{3}})*(?:\.[0-9]+)?)|\b(?P<words>(?:{_number_words}|an?\s+(?=half|third|quarter|fifth))"
    rf"(?:[- ](?:{_number_words}))?)\b|\b(?P<half>half)\b)"
    r"(?:[ -]?(?P<scale>hundred|thousand|million|billion|trillion|bn|m|k)\b)?"
    r"(?P<percent>\s?%|[ -]per ?cent\b| percentage points?\b)?"
    r"(?:[ -]?(?P<fraction>thirds?|quarters?|fifths?|half)\b)?"
    r"(?P<currency> (?:pounds|dollars|euros)\b)?",
    re.IGNORECASE,
)
_may_hold_number = re.compile(rf"[0-9]|\b(?:half|an? (?:third|quarter|fifth)|{_number_words})\b", re.IGNORECASE)


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of ``text`` in order; ``one`` and ordinals are no quantities."""
    if _may_hold_number.search(text) is None:
        return ()
    return tuple(_read(match) for match in _quantity.finditer(text))


def _read(match: re.Match[str]) -> Quantity:
    part = match.groupdict()
    text = match.group().strip()
    about = part["about"] is not None
    if about:
        text = match.group()[len(part["about"]) :].strip()
    if part["digits"]:
        value = float(part["digits"].replace(",", "")[:300])
    elif part["half"]:
        return Quantity(50.0, "percent", text, about)
    else:
        value = 0.0
        for word in re.split(r"[-\s]+", part["words"].lower().strip()):
            value = value * 100 if word == "hundred" and value else value + _WORDS.get(word, 1.0)
    if part["fraction"]:
        return Quantity(value * _FRACTIONS[part["fraction"].lower()], "percent", text, True)
    value *= _SCALES.get((part["scale"] or "").lower(), 1.0)
    kind = "percent" if part["percent"] else "money" if part["money"] or part["currency"] else "plain"
    return Quantity(value, kind, text, about)


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
