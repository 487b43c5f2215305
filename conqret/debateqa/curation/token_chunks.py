"""Documents in chunks, cut between sentences: of at most 1,000 tokens (DebateQA, A.2) or any other size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conqret.llm.tokens import count_tokens
from conqret.text.sentences import boundaries

TOKENS = 1_000
"""Tokens of a chunk (DebateQA, A.2 and A.3)."""
PIECE = 2_000
"""Characters after which a sentence without an end is cut."""


def chunks(text: str, most: int = TOKENS, measure: Callable[[str], int] = count_tokens) -> Iterator[str]:
    """The chunks of a text, in their order, each of at most ``most`` as ``measure`` counts a sentence; what stands
    between sentences alone is left out."""
    start, end, size = 0, 0, 0
    for first, last in _pieces(text):
        tokens = measure(text[first:last])
        if size and size + tokens > most:
            yield text[start:end].strip()
            start, size = first, 0
        size, end = size + tokens, last
    if text[start:end].strip():
        yield text[start:end].strip()


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    for first, last in boundaries(text):
        if text[first:last].strip():
            for cut in range(first, last, PIECE):
                yield cut, min(cut + PIECE, last)
