"""The formats by name; a judge's module is imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module

from conqret.errors import UnknownNameError
from conqret.judging.base import Judge

_MODULES = {
    "rag-fine-grained": "rag_fine_grained",
    "rag-direct": "rag_direct",
    "rag-rubric": "rag_rubric",
    "query-rubric": "query_rubric",
    "g-eval": "g_eval",
    "static-rubric": "static_rubric",
    "direct": "direct",
    "listwise": "listwise",
    "pointwise": "pointwise",
    "listwise-rag": "listwise_rag",
    "citation-support": "citation_support",
    "likelihood": "likelihood",
}

FORMATS = tuple(_MODULES)
"""The names of all formats."""


def get_judge(name: str) -> Judge:
    """The judge of this name; hyphens and underscores are the same.

    Raises:
        UnknownNameError: there is none; the message names the nearest.
    """
    try:
        module = _MODULES[name.replace("_", "-").lower()]
    except KeyError:
        raise UnknownNameError("format", name, FORMATS) from None
    judge: Judge = import_module(f"conqret.judges.{module}").JUDGE
    return judge
