"""expert: the expert's own argument on the topic; no model is used (the oracle setting of ConQRet, Tables 16 to 18)."""

from __future__ import annotations

from conqret.generation.strategies import Strategy
from conqret.generation.strategies.extractive import compose

STRATEGY = Strategy(
    name="expert",
    baseline=compose,
    expert=True,
)
