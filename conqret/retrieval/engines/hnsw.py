"""A graph leads to the nearest passages (Malkov and Yashunin 2018), in FAISS: approximate, for millions of them.

The vectors lie in a file as those of the engine ``dense``; the graph holds a copy of them in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret._optional import require
from conqret.retrieval.dense.encoder_files import EXTRA
from conqret.retrieval.dense.text_encoding import Encoding
from conqret.retrieval.dense.vectors import BLOCK, Vectors
from conqret.retrieval.engine import Hits
from conqret.retrieval.engines import dense

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEIGHBOURS = 32
"""Edges of a node: M of Malkov and Yashunin, who find 5 to 48 of use."""

CONSTRUCTION = 200
"""Candidates while the graph is built (their efConstruction); FAISS's own 40 finds noticeably less."""

SEARCHED = 256
"""Candidates of a search at least: with 40, a fifth of the twenty nearest among 500 was missed, with 400 none."""

_GRAPH = "graph.faiss"


def build(texts: Iterable[str], folder: Path, settings: Encoding) -> int:
    """Encode as ``dense`` does, then build the graph."""
    faiss: Any = require("faiss", extra=EXTRA)
    held = dense.build(texts, folder, settings)
    rows = Vectors.of(folder).rows
    blocks = [slice(start, start + BLOCK) for start in range(0, len(rows), BLOCK)]
    radius = max(float((rows[block] ** 2).sum(axis=1).max()) for block in blocks)
    graph = faiss.IndexHNSWFlat(rows.shape[1] + 1, NEIGHBOURS)
    graph.hnsw.efConstruction = CONSTRUCTION
    for block in blocks:
        graph.add(_lifted(rows[block], radius))
    faiss.write_index(graph, str(folder / _GRAPH))
    return held


def _lifted(rows: NDArray[np.float32], radius: float) -> NDArray[np.float32]:
    """Rows with one number more, which makes all of them as long as the root of ``radius``: the nearest by distance are
    then those of the highest product (Bachrach et al. 2014, section 3.2). FAISS's graphs by product find fewer."""
    import numpy as np

    more = np.sqrt(np.maximum(radius - (rows**2).sum(axis=1, keepdims=True), 0))
    return np.hstack([rows, more])


class HnswSearcher(dense.DenseSearcher):
    """An open graph over the vectors."""

    def __init__(self, folder: Path, settings: Encoding) -> None:
        super().__init__(folder, settings)
        faiss: Any = require("faiss", extra=EXTRA)
        self._graph = faiss.read_index(str(folder / _GRAPH))

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """The documents of the passages that the graph leads to; it is asked for more until there are ``depth``."""
        return Hits.of([self._one(vector, depth) for vector in self.encoder.queries(queries)])

    def _one(self, query: NDArray[np.float32], depth: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        import numpy as np

        asked = np.append(query, np.float32(0))[None]
        passages, enough = len(self.vectors.rows), min(depth, len(self.vectors.counts))
        wanted = min(passages, 2 * depth)
        while True:
            self._graph.hnsw.efSearch = max(SEARCHED, 2 * wanted)
            _, places = self._graph.search(asked, wanted)
            nearest = places[0][places[0] >= 0]
            owners = np.searchsorted(self.vectors.starts, nearest, side="right") - 1
            _, firsts = np.unique(owners, return_index=True)
            if len(firsts) >= enough or wanted == passages:
                kept = np.sort(firsts)[:depth]
                return owners[kept], self.vectors.rows[nearest[kept]] @ query
            wanted = min(passages, 2 * wanted)


ENGINE = replace(
    dense.ENGINE,
    name="hnsw",
    module="faiss",
    distribution="faiss-cpu",
    build=build,
    open=HnswSearcher,
    home="index-hnsw",
)
