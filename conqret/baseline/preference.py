"""Which of two arguments is the stronger, by the evidence of each alone."""

from __future__ import annotations

from conqret.baseline.findings import Preference, clip

TIE = 0.02
_PARTS = (("quality", 0.5), ("groundedness", 0.25), ("relevance", 0.25))


def prefer(first: tuple[float, float, float], second: tuple[float, float, float]) -> Preference:
    """Compare (quality, groundedness, relevance) of two arguments.

    ``strength = |sum(w (a - b))|`` with weights 1/2, 1/4, 1/4; a tie below 0.02. Swapping the arguments swaps
    the label and leaves the strength.
    """
    gaps = [(name, w * (a - b)) for (name, w), a, b in zip(_PARTS, first, second, strict=True)]
    total = sum(gap for _, gap in gaps)
    if abs(total) < TIE:
        return Preference("tie", clip(abs(total)), "The two differ too little to tell.")
    sign = 1 if total > 0 else -1
    name = max(gaps, key=lambda gap: gap[1] * sign)[0]
    winner = "first" if sign > 0 else "second"
    return Preference(
        "first" if sign > 0 else "second",
        clip(abs(total)),
        f"The {winner} is ahead by {abs(total):.2f}, mostly in {name}.",
    )
