"""A text with places that are marked, in pieces."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.annotation.screens import Passage


def pieces(passage: Passage) -> Iterator[tuple[str, bool]]:
    """The text piece by piece, each with whether it is marked."""
    at = 0
    for start, end in sorted(passage.lit):
        if at < start:
            yield passage.text[at:start], False
        yield passage.text[max(at, start) : end], True
        at = max(at, end)
    if at < len(passage.text):
        yield passage.text[at:], False
