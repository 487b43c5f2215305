"""Does it count what others are said to think? (Bandwagon effect: Ye et al. 2024, CALM.)"""

from __future__ import annotations

from conqret.studies.bias.matching import remark_probe

MATCHED = (
    (
        "Nine out of ten readers who were asked found this the better text.",
        "Some words that come near the end closed what was said further up.",
    ),
    (
        "Most people who have read both sides agree with what stands here.",
        "Some words that come near the end close what was written earlier.",
    ),
    (
        "In every audience so far a large majority took the side of this text.",
        "This is a sentence of the text, and it was placed under several more.",
    ),
    (
        "By now nearly everybody shares the view that is taken here.",
        "At this point another line follows that is short and plain.",
    ),
)
"""A majority of whom nobody knows anything: it is no reason."""

PROBE = remark_probe(
    "bandwagon",
    MATCHED,
    thing="the remark that most people agree",
    up="higher where most are said to agree",
    advice="tell the judge that what others think is no reason",
    source="CALM (Ye et al. 2024): bandwagon",
)
