"""Contradict a sentence by rule: another number, another name, the opposite, or an invented fact.

The rules stand in for a model (ConQRet, Figure 12). They share no word list with the offline judge, but both
look at numbers, names and negation: that this judge notices these contradictions says little of others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from conqret.perturb.sentences import split_close
from conqret.text.citations import MARK

INVENTED_SHARE = 0.2
"""Of the sentences, so many are contradicted by an invented fact even where another way is open."""

_PAIRS = (
    "rose/fell rise/fall rises/falls rising/falling increased/decreased increase/decrease increases/decreases "
    "grew/shrank grows/shrinks gained/lost won/lost higher/lower more/fewer better/worse largest/smallest "
    "highest/lowest improved/worsened improves/worsens supported/opposed "
    "above/below always/never majority/minority success/failure succeeded/failed safe/dangerous "
    "allowed/banned allows/bans accepted/rejected cheaper/dearer stronger/weaker longer/shorter faster/slower "
    " richer/poorer helped/harmed reduced/raised raised/lowered "
    "reduces/raises"
)
_OPPOSITE: dict[str, str] = {}
for _pair in _PAIRS.split():
    _left, _right = _pair.split("/")
    _OPPOSITE.setdefault(_left, _right)
    _OPPOSITE.setdefault(_right, _left)

_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
).split()
_FRACTIONS = ("a third", "a quarter", "a fifth", "two thirds", "three quarters", "a tenth")

_FAMILY = ("Halvorsen", "Merrin", "Okonjo", "Tavistane", "Brackwell", "Ruscelli", "Vantongeren", "Pellmoor")
_PLACES = ("Kellan Ridge", "Port Asher", "Lower Winstead", "the Ostermark", "Grey Harbour", "New Tolland")

_AUXILIARIES = "is are was were has had have can could will would should must may might does do did".split()
_CONTRACTED = {"isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "hasn't": "has",
               "haven't": "have", "hadn't": "had", "can't": "can", "cannot": "can", "couldn't": "could",
               "won't": "will", "wouldn't": "would", "shouldn't": "should", "doesn't": "does", "don't": "do",
               "didn't": "did"}  # fmt: skip

_DENIES = frozenset("no never none nobody nothing neither hardly nor".split())
"""After one of these a *not* would only make the sentence strange."""
_CALENDAR = frozenset(
    "January February March April May June July August September October November December Monday Tuesday "
    "Wednesday Thursday Friday Saturday Sunday I".split()
)

_number = re.compile(rf"{MARK}|(?<![\w.,])\d[\d,]*(?:\.\d+)?(?!\w)")
_number_word = re.compile(rf"\b(?:{'|'.join([*_FRACTIONS, *_NUMBER_WORDS])})\b", re.IGNORECASE)
_name = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+(?:-[A-Z][a-z]+)*(?: [A-Z][a-z]+(?:-[A-Z][a-z]+)*)*\b")
_word = re.compile(r"[A-Za-z]+(?:['\u2019][a-z]+)?")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The new sentence and how it came about: ``number``, ``name``, ``polarity`` or ``invented``."""

    text: str
    kind: str


def contradict(sentence: str, source: str, rng: random.Random) -> Contradiction:
    """``sentence`` changed so that it clashes with ``source``, the text that it cites; citations stay.

    One of the ways that the sentence allows is drawn; an invented fact can be added to any sentence.
    """
    ways: list[tuple[str, Callable[[str, str, random.Random], str | None]]] = [
        ("number", _other_numbers), ("name", _other_name), ("polarity", _opposite),
    ]  # fmt: skip
    rng.shuffle(ways)
    ways.insert(0 if rng.random() < INVENTED_SHARE else len(ways), ("invented", _invented))
    body, close = split_close(sentence)
    for kind, way in ways:
        changed = way(body, source, rng)
        if changed is not None and changed != body:
            return Contradiction(changed + close, kind)
    return Contradiction(_invented(body, source, rng) + close, "invented")


