"""From texts to vectors: any sentence-transformers model in a folder, or the offline lexical ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError
from conqret.text.text_passages import root
from conqret.text.word_lists import fold, words

LEXICAL = "lexical"
"""The name of the offline embedding: word stems by TF-IDF."""

Embed = Callable[[Sequence[str]], Any]
"""From n texts to n rows: an array, or a sparse matrix of scipy."""


def embedder(name: str) -> Embed:
    """What embeds by this name: ``lexical``, or the folder of a sentence-transformers model. Nothing is downloaded.

    Raises:
        DeclarationError: there is no such folder, or no model in it.
        MissingDependencyError: sentence-transformers (for a folder) or scipy (for ``lexical``) is not installed.
    """
    if name == LEXICAL:
        require("scipy", extra="stats")
        return lexical
    folder = Path(name)
    if not folder.is_dir():
        raise DeclarationError(
            f"--encoder is {LEXICAL} or the folder of a sentence-transformers model, and {name!r} is neither"
        )
    from conqret.local.embedding import load_encoder

    model = load_encoder(str(folder), extra="dense")
    return lambda texts: model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)


def lexical(texts: Sequence[str]) -> Any:
    """TF-IDF rows over the content stems of the texts, sparse: ``(1 + log f) log((n + 1) / (d + 1/2))``.

    f is how often a text has the stem, d how many of the n texts have it.
    """
    from scipy.sparse import csr_matrix

    counts = [Counter(filter(None, map(root, words(fold(text))))) for text in texts]
    holders = Counter(term for count in counts for term in count)
    columns = {term: place for place, term in enumerate(sorted(holders))}
    values, places, starts = [], [], [0]
    for count in counts:
        for term, frequency in count.items():
            places.append(columns[term])
            values.append((1 + math.log(frequency)) * math.log((len(texts) + 1) / (holders[term] + 0.5)))
        starts.append(len(places))
    return csr_matrix((values, places, starts), shape=(len(texts), max(1, len(columns))))


def read_embeddings(path: Path, count: int) -> Any:
    """The embeddings of ``count`` texts from a ``.npy`` file, a row for each in their order; mapped, not loaded.

    Raises:
        DeclarationError: it cannot be read, or has another number of rows.
    """
    require("numpy", extra="stats")
    import numpy as np

    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DeclarationError(f"{path} holds no array of numpy (.npy): {error}") from error
    if not isinstance(found, np.ndarray) or found.ndim != 2 or len(found) != count:
        shape = getattr(found, "shape", "several arrays")
        raise DeclarationError(
            f"{path} has the shape {shape}, and {count} rows, one for each text, are expected"
        )
    return np.asarray(found)
