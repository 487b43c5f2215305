"""Extracted text as it is kept: characters that a reader can see, and no markup."""

from __future__ import annotations

import re
import unicodedata

MAX_TEXT = 2_000_000
"""Characters of one document (some 300,000 words); what follows is cut off."""
MIN_WORDS = 5
"""Words below which a page counts as having no text: a bare "Loading…" is no evidence."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Zero-width and bidirectional controls, variation selectors and tag characters: text hidden in text."""
_SPACES = re.compile(r"[^\S\n]+")
_TAG = re.compile(r"<(?:/?[A-Za-z][^<>]{0,2000}|![^<>]{0,2000}|\?[^<>]{0,2000})>")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_ROUNDS = 3


def clean(text: str) -> str:
    """Drop control and invisible characters and anything that reads like a tag; join runs of blanks.

    Markup that a page shows as text goes too: whoever puts the text into a page need not trust it.
    """
    text = text[: 2 * MAX_TEXT].replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    text = _INVISIBLE.sub("", text)
    text = "".join(
        char if char in "\n\t" or unicodedata.category(char) not in _DROPPED else " " for char in text
    )
    for _ in range(_ROUNDS):
        text, count = _TAG.subn(" ", text)
        if not count:
            break
    text = _TAG_START.sub("‹", text)
    lines = (_SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)[:MAX_TEXT].strip()


_DROPPED = frozenset({"Cc", "Cs", "Co", "Cn"})


def words(text: str) -> int:
    """Number of runs between blanks that hold a letter or a digit (scripts without blanks: characters / 2)."""
    runs = sum(any(char.isalnum() for char in run) for run in text.split())
    letters = sum(char.isalnum() and ord(char) >= 0x2E80 for char in text[:10_000])
    return max(runs, letters // 2)