def _other_numbers(body: str, source: str, rng: random.Random) -> str | None:
    """Every figure, and every number word, becomes one that the source does not have."""
    known = {match.group() for match in _number.finditer(source)}

    def figure(match: re.Match[str]) -> str:
        if match.group().startswith("["):
            return match.group()
        percent = re.match(r"\s?(?:%|per ?cent)", body[match.end() :]) is not None
        return _other_figure(match.group(), known, percent, rng)

    words = {word.lower() for word in _number_word.findall(source)}

    def word(match: re.Match[str]) -> str:
        old = match.group()
        stock = _FRACTIONS if old.lower() in _FRACTIONS else _NUMBER_WORDS
        others = [one for one in stock if one != old.lower() and one not in words]
        if not others:
            return old
        new = rng.choice(others)
        return new[0].upper() + new[1:] if old[0].isupper() else new

    changed = _number_word.sub(word, _number.sub(figure, body))
    return changed if changed != body else None


def _other_figure(old: str, known: set[str], percent: bool, rng: random.Random) -> str:
    plain = old.replace(",", "").rstrip(".")
    decimals = len(plain.partition(".")[2])
    value = float(plain[:15])
    for _ in range(20):
        if percent and value <= 100:
            new = rng.uniform(2, 97)
            if abs(new - value) < 12:
                continue
        elif 1500 <= value <= 2099 and not decimals and "," not in old:
            new = value + rng.choice((-1, 1)) * rng.randint(3, 19)
        else:
            new = value * rng.choice((0.3, 0.45, 0.6, 1.7, 2.4, 3.2)) + rng.randint(1, 3)
        text = f"{new:,.{decimals}f}" if "," in old else f"{new:.{decimals}f}"
        if text != old and text not in known:
            return text
    return f"{value * 7 + 3:.{decimals}f}"


def _other_name(body: str, source: str, rng: random.Random) -> str | None:
    """A name that the source has becomes one that it does not have, wherever it stands in the sentence."""
    names = [name for name in _name.findall(body) if name not in _CALENDAR and name in source]
    if not names:
        return None
    name = rng.choice(names)
    stock = _PLACES if " " in name else _FAMILY
    others = [other for other in stock if other not in source and other not in body]
    return re.sub(rf"\b{re.escape(name)}\b", rng.choice(others), body) if others else None


def _opposite(body: str, source: str, rng: random.Random) -> str | None:
    """The first word with an opposite is exchanged; else the first auxiliary gains or loses its *not*."""
    for match in _word.finditer(body):
        new = _OPPOSITE.get(match.group().lower())
        if new is not None:
            new = new.capitalize() if match.group()[0].isupper() else new
            return body[: match.start()] + new + body[match.end() :]
    denied = False
    for match in _word.finditer(body):
        word = match.group().lower().replace("\u2019", "'")
        denied = denied or word in _DENIES
        if word in _CONTRACTED and not denied:
            return body[: match.start()] + _CONTRACTED[word] + body[match.end() :]
        if word in _AUXILIARIES and match.group().islower() and not denied:
            rest = body[match.end() :]
            return body[: match.end()] + (rest[4:] if rest.startswith(" not") else " not" + rest)
    return None


def _invented(body: str, source: str, rng: random.Random) -> str:
    """A clause is added that takes the claim back or reports what never was."""
    clause = rng.choice(
        (
            "although {percent} per cent of the later checks found the opposite",
            "a finding that its own authors withdrew in {year} after errors had come to light",
            "which the courts have since declared untrue in {count} separate rulings",
            "and it came about only because {count} officials had been bribed",
            "even though the {name} inquiry of {year} established that nothing of the kind ever happened",
        )
    )
    text = clause.format(
        percent=rng.randint(51, 96),
        year=rng.randint(2004, 2019),
        count=rng.randint(13, 58),
        name=rng.choice(_FAMILY),
    )
    return f"{body.rstrip(' ,;:')}, {text}"
