"""The perturbations by name; a module is imported only when its perturbation is asked for."""

from __future__ import annotations

from importlib import import_module

from conqret.errors import UnknownNameError
from conqret.perturb.base import Perturbation

_MODULES = {
    "irrelevant": "irrelevant",
    "hallucinate": "hallucinate",
    "shuffle": "shuffle",
    "drop-citations": "drop_citations",
    "wrong-citations": "wrong_citations",
    "padding": "padding",
    "flip-stance": "flip_stance",
    "inject-document": "inject_document",
    "inject-argument": "inject_argument",
    "truncate": "truncate",
    "paraphrase": "paraphrase",
}

PERTURBATIONS = tuple(_MODULES)
"""The names of all perturbations."""


def get_perturbation(name: str) -> Perturbation:
    """The perturbation of this name; hyphens and underscores are the same.

    Raises:
        UnknownNameError: there is none; the message names the nearest.
    """
    try:
        module = _MODULES[name.replace("_", "-").lower()]
    except KeyError:
        raise UnknownNameError("perturbation", name, PERTURBATIONS) from None
    perturbation: Perturbation = import_module(f"conqret.perturb.{module}").PERTURBATION
    return perturbation
