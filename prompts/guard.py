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
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    r"\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)


def neutralise(text: str) -> str:
    """Return ``text`` without any character that could end or open a block of the prompt."""
    if text.isascii():
        return _CONTROL.sub("", text.replace("<", _QUOTE))
    for angle in ANGLES:
        text = text.replace(angle, _QUOTE)
    return _INVISIBLE.sub("", text)


def visible(text: str) -> str:
    """Return ``text`` without the characters that people cannot see."""
    return _CONTROL.sub("", text) if text.isascii() else _INVISIBLE.sub("", text)
