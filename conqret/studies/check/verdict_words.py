"""The words of names of columns, and what stands in a cell: pass or fail, a number, a preference, none, or an error."""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from conqret.io.label_set import CANNOT_JUDGE, MISSING

WORDS: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
"""The words by which columns and cells are known, by section and meaning."""
NAME_WORDS: Mapping[str, frozenset[str]] = {
    role: frozenset(text.split()) for role, text in WORDS["in_column_names"].items()
}
"""The words of names of columns by what they say of a column."""
NAMES: Mapping[str, str] = WORDS["columns"]
"""The whole names of columns that hold neither verdicts nor texts, by what they hold."""
TEXTS: Mapping[str, str] = WORDS["texts"]
"""The whole names of columns of texts, by the text."""
MODEL = re.compile(
    rf"(?:(?:{'|'.join(NAME_WORDS['maker'])}|meta llama) )?(?:{'|'.join(NAME_WORDS['model'])}|o [134])\b.*"
)
"""The words of a column that has the name of a model."""
CELLS: Mapping[str, tuple[str, ...]] = {
    meaning: tuple(word.replace("_", " ") for word in text.split())
    for meaning, text in WORDS["cells"].items()
}
"""The words of cells by their meaning."""
PASSES, FAILS, NEUTRAL = (frozenset(CELLS[meaning]) for meaning in ("pass", "fail", "neutral"))
"""Words for pass and fail; neutral ones say by themselves neither: yes may be either."""
_PREFERENCES = {
    word: value
    for meaning, value in (("tie", 0.5), ("second", 0.0), ("first", 1.0))
    for word in CELLS[meaning]
}
_SCALES = [[word.replace("_", " ") for word in scale.split()] for scale in WORDS["scales"]["ordered"]]
_NO_LABEL = MISSING | CANNOT_JUDGE | frozenset(CELLS["no_label"])
_ERROR = re.compile(
    r"(?i:(?:error|exception|traceback|time(?:d[ _])?out|failed to|unparsable|unparseable|could not|unable to|cannot|"
    r"rate limit|aborted|no (?:verdict|output|response)|i(?:'m| am) sorry|i can(?:'t|not))\b.*"
    r"|(?:pars\w+|json|api|http|llm|judge|model|server|network|connection|validation|runtime|internal)[ _-]*"
    r"(?:error|failure|failed|exception)\b.*)|[A-Za-z]+(?:Error|Exception)\b.*|#\w+[!?/]?\w*",
    re.DOTALL,
)
"""An error in place of a verdict, as programs and spreadsheets write it."""
_AROUND = " \t\r\n*_`\"'[](){}<>#.,;:!\ufe0f"
_MARKS = f"{_AROUND}✅❌✓✔✗✘☑☒👍👎🟢🔴⚠"
"""What stands around a word: punctuation, and signs that repeat it (``PASS ✅``)."""
_LEAD = re.compile(
    r"(?:final |overall )?(?:verdict|label|answer|judge?ment|rating|score|grade|result|decision)\s*[:=]\s*",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"(?:\[\[(?P<mark>[^\[\]]{1,30})\]\]|\b(?:verdict|label|final answer|judge?ment|rating|score|grade|decision)"
    r"\W{0,3}[:=]\s*(?P<word>[^\n]{1,30}?))[\s*_`.\"'}]*\Z",
    re.IGNORECASE,
)
"""The verdict at the end of a judge's text: ``… so it is wrong. Verdict: FAIL``, ``… Rating: [[4]]``."""
_BREAK = re.compile(r"\s*(?:[:;(\n]|[.,](?=\s|$)|\s[-–—]+\s|[–—])")
_NUMBER = re.compile(
    r"(?P<number>[+-]?(?:\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d+)?)\s*(?:(?P<percent>%)|(?:/|out of|von|of)\s*(?P<top>\d+))?"
    r"(?:\s*(?:stars?|points?|sterne?|punkte?))?(?:\s*$|\s*[-–—:(,;.]+(?!\d|\s*\d+\s*(?:[,;)]|$)).*$)",
    re.IGNORECASE | re.DOTALL,
)


_LEVEL = re.compile(r"[^\W\d][^\d()]*\((?P<number>\d+)(?P<percent>%)?(?:/(?P<top>\d+))?\)")
"""A level in words with its number: ``Excellent (5)``."""


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a column's name in order, in small letters: of ``judgeVerdict_1`` judge,
    verdict and 1.
    """
    parts = re.sub(r"(?<=[a-zäöü])(?=[A-Z])", " ", unicodedata.normalize("NFC", name))
    return tuple(part.casefold() for part in re.findall(r"[^\W\d_]+|\d+", parts))


def says(name: str, *roles: str) -> bool:
    """Return True if a word of a column's name says one of ``roles`` of it."""
    return any(not NAME_WORDS[role].isdisjoint(words(name)) for role in roles)


