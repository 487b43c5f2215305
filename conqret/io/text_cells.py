"""What may stand in a text and in an identifier: characters, lengths, and words for what may not."""

from __future__ import annotations

import re
import unicodedata

from conqret.io.faults import Unfit

MAX_ID = 200
"""Characters of an identifier (the same bound as :data:`conqret.data.item.Identifier`)."""
MAX_TEXT = 10_000_000
"""Characters of one text; a longer one is a fault."""
LONG_DOCUMENT_TOKENS = 100_000
"""A document of more tokens than this is noted: it will be trimmed to fit the model."""
CHARACTERS_A_TOKEN = 4
"""The usual rule of thumb for English; it only decides about that note."""

_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_C1 = re.compile(b"\xc2[\x80-\x84\x86-\x9f]")
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def sound(text: str) -> str:
    """Return a text that may enter as it is.

    Raises:
        Unfit: it holds NUL, lone surrogates or control characters other than tab, line breaks, vertical tab and
            form feed, or is longer than :data:`MAX_TEXT`.
    """
    if len(text) > MAX_TEXT:
        raise Unfit(f"has {len(text):,} characters, and {MAX_TEXT:,} is the most", "Split or shorten it")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise Unfit(
            f"holds half of a character (the lone surrogate U+{code:04X}) at position {error.start}",
            "Write the text again from its source: it was cut inside an emoji or the like",
        ) from None
    if len(data.translate(None, _CONTROLS)) < len(data):
        place = next(match.start() for match in _FORBIDDEN.finditer(text))
        called = "NUL character" if text[place] == "\0" else "control character"
        raise Unfit(
            f"holds the {called} U+{ord(text[place]):04X} at position {place}", "Remove it: no text needs it"
        )
    return text


def looks_misread(text: str) -> bool:
    """Whether a text holds C1 control characters, as Windows-1252 read as Latin-1 gives them."""
    return not text.isascii() and _C1.search(text.encode("utf-8", "replace")) is not None


def sound_id(text: str) -> str:
    """Return a text that can be an identifier as it is.

    Slashes and dots are harmless: an identifier never becomes the name of a file as it is.

    Raises:
        Unfit: it is empty, longer than :data:`MAX_ID`, or holds characters that cannot be seen.
    """
    if not text:
        raise Unfit("is empty", "Give it a value, or leave the field out")
    if len(text) > MAX_ID:
        raise Unfit(f"has {len(text)} characters, and {MAX_ID} is the most", "Shorten it")
    if text.isprintable():  # then none of its characters is one of those below
        return text
    for place, character in enumerate(text):
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _DIRECTION:
            raise Unfit(
                f"holds the character U+{ord(character):04X} at position {place}",
                "Use letters, digits and marks that can be seen",
            )
    return text


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has: its characters divided by four."""
    return len(text) // CHARACTERS_A_TOKEN
