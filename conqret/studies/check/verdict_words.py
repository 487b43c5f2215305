"""What stands in a cell of verdicts: a word for pass or fail, a number, a preference, none, or an error."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from conqret.io.label_set import CANNOT_JUDGE, MISSING

PASSES = frozenset(
    "pass passed passes passing true yes y correct right good ok okay accept accepted acceptable approve approved "
    "valid success succeeded successful relevant faithful grounded supported safe compliant helpful satisfied met "
    "positive up p c t 1 ja j wahr richtig korrekt gut bestanden oui vrai sí si sim ✓ ✔ ✅ 👍 ☑".split()
) | {"thumbs up", "is correct", "no hallucination", "not hallucinated"}
FAILS = frozenset(
    "fail failed fails failing failure false no n incorrect wrong bad reject rejected unacceptable invalid "
    "unsuccessful irrelevant unfaithful ungrounded unsupported unsafe noncompliant unhelpful unsatisfied unmet "
    "negative down i f 0 nein falsch unkorrekt schlecht non faux não ✗ ✘ ❌ 👎 ✕ ☒ hallucinated hallucination".split()
) | {
    "thumbs down",
    "not ok",
    "not okay",
    "not correct",
    "not relevant",
    "not faithful",
    "not grounded",
    "not supported",
    "not safe",
    "not helpful",
    "not met",
    "non compliant",
    "nicht bestanden",
}
NEUTRAL = frozenset(
    "yes no y n true false t f 1 0 1.0 0.0 ja nein j wahr falsch oui non vrai faux sí si sim não".split()
)
"""Words for pass and fail that answer any question: whether yes is a pass depends on what was asked."""
FIRST = frozenset(
    "a first 1 left 1st answera answer1 responsea response1 modela model1 assistanta assistant1 outputa output1 "
    "systema system1 optiona option1 candidatea candidate1 a>b a>>b awins awin".split()
)
SECOND = frozenset(
    "b second 2 right 2nd answerb answer2 responseb response2 modelb model2 assistantb assistant2 outputb output2 "
    "systemb system2 optionb option2 candidateb candidate2 b>a b>>a bwins bwin".split()
)
TIES = frozenset(
    "tie tied ties equal same draw both neither either none a=b tie(bothbad) bothbad bothgood nopreference 0.5 "
    "c unentschieden gleich".split()
)
POSITIONS = frozenset("first second left right 1st 2nd".split())
"""Words that say where the better answer was shown, never which answer it is."""
ORDERED = (
    ("incorrect", "partially correct", "correct"),
    ("incorrect", "partial", "correct"),
    ("i", "p", "c"),
    ("no", "partially", "yes"),
    ("no", "partly", "yes"),
    ("no", "partial", "yes"),
    ("fail", "partial", "pass"),
    ("irrelevant", "partially relevant", "relevant"),
    ("not relevant", "partially relevant", "relevant"),
    ("not relevant", "somewhat relevant", "relevant", "highly relevant"),
    ("no support", "partial support", "full support"),
    ("not supported", "partially supported", "supported"),
    ("not supported", "partially supported", "fully supported"),
    ("low", "medium", "high"),
    ("bad", "ok", "good"),
    ("bad", "okay", "good"),
    ("bad", "average", "good"),
    ("poor", "fair", "good"),
    ("poor", "fair", "good", "excellent"),
    ("very poor", "poor", "fair", "good", "very good"),
    ("very poor", "poor", "average", "good", "excellent"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("very bad", "bad", "neutral", "good", "very good"),
    ("terrible", "bad", "ok", "good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("none", "minor", "major", "critical"),
)
"""Words with an order, from the lowest to the highest."""
_NO_LABEL = (
    MISSING
    | CANNOT_JUDGE
    | frozenset(
        "todo tbd skip skipped unlabeled unlabelled pending unknown undecided unclear abstain abstained".split()
    )
    | frozenset("undetermined indeterminate inconclusive".split())
    | {"can't tell", "cannot tell", "not sure", "not applicable", "unable to determine", "cannot determine"}
)
_ERROR = re.compile(
    r"(?i:(?:error|exception|traceback|time(?:d[ _])?out|failed to|unparsable|unparseable|could not|unable to|cannot|"
    r"rate limit|aborted|no (?:verdict|output|response)|i(?:'m| am) sorry|i can(?:'t|not))\b.*"
    r"|(?:pars\w+|json|api|http|llm|judge|model|server|network|connection|validation|runtime|internal)[ _-]*"
    r"(?:error|failure|failed|exception)\b.*)|[A-Za-z]+(?:Error|Exception)\b.*|#\w+[!?/]?\w*",
    re.DOTALL,
)
"""An error in place of a verdict, as programs and spreadsheets write it."""
_AROUND = " \t\r\n*_`\"'[](){}<>#.,;:!"
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


def word_of(text: str) -> str:
    """Return a cell in small letters without the marks around it."""
    return text.strip(_AROUND).replace("_", " ").casefold()


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
    """Return the word for a pass in a cell, or the cell itself where it is short or has none."""
    return text if len(text) <= 8 else next((word for word in _candidates(text) if word in PASSES), text)


def pass_or_fail(text: str) -> float | None:
    """Return 1 or 0 for a word that everybody takes for pass or fail; None for any other."""
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
    """Return the number of a cell such as ``4``, ``0,85``, ``4/5``, ``85 %`` or ``4 - good``; None if there is none."""
    try:
        value = float(text)
    except ValueError:
        pass
    else:
        return CellNumber(value) if math.isfinite(value) else None
    if text and not text.strip("★☆⭐\ufe0f "):
        return CellNumber(float(text.count("★") + text.count("⭐")))
    bare = _LEAD.sub("", text.strip(" \t\r\n*_`\"'[](){}#"), count=1).strip("*_ ")
    match = _NUMBER.fullmatch(bare)
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
        if joined in FIRST:
            return 1.0
        if joined in SECOND:
            return 0.0
        if joined in TIES:
            return 0.5
    return None


def ordered_scale(words: set[str]) -> Mapping[str, float] | None:
    """Return the number of each word from 1 on, if at least three of the words are of one known order and no other
    is there."""
    scale = min((scale for scale in ORDERED if words <= set(scale)), key=len, default=())
    return (
        {word: float(number) for number, word in enumerate(scale, start=1)}
        if len(words) >= 3 and scale
        else None
    )
