"""Texts from outside are data: keep them inside their block of the prompt, and notice when they try to leave.

Our prompts mark where a text begins and ends with tags such as ``<document …>`` and ``</document>``. A text
that holds no ``<`` can neither close its own block nor open another, whatever else it says, so every
bracket that could be read as one is replaced by ``‹`` (one character for one: nothing grows). Characters
that people cannot see but models read (Unicode tags, zero-width marks, variation selectors) are removed.
:mod:`conqret.prompts.injections` looks for texts that try all the same.
"""

from __future__ import annotations

import re

ANGLES = (
    "<", "\uff1c", "\ufe64", "\u276e", "\u276c", "\u2770", "\u2329", "\u27e8", "\u3008", "\u02c2", "\u1438",
)  # fmt: skip
"""What is or looks like an opening bracket of a tag."""

_QUOTE = "\u2039"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
IGNORABLE = (
    r"\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    r"\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What Unicode calls default ignorable (DerivedCoreProperties, 16.0), for a class of a regular expression: nothing is
drawn for it. Without the soft hyphen, which web pages are full of, and U+FE00 to FE0F, which belong to emoji too."""

STRAY_SELECTOR = (
    r"[\ufe00-\ufe0f](?<![\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    r"\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f])(?<![0-9#*]\ufe0f(?=\u20e3))"
)
"""A variation selector that chooses no form of an emoji: sixteen of them can spell a hidden sentence."""

_UNSEEN = rf"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\ufff9-\ufffb{IGNORABLE}"
_INVISIBLE = re.compile(rf"[{_UNSEEN}]|{STRAY_SELECTOR}")
_PERHAPS = re.compile(rf"[{_UNSEEN}\ufe00-\ufe0f]")

_USUAL = re.compile(r"[\t\n\r -;=-~\xa0-\xac\xae-\u02c1\u02c3-\u02ff\u2010-\u2027\u2030-\u205e]+")
"""What most texts consist of. Nothing in it is invisible or an angle, and to leave it out is ten times as quick as to
look for what is: only the few characters that remain are looked at."""
_USUAL_ASCII = bytes(code for code in range(128) if _USUAL.fullmatch(chr(code)))
"""Those of ASCII; to leave bytes out is quicker still."""


def neutralise(text: str) -> str:
    """Return ``text`` without any character that could end or open a block of the prompt."""
    rare = _rare(text)
    if not rare:
        return text
    if text.isascii():
        return _CONTROL.sub("", text.replace("<", _QUOTE))
    for angle in ANGLES:
        if angle in rare:
            text = text.replace(angle, _QUOTE)
    return _INVISIBLE.sub("", text) if _PERHAPS.search(rare) else text


def visible(text: str) -> str:
    """Return ``text`` without the characters that people cannot see."""
    return _INVISIBLE.sub("", text) if hides(text) else text


def hides(text: str) -> bool:
    """Whether ``text`` may hold characters that people cannot see: there are some, or a variation selector."""
    return _PERHAPS.search(_rare(text)) is not None


def _rare(text: str) -> str:
    """The text without what is usual."""
    data = text.encode("utf-8", "surrogatepass").translate(None, _USUAL_ASCII)
    return _USUAL.sub("", data.decode("utf-8", "surrogatepass")) if data else ""
