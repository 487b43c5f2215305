"""Is a text better because it is said to have been revised? (Refinement-aware bias: Ye et al. 2024, CALM.)"""

from __future__ import annotations

from conqret.studies.bias.matching import remark_probe

MATCHED = (
    (
        "This is the third version, and it was revised after careful criticism.",
        "This is one further line, and it was placed underneath several others.",
    ),
    (
        "Every weak point of the first draft has been mended in this one.",
        "Some words that come near the end close what was said until now.",
    ),
    (
        "This text has been improved twice since it was first handed in.",
        "This text was put down here after somebody first thought of it.",
    ),
    (
        "After a long review the wording was corrected and made better throughout.",
        "After a long sentence the wording was continued and another one followed.",
    ),
)

PROBE = remark_probe(
    "refinement",
    MATCHED,
    thing="the remark that the text was revised",
    up="higher where it is said to be revised",
    advice="leave out where a text comes from, and how often it was revised",
    source="CALM (Ye et al. 2024): refinement-aware",
)
