"""cited: conclusions with premises that cite the documents, after examples (ConQRet, section 3.2.2)."""

from __future__ import annotations

from conqret.generation.strategies import Strategy
from conqret.generation.strategies.extractive import compose

STRATEGY = Strategy(
    name="cited",
    summary="conclusions with premises that cite the documents, after expert arguments on other topics",
    source="ConQRet, section 3.2.2, Table 10",
    prompts={"pro": "generate/pro", "con": "generate/con"},
    baseline=compose,
)
