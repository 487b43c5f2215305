"""No regular expression of the package takes time with the square of a text, whatever is repeated in it."""

from __future__ import annotations

import itertools
import re

import pytest

from tests.torture import patterns as measured
from tests.torture.patterns import patterns, slow


@pytest.mark.slow
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
    [(r"\d+(?:\s*>\s*\d+)+", "search"), (r"(?:a+)+b", "fullmatch"), (r"<!--.*?-->", "search")],
)
def test_a_pattern_that_is_not_linear_is_found(
    written: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        measured, "TRIES", 2
    )  # more of them free a linear pattern from suspicion, and no other
    assert any(kind == way for kind, *_ in slow(re.compile(written)))


@pytest.mark.parametrize(("power", "is_slow"), [(2, True)])
@pytest.mark.parametrize("every", [3, 4, 5])
def test_what_else_runs_on_the_machine_changes_nothing(
    power: int, is_slow: bool, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A measurement now and then takes four times as long as it should."""
    calls = itertools.count()

    def seconds(act: object, text: str, often: int = 1) -> float:
        return min((1 if next(calls) % every else 4) * (len(text) / 10_000) ** power for _ in range(often))

    monkeypatch.setattr(measured, "_seconds", seconds)
    for _ in range(every):
        assert (measured._growth(len, lambda length: "a" * length) > measured.GROWTH) is is_slow
        next(calls)
