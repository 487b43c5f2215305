"""Numbers in cells of a file, and quantities in a list of words: ``64%``, ``£9.6 million``, ``two thirds``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple


class Quantity(NamedTuple):
    """A number in a text, with its kind (``percent``, ``money`` or ``plain``) and its ``place``, the index
    of its first word.

    ``value`` includes the scale (9.6 million is 9,600,000), ``figure`` does not (9.6). ``decimals`` is the
    number of digits after the point, and ``about`` marks an approximate number.
    """

    value: float
    kind: str
    text: str
    figure: float
    place: int
    decimals: int = 0
    about: bool = False


_NUMBER = re.compile(r"\s*[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)


def number_in(text: str) -> float:
    """Parse a cell as a finite number, in decimal digits of any script.

    Raises:
        ValueError: it is not such a number; ``1_0``, ``nan`` and ``inf`` are rejected, too.
    """
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def whole_number_in(text: str) -> int:
    """Parse a cell as an integer.

    Raises:
        ValueError: it is not a finite number, or is not written as an integer (``3.0`` is not).
    """
    if not number_in(text).is_integer() or not text.strip().lstrip("+-").isdecimal():
        raise ValueError(text)
    return int(text)


def is_number(text: str) -> bool:
    """Return True if :func:`number_in` can parse the text."""
    try:
        number_in(text)
    except ValueError:
        return False
    return True


CURRENCIES = "$\u00a3\u20ac\u00a5"
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = dict(zip(_SMALL[2:], map(float, range(2, 20)), strict=True))
_WORDS |= zip(_TENS, map(float, range(20, 100, 10)), strict=True)
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
}
_FRACTIONS = {"half": 50.0, "third": 100 / 3, "quarter": 25.0, "fifth": 20.0}
_FRACTIONS |= {"thirds": 100 / 3, "quarters": 25.0, "fifths": 20.0}
_ABOUT = frozenset(
    "about around almost nearly roughly some over under than least approximately to barely only just".split()
)
_MONEY = frozenset("pounds dollars euros".split())
_GREAT = frozenset({"thousand", "million", "billion", "trillion"})
_CUES = frozenset([*_WORDS, *_GREAT, "hundred", "dozen", "twice", "half", "third", "quarter", "fifth"])
_STARTS = frozenset("0123456789" + CURRENCIES)
_PARTS = frozenset(_FRACTIONS) - {"half"}
_FOLLOWERS = frozenset([*_SMALL[1:10], *_SCALES, *_PARTS, *_MONEY, "percent", "per", "percentage"])
_ABOUT_SHARE = 0.1
_LONGEST = 15  # digits: a longer figure is cut, so that no number overflows


def quantities(words: Sequence[str]) -> tuple[Quantity, ...]:
    """Return the quantities among lower-case ``words``, in order.

    Numerals, number words from two up, and fractions (as percentages) count; ``one``, except before ``million`` and the
    like, and ordinals do not.
    """
    results: list[Quantity] = []
    end = 0
    for place, word in enumerate(words):
        starts = place >= end and (word in _CUES or word[0] in _STARTS)
        if starts and (quantity := _read(words, place)) is not None:
            results.append(quantity[0])
            end = quantity[1]
    return tuple(results)


@lru_cache(maxsize=10_000)
def _first(word: str) -> tuple[float, str, float, int] | None:
    """Return figure, kind (``plain``, ``percent`` or ``money``), scale and number of decimals of the word that a
    quantity starts with; None if its suffix is unknown."""
    if word[0] not in _STARTS:
        return {"hundred": 100.0, "dozen": 12.0, "twice": 2.0}.get(word) or _WORDS[word], "plain", 1.0, 0
    number = word.lstrip(CURRENCIES)
    digits = number.rstrip("%abcdefghijklmnopqrstuvwxyz")
    suffix = number[len(digits) :]
    whole, _, fraction = digits.replace(",", "").partition(".")
    if suffix not in ("", "%") and suffix not in _SCALES:
        return None
    figure = float(f"{whole[:_LONGEST]}.{fraction.replace('.', '')[:_LONGEST]}")
    kind = "money" if number != word else "percent" if suffix == "%" else "plain"
    return figure, kind, _SCALES.get(suffix, 1.0), len(fraction)


def _read(words: Sequence[str], place: int) -> tuple[Quantity, int] | None:
    word = words[place]
    before = words[place - 1] if place else ""
    about = before in _ABOUT
    end = place + 1
    if word in _FRACTIONS:
        if word != "half" and before not in ("a", "one"):
            return None
        share = _FRACTIONS[word]
        return Quantity(share, "percent", word, share, place, 0, about or word != "half"), end
    if word in _GREAT:
        money = end < len(words) and words[end] in _MONEY
        one = Quantity(_SCALES[word], "money" if money else "plain", f"one {word}", 1.0, place, 0, False)
        return (one, end) if before == "one" else None
    first = _first(word)
    if first is None:
        return None
    figure, kind, scale, decimals = first
    following = words[end] if end < len(words) else ""
    if following not in _FOLLOWERS:
        return Quantity(figure * scale, kind, word, figure, place, decimals, about), end
    if word in _TENS and _WORDS.get(following, 10) < 10:
        figure += _WORDS[following]
        end += 1
        following = words[end] if end < len(words) else ""
    if following in _SCALES:
        scale *= _SCALES[following]
        end += 1
        following = words[end] if end < len(words) else ""
    if following in _PARTS:
        share = figure * _FRACTIONS[following]
        return Quantity(share, "percent", f"{word} {following}", share, place, 0, True), end + 1
    if following == "percent":
        kind, end = "percent", end + 1
    elif following == "percentage" or list(words[end : end + 2]) == ["per", "cent"]:
        kind, end = "percent", end + 2
    elif following in _MONEY:
        kind = "money"
    return Quantity(figure * scale, kind, " ".join(words[place:end]), figure, place, decimals, about), end


def agrees(claim: Quantity, source: Quantity) -> bool:
    """Return True if a claimed quantity agrees with the source's: equal, rounded from it, or approximate
    within 10%.

    A percentage never agrees with an amount of money; a plain number agrees with either. A number without
    a scale agrees with the same figure with one, as in "from 5.4 to 7.3 million".
    """
    if claim.kind != source.kind and "plain" not in (claim.kind, source.kind):
        return False
    if claim.value == source.value:
        return True
    if claim.figure == source.figure and (claim.figure == claim.value or source.figure == source.value):
        return True
    if claim.about or source.about:
        return abs(claim.value - source.value) <= _ABOUT_SHARE * abs(source.value)
    return 0 < claim.decimals < source.decimals and round(source.figure, claim.decimals) == claim.figure
