"""Which texts are alike: the cosine of every two embeddings, in blocks, so that the full matrix is never in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1024
"""Rows that are compared with all later ones at a time: with 10,000 texts 40 MB of single-precision cosines."""

MOST_PAIRS = 5_000_000
"""Similar pairs at most, which take 80 MB; there are more only where the threshold is far too low."""

ROUNDING = 1e-6
"""Cosines in single precision are good to about so much: two equal texts may have one of 0.9999999."""


class SimilarPair(NamedTuple):
    """Two texts by their numbers (``first`` before ``second``), and their cosine."""

    first: int
    second: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Cosines:
    """The cosines of one block: of the texts ``first`` with the texts ``second``, each pair once."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    values: NDArray[np.float32]


def similar_pairs(vectors: Any, threshold: float) -> list[SimilarPair]:
    """Every two rows whose cosine is ``threshold`` or more, in the order of the rows.

    ``vectors`` are n rows, as an array or as a sparse matrix of scipy. A row of zeros is like none.

    Raises:
        DeclarationError: the threshold is outside (0, 1], the vectors are no table of finite numbers, or more than
            :data:`MOST_PAIRS` pairs are similar.
    """
    if not 0 < threshold <= 1:
        raise DeclarationError(f"the threshold is {threshold}; a cosine above 0, up to 1, is expected")
    found: list[SimilarPair] = []
    for block in cosines(vectors, at_least=threshold - ROUNDING):
        if len(found) + len(block.values) > MOST_PAIRS:
            raise DeclarationError(
                f"more than {MOST_PAIRS:,} pairs have a similarity of {threshold} or more: raise the threshold, and "
                "see what pairs are like with `conqret debateqa questions pairs`"
            )
        rows = zip(block.first.tolist(), block.second.tolist(), block.values.tolist(), strict=True)
        found += [SimilarPair(first, second, round(value, 6)) for first, second, value in rows]
    return found


def cosines(vectors: Any, *, at_least: float = -1.0) -> Iterator[Cosines]:
    """The cosines of every two rows that reach ``at_least``, block by block; each pair comes once."""
    import numpy as np

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
        yield Cosines(first + start, second + start, np.minimum(values, 1.0).astype(np.float32))


def unit_rows(vectors: Any) -> Any:
    """The rows at length 1 in single precision; rows of zeros stay.

    Raises:
        DeclarationError: they are no table of finite numbers.
    """
    import numpy as np

    if not isinstance(vectors, np.ndarray):
        from scipy.sparse import csr_matrix, diags
        from scipy.sparse.linalg import norm

        rows = csr_matrix(vectors, dtype=np.float32)
        lengths = norm(rows, axis=1)
        return csr_matrix(diags(1 / np.where(lengths > 0, lengths, 1)) @ rows, dtype=np.float32)
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or not np.isfinite(vectors).all():
        raise DeclarationError(
            f"embeddings are a table of finite numbers, a row for each text, not {vectors.dtype} of the shape "
            f"{vectors.shape} (or some are no numbers)"
        )
    rows = vectors.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
