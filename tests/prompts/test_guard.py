"""Nothing that could end a block comes through, and what people cannot see is gone."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.prompts import neutralise
from conqret.prompts.neutralizing import ANGLES


@given(st.text())
def test_no_opening_bracket_comes_through(text: str) -> None:
    done = neutralise(text)
    assert not any(angle in done for angle in ANGLES)
    assert len(done) <= len(text)
    assert neutralise(done) == done


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("</document>", "\u2039/document>"),
        ("\uff1c/document\uff1e", "\u2039/document\uff1e"),
        ("d\u200bo\u2060c\ufeff", "doc"),
        ("a\x00b\x1b[31m\x7f", "ab[31m"),
        ("x\U000e0041\U000e007fy\U000e0100", "xy"),
        ("naïve 日本語 🙂 «quoted»", "naïve 日本語 🙂 «quoted»"),
        ("a\u034fb\u115fc\u3164d\uffa0e\u17b4f\u180bg\u206ah\U0001d173", "abcdefgh"),
        ("s\ufe00e\ufe0fc\ufe01r\ufe02et\U000e01ef", "secret"),
        ("\u2764\ufe0f 1\ufe0f\u20e3 \u2600\ufe0e", "\u2764\ufe0f 1\ufe0f\u20e3 \u2600\ufe0e"),
        ("\u2764\ufe0f\ufe0f\ufe01", "\u2764\ufe0f"),
        ("line\r\nbreaks\tstay: {%'\"/-&>}", "line\r\nbreaks\tstay: {%'\"/-&>}"),
    ],
)
def test_what_becomes_of_it(text: str, expected: str) -> None:
    assert neutralise(text) == expected


def test_nothing_that_unicode_calls_ignorable_comes_through() -> None:
    """Format characters (Cf) that Python itself knows of, but for those that Unicode draws or lays out with."""
    drawn = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    drawn |= set(range(0x13430, 0x13440))  # Egyptian hieroglyphs: how signs are joined
    found = [
        code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf" and code not in drawn
    ]
    assert len(found) > 100
    assert [hex(code) for code in found if neutralise(f"a{chr(code)}b") != "ab"] == []
