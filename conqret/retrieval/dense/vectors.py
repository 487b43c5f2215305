"""Vectors of passages in a file: appended in blocks, gone on with after a kill, searched through a map."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError
from conqret.io import limits
from conqret.io.bounded import whole_bytes
from conqret.retrieval.search_engine import highest
from conqret.text.text_passages import blocks

BLOCK = 4096
"""Passages that are encoded and written at a time; what a kill costs. With 768 numbers each they take 12 MB."""

SCANNED, ASKED = 16384, 256
"""Passages and queries whose products are held at a time: 16 MB."""

_VECTORS, _COUNTS = "vectors.f32", "passages.i32"
_WIDE = 4
"""Bytes of a number in either file."""


def write(
    folder: Path, texts: Iterable[str], encode: Callable[[Sequence[str]], NDArray[np.float32]], words: int
) -> int:
    """Encode the passages of ``texts``, the documents of an index in their order; returns how many documents there are.

    ``vectors.f32`` has the rows one after another, ``passages.i32`` how many passages each document has, which are
    written after their vectors. What stands there whole is kept, and its documents are passed over.

    Raises:
        DeclarationError: the encoder gives vectors of several lengths.
    """
    width = encode(["width"]).shape[1]
    done = _whole(folder, width)
    left = itertools.islice(iter(texts), done, None)
    with (folder / _VECTORS).open("ab") as vectors, (folder / _COUNTS).open("ab") as counts:
        for pieces, piece_counts in blocks(left, words, BLOCK):
            rows = np.ascontiguousarray(encode(pieces), np.float32)
            if rows.shape != (len(pieces), width):
                raise DeclarationError(
                    f"the encoder returned the shape {rows.shape} for {len(pieces)} passages, but "
                    f"must return {width} numbers for each"
                )
            vectors.write(rows.tobytes())
            vectors.flush()
            counts.write(np.array(piece_counts, np.int32).tobytes())
            counts.flush()
            done += len(piece_counts)
    return done


def _whole(folder: Path, width: int) -> int:
    """Cut away what was not written whole; how many documents are there then."""
    files = folder / _VECTORS, folder / _COUNTS
    for file in files:
        file.touch()
    rows = files[0].stat().st_size // (_WIDE * width)
    raw = whole_bytes(files[1], limits.UNPACKED)
    ends = np.cumsum(np.frombuffer(raw[: len(raw) // _WIDE * _WIDE], np.int32))
    done = int(np.searchsorted(ends, rows, side="right"))
    kept = int(ends[done - 1]) if done else 0
    for file, size in zip(files, (kept * width * _WIDE, done * _WIDE), strict=True):
        with file.open("r+b") as opened:
            opened.truncate(size)
    return done


@dataclass(frozen=True)
class Vectors:
    """The vectors of a folder, mapped into memory: ``rows`` (passages by numbers), and ``counts``, the passages of each
    document."""

    rows: NDArray[np.float32]
    counts: NDArray[np.int32]

    @staticmethod
    def of(folder: Path) -> Vectors:
        """Open what :func:`write` wrote."""
        counts = np.fromfile(folder / _COUNTS, np.int32)
        shape = (int(counts.sum()), -1)
        return Vectors(np.memmap(folder / _VECTORS, np.float32, "r").reshape(shape), counts)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The number of each document's first passage, and of all passages at the end."""
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    def nearest(
        self, queries: NDArray[np.float32], depth: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """For each query the ``depth`` documents whose best passage has the highest dot product, and that product.

        Exact: every passage is compared. Of equals the earlier document comes first.
        """
        for start in range(0, len(queries), ASKED):
            yield from self._nearest(queries[start : start + ASKED], depth)

    def _nearest(
        self, queries: NDArray[np.float32], depth: int
    ) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        best = [(np.empty(0, np.int64), np.empty(0, np.float32)) for _ in queries]
        for first, last in self._spans():
            begin, end = self.starts[first], self.starts[last]
            products = queries @ self.rows[begin:end].T
            values = np.maximum.reduceat(products, self.starts[first:last] - begin, axis=1)
            for place, (documents, scores) in enumerate(best):
                top = highest(values[place], depth)
                documents = np.concatenate([documents, top + first])
                scores = np.concatenate([scores, values[place][top]])
                order = highest(scores, depth)
                best[place] = documents[order], scores[order]
        return best

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Documents from and to, with at most :data:`SCANNED` passages together where one alone has no more."""
        first = 0
        while first < len(self.counts):
            last = int(np.searchsorted(self.starts, self.starts[first] + SCANNED, side="right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last
