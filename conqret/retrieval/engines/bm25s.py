"""bm25s: the scores of all words in sparse matrices, in NumPy alone. For every platform."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conqret.io import limits
from conqret.io.limits import whole_bytes
from conqret.retrieval.engines import SNOWBALL_LANGUAGES, Engine, Hits, WordIndexSettings, highest
from conqret.text.words import stop_list, words

_NO_WORD = -1
_SNOWBALL = {"porter2": "english"}
_TERMS = "terms.json"


def build(texts: Iterable[str], folder: Path, settings: WordIndexSettings) -> int:
    """Index ``texts`` with bm25s into ``folder``, and return the number of documents.

    Words are stemmed. Stop words are removed from queries only.
    """
    import bm25s

    analysed = _Vocabulary(settings)
    documents = [analysed.numbers(words(text), grow=True) for text in texts]
    model = bm25s.BM25(k1=settings.k1, b=settings.b, method="lucene")
    if analysed.terms:
        vocabulary = dict(analysed.terms)
        model.index((documents, vocabulary), show_progress=False, create_empty_token=False)
        model.save(str(folder), show_progress=False)
    (folder / _TERMS).write_text(json.dumps(list(analysed.terms)), encoding="utf-8")
    return len(documents)


def open_index(folder: Path, settings: WordIndexSettings) -> Bm25sSearcher:
    """Open the bm25s index in ``folder`` for search."""
    import bm25s

    vocabulary = _Vocabulary(settings)
    terms = json.loads(whole_bytes(folder / _TERMS, limits.UNPACKED))
    vocabulary.terms = {term: number for number, term in enumerate(terms)}
    model = bm25s.BM25.load(str(folder), load_vocab=False, show_progress=False) if terms else None
    return Bm25sSearcher(model, vocabulary, stop_list(str(settings.stop_words)))


class Bm25sSearcher:
    """An open bm25s index that can be searched."""

    def __init__(self, model: Any, vocabulary: _Vocabulary, stop_words: frozenset[str]) -> None:
        self._model, self._vocabulary, self._stop_words = model, vocabulary, stop_words

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """Return at most ``depth`` documents for each query, those with the highest BM25 scores.

        Documents without any of the query's words are left out. A repeated query word counts once.
        """
        return Hits.from_rankings([self._best(query, depth) for query in queries])

    def _best(self, query: str, depth: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the places of the best documents for a query, best first, and their scores. Only documents with a
        score above 0 are returned, none for a query of unknown or stop words."""
        terms = [word for word in words(query) if word not in self._stop_words]
        ids = [number for number in dict.fromkeys(self._vocabulary.numbers(terms)) if number != _NO_WORD]
        if not ids or self._model is None:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        values = self._model.get_scores_from_ids(ids)
        positive = np.flatnonzero(values > 0)
        best = positive[highest(values[positive], depth)].astype(np.int64)
        return best, values[best].astype(np.float64)


class _Vocabulary:
    """Words to the numbers of their stems."""

    def __init__(self, settings: WordIndexSettings) -> None:
        self.terms: dict[str, int] = {}
        self._stem: Callable[[str], str] = cache(_stemmer(str(settings.stemmer)))

    def numbers(self, terms: Sequence[str], *, grow: bool = False) -> list[int]:
        if grow:
            return [self.terms.setdefault(self._stem(word), len(self.terms)) for word in terms]
        return [self.terms.get(self._stem(word), _NO_WORD) for word in terms]


def _stemmer(name: str) -> Any:
    if name == "none":
        return str
    import Stemmer

    return Stemmer.Stemmer(_SNOWBALL.get(name, name)).stemWord


ENGINE = Engine(
    name="bm25s",
    module="bm25s",
    distribution="bm25s",
    build=build,
    open=open_index,
    stemmers=("porter2", "porter", "none", *SNOWBALL_LANGUAGES),
    stop_lists=("english", "lucene", "none"),
)
