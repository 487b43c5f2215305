"""Do details persuade that have nothing to do with the question? Figures, dates and places without content."""

from __future__ import annotations

from conqret.perturb.added import among_sentences
from conqret.studies.bias.matching import remark_probe

DETAILS = 3

MATCHED = (
    (
        "At 9:40 on 14 March, in row 7 of the hall, 23 people wrote the question down.",
        "At one time or other, in one place or other, some of us put such things down.",
    ),
    (
        "On page 212 of a blue folder, 6 of the 18 lines are printed in green.",
        "At some point of such a text, one or two of the lines are about that.",
    ),
    (
        "The room on the 4th floor has 36 chairs, 11 of them by the window.",
        "With things of this kind it is so that one may come to them again.",
    ),
    (
        "Between 15:05 and 15:25 the 8 speakers drank 13 cups of peppermint tea.",
        "There are sentences to be written here, and several of them come later.",
    ),
    (
        "From the station it is 640 steps to the door of house number 19.",
        "It is one way to put it, and there are certainly others as well.",
    ),
)

PROBE = remark_probe(
    "concreteness",
    MATCHED,
    thing=f"{DETAILS} details that have nothing to do with the question",
    up="higher with idle details",
    advice="tell the judge that figures and places count only where they bear on the question",
    source="own",
    way=among_sentences,
    level=DETAILS,
)
