"""The perturbations by name: conqret's own, a module of :mod:`conqret.perturb.kinds` each, and those of plug-ins."""

from __future__ import annotations

from conqret.perturb.perturbation import Perturbation
from conqret.registry import Registry

PERTURBATIONS = Registry(
    "perturbation",
    "conqret.perturbations",
    Perturbation,
    package="conqret.perturb.kinds",
    attribute="PERTURBATION",
    first=(
        "irrelevant", "hallucinate", "hallucinate-share", "shuffle", "drop-citations", "wrong-citations", "padding",
        "flip-stance", "inject-document", "inject-argument", "truncate",
    ),
)  # fmt: skip
"""Every perturbation by its name; those of the paper come first."""
