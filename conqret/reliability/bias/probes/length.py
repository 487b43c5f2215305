"""Does length pay? Sentences that say nothing are put into the argument (Dubois et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.perturb import PERTURBATIONS
from conqret.reliability.bias.contrast import Contrast, Ground, Probe, perturbed

SENTENCES = 5
"""About half as much again for an argument of ten sentences."""


def contrasts(ground: Ground) -> Sequence[Contrast]:
    """Padding may be overlooked or punished, and must not raise a score.

    Raises:
        NotAskedError: there is no argument, or no metric that looks at it.
    """
    name = f"{SENTENCES} empty sentences added"
    padding = PERTURBATIONS["padding"]
    return (perturbed(ground, padding, SENTENCES, name=name, adverse="rise", up="higher with padding"),)


PROBE = Probe(
    name="length",
    contrasts=contrasts,
    compares="five sentences that say nothing",
    finds="a rise",
    advice="tell the judge that length is no merit, and compare arguments of like length",
    source="Dubois et al. 2024; CALM: verbosity",
)
