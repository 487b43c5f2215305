"""BM25 as a first stage."""

from __future__ import annotations

from conqret.retrieval.first_stage import DEPTH, FirstStage

__all__ = ["BM25", "DEPTH"]


class BM25(FirstStage):
    """Retrieve by words: the index of ``conqret index CORPUS``."""
