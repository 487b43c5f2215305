"""PISA through pyterrier-pisa: an inverted index in native code, without Java."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from conqret.errors import ConqretError
from conqret.retrieval.engine import Engine, Hits, WordIndexSettings
from conqret.text.word_lists import ascii_words, stop_list, words

TAIL = 500
"""Characters of what was swallowed that are shown where the library fails: its last two or three lines."""


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Swallow what is written to the file descriptors 1 and 2 inside the block, whoever writes it.

    Native code writes past ``sys.stdout``, so the descriptors themselves point elsewhere meanwhile. If the
    block raises, the end of what was swallowed is added to the exception as a note. Not for use by two
    threads at a time: the descriptors belong to the whole process.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    with tempfile.TemporaryFile() as sink:
        kept = {target: os.dup(target) for target in (1, 2) if _is_open(target)}
        try:
            for target in kept:
                os.dup2(sink.fileno(), target)
            yield
        except Exception as error:
            sink.seek(0)
            if output_text := sink.read().decode("utf-8", "replace").strip()[-TAIL:]:
                error.add_note(f"the engine said: {output_text}")
            raise
        finally:
            for target, copy in kept.items():
                os.dup2(copy, target)
                os.close(copy)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def build(texts: Iterable[str], folder: Path, settings: WordIndexSettings) -> int:
    """Index ``texts`` and prepare the BM25 scores. Documents are known to PISA by their numbers.

    Raises:
        ConqretError: PISA lost some of them; and whatever reading the texts raised.
    """
    feed = _Feed(texts)
    with silenced():
        index = _index(folder, settings)
        index.index(iter(feed))
    if feed.error is not None:
        raise feed.error
    with silenced():
        held = int(index.num_docs())
        index.bm25(k1=settings.k1, b=settings.b)
    if held != feed.given or not feed.whole:
        raise ConqretError(f"PISA indexed {held} of {feed.given} documents; try --engine bm25s")
    return held


def open_index(folder: Path, settings: WordIndexSettings) -> PisaSearcher:
    """Open the index in ``folder``."""
    with silenced():
        return PisaSearcher(_index(folder, settings), settings)


def _index(folder: Path, settings: WordIndexSettings) -> Any:
    import pyterrier_pisa

    stops = "none" if settings.stop_words == "english" else settings.stop_words
    return pyterrier_pisa.PisaIndex(str(folder), text_field="text", stemmer=settings.stemmer, stops=stops)


class PisaSearcher:
    """An open PISA index."""

    def __init__(self, index: Any, settings: WordIndexSettings) -> None:
        self._index, self._settings = index, settings
        self._own_stop_words = stop_list("english") if settings.stop_words == "english" else frozenset()
        self._retrievers: dict[int, Any] = {}

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """Search for all queries at once; words that no document holds are ignored."""
        import numpy as np
        import pandas as pd

        texts = [ascii_words(self._without_stop_words(query)) for query in queries]
        with silenced():
            if depth not in self._retrievers:
                self._retrievers[depth] = self._index.bm25(
                    k1=self._settings.k1, b=self._settings.b, num_results=depth
                )
            results = self._retrievers[depth](pd.DataFrame({"qid": range(len(texts)), "query": texts}))
        return Hits(
            results["qid"].to_numpy(np.int64),
            results["docno"].to_numpy(dtype=str).astype(np.int64),
            results["score"].to_numpy(np.float64),
        )

    def _without_stop_words(self, query: str) -> str:
        if not self._own_stop_words:
            return query
        return " ".join(word for word in words(query) if word not in self._own_stop_words)


class _Feed:
    """The texts as PISA wants them. It reads in a thread of its own and would take an error there for the
    end of the collection, so the error is kept."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self.given, self.whole = 0, False
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[dict[str, str]]:
        try:
            for text in self._texts:
                clean = ascii_words(text.encode("utf-8", "replace").decode("utf-8").replace("\0", " "))
                yield {"docno": str(self.given), "text": clean}
                self.given += 1
            self.whole = True
        except (ConqretError, OSError, ValueError) as error:
            self.error = error


ENGINE = Engine(
    name="pisa",
    module="pyterrier_pisa",
    distribution="pyterrier-pisa",
    build=build,
    open=open_index,
    stemmers=("porter2", "krovetz", "none"),
    stop_lists=("terrier", "lucene", "english", "none"),
    where=" (its wheels are for Linux on x86-64; elsewhere use --engine bm25s)",
)
