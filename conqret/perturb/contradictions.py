"""Contradict a sentence by rule: another number, name, degree or detail, while its side and its point stay.

The rules stand in for a model (ConQRet, Figure 12). Figures keep their order and their side of one half, so that
what rose still rises and a majority stays one: only the documents say that the sentence is false. The rules share
no word list with the offline judge, but both look at numbers and names: that this judge notices these
contradictions says little of others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from conqret.perturb.changed_numbers import cased, other_numbers
from conqret.perturb.sentence_edits import split_close


def pairs(text: str) -> dict[str, str]:
    """What is exchanged for what: ``weeks/months, months/weeks``."""
    return {old: new for old, _, new in (pair.partition("/") for pair in text.split(", "))}


_DEGREES = pairs(
    "slightly/greatly, somewhat/greatly, marginally/greatly, modestly/greatly, sometimes/usually, "
    "often/nearly always, usually/without exception, rarely/never, may/will, might/will, most of/all of, "
    "many of/all of, some of/most of, a few/dozens of, several/dozens of, halved/dropped by a tenth, "
    "doubled/tripled, tripled/doubled, twice/three times, half of/two thirds of, half the/two thirds of the, "
    "weeks/months, months/weeks, years/months, days/weeks, hours/minutes, minutes/hours, yearly/monthly, "
    "annual/monthly, monthly/yearly, weekly/monthly, million/billion, billion/million"
)
"""How much, how often, how long, how surely: the same claim, told larger or smaller than the document tells it."""

_DETAILS = pairs(
    "town/village, towns/villages, village/town, villages/towns, city/county, cities/counties, county/city, "
    "school/college, schools/colleges, hospital/clinic, hospitals/clinics, children/teenagers, pupils/students, "
    "students/apprentices, women/men, men/women, employees/managers, workers/managers, staff/management, "
    "residents/visitors, parents/teachers, teachers/parents, scientists/engineers, doctors/nurses, drivers/passengers, "
    "survey/experiment, trial/survey, study/poll, studies/polls, researchers/officials, north/south, south/north, "
    "east/west, west/east, summer/winter, winter/summer, spring/autumn, autumn/spring, evening/morning, "
    "morning/evening, week/month, government/parliament, ministry/council, council/ministry"
)
"""Who, where and when: a detail that the document states, and another that it does not."""

_ADDED = (
    "during the spring of {year}",
    "in {count} places around {place}",
    "as was counted in {place} in {year}",
)
"""A circumstance that the document does not have, for a sentence without any handle."""

FAMILY = ("Halvorsen", "Merrin", "Okonjo", "Tavistane", "Brackwell", "Ruscelli", "Vantongeren", "Pellmoor")
_PLACES = ("Kellan Ridge", "Port Asher", "Lower Winstead", "East Ostermark", "Grey Harbour", "New Tolland")
_CALENDAR = frozenset(
    "January February March April May June July August September October November December Monday Tuesday "
    "Wednesday Thursday Friday Saturday Sunday I".split()
)
_name = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+(?:-[A-Z][a-z]+)*(?: [A-Z][a-z]+(?:-[A-Z][a-z]+)*)*\b")


Way = Callable[[str, str, str, random.Random], str | None]


def contradict(sentence: str, source: str, rng: random.Random, topic: str = "") -> tuple[str, str]:
    """``sentence`` changed so that ``source``, the text that it cites, no longer bears it out; and how: ``number``,
    ``name``, ``degree``, ``detail`` or ``added``.

    Its citations stay, and so do the numbers and names of the ``topic``: they say what is argued about.

    A number or a name is changed where there is one, else a degree or a detail; a circumstance can be added to any
    sentence.
    """
    plain: list[tuple[str, Way]] = [("number", other_numbers), ("name", _other_name)]
    subtle: list[tuple[str, Way]] = [("degree", _other_degree), ("detail", _other_detail)]
    rng.shuffle(plain)
    rng.shuffle(subtle)
    body, close = split_close(sentence)
    for kind, way in (*plain, *subtle):
        changed = way(body, source, topic, rng)
        if changed is not None and changed != body:
            return changed + close, kind
    return _added(body, rng) + close, "added"


def _other_name(body: str, source: str, topic: str, rng: random.Random) -> str | None:
    """A name that the source has becomes one that it does not have, wherever it stands in the sentence.

    Of several words the last stays: the *Audit Chamber* is a chamber still.
    """
    names = [
        name for name in _name.findall(body) if name not in _CALENDAR and name in source and name not in topic
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
    """One detail that the source has too becomes one that it has not."""
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
    clause = rng.choice(_ADDED).format(
        count=rng.randint(13, 58), year=rng.randint(2004, 2019), place=rng.choice(_PLACES)
    )
    return f"{body.rstrip(' ,;:')}, {clause}"
