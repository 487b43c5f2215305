"""Cited sentences turned round, so that they say the opposite of themselves and of their document (ConQRet, Figures 3
and 12): ``hallucinate``, which keeps what a sentence is for, is the milder change.

Without a model a rule exchanges a word for its opposite, takes a negation away, or negates the sentence. The offline
judge reads negations and directions, too, so that it notices these sentences says little of other judges.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from conqret.perturb.contradictions import cased, exchanges
from conqret.perturb.kinds.changed_sentences import HALLUCINATE, counted_citing, in_shares
from conqret.perturb.perturbation import (
    ANSWER,
    FAITHFULNESS,
    GROUNDING,
    QUALITY,
    RECALL,
    RELEVANCE,
    SECOND,
    Draw,
    expect,
)
from conqret.perturb.sentence_edits import Rewriting, split, split_close

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_OPPOSITES = exchanges(_LISTS["opposites"])
_OPPOSITES |= {new: old for old, new in _OPPOSITES.items()}


def _one_of(words: Iterable[str]) -> re.Pattern[str]:
    """One of the words, the longer ones first."""
    return re.compile(rf"\b(?:{'|'.join(sorted(words, key=len, reverse=True))})\b", re.IGNORECASE)


_opposite, _auxiliary = _one_of(_OPPOSITES), _one_of(_LISTS["auxiliaries"].split())
_clause = _one_of(_LISTS["clauses"].split())
_negation = re.compile(r"(?<=\bcan)not\b| not\b|(?<=\w)n['\u2019]t\b")
_from_to = re.compile(r"\bfrom (\S*\d\S*) to (\S*\d[^\s,;.]*)")


def turned_round(body: str, source: str = "") -> tuple[str, str]:
    """Return the opposite of a sentence without its end mark, and the kind of the change: ``opposite`` (a word of a
    pair), ``negation`` (a "not" added or removed) or ``denial`` ("It is not true that"). A first word that ``source``
    has in small letters is no name."""
    if word := _opposite.search(body):
        new = cased(_OPPOSITES[word.group().lower()], word.group())
        return _from_to.sub(r"from \2 to \1", f"{body[: word.start()]}{new}{body[word.end() :]}"), "opposite"
    if _negation.search(body):
        return _negation.sub("", body, count=1), "negation"
    for word in _auxiliary.finditer(body):
        if not _clause.search(body, body.rfind(",", 0, word.start()) + 1, word.start()):
            return f"{body[: word.end()]} not{body[word.end() :]}", "negation"
    small = body[:1].lower() + body[1:]
    first = re.match(r"\w+", small)
    is_name = first is None or re.search(rf"\b{first.group()}\b", source) is None
    return f"It is not true that {body if is_name else small}", "denial"


def by_rule(draw: Draw, number: int) -> tuple[str, str] | None:
    """Return sentence ``number`` turned round, and the kind of the change; None if it is not in English."""
    body, close = split_close(split(draw.item.argument or "")[number - 1].text)
    changed, kind = turned_round(body, " ".join(document.text for document in draw.item.documents))
    return None if draw.language else (changed + close, kind)


_COUNTED = Rewriting("perturb/reverse", counted_citing, by_rule)

REVERSE = replace(
    HALLUCINATE,
    name="reverse",
    summary="cited sentences turned round: they say the opposite of themselves and of their document",
    expects=expect(
        fall=(*GROUNDING, *FAITHFULNESS, "overall_quality"),
        unchanged=(*RELEVANCE, *RECALL, *SECOND),
        no_rise=(*ANSWER, *(name for name in QUALITY if name != "overall_quality"), "preference"),
    ),
    source="ConQRet, section 6.3, Figures 3 and 12, Table 18",
    change=_COUNTED.change,
    rewriting=_COUNTED,
    share="reverse-share",
)
REVERSE_SHARE = in_shares(REVERSE)

PERTURBATIONS = (REVERSE, REVERSE_SHARE)
