"""Evidence of one side only: the argument says itself that it left the rest out.

No rule tells for sure which documents speak for which side, so nothing is taken away: what is put in says so.
"""

from __future__ import annotations

from conqret.perturb.added import among_sentences
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, QUALITY, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import ENGLISH, Perturbation

LEFT_OUT = (
    "Studies that come to another result are left out here.",
    "What the other side can show was not looked at.",
    "Only such findings were chosen as fit this view.",
    "Figures that point the other way have been set aside.",
    "Nothing was searched for that might tell against it.",
    "Whatever does not agree with this goes unmentioned.",
)

SUFFERS = ("global_sufficiency", "reasonableness", "overall_quality")
"""A good argument rebuts what can be said against it (Wachsmuth et al. 2017, global sufficiency)."""

PERTURBATION = Perturbation(
    name="one-sided-evidence",
    summary="sentences by which the argument owns that it left out the evidence of the other side",
    unit="sentences",
    levels=(0, 1, 3),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND),
        no_rise=(*GROUNDING, *ANSWER, *[name for name in QUALITY if name not in SUFFERS], *PREFERENCE),
        fall=SUFFERS,
    ),
    needs=frozenset({"argument"}),
    source="own; global sufficiency as in Wachsmuth et al. 2017",
    change=lambda draw: among_sentences(draw, LEFT_OUT),
    most=None,
    languages=ENGLISH,
)
