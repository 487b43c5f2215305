"""Which of two arguments is the stronger: by how they are written, and by what their documents bear out."""

from __future__ import annotations

from typing import Literal, NamedTuple

from conqret.baseline.findings import PreferenceFinding
from conqret.baseline.fitted import share_of

TIE = 0.005
"""Below it the two are the same to the baseline; the pairs that the writing was fitted on hold no ties."""
GROUNDEDNESS = 4.0
RELEVANCE = 2.0
"""Log-odds that a whole point of groundedness or relevance is worth; made by hand. Twice as many words (up to 200)
are worth about a third of a point of groundedness."""


class Strength(NamedTuple):
    """What speaks for an argument: log-odds by its surface, and its groundedness and relevance in [0, 1].

    Without documents the last two are 0: then the fitted part decides alone.
    """

    writing: float
    groundedness: float = 0.0
    relevance: float = 0.0


def prefer(first: Strength, second: Strength) -> PreferenceFinding:
    """Compare two arguments.

    ``p = 1 / (1 + exp(-d))`` is the odds on the first, d the sum of the gaps: that of the writing, 4 times that of
    groundedness, twice that of relevance. ``strength = |2 p - 1|``; a tie below 0.005. Swapping the arguments swaps
    the label and leaves the strength.
    """
    gaps = {
        "writing": first.writing - second.writing,
        "groundedness": GROUNDEDNESS * (first.groundedness - second.groundedness),
        "relevance": RELEVANCE * (first.relevance - second.relevance),
    }
    total = sum(gaps.values())
    sure = share_of(abs(total))
    if 2 * sure - 1 < TIE:
        return PreferenceFinding("tie", 2 * sure - 1, "The two differ too little to tell.")
    winner: Literal["first", "second"] = "first" if total > 0 else "second"
    name = max(gaps, key=lambda part: gaps[part] * (1 if total > 0 else -1))
    return PreferenceFinding(
        winner, 2 * sure - 1, f"The {winner} is ahead ({sure:.0%} sure), mostly in {name}."
    )
