"""Documents as passages: an encoder reads a few hundred tokens, and a document is as good as its best passage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

WORDS = 100
"""Words in a passage: the segments of DPR's Wikipedia, and of every corpus of BeRDS (section 4.2)."""


def passages(text: str, words: int = WORDS) -> list[str]:
    """``text`` in pieces of at most ``words`` words, in order and disjoint; a text without words is one, empty."""
    found = text.split()
    return [" ".join(found[start : start + words]) for start in range(0, len(found), words)] or [""]


def blocks(texts: Iterable[str], words: int, size: int) -> Iterator[tuple[list[str], list[int]]]:
    """The passages of whole documents, at least ``size`` at a time (but the last), and how many each document has."""
    pieces: list[str] = []
    counts: list[int] = []
    for text in texts:
        own = passages(text, words)
        pieces += own
        counts.append(len(own))
        if len(pieces) >= size:
            yield pieces, counts
            pieces, counts = [], []
    if counts:
        yield pieces, counts
