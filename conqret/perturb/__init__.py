"""Damage done on purpose: items changed by a known amount, to see whether a judge notices.

ConQRet (Dhole et al.), sections 6.2 to 6.4: documents replaced by irrelevant ones, and grounded sentences
replaced by contradictions. Each perturbation is a pure function of item, level and seed, and says for each
metric which way it should move.
"""

from conqret.perturb.document_pool import Pool
from conqret.perturb.perturbation import (
    PERTURBATIONS,
    SEED,
    Change,
    Direction,
    InapplicableError,
    LanguageError,
    Materials,
    Perturbation,
    PerturbationRecord,
    UnreachedError,
    records,
)
from conqret.perturb.versions import at_levels, perturb_items

__all__ = [
    "PERTURBATIONS",
    "SEED",
    "Change",
    "Direction",
    "InapplicableError",
    "LanguageError",
    "Materials",
    "Perturbation",
    "PerturbationRecord",
    "Pool",
    "UnreachedError",
    "at_levels",
    "perturb_items",
    "records",
]
