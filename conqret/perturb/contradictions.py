"""Contradict a sentence by rule: another number, name, degree or detail, while its side and its point
stay.

The rules stand in for a model (ConQRet, Figure 12). One rising function changes all figures of a sentence: they keep
their order and their side of one half, and years move together, so that what rose still rises and a majority stays
one. Only the documents say that the sentence is false. The rules share
no word list with the offline judge, but both look at numbers and names: that this judge notices these
contradictions says little of others.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence, Set
from itertools import pairwise
from pathlib import Path

from conqret.perturb.sentence_edits import split_close
from conqret.text.citations import MARK


def exchanges(pairs: Iterable[str]) -> dict[str, str]:
    """Convert pairs such as ``weeks/months`` to a mapping from each word to its replacement."""
    return dict(pair.split("/") for pair in pairs)


_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_DEGREES, _DETAILS = exchanges(_LISTS["degrees"]), exchanges(_LISTS["details"])
FAMILY: Sequence[str] = _LISTS["family_names"]
_name = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+(?:-[A-Z][a-z]+)*(?: [A-Z][a-z]+(?:-[A-Z][a-z]+)*)*\b")


Rule = Callable[[str, str, str, random.Random], str | None]
"""Takes a sentence without its end, the text that it cites, the topic and a random generator, and returns
the changed sentence, or None if the rule does not apply.
"""


def contradict(sentence: str, source: str, rng: random.Random, topic: str = "") -> tuple[str, str]:
    """Change ``sentence`` so that ``source``, the text that it cites, no longer supports it.

    Return the new sentence and the kind of change: ``number``, ``name``, ``degree``, ``detail`` or
    ``added``. Its citations stay, and so do the numbers and names of the ``topic``. A number or name is
    changed if there is one, else a degree or detail; otherwise a circumstance is added. ``rng`` draws which.
    """
    plain: list[tuple[str, Rule]] = [("number", other_numbers), ("name", _other_name)]
    subtle: list[tuple[str, Rule]] = [("degree", _other_degree), ("detail", _other_detail)]
    rng.shuffle(plain)
    rng.shuffle(subtle)
    body, close = split_close(sentence)
    for kind, way in (*plain, *subtle):
        changed = way(body, source, topic, rng)
        if changed is not None and changed != body:
            return changed + close, kind
    return _added(body, rng) + close, "added"


def _other_name(body: str, source: str, topic: str, rng: random.Random) -> str | None:
    """Return the sentence with a name that the source has, and the topic has not, replaced everywhere by one that
    neither sentence nor source has; None if there is no such name.

    Of a name of several words the last one stays: "Audit Chamber" remains a chamber.
    """
    names = [
        name
        for name in _name.findall(body)
        if name not in _LISTS["calendar"] and name in source and name not in topic
    ]
    others = [other for other in FAMILY if other not in source and other not in body]
    if not names or not others:
        return None
    old = rng.choice(names)
    new = " ".join([rng.choice(others), *old.split()[1:][-1:]])
    return re.sub(rf"\b{re.escape(old)}\b", new, body)


def _other_degree(body: str, source: str, topic: str, rng: random.Random) -> str | None:
    """One degree, drawn from those that the sentence has, becomes another."""
    return _exchange(body, [degree for degree in _DEGREES if _word(degree).search(body)], _DEGREES, rng)


def _other_detail(body: str, source: str, topic: str, rng: random.Random) -> str | None:
    """Return the sentence with a detail that the source has, too, replaced by one that the source lacks; None
    if there is no such detail."""
    stated = [
        old
        for old, new in _DETAILS.items()
        if _word(old).search(body) and _word(old).search(source) and not _word(new).search(source)
    ]
    return _exchange(body, stated, _DETAILS, rng)


def _exchange(body: str, open_to: list[str], exchanged: dict[str, str], rng: random.Random) -> str | None:
    if not open_to:
        return None
    old = rng.choice(open_to)
    return _word(old).sub(lambda match: cased(exchanged[old], match.group()), body)


def _word(text: str) -> re.Pattern[str]:
    """``text`` as a whole word, in lower case or at the start of the sentence (the month of May is neither)."""
    return re.compile(rf"(?<![\w-])(?:{text}|^{text.capitalize()})(?![\w-])")


def _added(body: str, rng: random.Random) -> str:
    """The sentence with a circumstance of time or place."""
    clause = rng.choice(_LISTS["added"]).format(
        count=rng.randint(13, 58), year=rng.randint(2004, 2019), place=rng.choice(_LISTS["places"])
    )
    return f"{body.rstrip(' ,;:')}, {clause}"


FACTORS = (0.6, 0.7, 1.4, 1.7)
"""One of these factors multiplies all figures of a sentence: too far for rounding to explain it, not so
far that it cannot be.
"""

EARLIER = (2, 9)
"""The fewest and the most years by which a date moves into the past."""

FIRST_YEAR, LAST_YEAR = 1500, 2099
"""An integer in this range, without a comma, counts as a year."""

HALF, WHOLE = 50.0, 100.0
"""In percent."""

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
_CYCLES = (
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
_date = re.compile(rf"\b(?:{'|'.join(name for names in _CYCLES for name in names)})\b")


def other_numbers(body: str, source: str, topic: str, rng: random.Random) -> str | None:
    """Change every number, fraction and date in ``body``, to none that occurs in ``source``, and return
    the new text.

    Numbers of the ``topic`` stay, since they are part of the question. Return None if there is no number, or
    none can be changed.
    """
    shift = rng.randint(1, 5)

    def date(match: re.Match[str]) -> str:
        names = next(names for names in _CYCLES if match.group() in names)
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
    """Return the text with its figures multiplied by the factor that changes most of them to figures that the
    ``source`` does not have, and keeps their order; None if no factor changes any. Figures in ``fixed`` stay."""
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


def scaled_figure(value: float, factor: float, shares: bool) -> float:
    """Multiply ``value`` by ``factor``.

    If ``shares`` is true, the value is a percentage: 0, 50 and 100 stay, and the odds within each half are
    multiplied, so that it stays in its half. A value above 100 is changed by what it exceeds 100.
    """
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
        target = scaled_figure(value, factor, shares)
        return cased(min(_WORDS, key=lambda word: abs(_WORDS[word] - target)), old)
    if is_year(old):
        return str(int(value) - years)
    decimals = len(old.partition(".")[2])
    return f"{scaled_figure(value, factor, shares):{',' if ',' in old else ''}.{decimals}f}"


def same_order(old: Sequence[float], new: Sequence[float], is_years: Sequence[bool]) -> bool:
    """Return True if numbers that differed in ``old`` still differ in ``new``, in the same order; years
    (``is_years``) are only compared with years.
    """
    for years in (True, False):
        chosen = [(b, a) for b, a, year in zip(old, new, is_years, strict=True) if year is years]
        for (before, after), (later_before, later_after) in pairwise(sorted(chosen)):
            if (before < later_before) is not (after < later_after):
                return False
    return True


def is_year(text: str) -> bool:
    """Return True if a number's text is an integer from 1500 to 2099, which is probably a year."""
    return text.isdigit() and FIRST_YEAR <= int(text) <= LAST_YEAR


def _value(text: str) -> float:
    word = _WORDS.get(text.lower())
    return float(text.replace(",", "")[:15]) if word is None else float(word)


def cased(new: str, old: str) -> str:
    """Return ``new``, with a capital first letter if ``old`` has one."""
    return new[0].upper() + new[1:] if old[0].isupper() else new
