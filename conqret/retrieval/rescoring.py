"""Rankings scored anew without a prompt.

A cross-encoder reads question and passage together, with an instruction next to the question where it has learned to
follow one (TART: Asai et al. 2023; BeRDS, section 6). Maximal marginal relevance takes documents that say what those
above have not said (Carbonell and Goldstein 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from numpy.typing import NDArray

from conqret.errors import DeclarationError, first_line
from conqret.local.models import UNREADABLE, bars_on_terminals, from_checkpoint, sentence_transformers
from conqret.retrieval.rerank import ordered, renumbered
from conqret.retrieval.system_names import DEPTH, TRADE_OFF
from conqret.retrieval.text_encoding import EXTRA, adapted, is_adapter
from conqret.text.text_passages import WORDS, lexical, passages

INSTRUCTED = "{instruction} [SEP] {query}"
"""How TART reads an instruction with a question."""

Scorer = Callable[[Sequence[tuple[str, str]]], "NDArray[np.float64]"]
"""Pairs of a question and a passage to numbers, the higher the better. An adapter returns one."""


class CrossEncoder(pt.Transformer):
    """A PyTerrier transformer that reranks the top of each ranking with a cross-encoder.

    A document's score is that of its best passage. ``model`` is the folder or hub name of a sequence
    classifier with one label, or with two whose second is relevance. It may also be ``module:function``, a
    function without arguments that returns a :data:`Scorer`. Columns in: ``qid``, ``query``, ``docno``,
    ``text``, and ``score`` or ``rank``; ``title`` is optional. Columns out: the same, with new ``score``
    and ``rank`` (from 0). Documents below ``candidates`` are dropped.

    Raises:
        DeclarationError: the model cannot be loaded or has other labels.
        MissingDependencyError: sentence-transformers is not installed.
    """

    def __init__(self, model: str, *, instruction: str = "", candidates: int = DEPTH) -> None:
        super().__init__()
        self.model, self.instruction, self.candidates = model, instruction, candidates
        self._score: Scorer = adapted(model)() if is_adapter(model) else _loaded(model)

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rerank the first ``candidates`` documents of every query, and return the new frame; documents beyond them are
        dropped.

        Raises:
            DeclarationError: the model does not give one score for each passage.
        """
        pt.validate.result_frame(frame, extra_columns=["query", "text"])
        if frame.empty:
            return frame.assign(score=0.0, rank=0)
        parts = []
        for _, group in frame.groupby("qid", sort=False):
            head = ordered(group).iloc[: self.candidates]
            best = head.assign(score=self._scores(head)).sort_values("score", ascending=False, kind="stable")
            parts.append(best.assign(rank=range(len(best))))
        return pd.concat(parts, ignore_index=True)

    def _scores(self, group: pd.DataFrame) -> NDArray[np.float64]:
        """Return the score of each document of one query: that of its best passage.

        Raises:
            DeclarationError: the model does not give one finite score for each passage.
        """
        query = str(group["query"].iloc[0])
        asked = INSTRUCTED.format(instruction=self.instruction, query=query) if self.instruction else query
        titles = group["title"] if "title" in group else [""] * len(group)
        pieces = [
            passages(f"{title or ''} {text}", WORDS)
            for title, text in zip(titles, group["text"], strict=True)
        ]
        piece_scores = np.asarray(
            self._score([(asked, piece) for piece_list in pieces for piece in piece_list]), float
        )
        if piece_scores.shape != (sum(map(len, pieces)),) or not np.isfinite(piece_scores).all():
            raise DeclarationError(
                f"the reranker {self.model} does not give one score for each passage; use a model "
                "with one label, or two of which the second is relevance"
            )
        starts = np.cumsum([0, *map(len, pieces[:-1])])
        best: NDArray[np.float64] = np.maximum.reduceat(piece_scores, starts)
        return best


def _loaded(name: str) -> Scorer:
    """Load a model that sentence-transformers reads, and return a function from pairs of texts to scores. Of two
    labels, the score is the second minus the first. No code of the model is run.

    Raises:
        DeclarationError: the model cannot be loaded.
    """
    library = sentence_transformers(EXTRA)
    try:
        with bars_on_terminals(), from_checkpoint():
            model: Any = library.CrossEncoder(name, trust_remote_code=False)
    except (DeclarationError, *UNREADABLE) as error:
        raise DeclarationError(
            f"the reranker {name!r} cannot be loaded: {first_line(error)} (give the folder of a model, its name on a "
            "hub that can be reached, or an adapter, module:function, for a model that needs its own code)"
        ) from error

    def score(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        predicted: NDArray[np.float64] = model.predict(list(pairs), show_progress_bar=False)
        return (
            predicted[:, 1] - predicted[:, 0]
            if predicted.ndim == 2 and predicted.shape[1] == 2
            else predicted
        )

    return score


CANDIDATES = 100
"""The top of the ranking that is reordered (BeRDS, section 6)."""

Encoder = Callable[[Sequence[str]], Any]
"""Texts to vectors: one row a text, in an array or a sparse matrix of scipy. Similarity is the cosine of two rows."""


class MMR(pt.Transformer):
    """A PyTerrier transformer that reorders each ranking by maximal marginal relevance (MMR).

    MMR trades relevance against similarity to documents ranked above. Columns in: ``qid``, ``docno``,
    ``score``, ``text``. Columns out: the same, with new ``rank`` (from 0) and ``score`` (falling by 1).
    Scores are first divided by the highest score of the frame (BeRDS, A.6). Documents below :data:`CANDIDATES`
    keep their order at the end. A ``trade_off`` of 1 changes nothing. ``encoder`` defaults to
    :func:`~conqret.text.text_passages.lexical`; any sentence encoder works (``model.encode``).

    Raises:
        DeclarationError: ``trade_off`` is outside [0, 1].
    """

    def __init__(self, trade_off: float = TRADE_OFF, *, encoder: Encoder | None = None) -> None:
        super().__init__()
        if not 0 <= trade_off <= 1:
            raise DeclarationError(f"the trade-off of MMR is {trade_off}, but it must be between 0 and 1")
        self.trade_off, self.encoder = trade_off, encoder or lexical

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Reorder the first documents of every query for diversity, and return the new frame."""
        pt.validate.result_frame(frame, extra_columns=["score", "text"])
        if frame.empty:
            return frame.assign(rank=0)
        highest = float(frame["score"].max())
        parts = []
        for _, group in frame.groupby("qid", sort=False):
            best = ordered(group)
            head = best.iloc[:CANDIDATES]
            scores = head["score"].to_numpy(float) / (highest if highest > 0 else 1.0)
            likeness = cosines(self.encoder([str(text) for text in head["text"]]))
            order = select(scores, likeness, self.trade_off)
            parts.append(renumbered(pd.concat([head.iloc[order], best.iloc[CANDIDATES:]])))
        return pd.concat(parts, ignore_index=True)


def remembering(encoder: Encoder) -> Encoder:
    """Return ``encoder`` with a memory of the vectors of each text: rankings of many queries share documents."""
    vectors: dict[str, Any] = {}

    def encode(texts: Sequence[str]) -> Any:
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        vectors.update(zip(new, encoder(new) if new else (), strict=True))
        return np.stack([vectors[text] for text in texts])

    return encode


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
