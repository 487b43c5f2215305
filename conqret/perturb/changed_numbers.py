"""Other figures in a sentence than its source has, by one rising function for all of them.

Their order stays (what rose from 12 to 48 still rises), a share stays on its side of one half, and years move
together: the sentence says the same of another world.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence, Set
from itertools import pairwise

from conqret.text.citations import MARK

FACTORS = (0.6, 0.7, 1.4, 1.7)
"""By one of them figures are multiplied: too far for rounding to explain it, not so far that it cannot be."""

EARLIER = (2, 9)
"""By so many years a date moves; into the past, where it can have happened."""

FIRST_YEAR, LAST_YEAR = 1500, 2099
"""A whole number between them, without a comma, is taken for a year."""

HALF, WHOLE = 50.0, 100.0
"""Per cent."""

_WORDS = {
    word: value
    for value, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split(),
        start=2,
    )
} | {
    word: 10 * tens
    for tens, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), start=3)
}
_FRACTIONS = (("a tenth", "a fifth", "a quarter", "a third"), ("two thirds", "three quarters"))
"""Below one half and above it."""
_CALENDAR = (
    "January February March April June July August September October November December".split(),  # May may be a verb
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
)
_percent = re.compile(r"\d\s?%|\bper ?cent\b")
_figure = re.compile(
    rf"{MARK}|(?<![\w.,-])(?P<figure>\d(?:[\d,]*\d)?(?:\.\d+)?|(?:{'|'.join(_WORDS)})\b)"
    r"(?![.,]?\w|-| (?:thirds|quarters|fifths|tenths)\b)",
    re.IGNORECASE,
)
"""A figure or a number word that stands alone: that of *32-hour* and of *sixteen-year-olds* says what is spoken of."""
_any = re.compile(rf"(?<![\w.,])(?:\d(?:[\d,]*\d)?(?:\.\d+)?|(?:{'|'.join(_WORDS)})\b)", re.IGNORECASE)
_fraction = re.compile(
    rf"\b(?:{'|'.join(fraction for side in _FRACTIONS for fraction in side)})\b", re.IGNORECASE
)
_date = re.compile(rf"\b(?:{'|'.join(name for names in _CALENDAR for name in names)})\b")


def other_numbers(body: str, source: str, topic: str, rng: random.Random) -> str | None:
    """Every figure, number word, fraction and date of ``body`` changed, none to one that ``source`` has; those of the
    ``topic`` stay, for they say what is argued about.

    None where there is none, or where none can change.
    """
    shift = rng.randint(1, 5)

    def date(match: re.Match[str]) -> str:
        names = next(names for names in _CALENDAR if match.group() in names)
        return names[(names.index(match.group()) + shift) % len(names)]

    def fraction(match: re.Match[str]) -> str:
        old = match.group().lower()
        side = next(side for side in _FRACTIONS if old in side)
        others = [word for word in side if word != old and word not in source.lower()]
        return cased(rng.choice(others), match.group()) if others else match.group()

    changed = _other_figures(body, source, {_value(figure) for figure in _any.findall(topic)}, rng) or body
    changed = _fraction.sub(fraction, _date.sub(date, changed))
    return changed if changed != body else None


def _other_figures(body: str, source: str, fixed: Set[float], rng: random.Random) -> str | None:
    """By the first factor that changes every figure; else by one that changes some of them."""
    known = {figure.lower() for figure in _any.findall(source)}
    places = [
        match for match in _figure.finditer(body) if match["figure"] and _value(match["figure"]) not in fixed
    ]
    old = [match.group() for match in places]
    shares = _percent.search(body) is not None
    years = rng.randint(*EARLIER)
    best: tuple[int, list[str]] = (0, [])
    for factor in rng.sample(FACTORS, len(FACTORS)):
        new = [_other(number, factor, shares, years) for number in old]
        fresh = sum(
            before != after and after.lower() not in known for before, after in zip(old, new, strict=True)
        )
        if fresh > best[0] and same_order(
            [_value(number) for number in old],
            [_value(number) for number in new],
            [is_year(number) for number in old],
        ):
            best = fresh, new
    if not best[0]:
        return None
    changed = {match.start(): after for match, after in zip(places, best[1], strict=True)}
    return _figure.sub(lambda match: changed.get(match.start(), match.group()), body)


def bent(value: float, factor: float, shares: bool) -> float:
    """Times ``factor``; where there are shares, 0, 50 and 100 stay, and the odds within each half are multiplied."""
    if not shares:
        return value * factor
    if value > WHOLE:
        return WHOLE + (value - WHOLE) * factor
    floor = HALF if value > HALF else 0.0
    within = value - floor
    return floor + HALF * factor * within / (HALF - within + factor * within)


def _other(old: str, factor: float, shares: bool, years: int) -> str:
    value = _value(old)
    if old.lower() in _WORDS:
        target = bent(value, factor, shares)
        return cased(min(_WORDS, key=lambda word: abs(_WORDS[word] - target)), old)
    if is_year(old):
        return str(int(value) - years)
    decimals = len(old.partition(".")[2])
    return f"{bent(value, factor, shares):{',' if ',' in old else ''}.{decimals}f}"


def same_order(old: Sequence[float], new: Sequence[float], is_years: Sequence[bool]) -> bool:
    """Whether figures that differed still do, the same way round; years are compared with years."""
    for years in (True, False):
        chosen = [(b, a) for b, a, year in zip(old, new, is_years, strict=True) if year is years]
        for (before, after), (later_before, later_after) in pairwise(sorted(chosen)):
            if (before < later_before) is not (after < later_after):
                return False
    return True


def is_year(text: str) -> bool:
    """Whether a figure is taken for a year."""
    return text.isdigit() and FIRST_YEAR <= int(text) <= LAST_YEAR


def _value(text: str) -> float:
    word = _WORDS.get(text.lower())
    return float(text.replace(",", "")[:15]) if word is None else float(word)


def cased(new: str, old: str) -> str:
    """``new``, with a capital where ``old`` begins with one."""
    return new[0].upper() + new[1:] if old[0].isupper() else new
