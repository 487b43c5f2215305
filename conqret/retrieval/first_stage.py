"""A first stage as a PyTerrier transformer: questions in, ranked documents with their texts out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import pyterrier as pt

from conqret.errors import DeclarationError, check_positive
from conqret.retrieval.corpus_index import Index, open_index

if TYPE_CHECKING:
    import pandas as pd


class Texts(pt.Transformer):
    """Add the columns ``title`` and ``text`` by ``docno``, from the documents of a corpus.

    Put it after a first stage that knows ids only: ``dense >> Texts("corpus/") >> ListwiseReranker(…)``.

    Raises:
        DeclarationError: the corpus cannot be opened; or, at the call, it has no document of some id.
    """

    def __init__(self, corpus: Index | str | Path) -> None:
        super().__init__()
        self.index = corpus if isinstance(corpus, Index) else open_index(corpus)

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Add the texts to every row."""
        pt.validate.columns(frame, includes=["docno"])
        return with_texts(frame, self.index)

    def __repr__(self) -> str:
        return f"Texts({str(self.index.collection.folder)!r})"


def with_texts(frame: pd.DataFrame, index: Index) -> pd.DataFrame:
    """The frame with ``title`` and ``text``.

    Raises:
        DeclarationError: the corpus has no document of some id.
    """
    identifiers = [str(identifier) for identifier in frame["docno"]]
    entries = index.entries(identifiers)
    if strangers := [identifier for identifier in identifiers if identifier not in entries]:
        raise DeclarationError(
            f"{index.collection.documents_file} has no document {strangers[0]!r} "
            f"({len(set(strangers))} unknown ids): give the corpus that the ranking was made from"
        )
    return frame.assign(
        title=[entries[identifier].title for identifier in identifiers],
        text=[entries[identifier].text for identifier in identifiers],
    )


DEPTH = 100
"""Documents a question; the depth that listwise reranking starts from (Sun et al. 2023)."""


class FirstStage(pt.Transformer):
    """Retrieve from an index of :func:`conqret.retrieval.build_index`, or from a corpus directory.

    Columns in: ``qid``, ``query`` and any others. Columns out: those, and ``docno``, ``score``, ``rank``
    (from 0); with ``texts`` also ``title`` and ``text``, which rerankers read.

    Raises:
        DeclarationError: ``depth`` is below 1, or the corpus cannot be opened.
    """

    engine: str | None = None
    """The engine whose index of a corpus directory is opened; None is that by words."""

    def __init__(self, index: Index | str | Path, *, depth: int = DEPTH, texts: bool = True) -> None:
        super().__init__()
        check_positive({"depth": depth})
        self.index = index if isinstance(index, Index) else open_index(index, self.engine)
        self.depth, self.texts = depth, texts

    def transform(self, queries: pd.DataFrame) -> pd.DataFrame:
        """Search for every query of the frame."""
        pt.validate.query_frame(queries, extra_columns=["query"])
        hits = self.index.search(
            [str(query) for query in queries["query"]], self.depth, [str(topic) for topic in queries["qid"]]
        )
        frame = queries.iloc[hits.queries].reset_index(drop=True)
        frame = frame.drop(columns=[name for name in ("docno", "score", "rank") if name in frame])
        frame = frame.assign(
            docno=np.array(self.index.ids, dtype=object)[hits.documents],
            score=hits.scores,
            rank=frame.groupby(hits.queries).cumcount(),
        )
        return with_texts(frame, self.index) if self.texts else frame

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """``bm25 % k`` searches no deeper than it must."""
        return type(self)(self.index, depth=k, texts=self.texts) if k < self.depth else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.index.engine}, depth={self.depth})"


class BM25(FirstStage):
    """Retrieve by words: the index of ``conqret retrieve index CORPUS``."""


class Dense(FirstStage):
    """Retrieve by vectors: the index of ``conqret retrieve index CORPUS --engine dense``, or any other by vectors."""

    engine = "dense"
