"""takeaways: each document summed up for the side, in two to four sentences (ConQRet, Table 8)."""

from __future__ import annotations

from conqret.generation.strategies import Strategy
from conqret.generation.strategies.extractive import compose

STRATEGY = Strategy(
    name="takeaways",
    summary="the documents one by one: what each does for the side, and its main points in two to four sentences",
    source="ConQRet, Table 8",
    prompts={"pro": "generate/takeaways", "con": "generate/takeaways"},
    baseline=compose,
)
