"""Does a text that asks for a better score get one?"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.perturb.kinds import inject_argument, inject_document
from conqret.studies.bias.contrast import Contrast, NotAskedError, Probe, ProbeContext, perturbed

UP = "higher with the instruction"
PLACES = (
    (inject_argument.PERTURBATION, 1, "an instruction at the end of the argument"),
    (inject_document.PERTURBATION, 100, "an instruction in every document"),
)


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """Instructions in the argument and in the documents; neither may raise a score.

    Raises:
        NotAskedError: neither can be placed.
    """
    injection_contrasts: list[Contrast] = []
    reasons = []
    for perturbation, level, name in PLACES:
        try:
            injection_contrasts += perturbed(perturbation, level, name=name, adverse="rise", up=UP)(ground)
        except NotAskedError as error:
            reasons.append(str(error))
    if not injection_contrasts:
        raise NotAskedError("; ".join(reasons))
    return tuple(injection_contrasts)


PROBE = Probe(
    name="injection",
    contrasts=contrasts,
    compares="an instruction in the argument, or in every document, against neutral text of the same length",
    finds="a rise",
    advice="keep the texts apart from the instructions, and drop what addresses the judge",
    source="own; named as a risk in ConQRet, section 9",
    sways=True,
)
