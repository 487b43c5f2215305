"""Retrieval: a first stage over a corpus directory, then what puts the right documents on top.

Everything is a PyTerrier transformer, so it can stand in any pipeline and any experiment::

    bm25 >> ListwiseReranker(model="gpt-4o-mini", stance="pro")

PyTerrier is imported with the first name that needs it. No Java is started.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conqret.retrieval.corpus_index import Index, build_index, open_index
    from conqret.retrieval.cross_encoder import CrossEncoder
    from conqret.retrieval.expansion import PerspectiveExpansion
    from conqret.retrieval.first_stage import BM25, Dense, Texts
    from conqret.retrieval.fusion import Fusion
    from conqret.retrieval.mmr import MMR
    from conqret.retrieval.rerank import ListwiseReranker

__all__ = [
    "BM25",
    "MMR",
    "CrossEncoder",
    "Dense",
    "Fusion",
    "Index",
    "ListwiseReranker",
    "PerspectiveExpansion",
    "Texts",
    "build_index",
    "open_index",
]

_PLACES = {
    "BM25": "first_stage",
    "CrossEncoder": "cross_encoder",
    "Dense": "first_stage",
    "Fusion": "fusion",
    "MMR": "mmr",
    "Index": "corpus_index",
    "ListwiseReranker": "rerank",
    "PerspectiveExpansion": "expansion",
    "Texts": "first_stage",
    "build_index": "corpus_index",
    "open_index": "corpus_index",
}
_WITHOUT_PYTERRIER = {"Index", "build_index", "open_index"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from conqret._optional import require

    if name not in _WITHOUT_PYTERRIER:
        require("pyterrier", extra="retrieval")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
