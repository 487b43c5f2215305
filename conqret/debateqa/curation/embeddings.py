"""From texts to vectors: any sentence-transformers model in a folder, or the offline lexical ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import norm

from conqret.errors import DeclarationError
from conqret.local.models import load_encoder
from conqret.text.text_passages import lexical

LEXICAL = "lexical"
"""The name of the offline embedding: word stems by TF-IDF."""

Embed = Callable[[Sequence[str]], Any]
"""From n texts to n rows: an array, or a sparse matrix of scipy."""


def embedder(name: str) -> Embed:
    """Return the function that embeds texts: ``lexical``, or by the sentence-transformers model in a folder.

    Nothing is downloaded.

    Raises:
        DeclarationError: there is no such folder, or no model in it.
        MissingDependencyError: sentence-transformers (for a folder) is not installed.
    """
    if name == LEXICAL:
        return lexical
    folder = Path(name)
    if not folder.is_dir():
        raise DeclarationError(
            f"--encoder takes {LEXICAL} or the folder of a sentence-transformers model, and {name!r} is neither"
        )
    model = load_encoder(str(folder), extra="dense")
    return lambda texts: model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)


BLOCK = 1024
"""Rows that are compared with all later ones at a time: with 10,000 texts 40 MB of single-precision cosines."""

MAX_PAIRS = 5_000_000
"""Similar pairs at most, which take 80 MB; there are more only where the threshold is far too low."""

ROUNDING = 1e-6
"""Cosines in single precision are good to about so much: two equal texts may have one of 0.9999999."""


class SimilarPair(NamedTuple):
    """The indexes of two similar texts (``first`` before ``second``), and their cosine."""

    first: int
    second: int
    similarity: float


Cosines = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
"""The cosines of one block: first texts, second texts, and the cosine of each pair, which comes once."""


def similar_pairs(vectors: Any, threshold: float) -> list[SimilarPair]:
    """Return all pairs of rows with a cosine of at least ``threshold``, in the order of the rows.

    ``vectors`` is an array or a scipy sparse matrix with one row for each text. A row of zeros is similar to
    no other.

    Raises:
        DeclarationError: the threshold is outside (0, 1], the vectors are not a table of finite numbers,
            or more than :data:`MAX_PAIRS` pairs are similar.
    """
    if not 0 < threshold <= 1:
        raise DeclarationError(f"the threshold is {threshold}, but it must be a cosine above 0 and at most 1")
    pairs: list[SimilarPair] = []
    for block in cosines(vectors, at_least=threshold - ROUNDING):
        if len(pairs) + len(block[0]) > MAX_PAIRS:
            raise DeclarationError(
                f"more than {MAX_PAIRS:,} pairs have a similarity of at least {threshold}: raise the threshold, and "
                "look at such pairs with `conqret debateqa questions --pairs`"
            )
        rows = zip(*(part.tolist() for part in block), strict=True)
        pairs += [SimilarPair(first, second, round(value, 6)) for first, second, value in rows]
    return pairs


def cosines(vectors: Any, *, at_least: float = -1.0) -> Iterator[Cosines]:
    """Yield, block by block, the pairs of rows with a cosine of at least ``at_least``: first rows, second
    rows, cosines (in single precision).

    Rows are numbered from 0. Each pair occurs once, the earlier row first.
    """
    unit = unit_rows(vectors)
    sparse = not isinstance(unit, np.ndarray)
    for start in range(0, unit.shape[0], BLOCK):
        product = unit[start : start + BLOCK] @ unit[start:].T
        if sparse and at_least > 0:
            held = product.tocoo()
            first, second, values = held.row.astype(np.int64), held.col.astype(np.int64), held.data
            kept = (second > first) & (values >= at_least)
            first, second, values = first[kept], second[kept], values[kept]
            order = np.lexsort((second, first))
            first, second, values = first[order], second[order], values[order]
        else:
            dense = product.toarray() if sparse else product
            above = np.triu(np.ones(dense.shape, dtype=bool), k=1)
            first, second = np.nonzero((dense >= at_least) & above)
            values = dense[first, second]
        yield first + start, second + start, np.minimum(values, 1.0).astype(np.float32)


def unit_rows(vectors: Any) -> Any:
    """Return the rows scaled to length 1, in single precision; rows of zeros are unchanged.

    Raises:
        DeclarationError: the vectors are not a table of finite numbers.
    """
    if not isinstance(vectors, np.ndarray):
        rows = csr_matrix(vectors, dtype=np.float32)
        lengths = norm(rows, axis=1)
        return csr_matrix(diags(1 / np.where(lengths > 0, lengths, 1)) @ rows, dtype=np.float32)
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or not np.isfinite(vectors).all():
        raise DeclarationError(
            f"embeddings must be a table of finite numbers with a row for each text, not {vectors.dtype} of the shape "
            f"{vectors.shape} (or some are not numbers)"
        )
    rows = vectors.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
