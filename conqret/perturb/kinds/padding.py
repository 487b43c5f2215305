"""Sentences that add nothing: length without content, which judges are known to reward (Dubois et al. 2024)."""

from __future__ import annotations

from conqret.perturb.added import among_sentences, own_sentences
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, QUALITY, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import Draw, Perturbation, PerturbedItem

FILLERS = (
    "This is a point that deserves careful attention.",
    "There is much that could be said here.",
    "It is worth pausing on this for a moment.",
    "The matter is of course not a simple one.",
    "Many things come together in this question.",
    "One should bear all of this in mind.",
    "All of this belongs to the wider picture.",
    "Such considerations have their place in any discussion.",
    "That is something to think about.",
    "The subject has many sides.",
    "These are things that everybody can reflect upon.",
    "It goes without saying that this calls for thought.",
    "Nobody will want to pass over this lightly.",
    "In this way one thing leads to another.",
    "So much may be said at this point.",
    "The reader will see what is meant.",
    "Questions of this kind are asked again and again.",
    "There it is, for all to consider.",
    "And this is by no means all that there is to it.",
    "With this, the ground is prepared for what follows.",
)
"""They make no claim, name nothing and take no side."""


def change(draw: Draw) -> PerturbedItem:
    """So many sentences among those of the argument; in another language than English, sentences of its own once more,
    without their citations."""
    return among_sentences(draw, own_sentences(draw.item) if draw.language else FILLERS)


PERTURBATION = Perturbation(
    name="padding",
    summary="sentences put into the argument that say nothing",
    unit="sentences",
    levels=(0, 2, 5, 10),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND, "citation_precision"),
        no_rise=(*GROUNDING[:1], "citation_recall", *ANSWER, *QUALITY, *PREFERENCE),
    ),
    needs=frozenset({"argument"}),
    source="own; length bias as in Dubois et al. 2024 (length-controlled AlpacaEval)",
    change=change,
    most=None,
)
