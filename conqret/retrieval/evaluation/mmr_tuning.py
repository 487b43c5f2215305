"""Choosing MMR's lambda on topics that are not those to be tested (BeRDS, section 6 and Table 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from conqret.retrieval.evaluation.evaluate import Evaluation, Judgments, evaluate
from conqret.retrieval.evaluation.system_names import TRADE_OFFS
from conqret.retrieval.evaluation.systems import rankings
from conqret.retrieval.mmr import MMR, Encoder, lexical

if TYPE_CHECKING:
    import pandas as pd

MEASURE = "alpha_nDCG@10"
"""What is maximised: both sides are wanted early, and relevance counts."""

WITHOUT = "without"
"""The name of the ranking as it is, in the evaluation."""


def tune_mmr(
    ranked: pd.DataFrame,
    judgments: Mapping[str, Judgments],
    encoder: Encoder | None = None,
    trade_offs: Sequence[float] = TRADE_OFFS,
) -> tuple[Evaluation, float]:
    """Score a ranking with texts without MMR and with each lambda, and say which lambda has the highest
    :data:`MEASURE`; of equals the highest, which changes least. ``judgments`` needs the views ``pro`` and ``con``.

    Raises:
        DeclarationError: a view has no relevant document.
    """
    made = encoder or lexical

    @cache
    def once(texts: tuple[str, ...]) -> Any:
        return made(texts)

    runs = {
        f"{trade_off:g}": rankings(MMR(trade_off, encoder=lambda texts: once(tuple(texts)))(ranked))
        for trade_off in trade_offs
    }
    evaluation = evaluate({WITHOUT: rankings(ranked), **runs}, judgments, measures=("nDCG@10",))
    best = max(
        sorted(trade_offs, reverse=True),
        key=lambda trade_off: evaluation.score("stance", f"{trade_off:g}", MEASURE).interval.value or 0.0,
    )
    return evaluation, best
