"""Maximal marginal relevance: documents that say what those above have not said (Carbonell and Goldstein 1998)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from numpy.typing import NDArray

from conqret.errors import DeclarationError
from conqret.retrieval.rerank import ordered, renumbered
from conqret.retrieval.system_names import TRADE_OFF
from conqret.text.text_passages import lexical

CANDIDATES = 100
"""The top of the ranking that is reordered (BeRDS, section 6)."""

Encoder = Callable[[Sequence[str]], Any]
"""Texts to vectors: one row a text, in an array or a sparse matrix of scipy. Similarity is the cosine of two rows."""


class MMR(pt.Transformer):
    """A PyTerrier transformer that reorders each ranking by maximal marginal relevance (MMR).

    MMR trades relevance against similarity to documents ranked above. Columns in: ``qid``, ``docno``,
    ``score``, ``text``. Columns out: the same, with new ``rank`` (from 0) and ``score`` (falling by 1).
    Scores are first divided by the highest score of the frame (BeRDS, A.6). Documents below ``candidates``
    keep their order at the end. A ``trade_off`` of 1 changes nothing. ``encoder`` defaults to
    :func:`~conqret.text.text_passages.lexical`; any sentence encoder works (``model.encode``).

    Raises:
        DeclarationError: ``trade_off`` is outside [0, 1].
    """

    def __init__(
        self, trade_off: float = TRADE_OFF, *, candidates: int = CANDIDATES, encoder: Encoder | None = None
    ) -> None:
        super().__init__()
        if not 0 <= trade_off <= 1:
            raise DeclarationError(f"the trade-off of MMR is {trade_off}, but it must be between 0 and 1")
        self.trade_off, self.candidates, self.encoder = trade_off, candidates, encoder or lexical

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Reorder every query's ranking and return the new frame."""
        pt.validate.result_frame(frame, extra_columns=["score", "text"])
        if frame.empty:
            return frame.assign(rank=0)
        highest = float(frame["score"].max())
        parts = []
        for _, group in frame.groupby("qid", sort=False):
            best = ordered(group)
            head = best.iloc[: self.candidates]
            scores = head["score"].to_numpy(float) / (highest if highest > 0 else 1.0)
            likeness = cosines(self.encoder([str(text) for text in head["text"]]))
            order = select(scores, likeness, self.trade_off)
            parts.append(renumbered(pd.concat([head.iloc[order], best.iloc[self.candidates :]])))
        return pd.concat(parts, ignore_index=True)

    def __repr__(self) -> str:
        return f"MMR({self.trade_off})"


def select(scores: NDArray[np.float64], likeness: NDArray[np.float64], trade_off: float) -> list[int]:
    """Return the MMR order of n documents as indices, given their scores (n) and similarities (n by n).

    The next document is ``argmax_d  lambda score(d) - (1 - lambda) max_{e taken} likeness(d, e)`` (BeRDS,
    equation 1). Ties go to the earlier document. The maximum over no documents is 0.
    """
    nearest = np.zeros(len(scores))
    left = np.ones(len(scores), dtype=bool)
    order = []
    for _ in range(len(scores)):
        gain = np.where(left, trade_off * scores - (1 - trade_off) * nearest, -np.inf)
        taken = int(np.argmax(gain))
        left[taken] = False
        order.append(taken)
        nearest = likeness[taken] if len(order) == 1 else np.maximum(nearest, likeness[taken])
    return order


def cosines(vectors: Any) -> NDArray[np.float64]:
    """Return the matrix of cosine similarities between all rows; 0 for rows of zeros."""
    vectors = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors, dtype=float), where=lengths > 0)
    likeness: NDArray[np.float64] = unit @ unit.T
    return likeness
