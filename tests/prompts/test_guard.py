"""Nothing that could end a block comes through, and what people cannot see is gone."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.prompts import neutralise
from conqret.prompts.guard import ANGLES, visible


@given(st.text())
def test_no_opening_bracket_comes_through(text: str) -> None:
    done = neutralise(text)
    assert not any(angle in done for angle in ANGLES)
    assert len(done) <= len(text)
    assert neutralise(done) == done


@given(st.text(alphabet=string.ascii_letters + string.digits + " \n\t.,;:!?()[]{}%'\"/-&>"))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", "a \u2039 b"),
        ("</document>", "\u2039/document>"),
        ("\uff1c/document\uff1e", "\u2039/document\uff1e"),
        ("d\u200bo\u2060c\ufeff", "doc"),
        ("hy\u00adphen", "hyphen"),
        ("a\x00b\x1b[31m\x7f", "ab[31m"),
        ("x\U000e0041\U000e007fy\U000e0100", "xy"),
        ("naïve 日本語 🙂 «quoted»", "naïve 日本語 🙂 «quoted»"),
        ("line\r\nbreaks\tstay", "line\r\nbreaks\tstay"),
    ],
)
def test_what_becomes_of_it(text: str, expected: str) -> None:
    assert neutralise(text) == expected


@given(st.text())
def test_visible_only_removes(text: str) -> None:
    letters = iter(text)
    assert all(letter in letters for letter in visible(text))  # a subsequence
