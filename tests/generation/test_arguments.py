"""The typed answer, its text, and what reads it back."""

import pytest

from conqret.generation.cited_argument import cited


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("Fares fell.", [1], "Fares fell [1]."),
        ("Fares fell", [1, 3], "Fares fell [1][3]."),
        ("Fares fell!", [], "Fares fell!"),
        ("It rose [2].", [1], "It rose [2][1]."),
        ("It rose. [2]", [2], "It rose [2]."),
        ("It rose [2] twice.", [1], "It rose [2] twice [1]."),
        ("It rose [2-4].", [], "It rose [2][3][4]."),
        ("And so on...", [1], "And so on [1]..."),
        ("He said: “It fell.”", [4], "He said: “It fell.” [4]"),
        ("Two\n\nlines\there,", [1], "Two lines here [1]."),
        ("Twice.", [1, 1], "Twice [1]."),
        ("Never.", [-1], "Never."),
    ],
)
def test_one_sentence(text, numbers, expected):
    assert cited(text, numbers) == expected
