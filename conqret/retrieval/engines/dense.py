"""Every passage is compared with the query: exact, from a file that is mapped into memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from conqret.retrieval.engines import Engine, Hits
from conqret.retrieval.text_encoding import EXTRA, Encoder, Encoding
from conqret.retrieval.vectors import Vectors, load, write


def build(texts: Iterable[str], folder: Path, settings: Encoding) -> int:
    """Encode the passages of ``texts`` into ``folder`` and return the number of documents.

    Passages that an interrupted build already encoded are skipped.
    """
    return write(folder, texts, load(settings).passages, settings.passage_words)


class DenseSearcher:
    """An open vector index; the encoder is loaded at the first query."""

    def __init__(self, folder: Path, settings: Encoding) -> None:
        self.vectors, self._settings = Vectors.from_folder(folder), settings

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder that the index was built with."""
        return load(self._settings)

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """Return the ``depth`` documents whose best passage has the highest dot product with each query."""
        return Hits.from_rankings(list(self.vectors.nearest(self.encoder.queries(queries), depth)))


ENGINE = Engine(
    name="dense",
    module="sentence_transformers",
    distribution="sentence-transformers",
    build=build,
    open=DenseSearcher,
    settings=Encoding,
    extra=EXTRA,
    home="index-dense",
    folds=False,
    resumes=True,
    layout="1",
)
