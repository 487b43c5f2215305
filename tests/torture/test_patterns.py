"""No regular expression of the package takes time with the square of a text, whatever is repeated in it."""

from __future__ import annotations

import re

import pytest

from tests.torture.patterns import UNITS, attacks, patterns, slow


def test_every_pattern_is_linear() -> None:
    found = patterns()
    assert len(found) > 180
    told = [
        f"{place} ({pattern.pattern[:60]!r}): {way} of {text}: {growth:.1f} times the time for twice the text"
        for place, pattern in found.items()
        for way, text, growth in slow(pattern)
    ]
    assert told == []


@pytest.mark.parametrize(
    ("written", "way"),
    [
        (r"\d+(?:\s*>\s*\d+)+", "search"),
        (r"[.!?]+$", "search"),
        (r"(?P<said>.*?)(?P<end>[.!?]*[\"')]*\s*)", "fullmatch"),
        (r"#.*?\d{1,4}$", "search"),
        (r"(?:a+)+b", "fullmatch"),
        (r"<!--.*?-->", "search"),
        (r"beginning\s*(?:of)?\s*(?:the)?\s*end", "search"),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(written: str, way: str) -> None:
    assert any(kind == way for kind, *_ in slow(re.compile(written)))


def test_there_are_some_hundred_units_and_more_of_the_pattern_itself() -> None:
    assert len(set(UNITS)) > 100
    told = {text for text, _ in attacks(re.compile(r"steps = \[\n.*?\]"))}
    assert any("steps = " in text for text in told)
