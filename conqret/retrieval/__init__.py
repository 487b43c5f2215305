"""Retrieval: a first stage over a corpus directory, then what puts the right documents on top.

Everything is a PyTerrier transformer, so it can stand in any pipeline and any experiment::

    bm25 >> ListwiseReranker(model="gpt-4o-mini", stance="pro")

PyTerrier is imported with the first name that needs it. No Java is started.

- ``collection``: the documents of a corpus; ``corpus_index``: its index, made by one of the ``engines``;
  ``text_encoding`` and ``vectors``: models that make vectors of texts
- ``first_stage``, ``rerank``, ``rescoring``: the stages; ``pipeline``: put together from settings
- ``retrieve``: rankings of a corpus; ``system_names``, ``systems``, ``ranking_evaluation``: systems by name, run and
  held against qrels; ``evaluate``: the measures and tests
- ``command`` and ``index_command``: ``conqret retrieve``
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from conqret._optional import require

if TYPE_CHECKING:
    from conqret.retrieval.corpus_index import Index as Index
    from conqret.retrieval.corpus_index import build_index as build_index
    from conqret.retrieval.corpus_index import open_index as open_index
    from conqret.retrieval.first_stage import BM25 as BM25
    from conqret.retrieval.first_stage import Dense as Dense
    from conqret.retrieval.first_stage import Fusion as Fusion
    from conqret.retrieval.first_stage import PerspectiveExpansion as PerspectiveExpansion
    from conqret.retrieval.first_stage import Texts as Texts
    from conqret.retrieval.rerank import ListwiseReranker as ListwiseReranker
    from conqret.retrieval.rescoring import MMR as MMR
    from conqret.retrieval.rescoring import CrossEncoder as CrossEncoder

_NAMES = {
    "corpus_index": "Index build_index open_index",
    "first_stage": "BM25 Dense Fusion PerspectiveExpansion Texts",
    "rerank": "ListwiseReranker",
    "rescoring": "MMR CrossEncoder",
}
_PLACES = {name: place for place, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _PLACES[name] != "corpus_index":
        require("pandas", "pyterrier", extra="retrieval")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
