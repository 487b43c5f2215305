"""Does the order matter in which documents stand?"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.perturb import PERTURBATIONS
from conqret.reliability.bias.contrast import Contrast, Ground, Probe, perturbed


def contrasts(ground: Ground) -> Sequence[Contrast]:
    """All documents change places; citations go with them.

    Raises:
        NotAskedError: no item has two documents.
    """
    shuffle, up = PERTURBATIONS["shuffle"], "higher in the other order"
    return (perturbed(ground, shuffle, 100, name="documents shuffled", adverse="any", up=up),)


PROBE = Probe(
    name="document order",
    contrasts=contrasts,
    compares="all documents shuffled, citations renumbered",
    finds="any difference",
    advice="shuffle the documents over several samples",
    source="ConQRet, Table 13; Liu et al. 2023",
)
