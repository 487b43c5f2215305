"""Does length pay? Sentences that say nothing are put into the argument (Dubois et al. 2024)."""

from __future__ import annotations

from conqret.perturb.kinds.padding import PERTURBATION
from conqret.studies.bias.contrast import Probe, perturbed

SENTENCES = 5
"""About half as much again for an argument of ten sentences."""


PROBE = Probe(
    name="length",
    contrasts=perturbed(
        PERTURBATION,
        SENTENCES,
        name=f"{SENTENCES} empty sentences added",
        adverse="rise",
        up="higher with padding",
    ),
    compares="five sentences that say nothing",
    finds="a rise",
    advice="tell the judge that length is no merit, and compare arguments of like length",
    source="Dubois et al. 2024; CALM: verbosity",
)
