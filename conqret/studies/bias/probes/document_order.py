"""Does the order matter in which documents stand?"""

from __future__ import annotations

from conqret.perturb.kinds.shuffle import PERTURBATION
from conqret.studies.bias.contrast import Probe, perturbed

PROBE = Probe(
    name="document order",
    contrasts=perturbed(
        PERTURBATION, 100, name="documents shuffled", adverse="any", up="higher in the other order"
    ),
    compares="all documents shuffled, citations renumbered",
    finds="any difference",
    advice="shuffle the documents over several samples",
    source="ConQRet, Table 13; Liu et al. 2023",
)
