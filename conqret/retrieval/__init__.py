"""Retrieval: a first stage over a corpus directory, then what puts the right documents on top.

Everything is a PyTerrier transformer, so it can stand in any pipeline and any experiment::

    bm25 >> ListwiseReranker(model="gpt-4o-mini", stance="pro")

PyTerrier is imported with the first name that needs it. No Java is started.

Indexes:

- ``collection``: the documents of a corpus; ``corpus_index``: its index, built once and opened
- ``engines/``: the libraries that search (BM25, vectors)
- ``text_encoding``: which encoder, pooling and prefixes; ``vectors``: encodes passages into a file, and searches it

Stages:

- ``first_stage``: BM25, dense, fusion (reciprocal rank), a search for each perspective
- ``rerank``: listwise by an LLM; ``graded_relevance``: by grades of a decision model
- ``rescoring``: by a cross-encoder, and maximal marginal relevance (MMR); ``pipeline``: the stages put together

Rankings and scores:

- ``retrieve``: rankings of a corpus's topics (the public function)
- ``system_names``: what ``dense+mmr`` means; ``systems``: runs systems by name, or reads their TREC runs
- ``evaluate``: P@k, nDCG, alpha-nDCG, balance of sides, intervals and tests
- ``ranking_evaluation``: these for systems over a corpus

Commands: ``command`` (``conqret retrieve run`` and ``evaluate``), ``index_command`` (``conqret retrieve index``).
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
