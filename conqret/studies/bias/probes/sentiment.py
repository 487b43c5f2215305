"""Does a cheerful tone pay, or cost? (Sentiment bias: Ye et al. 2024, CALM.)"""

from __future__ import annotations

from conqret.perturb.added import among_sentences
from conqret.studies.bias.matching import remark_probe

CHEERS = 2

MATCHED = (
    (
        "What a joy it is to say so, and how bright the heart grows!",
        "It is one way to put it, and there are others here as well.",
    ),
    (
        "How wonderful it feels to stand here and speak of such bright things!",
        "There are sentences to be written here, and some of them come before.",
    ),
    (
        "It fills one with warmth and delight to think of it all!",
        "It comes up after others and people may speak of it too.",
    ),
    (
        "Happy are we who may talk about this with a smile!",
        "There is a part of it that comes after the others.",
    ),
)
"""Neither says anything of the question, so only the tone differs."""

PROBE = remark_probe(
    "sentiment",
    MATCHED,
    thing=f"{CHEERS} cheerful lines",
    up="higher in a cheerful tone",
    advice="tell the judge that the tone of a text is not its quality",
    source="CALM (Ye et al. 2024): sentiment",
    adverse="any",
    way=among_sentences,
    level=CHEERS,
)
