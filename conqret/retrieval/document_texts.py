"""Titles and texts for rankings that hold ids alone, whichever retriever made them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyterrier as pt

from conqret.errors import DeclarationError
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
