"""Sentences by which an answer declines: something is not known, was not found, or cannot be said; hints whom to
contact; and what a declining sentence claims all the same.
"""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

_text = re.sub(r"\n *\|", "|", Path(__file__).with_name("declining.toml").read_text(encoding="utf-8"))
for _name, _words in tomllib.loads(_text)["words"].items():
    _text = _text.replace(f"%{_name}%", _words)
_PATTERNS = tomllib.loads(_text)
_DECLINES = re.compile("|".join(chain.from_iterable(_PATTERNS["declines"].values())), re.IGNORECASE)
_HINTS = re.compile("|".join(_PATTERNS["refers"]["any"]), re.IGNORECASE)
_TURN = re.compile(
    r"[;:]\s+|\s[-–]\s|—|,?\s(?=but\s)|,\s(?=(?:although|though|however|yet|aber|jedoch|allerdings|doch|obwohl)\b)",
    re.IGNORECASE,
)
_TURNING = re.compile(
    r"^(?:but|although|though|however|yet|aber|jedoch|allerdings|doch|obwohl)\b,?\s*", re.IGNORECASE
)
"""Where a sentence may go on with something else, and the words with which it does."""


def declines(sentence: str) -> bool:
    """Return True if a sentence says that something is not known, was not found or cannot be said.

    It is recognized by patterns in English, German, French and Spanish.
    """
    return _DECLINES.search(sentence) is not None


def refers(sentence: str) -> bool:
    """Return True if a sentence tells the reader whom to contact, by patterns in the same languages."""
    return _HINTS.search(sentence) is not None


def clauses_that_claim(sentence: str) -> tuple[list[str], list[str]]:
    """Return what a declining sentence may claim all the same: its clauses, parted by *but*, a colon and the like, that
    neither decline nor refer to others (``I do not know, but every shed is covered``).

    Returns:
        The clauses before the one that declines (without those about the writer), and the clauses after it.
    """
    before, after = list[str](), list[str]()
    declined = False
    for part in _TURN.split(sentence):
        clause = _TURNING.sub("", part, count=1)
        if declines(clause):
            declined = True
        elif len(clause.split()) >= _CLAUSE and not refers(clause) and not _WRITER.match(clause):
            (after if declined else before).append(clause)
    return (before, after) if declined else ([], [])


_CLAUSE = 3
"""The fewest words of a clause that claims something."""
_WRITER = re.compile(r"\W*(?:I|thanks?|sorry|ich|vielen dank|danke|tut mir)\b", re.IGNORECASE)
