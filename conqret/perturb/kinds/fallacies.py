"""Fallacies put into the argument: a judge has to notice them (fallacy-oversight: Ye et al. 2024, CALM)."""

from __future__ import annotations

from conqret.perturb.added import among_sentences
from conqret.perturb.expectations import PREFERENCE, QUALITY, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import ENGLISH, Perturbation

FALLACIES = (
    "Nobody has ever shown this to be false, and therefore it is true.",
    "Whoever sees it otherwise has never done an honest day's work, so there is no need to listen.",
    "It has always been done in this way, which proves that it is right.",
    "One either agrees with all of this or wants everything to fall apart.",
    "Where the first small step is taken, the very worst must follow in the end.",
    "My neighbour found it so, and what is so for one is so for everybody.",
    "It is true because it is right, and it is right because it is true.",
    "The cock crows and then the sun comes up, and here, too, the one brought about the other.",
)
"""Ignorance, the person, tradition, two ways only, the slope, one case, the circle, and what merely came before."""

SUFFERS = ("local_acceptability", "local_sufficiency", "cogency", "overall_quality")

PERTURBATION = Perturbation(
    name="fallacies",
    summary="sentences put into the argument that prove nothing: well-known fallacies",
    unit="sentences",
    levels=(0, 2, 4),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND),
        no_rise=(*[name for name in QUALITY if name not in SUFFERS], *PREFERENCE),
        fall=SUFFERS,
    ),
    needs=frozenset({"argument"}),
    source="own; fallacy-oversight as in CALM (Ye et al. 2024)",
    change=lambda draw: among_sentences(draw, FALLACIES),
    most=None,
    languages=ENGLISH,
)
