"""Damage done on purpose: items changed by a known amount, to see whether a judge notices.

ConQRet (Dhole et al.), sections 6.2 to 6.4: documents replaced by irrelevant ones, and grounded sentences
replaced by contradictions. Each perturbation is a pure function of item, level and seed, and says for each
metric which way it should move.
"""

from conqret.perturb.base import (
    SEED,
    Change,
    Direction,
    InapplicableError,
    Materials,
    Perturbation,
    PerturbationRecord,
    perturb_items,
    records,
)
from conqret.perturb.pool import Pool
from conqret.perturb.registry import PERTURBATIONS

__all__ = [
    "PERTURBATIONS",
    "SEED",
    "Change",
    "Direction",
    "InapplicableError",
    "Materials",
    "Perturbation",
    "PerturbationRecord",
    "Pool",
    "perturb_items",
    "records",
]