def is_model(name: str) -> bool:
    """Return True if a text is the name of a model."""
    return MODEL.fullmatch(" ".join(words(name))) is not None


def loose(name: str) -> str:
    """Return a column's name with underscores between its words, in small letters."""
    return "_".join(words(name))


def named(columns: Iterable[str], names: str) -> str | None:
    """Return the first column that has one of ``names``, in the order of the names; None if there is none."""
    by_name = {loose(column): column for column in reversed(list(columns))}
    return next((by_name[name] for name in names.split() if name in by_name), None)


def word_of(text: str) -> str:
    """Return a cell in small letters without the marks around it."""
    return (text.strip(_MARKS) or text.strip(_AROUND)).replace("_", " ").casefold()


def is_no_label(text: str) -> bool:
    """Return True if a cell holds no label: it is empty, or says that there is none."""
    return not text[:1].isdigit() and (text.casefold() in _NO_LABEL or word_of(text) in _NO_LABEL)


def is_failed(text: str) -> bool:
    """Return True if a cell holds no verdict: it is empty, says that there is none, or is an error."""
    return not text[:1].isdigit() and (is_no_label(text) or _ERROR.fullmatch(text) is not None)


def _candidates(text: str) -> tuple[str, ...]:
    """The word of a cell, the one before its first pause (``Verdict: **PASS** - all claims hold``), and its last."""
    bare = _LEAD.sub("", text.strip(_AROUND), count=1)
    return word_of(bare), word_of(_BREAK.split(bare.strip(_AROUND), maxsplit=1)[0]), word_of(_final(text))


def _final(text: str) -> str:
    """The verdict at the end of a text of several words; empty if there is none."""
    match = _FINAL.search(text) if " " in text else None
    return (match["mark"] or match["word"] or "") if match else ""


def leading_words(text: str) -> set[str]:
    """Return the words by which a cell may be known: the whole of it, and what stands before its first pause."""
    return {text.strip().casefold(), *_candidates(text)} - {""}


def pass_word(text: str) -> str:
    """Return the word for a pass in a cell, or the cell itself where it has at most 8 characters or no such word."""
    return text if len(text) <= 8 else next((word for word in _candidates(text) if word in PASSES), text)


def pass_or_fail(text: str) -> float | None:
    """Return 1 or 0 for a word that everybody takes for pass or fail, or for such a number; None for any other."""
    for word in (text.strip().casefold(), *_candidates(text)):
        if word in PASSES:
            return 1.0
        if word in FAILS:
            return 0.0
    value = number_of(text)
    return value.value if value is not None and value.value in (0, 1) and not value.top else None


class CellNumber(NamedTuple):
    """A number in a cell, and the highest of its scale where the cell says it (5 in ``4/5``), else 0."""

    value: float
    top: float = 0.0


def number_of(text: str) -> CellNumber | None:
    """Return the number of a cell such as ``4``, ``0,85``, ``4/5``, ``85 %`` (0.85), ``4 - good`` or ``★★★``
    (3); None if there is none, or it is not finite."""
    try:
        value = float(text)
    except ValueError:
        pass
    else:
        return CellNumber(value) if math.isfinite(value) else None
    if text and not text.strip("★☆⭐\ufe0f "):
        return CellNumber(float(text.count("★") + text.count("⭐")))
    bare = _LEAD.sub("", text.strip(" \t\r\n*_`\"'[](){}#"), count=1).strip("*_ ")
    match = _NUMBER.fullmatch(bare) or _LEVEL.fullmatch(text)
    if match is None:
        return number_of(final) if (final := _final(text)) and final != text else None
    value = float(match["number"].replace(",", "."))
    if match["percent"]:
        return CellNumber(value / 100)
    return CellNumber(value, float(match["top"] or 0))


def preference(text: str) -> float | None:
    """Return 1 for the first answer, 0 for the second, 0.5 for a tie; None for any other text."""
    for word in (text.casefold(), *_candidates(text)):
        joined = re.sub(r"[\s_\-.]+", "", word) if word != "0.5" else word
        if joined in _PREFERENCES:
            return _PREFERENCES[joined]
    return None


def is_known(text: str) -> bool:
    """Return True if a cell is a number, or a word for pass, fail, or one of two answers."""
    return (number_of(text), pass_or_fail(text), preference(text)) != (None, None, None)


def ordered_scale(words: set[str]) -> Mapping[str, float] | None:
    """Return the numbers, from 1 on, of all words of the shortest known order that has these words; None for fewer
    than three words, or where no order has them all.
    """
    scale = min((scale for scale in _SCALES if words <= set(scale)), key=len, default=[])
    if len(words) < 3 or not scale:
        return None
    return {word: float(number) for number, word in enumerate(scale, start=1)}
