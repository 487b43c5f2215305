"""The page's colours, read from its style sheet: AA contrast in both schemes, and a scale by lightness alone."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

import conqret.show.page

CSS = (Path(conqret.show.page.__file__).parent / "page.css").read_text(encoding="utf-8")
PAIR = r"light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)"
NAMED = {name: colours for name, *colours in re.findall(rf"--([a-z-]+): {PAIR};", CSS)}
LEVELS = [
    re.findall(rf"^\.l{step} {{ background: {PAIR}; color: {PAIR}; }}", CSS, re.MULTILINE)[0]
    for step in range(11)
]


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: (L1 + .05) / (L2 + .05)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "soft", "accent", "good", "warn", "bad"])
@pytest.mark.parametrize("ground", ["paper", "raised", "warn-wash", "faint"])
def test_text_reaches_aa(ink: str, ground: str, scheme: int) -> None:
    assert contrast(NAMED[ink][scheme], NAMED[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_values_are_legible_and_their_scale_runs_one_way_in_lightness(scheme: int) -> None:
    assert min(contrast(step[scheme], step[2 + scheme]) for step in LEVELS) >= 4.5
    lights = [luminance(step[scheme]) for step in LEVELS]
    assert lights == sorted(lights, reverse=scheme == 0)
    assert all(contrast(a[scheme], b[scheme]) > 1.08 for a, b in pairwise(LEVELS))
