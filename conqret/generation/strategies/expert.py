"""expert: the expert's own argument on the topic; no model is used (the oracle setting of ConQRet, Tables 16 to 18)."""

from __future__ import annotations

from conqret.generation.strategies import Strategy
from conqret.generation.strategies.extractive import compose

STRATEGY = Strategy(
    name="expert",
    summary="the expert's own argument, with its citations of the documents that the item has",
    source="ConQRet, section 6.3, Tables 16 to 18",
    baseline=compose,
    expert=True,
)
